import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createOutbound,
  type Lookup,
  type OutboundAnswer,
  type OutboundPolicy,
} from '#adapters/http/create-outbound.js';
import { type HttpTarget, startHttpTarget } from '#test/support/http-target.js';
import { HOSTILE_NAMES, REFUSALS, SSRF_FORMS, type SsrfForm, THIS_MACHINE, THIS_MACHINE_V6 } from './ssrf-forms.js';

const NOBODY: OutboundPolicy = { privateHosts: [] };
const FENCE = 'fence.test';
const FRONT = 'front.test';
const HAS_V6 = Object.values(networkInterfaces()).some((ones) => ones?.some(({ address }) => address === '::1'));

/** Answers of one resolver; a name it does not know fails the test instead of asking a real one. */
const lookup: Lookup = async (host) => {
  const found = { ...HOSTILE_NAMES, [FENCE]: ['127.0.0.1'], [FRONT]: ['127.0.0.1'] }[host];
  if (found === undefined) throw new Error(`no test expects a lookup of ${host}`);
  return found;
};

const outbound = createOutbound({ lookup });
/** Whoever comes here has come through. */
let victim: HttpTarget;
let front: HttpTarget;

beforeAll(async () => {
  victim = await startHttpTarget({ everywhere: true });
  front = await startHttpTarget();
});

afterAll(async () => {
  await outbound.close();
  await victim.close();
  await front.close();
});

let before = 0;
beforeEach(() => {
  before = victim.connections();
});

it('knows forms of every kind, each only once', () => {
  const urls = SSRF_FORMS.map(({ url }) => url);

  expect(new Set(urls).size).toBe(urls.length);
  expect(urls.length).toBeGreaterThan(100);
  expect(new Set(SSRF_FORMS.map(({ refusal }) => refusal))).toEqual(new Set(Object.keys(REFUSALS)));
});

describe('opens no connection', () => {
  it.each(shown(SSRF_FORMS))('to %s', async (_shown, { url, refusal }) => {
    const answer = await send(atVictim(url));

    expectRefusal(answer, REFUSALS[refusal]);
    expect(await connectionsToVictim()).toBe(0);
  });

  it('to localhost as the system itself resolves it', async () => {
    const real = createOutbound();

    expectRefusal(
      await real.send({ url: atVictim('http://localhost:PORT/'), method: 'GET' }, NOBODY),
      REFUSALS.private,
    );
    expect(await connectionsToVictim()).toBe(0);
    await real.close();
  });
});

describe('is led there by no redirect', () => {
  const forms = SSRF_FORMS.filter(({ refusal, url }) => refusal !== 'noUrl' && isInHeader(url));

  it.each(shown(forms))('to %s', async (_shown, { url, refusal }) => {
    front.answer({ status: 302, headers: { location: atVictim(url) } });
    const answer = await send(`http://${FRONT}:${front.port}/`, { privateHosts: [FRONT], maxRedirects: 5 });

    expectRefusal(answer, new RegExp(REFUSALS[refusal].source.replace(/^\^/, '')));
    expect(reasonOf(answer)).toMatch(/^(after a redirect to |redirected, but )/);
    expect(await connectionsToVictim()).toBe(0);
  });

  it('which a host with a name of its own could be', async () => {
    front.answer({ status: 307, headers: { location: `http://loop.test:${victim.port}/` } });
    const answer = await send(`http://${FRONT}:${front.port}/`, { privateHosts: [FRONT], maxRedirects: 5 });

    expect(reasonOf(answer)).toBe(
      `after a redirect to http://loop.test:${victim.port}: the address 127.0.0.1 of loop.test is private: ` +
        'name the host in outbound.privateHosts of mesh.yaml if it is meant',
    );
    expect(await connectionsToVictim()).toBe(0);
  });
});

describe('a name with two faces', () => {
  it('is looked up once a connection, so that the second face is never seen', async () => {
    const faces = [['2e00::1'], ['127.0.0.1']];
    let lookups = 0;
    const rebinding = createOutbound({ lookup: async () => faces[lookups++] ?? ['127.0.0.1'] });
    const url = `http://rebind.test:${victim.port}/`;
    // Nobody is at 2e00::1: it fails by itself or with the time.
    const answer = await rebinding.send({ url, method: 'GET', timeoutMs: 300 }, NOBODY);

    expect(answer).toMatchObject({ kind: 'failed', isFinal: false });
    expect(lookups).toBe(1);
    expect(await connectionsToVictim()).toBe(0);
    expectRefusal(await rebinding.send({ url, method: 'GET' }, NOBODY), REFUSALS.private);
    expect(lookups).toBe(2);
    expect(await connectionsToVictim()).toBe(0);
    await rebinding.close();
  });

  it('is checked again on a redirect to itself', async () => {
    const faces = [['127.0.0.1'], ['169.254.169.254']];
    const rebinding = createOutbound({ lookup: async () => faces.shift() ?? [] });
    front.answer({ status: 302, headers: { location: '/again' } });
    const url = `http://rebind.test:${front.port}/`;
    const answer = await rebinding.send({ url, method: 'GET' }, { privateHosts: ['rebind.test'], maxRedirects: 5 });

    expectRefusal(answer, REFUSALS.metadata);
    await rebinding.close();
  });
});

describe('when it is named, comes through to', () => {
  // The proof that the forms above are refused by the check, and not because they lead nowhere.
  it.each(shown([...THIS_MACHINE, ...(HAS_V6 ? THIS_MACHINE_V6 : [])]))('%s', async (_shown, { url }) => {
    const { hostname } = new URL(atVictim(url));
    const answer = await send(atVictim(url), { privateHosts: [hostname] });

    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(await connectionsToVictim()).toBe(1);
  });
});

describe('what is named', () => {
  it.each([
    ['another address of the same machine', 'http://127.0.0.2:PORT/', ['127.0.0.1']],
    ['the address of a host that is not named', 'http://loop.test:PORT/', ['127.0.0.1']],
    ['the host that is meant, for the address itself', 'http://127.0.0.1:PORT/', ['loop.test']],
    ['a domain, for the hosts in it', 'http://sub.localhost:PORT/', ['localhost']],
    ['a part of a name', 'http://loop.test:PORT/', ['loop', 'test', 'oop.test']],
    ['a pattern', 'http://loop.test:PORT/', ['*', '*.test', '.test']],
    ['a range', 'http://127.0.0.1:PORT/', ['127.0.0.0/8', '127.0.0.1/32']],
    ['a host with a port', 'http://127.0.0.1:PORT/', ['127.0.0.1:80']],
    ['a whole address', 'http://127.0.0.1:PORT/', ['http://127.0.0.1/']],
    ['nothing', 'http://127.0.0.1:PORT/', ['', ' ', '.']],
  ])('as %s allows nothing', async (_what, url, privateHosts) => {
    expectRefusal(await send(atVictim(url), { privateHosts }), REFUSALS.private);
    expect(await connectionsToVictim()).toBe(0);
  });

  it.each([
    ['in capitals', 'http://loop.test:PORT/', 'LOOP.Test'],
    ['with a dot at the end', 'http://loop.test:PORT/', 'loop.test.'],
    ['as another form of the address', 'http://127.0.0.1:PORT/', '[::ffff:127.0.0.1]'],
    ['in letters of its own', 'http://xn--80ak6aa92e.test:PORT/', 'аррӏе.test'],
  ])('%s is allowed', async (_what, url, host) => {
    expect(await send(atVictim(url), { privateHosts: [host] })).toMatchObject({ kind: 'answered' });
  });

  it('as a host does not open what hands out credentials', async () => {
    const privateHosts = ['metadata.google.internal'];

    expectRefusal(await send('http://metadata.google.internal/', { privateHosts }), REFUSALS.metadata);
  });

  it('as an address of credentials does not open it under every name', async () => {
    const privateHosts = ['169.254.169.254'];

    expectRefusal(await send('http://metadata.google.internal/', { privateHosts }), REFUSALS.metadata);
  });

  it.each([
    ['http://169.254.169.254:PORT/', ['169.254.169.254']],
    ['http://[fd00:ec2::254]:PORT/', ['[fd00:ec2::254]']],
    ['http://metadata.google.internal:PORT/', ['metadata.google.internal', '169.254.169.254']],
  ])('literally opens it: %s', async (url, privateHosts) => {
    const answer = await outbound.send({ url: atVictim(url), method: 'GET', timeoutMs: 300 }, { privateHosts });

    // Nothing listens there, and what does in some clouds has no such port.
    expect(answer).toMatchObject({ kind: 'failed', isFinal: false });
  });

  it('cannot make an address of what is none', async () => {
    const privateHosts = ['0.0.0.0', '[::127.0.0.1]', 'any.test', '[2002:7f00:1::]', 'name.test'];

    for (const host of privateHosts) {
      expectRefusal(await send(`http://${host}:${victim.port}/`, { privateHosts }), REFUSALS.never);
    }
    expect(await connectionsToVictim()).toBe(0);
  });

  it('for one call is not for the next one to the same origin', async () => {
    const url = `http://loop.test:${victim.port}/`;

    expect(await send(url, { privateHosts: ['loop.test'] })).toMatchObject({ kind: 'answered' });
    expectRefusal(await send(url), REFUSALS.private);
    expect(await connectionsToVictim()).toBe(1);
  });
});

function send(url: string, policy = NOBODY): Promise<OutboundAnswer> {
  return outbound.send({ url, method: 'GET', timeoutMs: 5_000 }, policy);
}

function atVictim(url: string): string {
  return url.replaceAll('PORT', String(victim.port));
}

/**
 * How many came since the test began. One more call that is allowed stands behind them in the queue of the server, so that
 * none is overlooked only because it has not been accepted yet.
 */
async function connectionsToVictim(): Promise<number> {
  const url = `http://${FENCE}:${victim.port}/`;
  expect(await send(url, { privateHosts: [FENCE] })).toMatchObject({ kind: 'answered' });
  const came = victim.connections() - before - 1;
  before += 1;
  return came;
}

function expectRefusal(answer: OutboundAnswer, reason: RegExp): void {
  expect(answer).toMatchObject({ kind: 'failed', isFinal: true });
  expect(reasonOf(answer)).toMatch(reason);
  expect(reasonOf(answer)).toMatch(/^[\x20-\x7e]{10,300}$/);
}

function reasonOf(answer: OutboundAnswer): string {
  return answer.kind === 'failed' ? answer.reason : '';
}

/** Test names on one line, whatever the form is made of. */
function shown(forms: SsrfForm[]): [string, SsrfForm][] {
  return forms.map((form) => [JSON.stringify(form.url).replaceAll('%', '%%'), form]);
}

/** Node sends no other characters in a header, and a relative form leads back to whoever redirects. */
function isInHeader(form: string): boolean {
  const url = form.replaceAll('PORT', '8080');
  return /^[\x20-\x7e]+$/.test(url) && new URL(url, 'http://base.test').href === new URL(url).href;
}
