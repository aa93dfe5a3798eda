/** Of what a value takes as JSON, the form in which it is stored. */
export function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
