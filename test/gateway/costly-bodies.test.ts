import { expect, test } from 'vitest';
import { strict, text } from '#contract/text/schema-words.js';
import { problemsOf } from '#contract/text/problem.js';
import { createAccess } from '#client/gateway/access.js';
import { aToken, startTestGateway, type TestGateway } from '../support/test-gateway.js';

const BATCH = 'application/cloudevents-batch+json';

function report({ app }: TestGateway, body: string, type = 'application/json', token = '') {
  const headers = { 'content-type': type, ...(token !== '' && { authorization: `Bearer ${token}` }) };
  return app.inject({ method: 'POST', url: '/v1/events', headers, body });
}

test.each([BATCH, 'application/json'])('four megabytes of empty events are refused unseen, as %s', async (type) => {
  const { token, known } = aToken('acme', ['report']);
  const gateway = await startTestGateway({ policy: { access: createAccess([known]) } });
  const count = 1_300_000;
  const begun = performance.now();

  const answer = await report(gateway, `[${'{},'.repeat(count - 1)}{}]`, type, token);

  expect(answer.json()).toMatchObject({ status: 413, detail: `at most 1000 events go in one request, found ${count}` });
  expect(performance.now() - begun).toBeLessThan(5_000);
  // They are not taken off the limit: the tenant would have to wait for minutes.
  expect((await report(gateway, '{"event":"X"}', 'application/json', token)).statusCode).toBe(202);
});

test('of the problems of a batch the first thousand are listed, and all are counted', async () => {
  const gateway = await startTestGateway();

  const answer = await report(gateway, JSON.stringify(Array.from({ length: 1_000 }, () => ({}))), BATCH);

  expect(answer.statusCode).toBe(400);
  const { problems, problemCount } = answer.json<{ problems: { path: string }[]; problemCount: number }>();
  expect({ shown: problems.length, problemCount }).toEqual({ shown: 1_000, problemCount: 4_000 });
  expect(problems.at(-1)?.path).toBe('[249].type');
});

test('a thousand unknown keys are named, and the others are counted', () => {
  const value = Object.fromEntries(Array.from({ length: 350_000 }, (_, index) => [`key${index}`, 1]));
  const { error } = strict({ name: text().optional() }).safeParse(value);

  const problems = error ? problemsOf(error, value) : [];

  expect(problems).toHaveLength(1_001);
  expect(problems[999]).toMatchObject({ path: 'key999', message: 'unknown key "key999"' });
  expect(problems[1_000]).toEqual({ path: '', message: 'has 349000 more unknown keys' });
});

test.each([
  ['lists', 201, '['.repeat(201) + ']'.repeat(201)],
  ['lists without an end', 2_000_000, '['.repeat(2_000_000)],
  ['objects', 201, `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`],
])('%s in each other beyond 200 levels (%i) are not read', async (_what, _levels, body) => {
  const gateway = await startTestGateway();
  const begun = performance.now();

  const answer = await report(gateway, body);

  expect(answer.json()).toMatchObject({ status: 400, code: 'invalid-json' });
  expect(answer.json<{ detail: string }>().detail).toContain('nested more than 200 levels deep');
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test.each([66, 198])('a payload of %i levels is refused by name', async (levels) => {
  const gateway = await startTestGateway();
  const nested = '{"a":'.repeat(levels - 1);

  const answer = await report(gateway, `[{"event":"X","payload":${nested}{}${'}'.repeat(levels - 1)}}]`);

  expect(answer.json()).toMatchObject({
    code: 'invalid-event',
    problems: [{ path: '[0].payload', message: 'is nested more than 64 levels deep' }],
  });
});

test('brackets in texts are no levels, also beside quotes that are escaped', async () => {
  const gateway = await startTestGateway();
  const texts = ['['.repeat(300), `"${'{'.repeat(300)}`, `\\"${'['.repeat(300)}\\`, `ü€😀${'['.repeat(300)}`];

  const answer = await report(gateway, JSON.stringify({ event: 'X', payload: { texts } }));

  expect(answer.statusCode).toBe(202);
  expect(gateway.mesh.stored).toMatchObject([{ payload: { texts } }]);
});

test('side by side nothing is nested', async () => {
  const gateway = await startTestGateway();

  const answer = await report(gateway, `{"event":"X","payload":{"a":[${'[{}],'.repeat(500)}[]]}}`);

  expect(answer.statusCode).toBe(202);
});
