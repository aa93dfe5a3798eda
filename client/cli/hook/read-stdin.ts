import type { Readable } from 'node:stream';

export interface StdinLimits {
  withinMs: number;
  maxBytes: number;
}

export const STDIN_LIMITS: StdinLimits = { withinMs: 2_000, maxBytes: 10 * 1024 * 1024 };

export type Input = { text: string; isWhole: true } | { text: string; isWhole: false; problem: string };

/** What a runtime pipes in: as much as comes in time, since one that forgets to close the pipe must not hold up its agent. */
export function readStdin(stdin: Readable, { withinMs, maxBytes }: StdinLimits = STDIN_LIMITS): Promise<Input> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const text = () =>
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, '');
    const timer = setTimeout(() => stop(`standard input was not closed within ${withinMs} ms`), withinMs);
    const stop = (problem?: string) => {
      clearTimeout(timer);
      stdin.off('data', take);
      stdin.pause();
      resolve(problem === undefined ? { text: text(), isWhole: true } : { text: text(), isWhole: false, problem });
    };
    const take = (chunk: Buffer | string) => {
      bytes += chunk.length;
      // Read on all the same: whoever writes must not find the pipe broken.
      if (bytes <= maxBytes) chunks.push(Buffer.from(chunk));
    };
    stdin.on('data', take);
    stdin.once('end', () => stop(bytes > maxBytes ? `standard input holds more than ${maxBytes} bytes` : undefined));
    // Stays: an error must not end the process after this has resolved.
    stdin.on('error', (error) => stop(`standard input cannot be read: ${error.message}`));
  });
}
