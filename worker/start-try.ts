import { Client, Connection } from '@temporalio/client';
import { permanentRefusal } from '#adapters/temporal/permanent-refusal.js';
import { remediationStart } from '#adapters/temporal/start-remediation.js';
import { CONNECT_TIMEOUT_MS, type ConnectionSettings } from '#client/connection.js';
import { MeshError } from '#client/errors.js';
import { TASK_QUEUE, WORKFLOW_TYPES } from '#contract/names.js';
import type { RemediationInput } from '#contract/remediation.js';

/** Starts a remediation that no watch has judged. */
export async function startTry(
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
