import * as fc from 'fast-check';

const CHARACTERS = [...'ab7 "\'\\{}@<>-/!$#`&|;:', '\n', '\r', '\t', '\u0000', '\u0007', '\u001b', '\u0085', '\u200b'];
const MORE = ['\u2028', '\u202e', '\u2066', '\ufeff', '\ud800', '\udc00', 'é', '😀', '\u{e0041}'];

/** Texts of characters that mean something to somebody, each alone and together. */
export const hostileText = fc.string({ unit: fc.constantFrom(...CHARACTERS, ...MORE) });
