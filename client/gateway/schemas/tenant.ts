import { z } from 'zod';
import { strict } from '#contract/text/schema-words.js';
import { KnownConfigTrouble, WatchStatus as WholeStatus } from '#contract/views/watch.js';

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

/** Of a `mesh.yaml` that all tenants share, a tenant hears only that something is wrong with it. */
export const WatchStatus = WholeStatus.extend({
  configTrouble: KnownConfigTrouble.omit({ source: true, problems: true })
    .describe('That `mesh.yaml` cannot be used as it is. Why is for those who run the mesh: `mesh status` says it.')
    .optional(),
});
