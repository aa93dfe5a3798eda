import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, readDatabase } from '#adapters/record/database.js';
import { findEvents, lastWritten, type Position, writtenSince } from '#adapters/record/find-entries.js';
import { prune } from '#adapters/record/prune.js';
import { createRecordWriter, recordFile, type RecordWriter } from '#adapters/record/record.js';
import type { Entry, EventFilter } from '#contract/record.js';
import type { RecordedEvent } from '#contract/views/events.js';
import { eventually } from '../../../support/eventually.js';

const NO_LIMITS = { keepMs: Infinity, maxBytes: Infinity };

let home: string;
let writer: RecordWriter;
let said: string[];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mesh-record-'));
  said = [];
  writer = open();
});

afterEach(async () => {
  await writer.close();
  await rm(home, { recursive: true, force: true });
});

function open(path = recordFile(home)): RecordWriter {
  return createRecordWriter({ path, limits: async () => NO_LIMITS, say: (line) => said.push(line) });
}

function fired(id: string, at: number, more: Partial<RecordedEvent> = {}, rule = 'r'): Entry {
  const about = { at, eventId: id, event: 'PostToolUseFailure', depth: 0 };
  const verdicts = [
    { verdict: 'fire', rule, action: 'a', remediation: `remediation/t/${rule}/${id}`, ...about },
  ] as const;
  return { kind: 'event', id, event: about.event, at, depth: 0, ...more, verdicts: [...verdicts] };
}

function skipped(
  id: string,
  at: number,
  code: 'cooldown' | 'no-match' | 'duplicate',
  more: Partial<RecordedEvent> = {},
): Entry {
  const about = { at, eventId: id, event: 'PostToolUseFailure', depth: 0 };
  const rule = code === 'cooldown' ? { rule: 'r', action: 'a' } : {};
  const verdicts = [{ verdict: 'skip', code, reason: `why ${code}`, ...rule, ...about }] as const;
  return { kind: 'event', id, event: about.event, at, depth: 0, ...more, verdicts: [...verdicts] };
}

async function find(filter: EventFilter = {}, limit = 50, after?: Position): Promise<RecordedEvent[]> {
  const db = readDatabase(recordFile(home));
  try {
    return await findEvents(db, { tenant: 't', ...filter }, limit, after);
  } finally {
    db.close();
  }
}

async function idsOf(filter: EventFilter): Promise<string[]> {
  return (await find(filter)).map(({ id }) => id);
}

test('what is told is there when the answer comes, whole', async () => {
  const about = {
    outcome: 'failed',
    session: 's',
    agent: 'g',
    source: 'sdk',
    tool: 'Bash',
    task: '7',
    error: 'no',
    occurredAt: 1,
  };

  writer.tell('t', [fired('e-1', 5, about)]);

  const { kind: _kind, ...event } = fired('e-1', 5, about) as RecordedEvent & { kind: string };
  expect(await find()).toEqual([event]);
});

test('is found by all that a filter can name, and by nothing else', async () => {
  writer.tell('t', [
    fired('e-1', 1, { session: 's-1', tool: 'Bash' }),
    skipped('e-2', 2, 'cooldown', { session: 's-2', tool: 'Bash' }),
    skipped('e-3', 3, 'no-match', { session: 's-1', tool: 'Read', event: 'TaskCompleted' }),
    fired('e-4', 4, {}, 'rule%\\_of all'),
    fired('e-5', 5, {}, 'rule of all'),
  ]);
  writer.tell('other', [fired('e-9', 9, { session: 's-1' })]);

  expect(await idsOf({})).toEqual(['e-5', 'e-4', 'e-3', 'e-2', 'e-1']);
  expect(await idsOf({ session: 's-1' })).toEqual(['e-3', 'e-1']);
  expect(await idsOf({ session: 's-1', tool: 'Bash' })).toEqual(['e-1']);
  expect(await idsOf({ event: 'TaskCompleted' })).toEqual(['e-3']);
  expect(await idsOf({ rule: 'r' })).toEqual(['e-2', 'e-1']);
  expect(await idsOf({ rule: 'rule%\\_of all' })).toEqual(['e-4']);
  expect(await idsOf({ rule: '%' })).toEqual([]);
  expect(await idsOf({ verdict: 'fired' })).toEqual(['e-5', 'e-4', 'e-1']);
  expect(await idsOf({ verdict: 'skipped' })).toEqual(['e-3', 'e-2']);
  expect(await idsOf({ code: 'cooldown' })).toEqual(['e-2']);
  expect(await idsOf({ sinceAt: 4 })).toEqual(['e-5', 'e-4']);
  expect(await idsOf({ tenant: 'other' })).toEqual(['e-9']);
});

test('pages hold every event once, also those of one millisecond', async () => {
  writer.tell(
    't',
    ['a', 'b', 'c', 'd', 'e'].map((id) => fired(id, 1)),
  );

  const pages = [];
  for (
    let last: Position | undefined, events = await find({}, 2);
    events.length > 0;
    events = await find({}, 2, last)
  ) {
    pages.push(events.map(({ id }) => id));
    last = events.at(-1);
  }

  expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
});

test('what is told again replaces what was told: a judging that was not committed counts no more', async () => {
  writer.tell('t', [fired('e-1', 1)]);
  writer.tell('t', [skipped('e-1', 2, 'cooldown')]);

  const [event, ...others] = await find();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ at: 2, verdicts: [{ code: 'cooldown' }] });
  expect(await idsOf({ verdict: 'fired' })).toEqual([]);
});

test('a worker that was frozen tells late, and of nothing that counts any more', async () => {
  writer.tell('t', [skipped('e-1', 2, 'cooldown')]);
  writer.tell('t', [fired('e-1', 1)]);

  expect((await find())[0]).toMatchObject({ at: 2, verdicts: [{ code: 'cooldown' }] });
});

test('copies of an event are counted, and change nothing else of it', async () => {
  writer.tell('t', [fired('e-1', 1)]);
  writer.tell('t', [skipped('e-1', 2, 'duplicate'), skipped('e-1', 3, 'duplicate')]);
  writer.tell('t', [skipped('e-2', 4, 'duplicate')]);

  const [second, first] = await find();
  expect(first).toMatchObject({ at: 1, verdicts: [{ verdict: 'fire' }, { code: 'duplicate', times: 2, at: 3 }] });
  expect(second?.verdicts).toMatchObject([{ code: 'duplicate', at: 4 }]);
});

test('a remediation that could not be started is no firing', async () => {
  writer.tell('t', [fired('e-1', 1), { kind: 'not-started', eventId: 'e-1', rule: 'r', reason: 'too long a name' }]);

  const [event] = await find();
  expect(event?.verdicts).toMatchObject([{ verdict: 'skip', code: 'error', rule: 'r', reason: 'too long a name' }]);
  expect(event?.verdicts[0]).not.toHaveProperty('remediation');
  expect(await idsOf({ verdict: 'fired' })).toEqual([]);
});

test('an event tells how what it started has ended, the last time', async () => {
  const ending = {
    kind: 'ending',
    remediation: 'remediation/t/r/e-1',
    rule: 'r',
    eventId: 'e-1',
    event: 'E',
    at: 9,
  } as const;
  writer.tell('t', [fired('e-1', 1), { ...ending, outcome: 'failed', tookMs: 8 }]);
  writer.tell('t', [{ ...ending, outcome: 'executed', tookMs: 3 }]);

  expect((await find())[0]?.endings).toMatchObject([{ rule: 'r', outcome: 'executed', tookMs: 3 }]);
});

test('one event of a session is found at once among 100,000 others', async () => {
  const noise = (from: number) => Array.from({ length: 1_000 }, (_, index) => fired(`e-${from + index}`, from + index));
  for (let from = 0; from < 100_000; from += 1_000) {
    writer.tell('t', from === 50_000 ? [skipped('quiet', from, 'cooldown', { session: 'dev-7' })] : []);
    writer.tell('t', noise(from));
  }
  const db = readDatabase(recordFile(home));

  const begunAt = performance.now();
  const events = await findEvents(db, { tenant: 't', session: 'dev-7' }, 50);
  const tookMs = performance.now() - begunAt;
  db.close();

  expect(events).toMatchObject([{ id: 'quiet', verdicts: [{ code: 'cooldown' }] }]);
  // To look at all of them takes 50 ms and more.
  expect(tookMs).toBeLessThan(25);
});

test('events of a kind are found among many others, page by page', async () => {
  for (let from = 0; from < 50_000; from += 1_000) {
    writer.tell(
      't',
      Array.from({ length: 1_000 }, (_, index) => skipped(`e-${from + index}`, from + index, 'no-match')),
    );
    writer.tell('t', from % 10_000 === 0 ? [fired(`f-${from}`, from)] : []);
  }

  const first = await find({ verdict: 'fired' }, 3);
  const rest = await find({ verdict: 'fired' }, 3, first.at(-1));
  const ids = [...first, ...rest].map(({ id }) => id);
  expect(ids).toEqual(['f-40000', 'f-30000', 'f-20000', 'f-10000', 'f-0']);
});

test('copies are found by their code, and told again they count once', async () => {
  writer.tell('t', [fired('e-1', 1), fired('e-2', 1)]);
  const copies = [skipped('e-1', 2, 'duplicate'), skipped('e-1', 2, 'duplicate')];
  writer.tell('t', copies);
  writer.tell('t', copies);

  expect(await idsOf({ code: 'duplicate' })).toEqual(['e-1']);
  expect((await find({ code: 'duplicate' }))[0]?.verdicts.at(-1)).toMatchObject({ code: 'duplicate', times: 2 });
});

test('an entry that no record can take keeps no other out, and is told of', async () => {
  const strange = { ...fired('e-2', 2), event: null, outcome: true } as unknown as Entry;

  writer.tell('t', [fired('e-1', 1), strange, fired('e-3', 3)]);

  expect(await idsOf({})).toEqual(['e-3', 'e-1']);
  expect(writer.state()).toEqual({ waiting: 0, lost: 1 });
  expect(said).toEqual([expect.stringContaining('cannot take an entry of tenant t')]);
});

test('who follows some events hears of the ends of these alone', () => {
  const db = readDatabase(recordFile(home));
  const from = lastWritten(db);
  const ending = (id: string, rule: string): Entry => ({
    ...{
      kind: 'ending',
      remediation: `${rule}/${id}`,
      rule,
      eventId: id,
      event: 'E',
      outcome: 'executed',
      at: 9,
      tookMs: 1,
    },
  });
  writer.tell('t', [fired('e-1', 1, { session: 's-1' }), fired('e-2', 1, { session: 's-2' })]);
  writer.tell('t', [ending('e-1', 'r'), ending('e-2', 'r'), ending('e-1', 'other')]);

  const ends = (filter: EventFilter) =>
    writtenSince(db, { tenant: 't', ...filter }, from, 10).endings.map(({ remediation }) => remediation);
  expect(ends({})).toEqual(['r/e-1', 'r/e-2', 'other/e-1']);
  expect(ends({ session: 's-1' })).toEqual(['r/e-1', 'other/e-1']);
  expect(ends({ rule: 'r' })).toEqual(['r/e-1', 'r/e-2']);
  expect(ends({ verdict: 'skipped' })).toEqual([]);
  db.close();
});

test('who follows it sees what is new, in the order in which it was written', async () => {
  writer.tell('t', [fired('e-1', 1)]);
  const db = readDatabase(recordFile(home));
  const from = lastWritten(db);

  // Told late, such as by a worker that was frozen.
  writer.tell('t', [fired('e-3', 3), fired('e-2', 2)]);
  const news = writtenSince(db, { tenant: 't' }, from, 10);
  const later = writtenSince(db, { tenant: 't' }, news.read, 10);
  db.close();

  expect(news.events.map(({ id }) => id)).toEqual(['e-3', 'e-2']);
  expect(later.events).toEqual([]);
});

test('several write to one file', async () => {
  const other = open();
  const ids = Array.from({ length: 50 }, (_, index) => `e-${index}`);

  for (const [index, id] of ids.entries()) (index % 2 ? other : writer).tell('t', [fired(id, index)]);
  await other.close();

  expect((await idsOf({})).toSorted()).toEqual(ids.toSorted());
  expect(said).toEqual([]);
});

test('a record that cannot be written holds nobody up: it is caught up when it can, and both are said once', async () => {
  const path = join(home, 'sub', 'record.db');
  await mkdir(path, { recursive: true });
  const stuck = open(path);

  stuck.tell('t', [fired('e-1', 1)]);
  stuck.tell('t', [fired('e-2', 2)]);
  expect(stuck.state()).toMatchObject({ waiting: 2, lost: 0, trouble: { why: expect.any(String) as string } });
  expect(said).toHaveLength(1);
  await rm(path, { recursive: true });
  await eventually('all to be written', () => (stuck.state().waiting === 0 ? true : undefined));

  expect(stuck.state()).toEqual({ waiting: 0, lost: 0 });
  expect(said).toHaveLength(2);
  await stuck.close();
});

test('what is too old is forgotten, and the oldest of what is too much; the file becomes smaller', async () => {
  const noise = (from: number) =>
    Array.from({ length: 5_000 }, (_, index) => fired(`e-${from + index}`, from + index, { error: 'x'.repeat(300) }));
  writer.tell('t', noise(0));
  writer.tell('t', noise(5_000));
  const { path, db } = await openToPrune();
  const size = db.pragma('page_count') * db.pragma('page_size');

  await prune(db, { keepMs: 9_000, maxBytes: Infinity }, 10_000);
  expect((await find({}, 20_000)).at(-1)?.id).toBe('e-1000');
  await prune(db, { keepMs: Infinity, maxBytes: size / 2 }, 10_000);

  const left = await find({}, 20_000);
  expect(left[0]?.id).toBe('e-9999');
  expect(left.length).toBeGreaterThan(3_000);
  expect(left.length).toBeLessThan(6_000);
  db.close();
  expect((await stat(path)).size).toBeLessThan(size * 0.6);
});

async function openToPrune() {
  await writer.close();
  const path = recordFile(home);
  return { path, db: openDatabase(path) };
}
