/**
 * The effect key as `webhook-id`: the same on every attempt. A full stop separates the id from what follows it in the signed
 * text, so there is none in it, and a header holds plain characters only; both stand as in a URL.
 */
export function webhookId(effectKey: string): string {
  return effectKey
    .toWellFormed()
    .replace(/\.|[^\x21-\x7e]/gu, (char) => (char === '.' ? '%2E' : encodeURIComponent(char)));
}
