import { proxyActivities } from '@temporalio/workflow';

const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({ startToCloseTimeout: '10 seconds' });

/** One workflow with one activity: what taking an event costs without the mesh. */
export async function bare(): Promise<void> {
  await doNothing();
}
