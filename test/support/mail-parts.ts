export interface MailParts {
  headers: string;
  text: string;
  html: string;
}

/** The parts of a multipart/alternative mail as a mail program would read them. */
export function mailParts(source: string): MailParts {
  const [headers = '', body = ''] = splitOnce(source, '\r\n\r\n');
  const unfolded = headers.replace(/\r\n[ \t]+/g, ' ');
  const boundary = /^Content-Type: multipart\/alternative; boundary="([^"]+)"$/im.exec(unfolded)?.[1];
  if (boundary === undefined) throw new Error(`not a multipart/alternative mail: ${headers}`);
  const parts = body.split(`--${boundary}`).map((part) => splitOnce(part, '\r\n\r\n'));
  const part = (type: string) => {
    const [head, content] = parts.find(([head]) => head?.includes(`Content-Type: ${type}`)) ?? [];
    if (head === undefined || content === undefined) throw new Error(`the mail has no part ${type}`);
    const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(head)?.[1]?.trim();
    if (encoding === 'quoted-printable') return decodeQuotedPrintable(content);
    if (encoding === '7bit') return content.replace(/\r\n/g, '\n');
    throw new Error(`unexpected encoding ${encoding}`);
  };
  return { headers: unfolded, text: part('text/plain'), html: part('text/html') };
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + by.length)];
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
