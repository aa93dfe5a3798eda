/** What the refusal says. */
export const REFUSALS = {
  private: / is private: name the host in outbound\.privateHosts of mesh\.yaml if it is meant$/,
  metadata:
    / can hand out credentials of this machine: name the address itself in outbound\.privateHosts of mesh\.yaml if it is meant$/,
  never: / is not one that a service can have$/,
  scheme: /^only http and https addresses are called, not \S+:$/,
  credentials: /^the address holds a user name or a password, which belong into a header$/,
  noUrl: /^the address is not a URL$/,
};

export interface SsrfForm {
  /** `PORT` is where a server listens on this machine. */
  url: string;
  refusal: keyof typeof REFUSALS;
}

/** Names of the forms below, as a resolver under foreign control would answer. */
export const HOSTILE_NAMES: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'sub.localhost': ['127.0.0.1'],
  'localhost.localdomain': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'loop.test': ['127.0.0.1'],
  'xn--80ak6aa92e.test': ['127.0.0.1'],
  'loop6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'compatible.test': ['::127.0.0.1'],
  'any.test': ['0.0.0.0'],
  'any6.test': ['::'],
  'nat64.test': ['64:ff9b::127.0.0.1'],
  'zone.test': ['fe80::1%lo'],
  'bridge.internal': ['10.0.0.5'],
  'metadata.google.internal': ['169.254.169.254'],
  // 2e00:: belongs to nobody, so a test that got as far would not knock at a stranger's door.
  'public-first.test': ['2e00::1', '127.0.0.1'],
  'private-first.test': ['127.0.0.1', '2e00::1'],
  'number.test': ['127.1'],
  'name.test': ['localhost'],
  'port.test': ['127.0.0.1:80'],
};

/** Ways to write this machine. Each comes to the server on it when that is allowed. */
export const THIS_MACHINE: SsrfForm[] = isPrivate([
  'http://127.0.0.1:PORT/',
  'http://127.0.0.2:PORT/',
  'http://127.255.255.254:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0X7F000001:PORT/',
  'http://017700000001:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0x7f.1:PORT/',
  'http://0177.0x1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://１２７.０.０.１:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://127.0\u00ad.0.1:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
  'http://ｌｏｃａｌｈｏｓｔ:PORT/',
  'http://%6cocalhost:PORT/',
  'http://sub.localhost:PORT/',
  'http://localhost.localdomain:PORT/',
  'http://loop.test:PORT/',
  'http://LOOP.test:PORT/',
  'http://аррӏе.test:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:127.0.0.1:PORT/',
  'http:///127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'ht\ntp://127.0.\t0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http://@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/@public.test/',
  'http://127.0.0.1:PORT?@public.test/',
  'http://127.0.0.1:PORT#@public.test/',
  'http://127.0.0.1:PORT\\@public.test/',
]);

/** The same where the machine has IPv6. */
export const THIS_MACHINE_V6: SsrfForm[] = isPrivate([
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000::0001]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:FFFF:7F00:0001]:PORT/',
  'http://ip6-localhost:PORT/',
  'http://loop6.test:PORT/',
  'http://mapped.test:PORT/',
]);

/** Some of these come to this machine with some systems; none does with any configuration. */
const NEVER = [
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://0x0:PORT/',
  'http://0.1.2.3:PORT/',
  'http://[::]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::7f00:1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b:1::127.0.0.1]:PORT/',
  'http://[64:ff9b::0.0.0.0]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2002:a9fe:a9fe::1]:PORT/',
  'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/',
  'http://[2606:4700::5efe:7f00:1]:PORT/',
  'http://[2606:4700::200:5efe:127.0.0.1]:PORT/',
  'http://[fe80::5efe:10.0.0.5]:PORT/',
  'http://[100::1]:PORT/',
  'http://[4000::1]:PORT/',
  'http://224.0.0.1:PORT/',
  'http://[ff02::1]:PORT/',
  'http://255.255.255.255:PORT/',
  'http://any.test:PORT/',
  'http://any6.test:PORT/',
  'http://compatible.test:PORT/',
  'http://number.test:PORT/',
  'http://name.test:PORT/',
  'http://port.test:PORT/',
];

const PRIVATE = [
  'http://10.0.0.5:PORT/',
  'http://012.0.0.5:PORT/',
  'http://172.16.0.1:PORT/',
  'http://172.31.255.255:PORT/',
  'http://192.168.1.1:PORT/',
  'http://3232235777:PORT/',
  'http://100.64.0.1:PORT/',
  'http://192.0.0.8:PORT/',
  'http://198.18.0.1:PORT/',
  'http://192.0.2.1:PORT/',
  'http://198.51.100.1:PORT/',
  'http://203.0.113.1:PORT/',
  'http://240.0.0.1:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fd12:3456::1]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[2001:db8::1]:PORT/',
  'http://[3fff::1]:PORT/',
  'http://[::ffff:10.0.0.5]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[64:ff9b::10.0.0.5]:PORT/',
  'http://nat64.test:PORT/',
  'http://bridge.internal:PORT/',
  'http://public-first.test:PORT/',
  'http://private-first.test:PORT/',
];

const METADATA = [
  'http://169.254.169.254:PORT/',
  'http://2852039166:PORT/',
  'http://0xa9fea9fe:PORT/',
  'http://0251.0376.0251.0376:PORT/',
  'http://169.254.43518:PORT/',
  'http://[::ffff:169.254.169.254]:PORT/',
  'http://[64:ff9b::169.254.169.254]:PORT/',
  'http://169.254.170.2:PORT/',
  'http://[fd00:ec2::254]:PORT/',
  'http://[FD00:0EC2::0254]:PORT/',
  'http://100.100.100.200:PORT/',
  'http://168.63.129.16:PORT/',
  'http://192.0.0.192:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[fe80::a9fe:a9fe]:PORT/',
  'http://zone.test:PORT/',
  'http://metadata.google.internal:PORT/',
];

const SCHEMES = [
  'file:///etc/passwd',
  'file://127.0.0.1/PORT',
  'gopher://127.0.0.1:PORT/_GET',
  'dict://127.0.0.1:PORT/',
  'ftp://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'unix:/var/run/docker.sock',
  'data:text/plain,hello',
  'javascript:fetch("http://127.0.0.1:PORT/")',
  'blob:http://127.0.0.1:PORT/1',
  'jar:http://127.0.0.1:PORT/!/',
  'localhost:PORT',
];

const CREDENTIALS = [
  'http://public.test@127.0.0.1:PORT/',
  'http://public.test:80@127.0.0.1:PORT/',
  'http://:secret@127.0.0.1:PORT/',
  'http://public.test%40@127.0.0.1:PORT/',
  'http://user:secret@public.test/',
];

const NO_URLS = [
  '',
  '127.0.0.1:PORT',
  '//127.0.0.1:PORT/',
  '/etc/passwd',
  'http://',
  'http://[fe80::1%25lo]:PORT/',
  'http://[::1%lo]:PORT/',
  'http://127.0.0.1%00.public.test:PORT/',
  'http://127.0.0.1 .public.test:PORT/',
  'http://127.0.0.256:PORT/',
  'http://0x100000000:PORT/',
  'http://[::1:PORT/',
  'http://127.0.0.1:99999/',
];

export const SSRF_FORMS: SsrfForm[] = [
  ...THIS_MACHINE,
  ...THIS_MACHINE_V6,
  ...isPrivate(PRIVATE),
  ...METADATA.map((url): SsrfForm => ({ url, refusal: 'metadata' })),
  ...NEVER.map((url): SsrfForm => ({ url, refusal: 'never' })),
  ...SCHEMES.map((url): SsrfForm => ({ url, refusal: 'scheme' })),
  ...CREDENTIALS.map((url): SsrfForm => ({ url, refusal: 'credentials' })),
  ...NO_URLS.map((url): SsrfForm => ({ url, refusal: 'noUrl' })),
];

function isPrivate(urls: string[]): SsrfForm[] {
  return urls.map((url) => ({ url, refusal: 'private' }));
}
