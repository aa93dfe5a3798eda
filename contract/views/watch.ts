import { z } from 'zod';
import { SKIP_CODES } from '../verdict.js';
import { codes, count, instant } from './words.js';

// How a tenant stands: what its watch answers when it is asked.

const Pause = z.strictObject({ sinceAt: instant('Since when.'), reason: z.string().optional() });
export type Pause = z.output<typeof Pause>;

const KnownRuleset = z.strictObject({
  hash: z.string(),
  source: z.string(),
  problems: z.array(z.string()),
  ruleIds: z.array(z.string()).describe('All rules of the file; absent when there are too many to keep.').optional(),
});
export type KnownRuleset = z.output<typeof KnownRuleset>;

export const KnownConfigTrouble = z.strictObject({
  source: z.string().describe('The file it is read from.'),
  problems: z.array(z.string()),
  hasGoodVersion: z.boolean().describe('An earlier version stays in use. Else there is none, and actions wait.'),
  sinceAt: instant('When a worker told of it first.'),
  seenAt: instant('When a worker told of it last: with the last events that were judged.'),
});
/** What workers have told with the events they judged. */
export type KnownConfigTrouble = z.output<typeof KnownConfigTrouble>;

const skipped = z.partialRecord(z.enum(codes(SKIP_CODES)), count());

const RuleCounters = z.strictObject({
  fired: count(),
  skipped,
  lastFiredAt: instant('When it fired last.').optional(),
});
export type RuleCounters = z.output<typeof RuleCounters>;

const SavedChain = z.strictObject({
  root: z.string(),
  remediations: count(),
  deepest: count(),
  lastAt: instant('Last seen.'),
  spawns: count().describe('Agents that stem from it.').optional(),
  spawnedAt: z.array(instant('When one of the last was started.')).optional(),
});
/** How far one first event has led: remembered for a day. */
export type SavedChain = z.output<typeof SavedChain>;

const DroppedNews = z.strictObject({ messages: count(), alerts: count().describe('Alerts that people must resolve.') });
export type DroppedNews = z.output<typeof DroppedNews>;

export const WatchStatus = z.strictObject({
  tenant: z.string(),
  paused: Pause.nullable(),
  ruleset: KnownRuleset.nullable(),
  configTrouble: KnownConfigTrouble.describe(
    'Set while `mesh.yaml` cannot be used as it is. What is wrong there is for those who run the mesh: `mesh status` says it.',
  ).optional(),
  held: z
    .strictObject({ events: count(), sinceAt: instant('Since when.'), problems: z.array(z.string()) })
    .describe('Events that wait because the rules cannot be read.')
    .nullable(),
  counters: z.strictObject({
    events: count(),
    fired: count(),
    skipped,
    rules: z.record(z.string(), RuleCounters),
  }),
  guards: z.strictObject({
    cooldowns: z.array(
      z.strictObject({ rule: z.string(), untilAt: instant('When it ends.'), label: z.string().optional() }),
    ),
    dedups: z.array(z.strictObject({ rule: z.string(), action: z.string(), untilAt: instant('When it ends.') })),
    live: z
      .strictObject({ cooldowns: count(), dedups: count() })
      .describe('Live windows of each kind. At most a thousand of each, the nearest to expiry, are listed.'),
    evicted: count(),
    seenIds: count(),
  }),
  chains: z.array(SavedChain),
  agents: z
    .strictObject({ known: count(), awaited: count().describe('Of those, the ones a remediation waits for.') })
    .describe('Agents that were started and may still report.')
    .optional(),
  alerts: z
    .array(
      z.strictObject({
        rule: z.string(),
        team: z.string(),
        channel: z.string(),
        openedAt: instant('Since when.'),
        task: z.string().describe('Closed by a success of this task.').optional(),
        tool: z.string().describe('Closed by a success of this tool.').optional(),
        worksAgain: z
          .literal(true)
          .describe('It is resolved when no cooldown or pause would suppress a repeat.')
          .optional(),
        resolvedWhen: z.string().describe('What it still waits for when it works again, for people.').optional(),
      }),
    )
    .describe('Open at a receiver until a success is reported.')
    .optional(),
  dropped: DroppedNews.describe('What nobody will be told because there was too much of it.').optional(),
  history: z.strictObject({ events: count(), runs: count() }),
});
export type WatchStatus = z.output<typeof WatchStatus>;
