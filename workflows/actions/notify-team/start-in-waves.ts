import { isCancellation, sleep } from '@temporalio/workflow';
import { plural } from '#contract/text/words.js';
import { summaryOf } from '#contract/text/shorten.js';
import { byteLength } from '../../byte-length.js';

/**
 * The server ends a workflow for good whose answer to one task is above 4 MiB, and what is started together is one answer. So
 * no more than this at a time: the rest is for what goes along with each request.
 */
const WAVE_BYTES = 1_000_000;

/** Starts all of them, a wave at a time, and waits for none before the next: nobody delays another. `start` never rejects. */
export async function startInWaves<Request>(
  requests: Request[],
  start: (request: Request) => Promise<void>,
): Promise<void> {
  const started: Promise<void>[] = [];
  let bytes = 0;
  for (const request of requests) {
    const size = byteLength(request);
    if (bytes > 0 && bytes + size > WAVE_BYTES) {
      await sendOff(requests.length - started.length);
      bytes = 0;
    }
    bytes += size;
    started.push(start(request));
  }
  await Promise.all(started);
}

/**
 * Any timer ends the task, and with it the answer; the server takes about a second for one. After an abort the rest is started
 * all the same: each then says that it was aborted.
 */
async function sendOff(left: number): Promise<void> {
  try {
    await sleep(1, { summary: summaryOf(`lets the requests go before ${plural(left, 'more receiver')}`) });
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}
