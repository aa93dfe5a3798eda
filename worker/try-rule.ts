import { Client, Connection } from '@temporalio/client';
import { previewActions } from '#activities/actions/previews.js';
import { permanentRefusal } from '#adapters/temporal/permanent-refusal.js';
import { remediationStart } from '#adapters/temporal/start-remediation.js';
import type { RuleTrial } from '#client/cli/programs.js';
import { CONNECT_TIMEOUT_MS, type ConnectionSettings, readConnection } from '#client/connection.js';
import { MeshError } from '#client/errors.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { Current } from '#config/read-through.js';
import { TASK_QUEUE, WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationInput } from '#contract/remediation.js';
import { formatProblem } from '#contract/text/problem.js';
import type { RedactOptions } from '#contract/text/redact/redact.js';
import { type Environment, readSettings, type Settings } from '#contract/settings.js';
import { ExplainedError } from './explained-error.js';
import { mailFolder } from './make-world.js';
import { makeSources } from './make-sources.js';

/** For `mesh try`: rules and configuration as a worker would read them here, and nothing that is open. */
export async function openTrial(env: Environment = process.env): Promise<RuleTrial> {
  const { settings } = readSettings(env);
  const connection = readConnection(settings, env);
  // What is wrong with the files is thrown where they are needed.
  const { rulesets, config } = makeSources(settings, { info: () => undefined, error: () => undefined });

  return {
    async rules(tenant) {
      const loaded = await rulesets.get(tenant);
      if (!loaded.available || loaded.problems.length > 0) throw new ExplainedError(loaded.problems.join('\n'));
      return loaded;
    },
    redact: async () => redactOptions(settings, await config.get()),
    async preview(remediation) {
      const desk = deskOf({ settings, env, connection, config: usable(await config.get()) });
      return previewActions(remediation, desk);
    },
    start: (remediation) => startTry(remediation, connection),
  };
}

function redactOptions({ redactKeys }: Settings, current: Current<MeshConfig>): RedactOptions {
  const { keys = [], patterns = [] } = current.available ? current.value.redact : {};
  return { keys: [...keys, ...redactKeys], patterns: patterns.map((pattern) => new RegExp(pattern, 'gu')) };
}

/** A worker would go on with the version before a broken edit; here there is none. */
function usable(current: Current<MeshConfig>): MeshConfig {
  if (current.available && current.problems.length === 0) return current.value;
  throw new ExplainedError(current.problems.map(formatProblem).join('\n'));
}

interface Here {
  settings: Settings;
  env: Environment;
  connection: ConnectionSettings;
  config: MeshConfig;
}

function deskOf({ settings, env, connection, config }: Here): Parameters<typeof previewActions>[1] {
  const { address, namespace, isGiven } = connection;
  return {
    config,
    env,
    redactKeys: settings.redactKeys,
    mailFolder: mailFolder(settings),
    // As `npm start` would have it.
    temporalUi: settings.uiUrl ?? (isGiven ? undefined : `http://127.0.0.1:${settings.uiPort}`),
    temporal: { address, namespace },
    nowMs: Date.now(),
  };
}

/** Starts a remediation that no watch has judged. */
async function startTry(
  remediation: RemediationInput,
  { address, namespace, options }: ConnectionSettings,
): Promise<void> {
  const connection = await Connection.connect({ address, ...options, connectTimeout: CONNECT_TIMEOUT_MS });
  try {
    const client = new Client({ connection, namespace });
    await client.workflow.start(WORKFLOW_TYPES.remediate, remediationStart(remediation, TASK_QUEUE));
  } catch (error) {
    throw explained(error);
  } finally {
    await connection.close();
  }
}

function explained(error: unknown): unknown {
  const refusal = permanentRefusal(error);
  return refusal === undefined ? error : new MeshError('conflict', `Temporal refused it: ${refusal}`, { cause: error });
}
