import { WorkflowNotFoundError } from '@temporalio/client';

/** What a workflow answers, or `gone` where it has ended, or ended so long ago that the server has forgotten it. */
export async function unlessGone<T, Gone>(asked: Promise<T>, gone: Gone): Promise<T | Gone> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return gone;
    throw error;
  }
}
