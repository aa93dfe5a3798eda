/** What a person takes for a command that hangs. */
const SILENT_MS = 2_000;

interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Does what a worker has to answer. Where none runs it takes ten seconds to find that out, so a person is told what it waits
 * for; scripts are not.
 */
export async function whileWaiting<T>(
  work: () => Promise<T>,
  output: Output = process.stderr,
  silentMs = SILENT_MS,
): Promise<T> {
  if (!output.isTTY) return work();
  const timer = setTimeout(() => output.write('waiting for an answer …\n'), silentMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
