import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOutbound, type OutboundRequest } from '#adapters/http/create-outbound.js';
import { type CertificateName, certificate, TEST_CA } from '#test/support/certificates.js';
import { startHttpTarget } from '#test/support/http-target.js';

const POLICY = { privateHosts: ['127.0.0.1', 'service.test', 'elsewhere.test', 'example.org'] };
const outbound = createOutbound({ lookup: async () => ['127.0.0.1'] });

afterAll(() => outbound.close());

describe('a certificate', () => {
  it.each(['127.0.0.1', 'service.test'])('of an authority that is given is trusted, for %s', async (host) => {
    expect(await ask('localhost', { ca: TEST_CA }, host)).toMatchObject({ kind: 'answered', text: 'hello' });
  });

  it('that is given itself is trusted', async () => {
    const { cert } = certificate('self-signed');

    expect(await ask('self-signed', { ca: cert })).toMatchObject({ kind: 'answered', text: 'hello' });
  });

  it('for the name in the URL is trusted, whatever the address', async () => {
    expect(await ask('wrong-host', { ca: TEST_CA }, 'elsewhere.test')).toMatchObject({ kind: 'answered' });
  });

  it.each<[string, CertificateName, string, string | undefined, string]>([
    ['of an unknown authority', 'localhost', '127.0.0.1', undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['signed by itself', 'self-signed', '127.0.0.1', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['signed by itself, with another authority', 'self-signed', '127.0.0.1', TEST_CA, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another name', 'wrong-host', 'service.test', TEST_CA, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for another name, at an address', 'wrong-host', '127.0.0.1', TEST_CA, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for the address, under another name', 'localhost', 'example.org', TEST_CA, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', 'expired', '127.0.0.1', TEST_CA, 'CERT_HAS_EXPIRED'],
  ])('%s is refused for good', async (_what, name, host, ca, code) => {
    const answer = await ask(name, ca === undefined ? {} : { ca }, host);

    expect(answer).toMatchObject({ kind: 'failed', isFinal: true });
    const reason = answer.kind === 'failed' ? answer.reason : '';
    expect(reason).toMatch(/^the TLS certificate is not trusted: .{10,}$/);
    expect(reason).toContain(`(${code})`);
  });

  it('is refused even where the environment switches the check off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());

    expect(await ask('self-signed', {})).toMatchObject({ kind: 'failed', isFinal: true });
  });

  it('trusted for one call is not for the next one', async () => {
    const target = await startHttpTarget({ certificate: 'localhost' });
    onTestFinished(target.close);
    const request: OutboundRequest = { url: target.url, method: 'GET' };

    expect(await outbound.send({ ...request, ca: TEST_CA }, POLICY)).toMatchObject({ kind: 'answered' });
    expect(await outbound.send(request, POLICY)).toMatchObject({ kind: 'failed', isFinal: true });
  });

  it.each(['', 'no certificate', TEST_CA.slice(0, 200)])('that is given and is none, is said: %#', async (ca) => {
    expect(await ask('localhost', { ca })).toMatchObject({
      kind: 'failed',
      isFinal: true,
      reason: 'the certificate given to be trusted is not one in PEM format',
    });
  });
});

it('no request goes out before the certificate is checked', async () => {
  const target = await startHttpTarget({ certificate: 'self-signed' });
  onTestFinished(target.close);
  await outbound.send({ url: target.url, method: 'POST', body: 'secret' }, POLICY);

  expect(target.connections()).toBe(1);
  expect(target.requests).toEqual([]);
});

it('TLS with a server that has none says so', async () => {
  const target = await startHttpTarget();
  onTestFinished(target.close);
  const url = target.url.replace('http:', 'https:');

  expect(await outbound.send({ url, method: 'GET' }, POLICY)).toMatchObject({
    kind: 'failed',
    isFinal: false,
    reason: expect.stringMatching(/^TLS failed: [a-z ]{5,60}$/),
  });
});

async function ask(name: CertificateName, given: Partial<OutboundRequest>, host = '127.0.0.1') {
  const target = await startHttpTarget({ certificate: name });
  onTestFinished(target.close);
  target.answer({ body: 'hello' });
  return outbound.send({ url: `https://${host}:${target.port}/`, method: 'GET', ...given }, POLICY);
}
