import { WorkflowNotFoundError } from '@temporalio/client';

/** Lists may name a run for a while after its retention time is over. */
export async function unlessForgotten<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
