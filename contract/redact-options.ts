/** What is secret in payloads, beyond what every mesh knows to be. */
export interface RedactOptions {
  /** Keys whose values are secrets: compared without regard to case, `-` and `_`. */
  keys?: readonly string[];
  /** Texts that are secrets wherever they stand. */
  patterns?: readonly RegExp[];
}
