import { z } from 'zod';
import { strict } from '#contract/text/schema-words.js';
import { SKIP_CODES, type SkipCode } from '#contract/verdict.js';
import type { KnownConfigTrouble, WatchStatus as StatusView } from '#contract/watch.js';
import { codes, count, instant } from '#contract/views/words.js';

export const WatchRef = z.strictObject({ watch: z.string() });
export const RuleRef = z.strictObject({ watch: z.string(), rule: z.string() });

export const NoBody = strict({}).describe('Nothing, or an empty object.');

export const PauseBody = strict({
  reason: z
    .string({ error: 'a text' })
    .max(500, { error: 'at most 500 characters' })
    .describe('Shown in the watch and as the reason of skips.')
    .optional(),
});

const skipped = z.partialRecord(z.enum(codes(SKIP_CODES)), count()) satisfies z.ZodType<
  Partial<Record<SkipCode, number>>
>;

/** Of a `mesh.yaml` that all tenants share, a tenant hears only that something is wrong with it. */
type SharedStatus = Omit<StatusView, 'configTrouble'> & {
  configTrouble?: Omit<KnownConfigTrouble, 'source' | 'problems'> | undefined;
};

export const WatchStatus = z.strictObject({
  tenant: z.string(),
  paused: z.strictObject({ sinceAt: instant('Since when.'), reason: z.string().optional() }).nullable(),
  ruleset: z
    .strictObject({
      hash: z.string(),
      source: z.string(),
      problems: z.array(z.string()),
      ruleIds: z
        .array(z.string())
        .describe('All rules of the file; absent when there are too many to keep.')
        .optional(),
    })
    .nullable(),
  configTrouble: z
    .strictObject({
      hasGoodVersion: z.boolean().describe('An earlier version stays in use. Else there is none, and actions wait.'),
      sinceAt: instant('When a worker told of it first.'),
      seenAt: instant('When a worker told of it last: with the last events that were judged.'),
    })
    .describe('That `mesh.yaml` cannot be used as it is. Why is for those who run the mesh: `mesh status` says it.')
    .optional(),
  held: z
    .strictObject({ events: count(), sinceAt: instant('Since when.'), problems: z.array(z.string()) })
    .describe('Events that wait because the rules cannot be read.')
    .nullable(),
  counters: z.strictObject({
    events: count(),
    fired: count(),
    skipped,
    rules: z.record(
      z.string(),
      z.strictObject({ fired: count(), skipped, lastFiredAt: instant('When it fired last.').optional() }),
    ),
  }),
  guards: z.strictObject({
    cooldowns: z.array(
      z.strictObject({ rule: z.string(), untilAt: instant('When it ends.'), label: z.string().optional() }),
    ),
    dedups: z.array(z.strictObject({ rule: z.string(), action: z.string(), untilAt: instant('When it ends.') })),
    live: z.strictObject({ cooldowns: count(), dedups: count() }),
    evicted: count(),
    seenIds: count(),
  }),
  chains: z.array(
    z.strictObject({
      root: z.string(),
      remediations: count(),
      deepest: count(),
      lastAt: instant('Last seen.'),
      spawns: count().describe('Agents that stem from it.').optional(),
      spawnedAt: z.array(instant('When one of the last was started.')).optional(),
    }),
  ),
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
  dropped: z
    .strictObject({ messages: count(), alerts: count().describe('Alerts that people must resolve.') })
    .describe('What nobody will be told because there was too much of it.')
    .optional(),
  history: z.strictObject({ events: count(), runs: count() }),
}) satisfies z.ZodType<SharedStatus>;
