import { join } from 'node:path';
import type { Command } from 'commander';
import { visible } from '#contract/text/plain-text.js';
import { type Environment, readSettings, type Settings } from '#contract/settings.js';
import { type Dropped, listDropped } from '../spool/cap.js';
import { listEntries, mayPost, mayStoreStraight } from '../spool/entries.js';
import { listRefused, type RefusedFile, refusedFolder } from '../spool/refused.js';
import { EXIT_CODES } from './exit-codes.js';
import { print, printJson } from './print.js';
import { moment } from './terminal/times.js';
import { NotStoredError } from '../errors.js';
import { drain, type Drained, type DrainOptions } from '../spool/drain.js';
import { CliError } from './cli-error.js';
import { type GatewayTarget, targetOf, tokenIn } from './hook/hook-options.js';
import { GatewayError, postEvents } from './hook/post-events.js';
import { namesTemporal } from './hook/temporal.js';
import { withMesh } from './open-mesh.js';
import { messageOf } from '#contract/text/words.js';

interface SpoolOptions {
  flush?: boolean;
  home?: string;
  gateway?: string;
  json?: boolean;
}

export function addSpoolCommand(program: Command): void {
  program
    .command('spool')
    .description('what hooks could not deliver: how many events wait, what was refused or dropped')
    .option('--flush', 'send what waits, now')
    .option('--home <folder>', 'state folder, with the spool (default: MESH_HOME)')
    .option('--gateway <url>', 'gateway to send to, or off (default: MESH_GATEWAY_URL, or the local one)')
    .option('--json', 'print one JSON object')
    .action((options: SpoolOptions) => spool(options, process.env));
}

async function spool(options: SpoolOptions, env: Environment): Promise<void> {
  const { settings } = readSettings(env);
  const home = options.home ?? settings.home;
  const folder = join(home, 'spool');
  const flushed = options.flush
    ? await flushSpool({ folder, home, gateway: options.gateway, settings, env })
    : undefined;
  const survey = await look(folder);
  if (options.json) printJson({ ...(flushed && { flushed }), ...survey });
  else print([...(flushed ? describeFlush(flushed) : []), ...describe(survey, Date.now())].join('\n'));

  const isLeft = survey.waiting.count > 0;
  if (flushed?.isUnreachable) process.exitCode = EXIT_CODES.unreachable;
  else if (options.flush && (isLeft || (flushed?.refused ?? 0) > 0)) process.exitCode = EXIT_CODES.refused;
}

interface Look {
  folder: string;
  waiting: { count: number; bytes: number; oldestAt?: number };
  refused: RefusedFile[];
  dropped: { count: number; bytes: number; last?: Dropped };
}

async function look(folder: string): Promise<Look> {
  const waiting = await listEntries(folder);
  const dropped = (await Promise.all([folder, refusedFolder(folder)].map(listDropped))).flat();
  const last = dropped.sort((a, b) => (a.at < b.at ? -1 : 1)).at(-1);
  return {
    folder,
    waiting: {
      count: waiting.length,
      bytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(waiting[0] && { oldestAt: Math.floor(waiting[0].atMs) }),
    },
    refused: await listRefused(folder),
    dropped: {
      count: dropped.reduce((sum, { count }) => sum + count, 0),
      bytes: dropped.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(last && { last }),
    },
  };
}

function describeFlush({ to, sent, refused, problems }: Flushed): string[] {
  const what = refused === 0 ? `Sent ${events(sent)}` : `Sent ${events(sent)}, refused ${refused}`;
  return [`${what}, to ${to}.`, ...problems.map(visible)];
}

/** Enough to see what is wrong; all of them are in the folder. */
const SHOWN_REFUSED = 20;

function describe({ folder, waiting, refused, dropped }: Look, now: number): string[] {
  const since =
    waiting.oldestAt === undefined ? '' : `, ${size(waiting.bytes)}, the oldest since ${moment(waiting.oldestAt, now)}`;
  const { last } = dropped;
  return [
    `Spool ${folder}`,
    `  waiting  ${events(waiting.count)}${since}`,
    `  refused  ${events(refused.length)}`,
    ...refused.slice(-SHOWN_REFUSED).map(({ file, reason }) => `           ${file}\n             ${visible(reason)}`),
    `  dropped  ${events(dropped.count)}${last ? `, ${size(dropped.bytes)}, the last at ${last.at}: ${last.why}` : ''}`,
  ];
}

function events(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}

function size(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${(bytes / 1_024).toFixed(1)} KiB`;
}

interface FlushOptions {
  folder: string;
  home: string;
  gateway: string | undefined;
  settings: Settings;
  env: Environment;
}

interface Flushed {
  /** Where the events went. */
  to: string;
  sent: number;
  refused: number;
  /** Why something stays, for people. */
  problems: string[];
  /** The way there ended at somebody who could not store anything now. */
  isUnreachable: boolean;
}

/** Someone waits for it, but not an agent. */
const ANSWER_WITHIN_MS = 20_000;

/** Sends what waits by the same ways as a hook, with more patience. Undefined when nothing waits. */
async function flushSpool({ folder, home, gateway, settings, env }: FlushOptions): Promise<Flushed | undefined> {
  const problems: string[] = [];
  const log = (line: string) => void problems.push(line);
  if ((await listEntries(folder)).length === 0) return undefined;

  const send = (how: Omit<DrainOptions, 'folder' | 'log'>) => drain({ folder, log, ...how });
  const target = targetOf(gateway, settings);
  if (target !== undefined) {
    const drained = await sendToGateway(target, settings.token ?? tokenIn(home, problems), send);
    const { failure } = drained;
    const isAbsent = failure instanceof GatewayError && failure.isAbsent;
    if (!isAbsent) return { to: `the gateway at ${target.url}`, ...outcomeOf(drained, problems) };
    if (!target.isLocal && !namesTemporal(env)) throw new CliError(failure.message, EXIT_CODES.unreachable);
  }
  const drained = await withMesh((mesh) =>
    send({
      send: async (events) => void (await mesh.report(events)),
      eventOf: (entry) => (mayStoreStraight(entry) ? entry.event : undefined),
    }),
  );
  return { to: 'Temporal', ...outcomeOf(drained, problems) };
}

function sendToGateway(
  { url }: GatewayTarget,
  token: string | undefined,
  send: (how: Omit<DrainOptions, 'folder' | 'log'>) => Promise<Drained>,
): Promise<Drained> {
  return send({
    send: (events) => postEvents({ url, token }, events, ANSWER_WITHIN_MS),
    eventOf: (entry) => (mayPost(entry, token) ? entry.event : undefined),
    isOfTenant: (error) => error instanceof GatewayError && error.isOfTenant,
  });
}

function outcomeOf({ sent, refused, ended, failure }: Drained, problems: string[]): Omit<Flushed, 'to'> {
  if (failure !== undefined) problems.push(messageOf(failure));
  if (ended === 'busy') problems.push('another process is sending what waits');
  const isUnreachable =
    (failure instanceof GatewayError && (failure.status ?? 503) === 503) ||
    (failure instanceof NotStoredError && failure.reason === 'unreachable');
  return { sent, refused, problems, isUnreachable };
}
