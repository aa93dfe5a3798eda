import { messageOf } from '#contract/text/words.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { resolveSecret, SECRET, textsIn } from './secret.js';

/**
 * Secrets that a part of the configuration names and that cannot be had here and now. Whether a worker elsewhere has them is
 * for a person to know.
 */
export async function missingSecrets(
  part: unknown,
  at: readonly PropertyKey[],
  { folder, env }: { folder: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Problem[]> {
  const secrets = textsIn(part, at).filter(({ written }) => SECRET.test(written));
  const checked = secrets.map(async ({ path, written }): Promise<Problem[]> => {
    try {
      await resolveSecret(written, folder, env);
      return [];
    } catch (error) {
      return [{ path: formatPath(path), message: `${written} cannot be read here: ${reasonOf(error)}` }];
    }
  });
  return (await Promise.all(checked)).flat();
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'file not found' : messageOf(error);
}
