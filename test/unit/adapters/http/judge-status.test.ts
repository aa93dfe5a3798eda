import { describe, expect, it } from 'vitest';
import { judgeStatus } from '#adapters/http/judge-status.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('judgeStatus', () => {
  it.each([200, 201, 202, 204, 299])('takes %i for done', (status) => {
    expect(judge(status, { 'retry-after': '5' }, 'no')).toEqual({ ok: true });
  });

  it.each([300, 302, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 451, 499])('gives up on %i', (status) => {
    expect(judge(status, { 'retry-after': '5' })).toEqual({ ok: false, reason: `answered ${status}`, isFinal: true });
  });

  it.each([408, 425, 429, 500, 501, 502, 503, 504, 599])('tries again after %i', (status) => {
    expect(judge(status)).toEqual({ ok: false, reason: `answered ${status}`, isFinal: false });
  });

  describe('waits as long as Retry-After says', () => {
    it.each([
      ['0', 0],
      ['7', 7_000],
      [' 120 ', 120_000],
      ['1.5', 1_500],
      ['3600', 3_600_000],
      ['Fri, 02 Jan 2026 03:04:35 GMT', 30_000],
      ['Friday, 02-Jan-26 03:04:35 GMT', 30_000],
      ['Fri Jan  2 03:04:35 2026', 30_000],
    ])('%s', (header, retryAfterMs) => {
      expect(judge(429, { 'retry-after': header })).toMatchObject({ isFinal: false, retryAfterMs });
    });

    it.each(['3601', '86400', '9'.repeat(400), 'Sat, 03 Jan 2026 03:04:05 GMT'])('at most an hour: %s', (header) => {
      expect(judge(503, { 'retry-after': header })).toMatchObject({ retryAfterMs: 3_600_000 });
    });

    it.each(['Fri, 02 Jan 2026 03:04:04 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
      'at once when it is over: %s',
      (header) => {
        expect(judge(503, { 'retry-after': header })).toMatchObject({ retryAfterMs: 0 });
      },
    );

    it.each([
      '',
      'soon',
      '-5',
      '1e3',
      '0x10',
      '5 minutes',
      '2026-01-02T03:05:00Z',
      'Fri',
      'May 5',
      'Fri, 99 Jan 2026 03:04:35 GMT',
    ])('but not %j', (header) => {
      expect(judge(429, { 'retry-after': header })).not.toHaveProperty('retryAfterMs');
    });
  });

  describe('says what the service says', () => {
    it.each([
      ['invalid_payload', 'invalid_payload'],
      ['  no such\r\n   channel ', 'no such channel'],
      ['{"message":"replicas are out of range","code":422}', 'replicas are out of range'],
      ['{"status":"invalid event","error":{"code":7,"message":"routing key is wrong"}}', 'routing key is wrong'],
      ['{"message":"","reason":"not now"}', 'not now'],
      ['{"title":"Too Many","detail":"wait a while"}', 'wait a while'],
      ['"just a text"', 'just a text'],
      ['evil\u202etxt\u0007', 'evil\\u202etxt\\u0007'],
    ])('%j', (text, said) => {
      expect(judge(400, {}, text)).toMatchObject({ reason: `answered 400: ${said}` });
    });

    it.each(['', '   ', '<!DOCTYPE html><p>Oops</p>', '{"a":1}', '[1,2]', '{broken', 'x'.repeat(201)])(
      'and nothing of %j',
      (text) => {
        expect(judge(400, {}, text)).toMatchObject({ reason: 'answered 400' });
      },
    );
  });
});

function judge(status: number, headers: Record<string, string> = {}, text = '') {
  return judgeStatus({ status, headers, text }, NOW);
}
