import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PART } from '#adapters/files/atomic-write.js';
import { takeLock } from '#adapters/files/lock.js';
import { NotStoredError, WrongEventError } from '#client/errors.js';
import type { EventInput } from '#client/event-input.js';
import { drain, type DrainOptions, lockOf } from '#client/spool/drain.js';
import { entryName, preciseNow, writeEntry } from '#client/spool/entries.js';
import { listRefused } from '#client/spool/refused.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { entryOf, namesIn, noLog, numbered, spool } from './spooled.js';

/** A receiver that keeps what it took, batch by batch. */
function receiver(refuse: (event: EventInput) => boolean = () => false) {
  const batches: string[][] = [];
  const send = async (events: readonly EventInput[]) => {
    if (events.some(refuse)) throw new WrongEventError('depth: expected a whole number', []);
    batches.push(events.map(({ id }) => id ?? ''));
  };
  return { batches, ids: () => batches.flat(), send };
}

function drainInto(folder: string, send: DrainOptions['send'], more: Partial<DrainOptions> = {}) {
  return drain({ folder, send, log: noLog, ...more });
}

describe('drain', () => {
  test('sends the oldest first, in batches of 200, and deletes what is stored', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(450));
    const { batches, ids, send } = receiver();

    expect(await drainInto(folder, send)).toEqual({ sent: 450, refused: 0 });

    expect(ids()).toEqual(numbered(450));
    expect(batches.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('keeps batches under 512 KiB', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(6), { payload: { text: 'x'.repeat(200 * 1024) } });
    const { batches, send } = receiver();

    await drainInto(folder, send);

    expect(batches.map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  test('does nothing, and makes nothing, where no spool is', async () => {
    const folder = join(tempFolder(), 'spool');

    expect(await drainInto(folder, receiver().send)).toEqual({ sent: 0, refused: 0 });

    expect(existsSync(folder)).toBe(false);
  });

  test('keeps everything, in order, when nothing can be stored', async () => {
    const folder = tempFolder();
    const names = await spool(folder, numbered(3));
    const failure = new Error('connection refused');

    const drained = await drainInto(folder, () => Promise.reject(failure));

    expect(drained).toEqual({ sent: 0, refused: 0, ended: 'failed', failure });
    expect(readdirSync(folder).sort()).toEqual(names);
  });

  test('what was sent before a failure does not go again', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(250));
    let calls = 0;
    const first = receiver();

    await drainInto(folder, async (events) => {
      if (++calls === 2) throw new Error('gone');
      await first.send(events);
    });
    const second = receiver();
    await drainInto(folder, second.send);

    expect([...first.ids(), ...second.ids()]).toEqual(numbered(250));
  });

  test('puts the one event that is refused aside with its reason, and sends the others', async () => {
    const folder = tempFolder();
    const names = await spool(folder, numbered(5));
    const { ids, send } = receiver(({ id }) => id === 'e-2');
    const lines: string[] = [];

    const drained = await drainInto(folder, send, { log: (line) => lines.push(line) });

    expect(drained).toEqual({ sent: 4, refused: 1 });
    expect(ids()).toEqual(['e-0', 'e-1', 'e-3', 'e-4']);
    const file = join(folder, 'refused', names[2] ?? '');
    const reason = 'e-2: depth: expected a whole number';
    expect(await listRefused(folder)).toEqual([{ file, at: expect.any(Number), reason }]);
    expect(namesIn(folder)).toEqual([]);
    expect(lines).toEqual([`refused ${names[2]}: ${reason}`]);
  });

  test('one that was refused goes when somebody moves it back after mending the cause', async () => {
    const folder = tempFolder();
    const [name = ''] = await spool(folder, ['e-0']);
    await drainInto(folder, receiver(() => true).send);
    const { ids, send } = receiver();

    renameSync(join(folder, 'refused', name), join(folder, name));

    expect(await drainInto(folder, send)).toEqual({ sent: 1, refused: 0 });
    expect(ids()).toEqual(['e-0']);
  });

  test.each([
    ['is not JSON', '{"v":1,"event":{"event":"Tas'],
    ['is empty', ''],
    ['is of another version', '{"v":2,"event":{}}'],
    ['holds no event', '{"v":1}'],
    ['holds a list', '{"v":1,"event":[]}'],
    ['is null', 'null'],
  ])('puts a file aside that %s', async (_, content) => {
    const folder = tempFolder();
    await spool(folder, ['e-0']);
    const broken = entryName(preciseNow(), content.length);
    writeFileSync(join(folder, broken), content);
    await spool(folder, ['e-1']);
    const { ids, send } = receiver();

    expect(await drainInto(folder, send)).toEqual({ sent: 2, refused: 1 });

    expect(ids()).toEqual(['e-0', 'e-1']);
    expect(readdirSync(join(folder, 'refused'))).toContain(broken);
  });

  test('a file that cannot be read holds up no others', async () => {
    const folder = tempFolder();
    const folderInstead = entryName(preciseNow(), 10);
    mkdirSync(join(folder, folderInstead));
    await spool(folder, ['e-1']);
    const lines: string[] = [];

    expect(await drainInto(folder, receiver().send, { log: (line) => lines.push(line) })).toEqual({
      sent: 1,
      refused: 0,
    });

    expect(namesIn(folder)).toEqual([folderInstead]);
    expect(lines.join()).toContain('cannot be read and stays');
  });

  test('leaves what is not its to send, and sends the rest', async () => {
    const folder = tempFolder();
    await spool(folder, ['mine-1']);
    const [theirs] = await spool(folder, ['theirs'], { tokenHash: 'other' });
    await spool(folder, ['mine-2']);
    const { ids, send } = receiver();

    const drained = await drainInto(folder, send, {
      eventOf: ({ event, tokenHash }) => (tokenHash === undefined ? event : undefined),
    });

    expect(drained).toEqual({ sent: 2, refused: 0 });
    expect(ids()).toEqual(['mine-1', 'mine-2']);
    expect(namesIn(folder)).toEqual([theirs]);
  });

  test('sends the event as the sender may send it', async () => {
    const folder = tempFolder();
    await spool(folder, ['e-1'], { tokenHash: 'abc' });
    const sent: EventInput[] = [];

    await drainInto(folder, async (events) => void sent.push(...events), {
      eventOf: ({ event, tokenHash }) => ({ ...event, tenant: `of-${tokenHash}` }),
    });

    expect(sent).toEqual([{ event: 'TaskCompleted', id: 'e-1', tenant: 'of-abc' }]);
  });

  test('a tenant whose watch is full holds up no other tenant', async () => {
    const folder = tempFolder();
    for (const id of numbered(6)) await spool(folder, [id], { tenant: Number(id.at(-1)) % 2 === 0 ? 'full' : 'free' });
    const { ids, send } = receiver();
    const failure = new NotStoredError('watch-full', ['e-0'], []);

    const drained = await drainInto(folder, async (events) => {
      if (events.some(({ tenant }) => tenant === 'full')) throw failure;
      await send(events);
    });

    expect(drained).toEqual({ sent: 3, refused: 0, failure });
    expect(ids()).toEqual(['e-1', 'e-3', 'e-5']);
    expect(namesIn(folder)).toHaveLength(3);
  });

  test('a batch that is tried one by one ends when its tenant has no room left', async () => {
    const folder = tempFolder();
    const names = await spool(folder, numbered(50));
    const failure = new NotStoredError('watch-full', [], []);
    const tried: string[] = [];

    const drained = await drainInto(folder, async ([first, ...others]) => {
      if (others.length > 0) throw new WrongEventError('one of them is wrong', []);
      tried.push(first?.id ?? '');
      if (tried.length === 3) throw failure;
    });

    expect(drained).toEqual({ sent: 2, refused: 0, failure });
    expect(tried).toEqual(['e-0', 'e-1', 'e-2']);
    expect(namesIn(folder).sort()).toEqual(names.slice(2));
  });

  test('ends when another process has taken over, and leaves the rest to that one', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(450));
    const { ids, send } = receiver();

    const drained = await drainInto(folder, async (events) => {
      await send(events);
      utimesSync(lockOf(folder), 0, 0);
      expect(await takeLock(lockOf(folder))).toBeDefined();
    });

    expect(drained).toEqual({ sent: 200, refused: 0, ended: 'busy' });
    expect(ids()).toHaveLength(200);
  });

  test('stops looking through what is not its to send when its time is over', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(50), { tokenHash: 'other' });
    let looked = 0;

    const drained = await drainInto(folder, receiver().send, {
      eventOf: () => void (looked += 1),
      isOver: () => looked >= 10,
    });

    expect(drained).toEqual({ sent: 0, refused: 0, ended: 'over' });
    expect(looked).toBe(10);
  });

  test('a listing that is no longer true does no harm', async () => {
    const folder = tempFolder();
    const names = await spool(folder, ['e-1', 'e-2']);
    rmSync(join(folder, names[0] ?? ''));
    await spool(folder, ['e-3']);
    const { ids, send } = receiver();

    expect(await drainInto(folder, send, { names })).toEqual({ sent: 2, refused: 0 });

    expect(ids()).toEqual(['e-2', 'e-3']);
  });

  test('takes turns with whoever else drains', async () => {
    const folder = tempFolder();
    await spool(folder, ['e-1']);
    const lock = await takeLock(lockOf(folder));

    expect(await drainInto(folder, receiver().send)).toEqual({ sent: 0, refused: 0, ended: 'busy' });

    lock?.release();
    expect(await drainInto(folder, receiver().send)).toEqual({ sent: 1, refused: 0 });
  });

  test('sends what came in while it was at work', async () => {
    const folder = tempFolder();
    await spool(folder, ['e-0']);
    const { ids, send } = receiver();

    await drainInto(folder, async (events) => {
      // Whoever wrote this found the lock taken, and relies on us.
      if (ids().length < 3) await spool(folder, [`e-${ids().length + 1}`]);
      await send(events);
    });

    expect(ids()).toEqual(['e-0', 'e-1', 'e-2', 'e-3']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of many that write and then drain, each relying on the others, none leaves anything lying', async () => {
    const folder = tempFolder();
    const { ids, send } = receiver();

    await Promise.all(
      numbered(100).map(async (id) => {
        await writeEntry(folder, entryOf(id));
        await drainInto(folder, send);
      }),
    );

    expect(ids().sort()).toEqual(numbered(100).sort());
    expect(readdirSync(folder)).toEqual([]);
  });

  test('begins no batch when its time is over', async () => {
    const folder = tempFolder();
    await spool(folder, numbered(450));
    const { ids, send } = receiver();

    const drained = await drainInto(folder, send, { isOver: () => ids().length >= 400 });

    expect(drained).toEqual({ sent: 400, refused: 0, ended: 'over' });
    expect(namesIn(folder)).toHaveLength(50);
  });

  test('never takes a half-written entry for one; what a killed hook left goes after a minute', async () => {
    const folder = tempFolder();
    const torn = (atMs: number) => `.${entryName(atMs, 20)}.1-0${PART}`;
    const left = torn(preciseNow() - 61_000);
    const young = torn(preciseNow() - 1_000);
    for (const name of [left, young]) writeFileSync(join(folder, name), '{"v":1,"event":{"eve');
    const { ids, send } = receiver();

    await drainInto(folder, send);

    expect(ids()).toEqual([]);
    expect(readdirSync(folder)).toEqual([young]);
  });

  test('keeps the time and everything else an entry says', async () => {
    const folder = tempFolder();
    const event: EventInput = {
      ...{ event: 'Stop', id: 'e-1', occurredAt: 1_700_000_000_000, session: 's', depth: 2, outcome: 'failed' },
      ...{ lineage: { root: 'r', parent: 'p' }, payload: { a: [1, null] }, truncated: true },
    };
    await writeEntry(folder, { v: 1, event });
    const sent: EventInput[] = [];

    await drainInto(folder, async (events) => void sent.push(...events));

    expect(sent).toEqual([event]);
  });
});
