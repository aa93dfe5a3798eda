import { expect, test } from 'vitest';
import { gatherQuestions } from '#adapters/temporal/gather-questions.js';

const NEVER = new AbortController().signal;

/** Answers each call only when the test says so, with its questions in capitals. */
function aClerk(maxTogether = 10) {
  const calls: { key: string; questions: string[]; answer(): void; fail(error: Error): void }[] = [];
  const ask = (key: string, questions: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const answer = () => resolve(questions.map((question) => question.toUpperCase()));
      calls.push({ key, questions, answer, fail: reject });
    });
  const asked = () => calls.map(({ key, questions }) => `${key}: ${questions.join(' ')}`);
  /** The next call begins a moment after the last was answered. */
  const call = (index: number) =>
    expect
      .poll(() => calls[index])
      .toBeDefined()
      .then(() => calls[index]!);
  return { gathered: gatherQuestions(ask, maxTogether), call, asked };
}

test('the first is asked at once, what comes meanwhile together, and other keys at the same time', async () => {
  const { gathered, call, asked } = aClerk();

  const answers = ['a', 'b', 'c'].map((question) => gathered('one', question, NEVER));
  const other = gathered('two', 'x', NEVER);

  expect(asked()).toEqual(['one: a', 'two: x']);
  (await call(1)).answer();
  expect(await other).toBe('X');
  (await call(0)).answer();
  expect(await answers[0]).toBe('A');
  (await call(2)).answer();
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C']);
  expect(asked()[2]).toBe('one: b c');
  void gathered('one', 'd', NEVER);
  expect(asked()[3]).toBe('one: d');
});

test('no call is about more than so many', async () => {
  const { gathered, call, asked } = aClerk(2);

  const answers = ['a', 'b', 'c', 'd'].map((question) => gathered('one', question, NEVER));
  for (const [index, last] of [0, 2, 3].entries()) {
    (await call(index)).answer();
    await answers[last];
  }

  expect(asked()).toEqual(['one: a', 'one: b c', 'one: d']);
});

test('a call that fails fails for all it was about, and not for the next', async () => {
  const { gathered, call } = aClerk(2);
  const answers = ['a', 'b', 'c', 'd'].map((question) => gathered('one', question, NEVER));
  (await call(0)).answer();
  await answers[0];

  (await call(1)).fail(new Error('no'));

  await expect(answers[1]).rejects.toThrow('no');
  await expect(answers[2]).rejects.toThrow('no');
  (await call(2)).answer();
  expect(await answers[3]).toBe('D');
});

test('who gives up gets no answer at once, and is not asked for when its turn comes', async () => {
  const { gathered, call, asked } = aClerk(1);
  const controller = new AbortController();
  const first = gathered('one', 'a', controller.signal);
  const second = gathered('one', 'b', controller.signal);
  const third = gathered('one', 'c', NEVER);

  controller.abort();

  expect(await Promise.all([first, second])).toEqual([undefined, undefined]);
  expect(await gathered('one', 'd', controller.signal)).toBeUndefined();
  (await call(0)).answer();
  (await call(1)).answer();
  expect(await third).toBe('C');
  expect(asked()).toEqual(['one: a', 'one: c']);
});
