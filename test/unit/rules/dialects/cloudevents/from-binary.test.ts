import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cloudEvent, fromBinary } from '#rules/dialects/cloudevents/event.js';

const least = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/ci/runner', 'ce-type': 'build.failed' };

describe('fromBinary', () => {
  test('puts attributes and body together', () => {
    const headers = { ...least, 'Content-Type': 'application/json', 'ce-Subject': 'main', host: 'x', 'ce-depth': '2' };

    expect(fromBinary(headers, { a: 1 })).toEqual({
      specversion: '1.0',
      id: 'e-1',
      source: '/ci/runner',
      type: 'build.failed',
      subject: 'main',
      depth: '2',
      datacontenttype: 'application/json',
      data: { a: 1 },
    });
  });

  test('makes what is the same event as in the other form', () => {
    const binary = cloudEvent(fromBinary({ ...least, 'ce-outcome': 'failed', 'ce-depth': '2' }, { a: 1 }));
    const structured = cloudEvent({
      ...{ specversion: '1.0', id: 'e-1', source: '/ci/runner', type: 'build.failed' },
      ...{ outcome: 'failed', depth: 2, data: { a: 1 } },
    });

    expect(binary).toEqual(structured);
    expect(binary.ok).toBe(true);
  });

  test('knows a body from none', () => {
    expect(fromBinary(least, undefined)).not.toHaveProperty('data');
    expect(fromBinary(least, null)).toHaveProperty('data', null);
  });

  test.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['plain', 'plain'],
    ['100%', '100%'],
    ['%zz%2', '%zz%2'],
    ['once%2525', 'once%25'],
    ['%ff', '\ufffd'],
    ['"quoted \\"text\\" \\\\"', 'quoted "text" \\'],
    ['"quoted%20too"', 'quoted too'],
    ['"open', '"open'],
    ['', ''],
  ])('decodes %s', (written, read) => {
    expect(fromBinary({ 'ce-subject': written }, undefined)).toEqual({ subject: read });
  });

  test('leaves what is missing to the check', () => {
    const mapped = cloudEvent(fromBinary({ 'ce-specversion': '1.0', 'ce-id': undefined }, {}));

    expect(mapped.ok ? [] : mapped.problems.map(({ path }) => path)).toEqual(['id', 'source', 'type']);
  });

  test('decodes what the binding encodes, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (text, anything) => {
        expect(fromBinary({ 'ce-subject': encoded(text) }, undefined)).toEqual({ subject: text });
        fromBinary({ 'ce-subject': anything, [`ce-${anything}`]: anything }, anything);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** As the HTTP binding says: what is no printable ASCII, and space, quote and percent. */
function encoded(text: string): string {
  return Array.from(text, (letter) =>
    /^[!#$&-~]$/.test(letter)
      ? letter
      : Array.from(new TextEncoder().encode(letter), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ).join('');
}
