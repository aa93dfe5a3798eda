import { REDACTED } from './redacted.js';

/**
 * Hides what is a secret by its own look, wherever it stands. Each pattern reads a text once: none has a repetition inside a
 * repetition that could match the same letters, so that no text can make it slow.
 */
export function hideShapes(text: string): string {
  let hidden = hidePrivateKeys(text);
  for (const pattern of TOKENS) hidden = hidden.replace(pattern, REDACTED);
  for (const pattern of AFTER) hidden = hidden.replace(pattern, `$1${REDACTED}`);
  hidden = hidden.replace(BEARER, hideBearer).replace(URL_USER, hideUrlUser).replace(URL_ODD_USER, `$1${REDACTED}@`);
  return /\bcurl\b/.test(hidden)
    ? hidden.replace(CURL_USER, hideCurlUser).replace(CURL_COOKIE, `$1${REDACTED}$2`)
    : hidden;
}

/** Before a token: not the middle of a word, but a line break written as `\n` is no part of a word. */
const FRESH = String.raw`(?:(?<![\w-])|(?<=\\[nrt]))`;

const TOKENS = [
  /(?<![A-Za-z0-9])A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // GitHub, GitLab, Slack, Stripe, and others whose tokens begin with a name that nothing else begins with.
  /(?:gh[pousr]_|github_pat_|[sr]k_(?:live|test)_|whsec_|dckr_pat_|shp(?:at|ss|ca|pa)_|glsa_|lin_api_|GOCSPX-)\w[\w-]{9,}/g,
  /(?:gl(?:pat|dt|rt|ptt|cbt|oas|soat|ft|agent)-|xox[a-z]-|xapp-|sk-ant-|pypi-AgE|dop_v1_|hvs\.)\w[\w-]{9,}(?:\.\w[\w-]*)*/g,
  /(?:npm_|hf_)[A-Za-z0-9]{30,}/g,
  /(?:AIza|ya29\.)[\w-]{30,}/g,
  /SG\.[\w-]{16,}\.[\w-]{16,}/g,
  // Our own: what an agent proves its place in a chain with.
  /mesh1\.[\w-]{16,}\.[\w-]{16,}/g,
  // OpenAI and its relatives. A digit, a capital or a long run of letters: `sk-circle-fade-dot` is a name.
  new RegExp(String.raw`${FRESH}sk-(?=[a-z-]*[\dA-Z]|[\w-]*[A-Za-z]{20})[\w-]{16,}`, 'g'),
  // JSON Web Tokens: `eyJ` is how `{"` looks in base64.
  new RegExp(String.raw`${FRESH}eyJ[\w-]{5,}\.[\w-]{4,}(?:\.[\w-]*){0,3}`, 'g'),
];

/** Secrets that what stands before them gives away. */
const AFTER = [
  /(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)(?!\[redacted)[^\s"'`<>\\)]+/gi,
  /(\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/)[\w-]+/gi,
  /(\bapi\.telegram\.org\/(?:file\/)?bot)\d+:[\w-]+/gi,
  /(\bsshpass[ \t]+-p[ \t]*)(?!\[redacted|\$|"\$)(?:"[^"\n]*"?|'[^'\n]*'?|[^\s"']+)/g,
  // A line of .netrc.
  /(\blogin\s+\S+\s+password\s+)(?!\[redacted)\S+/g,
  /(\bidentified\s+by\s+)(?!\[redacted)(?:'[^'\n]*'?|"[^"\n]*"?)/gi,
];

export const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g;
export const PRIVATE_KEY_END = '-----END';

/** From BEGIN to END; a key that was cut ends with the text. Code that only names the first line is left alone. */
function hidePrivateKeys(text: string): string {
  const begin = new RegExp(PRIVATE_KEY);
  const lastEnd = text.lastIndexOf(PRIVATE_KEY_END);
  let hidden = '';
  let from = 0;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const end = begin.lastIndex > lastEnd ? -1 : text.indexOf(PRIVATE_KEY_END, begin.lastIndex);
    if (end === -1 && !/^(?:[A-Za-z0-9+/\s]|\\+[nr])/.test(text.slice(begin.lastIndex, begin.lastIndex + 20))) continue;
    hidden += text.slice(from, found.index) + REDACTED;
    from = begin.lastIndex = end === -1 ? text.length : afterEnd(text, end);
  }
  return hidden + text.slice(from);
}

function afterEnd(text: string, end: number): number {
  const line = /-----END[A-Z0-9 ]*(?:-----)?/y;
  line.lastIndex = end;
  line.test(text);
  return line.lastIndex;
}

const BEARER = /\b(Bearer|Basic)([ \t]+)([\w.~+/=-]{8,})/gi;

/** Outside of a header these are also words: "bearer authentication", "a basic HTTP/1.1 client". */
function hideBearer(found: string, scheme: string, gap: string, value: string): string {
  const bare = withoutDots(value);
  const isToken = /\d|[a-z][A-Z]|[._=]/.test(bare) || bare.length >= 24;
  const isSecret = scheme.toLowerCase() === 'bearer' ? isToken : bare.endsWith('=') || isUserAndPassword(bare);
  return isSecret ? scheme + gap + REDACTED : found;
}

/** The end of a sentence. A pattern for it would look for the end of the text from every dot. */
function withoutDots(value: string): string {
  let end = value.length;
  while (value[end - 1] === '.') end--;
  return value.slice(0, end);
}

function isUserAndPassword(base64: string): boolean {
  try {
    const text = atob(base64);
    return text.indexOf(':') > 0 && /^[\x20-\x7e]*$/.test(text);
  } catch {
    return false;
  }
}

const URL_USER = /(:(?:\/\/|\\\/\\\/))([^\s/?#"'`<>\\]+)@/g;

/** The user alone is a name in `ssh://git@host`, and a token more often than not in `https://…@host`. */
function hideUrlUser(found: string, slashes: string, user: string, at: number, text: string): string {
  const isWeb = /https?$/i.test(text.slice(Math.max(0, at - 5), at));
  if (!user.includes(':') && !isWeb && user.length < 16) return found;
  return `${slashes}${REDACTED}@`;
}

/** A password with an unescaped slash, `?` or `#` breaks the address, and the error then quotes the address. */
const URL_ODD_USER = /(:\/\/)[^\s/?#@:[\]"'`<>\\]+:(?!\d{1,5}(?!\w))[^\s@"'`<>]{1,200}@/g;

const CURL_USER = /(?<=\s)((?:-u|-U|--user|--proxy-user)(?:[ \t]*=[ \t]*|[ \t]*)\\*["']?)([^\s:"'\\]+):([^\s"'\\]+)/g;

function hideCurlUser(found: string, option: string, user: string, password: string): string {
  const isPlain = password.startsWith('$') || (/^\d+$/.test(user) && /^\d+$/.test(password));
  return isPlain ? found : `${option}${user}:${REDACTED}`;
}

const CURL_COOKIE = /(?<=\s)(-b[ \t]*["'])[^"'=\n]+=[^"'\n]*(["'])/g;
