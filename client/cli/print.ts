/** Standard output carries what was asked for and nothing else, so that scripts can read it. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}
