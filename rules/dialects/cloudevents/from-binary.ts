/**
 * Puts an event in CloudEvents' binary HTTP form together in the JSON form: attributes from the `ce-` headers, the body as
 * data. What is missing or wrong is left to `mapCloudEvent`.
 */
export function fromBinary(headers: Record<string, string | undefined>, body: unknown): unknown {
  const attributes: [string, unknown][] = [];
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase();
    if (typeof value !== 'string') continue;
    if (name.startsWith('ce-')) attributes.push([name.slice('ce-'.length), decoded(value)]);
    if (name === 'content-type') attributes.push(['datacontenttype', value]);
  }
  if (body !== undefined) attributes.push(['data', body]);
  // Entries, not assignment: a header named ce-__proto__ must stay a key.
  return Object.fromEntries(attributes);
}

/** Quoted by older senders, and percent-encoded once: https://github.com/cloudevents/spec, HTTP binding, 3.1.3.2. */
function decoded(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value.trim())?.[1];
  const text = quoted === undefined ? value : quoted.replace(/\\(.)/g, '$1');
  // Not decodeURIComponent, which throws at bytes that are no UTF-8.
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    new TextDecoder().decode(Uint8Array.from(bytes.slice(1).split('%'), (byte) => Number.parseInt(byte, 16))),
  );
}
