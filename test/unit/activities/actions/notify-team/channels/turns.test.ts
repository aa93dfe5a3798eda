import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTurns,
  type PutOff,
  type Turn,
  HANGS_AFTER_MS,
  MAX_CONNECTIONS,
  type Turns,
} from '#adapters/mail/turns.js';

let turns: Turns;

beforeEach(() => {
  vi.useFakeTimers();
  turns = createTurns();
});

afterEach(() => {
  turns.close();
  vi.useRealTimers();
});

interface Asked {
  /** What came of it so far: `waits`, `goes`, or why it was put off. */
  state(): string;
  end(): void;
}

function take(address: string, signal = new AbortController().signal): Asked {
  let answer: Turn | PutOff | undefined;
  void turns.take(address, signal).then((given) => (answer = given));
  return {
    state: () => (answer === undefined ? 'waits' : 'putOff' in answer ? answer.putOff : 'goes'),
    end() {
      if (answer !== undefined && 'end' in answer) answer.end();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const states = (asked: Asked[]) => asked.map(({ state }) => state());

/** Each as soon as those before it are known to hang. */
async function hangAt(...addresses: string[]): Promise<Asked[]> {
  const all: Asked[] = [];
  for (const address of addresses) {
    all.push(take(address));
    await pass(HANGS_AFTER_MS);
  }
  expect(new Set(states(all))).toEqual(new Set(['goes']));
  return all;
}

test('three mails go at a time, and one to each address; the others follow in the order in which they came', async () => {
  const [a1, a2, b, c, d] = ['a', 'a', 'b', 'c', 'd'].map((address) => take(address)) as [
    Asked,
    Asked,
    Asked,
    Asked,
    Asked,
  ];
  await pass(0);
  expect(states([a1, a2, b, c, d])).toEqual(['goes', 'waits', 'goes', 'goes', 'waits']);

  b.end();
  await pass(0);
  expect(states([a2, d])).toEqual(['waits', 'goes']);

  a1.end();
  await pass(0);
  expect(a2.state()).toBe('goes');
});

test('however many wait for one address, they wait as long as mails get through', async () => {
  const burst = Array.from({ length: 20 }, () => take('a'));
  for (const mail of burst) {
    await pass(HANGS_AFTER_MS - 1);
    expect(mail.state()).toBe('goes');
    mail.end();
  }
});

test('mails that hang take no turn from others', async () => {
  const [first] = [take('a'), take('b'), take('c')];
  const fourth = take('d');
  await pass(HANGS_AFTER_MS - 1);
  expect(states([first, fourth])).toEqual(['goes', 'waits']);

  await pass(1);
  expect(fourth.state()).toBe('goes');
});

describe('an address at which a mail hangs', () => {
  test('gets the next, since it may have been that mail, and no other waits for it', async () => {
    const [first, second, third] = [take('a'), take('a'), take('a')];
    await pass(HANGS_AFTER_MS);
    expect(states([first, second, third])).toEqual(['goes', 'goes', 'The mail server hangs at 1 other mail to a']);

    second.end();
    const next = take('a');
    await pass(0);
    expect(next.state()).toBe('goes');
  });

  test('has three connections at most', async () => {
    const hanging = await hangAt('a', 'a', 'a');
    const refused = take('a');
    await pass(0);
    expect(refused.state()).toBe('The mail server hangs at 3 other mails to a');

    hanging[1]?.end();
    const next = take('a');
    await pass(0);
    expect(next.state()).toBe('goes');
  });

  test('gets none of the last ones, which are for those at which nothing hangs', async () => {
    await hangAt('a', 'a', 'b', 'b', 'c', 'd');
    const [again, other] = [take('c'), take('e')];
    await pass(0);

    expect(states([again, other])).toEqual(['The mail server hangs at 1 other mail to c', 'goes']);
  });
});

test('when every connection hangs, nobody waits for one', async () => {
  const hanging = await hangAt(...Array.from({ length: MAX_CONNECTIONS }, (_, n) => `hangs-${n}`));
  const refused = take('a');
  await pass(0);
  expect(refused.state()).toBe('The mail server hangs at 10 other mails, and no connection is free');

  hanging[0]?.end();
  const next = take('a');
  await pass(0);
  expect(next.state()).toBe('goes');
});

test('there are never more connections than allowed, also while the last of them is not known to hang', async () => {
  await hangAt(...Array.from({ length: MAX_CONNECTIONS - 1 }, (_, n) => `hangs-${n}`));
  const [last, waiting] = [take('a'), take('b')];
  await pass(0);
  expect(states([last, waiting])).toEqual(['goes', 'waits']);

  await pass(HANGS_AFTER_MS);
  expect(waiting.state()).toMatch(/no connection is free$/);
});

test('whoever is ended while it waits, or comes when it is ended, gets no turn and takes none', async () => {
  const ended = new AbortController();
  const first = take('a');
  const waiting = take('a', ended.signal);
  await pass(0);

  ended.abort();
  const late = take('b', ended.signal);
  await pass(0);
  expect(states([waiting, late])).toEqual(Array(2).fill('Waited for a free connection to the mail server'));

  const next = take('a');
  first.end();
  await pass(0);
  expect(next.state()).toBe('goes');
});

test('a turn ends once', async () => {
  const mails = ['a', 'b', 'c', 'd', 'e'].map((address) => take(address));
  await pass(0);
  mails[0]?.end();
  mails[0]?.end();
  await pass(0);

  expect(states(mails)).toEqual(['goes', 'goes', 'goes', 'goes', 'waits']);
});

test('nobody waits when it is closed', async () => {
  const [, waiting] = [take('a'), take('a')];
  await pass(0);
  turns.close();
  const late = take('b');
  await pass(0);

  expect(states([waiting, late])).toEqual(Array(2).fill('Waited for a free connection to the mail server'));
});
