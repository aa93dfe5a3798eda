import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventInput } from '#client/event-input.js';
import { entryName, preciseNow } from '#client/spool/entries.js';
import { keepDraining, type KeepDrainingOptions } from '#client/spool/keep-draining.js';
import { eventually } from '../../../support/eventually.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { noLog, spool } from './spooled.js';

test('sends what hooks leave, soon after they did, from a folder that is not there yet', async () => {
  const folder = join(tempFolder(), 'spool');
  const { ids, send } = receiver();
  start({ folder, send });

  await spool(folder, ['e-1']);
  await eventually('the first', () => (ids.length === 1 ? true : undefined));
  await spool(folder, ['e-2', 'e-3']);
  await eventually('the others', () => (ids.length === 3 ? true : undefined));

  expect(ids).toEqual(['e-1', 'e-2', 'e-3']);
});

test('goes on after a failure, and says the same problem once', async () => {
  const folder = tempFolder();
  await spool(folder, ['e-1']);
  const lines: string[] = [];
  let tries = 0;
  const ids: string[] = [];
  start({
    folder,
    log: (line) => lines.push(line),
    send: async (events) => {
      if (++tries <= 3) throw new Error('Temporal is not there');
      ids.push(...events.map(({ id }) => id ?? ''));
    },
  });

  // The line comes after the event is sent and its file is gone.
  await eventually('the second line', () => (lines.length >= 2 ? true : undefined));

  expect(ids).toEqual(['e-1']);
  expect(lines).toEqual(['the spool cannot be sent now: Temporal is not there', 'sent 1 events of the spool']);
});

test('says once that a file cannot be read, however often it looks', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, entryName(preciseNow(), 10)));
  const lines: string[] = [];
  let rounds = 0;
  start({
    folder,
    send: receiver().send,
    log: (line) => lines.push(line),
    whose: async () => {
      rounds += 1;
      return ({ event }) => event;
    },
  });

  await eventually('some rounds', () => (rounds > 3 ? true : undefined));

  expect(lines).toEqual([expect.stringContaining('cannot be read and stays')]);
});

test('survives a spool that cannot be read', async () => {
  const lines: string[] = [];
  start({ folder: '/dev/null/spool', send: receiver().send, log: (line) => lines.push(line) });

  await eventually('a complaint', () => (lines.length > 0 ? true : undefined));

  expect(lines[0]).toContain('ENOTDIR');
});

test('stops after the batch that is on its way, and leaves the rest whole', async () => {
  const folder = tempFolder();
  await spool(
    folder,
    Array.from({ length: 450 }, (_, index) => `e-${index}`),
  );
  let release = () => {};
  let begun = 0;
  const draining = start({
    folder,
    send: () => {
      begun += 1;
      return new Promise<void>((resolve) => (release = resolve));
    },
  });
  await eventually('a batch', () => (begun === 1 ? true : undefined));

  const stopped = draining.stop();
  release();
  await stopped;

  expect(begun).toBe(1);
  expect(readdirSync(folder)).toHaveLength(250);
});

function start(options: Partial<KeepDrainingOptions> & Pick<KeepDrainingOptions, 'folder' | 'send'>) {
  const draining = keepDraining({ log: noLog, everyMs: 10, ...options });
  onTestFinished(() => draining.stop());
  return draining;
}

function receiver() {
  const ids: string[] = [];
  const send = async (events: readonly EventInput[]) => void ids.push(...events.map(({ id }) => id ?? ''));
  return { ids, send };
}
