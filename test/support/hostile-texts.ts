import fc from 'fast-check';

/** What someone may write into an event who wants to be more than text. */
export const HOSTILE_TEXTS = [
  'x\r\nBcc: evil@example.org',
  'x\nBcc: evil@example.org\n\nhello',
  'ada@example.com, evil@example.org',
  'group: <evil@example.org>;',
  '"a" <evil@example.org>',
  '=?utf-8?q?x=0D=0ABcc:_evil@example.org?=',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><a href="https://evil.example">click</a><!--',
  "' style='position:fixed' x='",
  '--></style></title><svg/onload=alert(1)>',
  '&lt;b&gt; &#x3c;b&#x3e; &amp;',
  '${PAYLOAD_JSON} ${ERROR} ${AGENT_OUTPUT_TAIL}',
  '{{constructor.constructor("return process")()}} <%= 1 %>',
  '<!channel> <!here> <@U123> <https://evil.example|the run> *bold* ~x~ `code`',
  '[the run](https://evil.example) ![x](https://evil.example/x.png)',
  'javascript:alert(1)',
  'abc\u202egnp.exe \u2066x\u2069 \u200bzero\u200dwidth \u00ad',
  '\u0000\u0007\u001b[31mred\u001b[0m \u009b1m \u2028 \u2029',
  "$(reboot) `reboot` '; reboot #",
  '\ud800 lone',
  '__proto__',
  'é日本語🙂',
] as const;

/** One of them, two, or anything at all. */
export function hostileText(): fc.Arbitrary<string> {
  const known = fc.constantFrom(...HOSTILE_TEXTS);
  const two = fc.tuple(known, known).map(([a, b]) => `${a} ${b}`);
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 });
  return fc.oneof(
    known,
    two,
    units.map((codes) => String.fromCharCode(...codes)),
  );
}
