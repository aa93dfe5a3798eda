/** Resolves at Ctrl-C or when the process is told to end. A second time means now, whatever the first one waits for. */
export function stopRequest(say: (line: string) => void): Promise<void> {
  let stoppingSince = Infinity;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // One Ctrl-C may arrive twice, from npm too.
        if (Date.now() - stoppingSince > 1_000) process.exit(130);
        if (stoppingSince < Infinity) return;
        stoppingSince = Date.now();
        say('\nStopping …');
        resolve();
      });
    }
  });
}
