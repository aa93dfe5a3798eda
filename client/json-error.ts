import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

/**
 * Where a text that is no JSON stops being it, and what should stand there. What `JSON.parse` says about it depends on the version
 * of Node, often lacks the place, and quotes more of the text than may be shown.
 */
export function describeJsonError(text: string, { comments = false }: { comments?: boolean } = {}): string {
  if (text.length > MAX_READ_CHARS) return `in ${text.length} characters, which is too many to say where`;
  const error = firstError(text, comments);
  if (error === undefined) return 'it cannot be read';
  const { code, offset, line, column } = error;
  const found = offset >= text.length ? 'but it ends there' : `found ${JSON.stringify(text.at(offset))}`;
  return `at position ${offset} (line ${line}, column ${column}) expected ${EXPECTED[printParseErrorCode(code)] ?? 'JSON'}, ${found}`;
}

/** A text may be made to be slow, and nobody looks for a comma in so much. */
const MAX_READ_CHARS = 256 * 1024;

interface JsonError {
  code: ParseErrorCode;
  offset: number;
  line: number;
  column: number;
}

/** The parser goes on behind an error, and what it finds there follows from the first one. */
function firstError(text: string, comments: boolean): JsonError | undefined {
  let first: JsonError | undefined;
  const onError = (code: ParseErrorCode, offset: number, _length: number, line: number, character: number) => {
    first ??= { code, offset, line: line + 1, column: character + 1 };
  };
  visit(text, { onError }, { disallowComments: !comments });
  return first;
}

const EXPECTED: Record<string, string> = {
  InvalidNumberFormat: 'a number',
  PropertyNameExpected: 'a key',
  ValueExpected: 'a value',
  ColonExpected: ':',
  CommaExpected: 'a comma',
  CloseBraceExpected: '}',
  CloseBracketExpected: ']',
  EndOfFileExpected: 'nothing more',
  InvalidCommentToken: 'no comment',
  UnexpectedEndOfComment: 'a comment that ends',
  UnexpectedEndOfString: 'a text that ends',
  UnexpectedEndOfNumber: 'a number',
  InvalidUnicode: 'a text without a broken escape',
  InvalidEscapeCharacter: 'a text without a broken escape',
  InvalidCharacter: 'a text without control characters',
};
