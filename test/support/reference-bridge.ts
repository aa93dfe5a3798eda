import { eventually } from './eventually.js';
import { startNode } from './run-command.js';

export interface ReferenceBridge {
  url: string;
  /** What it printed of the requests that change something. */
  lines(): string[];
  stop(): Promise<void>;
}

/** The bridge in config/examples, as a process of its own. */
export async function startReferenceBridge(
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<ReferenceBridge> {
  const { child, output, finished } = startNode(['config/examples/capacity-bridge.mjs', '--port', '0', ...args], env);
  const url = await eventually('address of the bridge', () => /http:\/\/\S+/.exec(output().stdout)?.[0]);
  return {
    url,
    lines: () => output().stdout.trim().split('\n').slice(1),
    async stop() {
      child.kill();
      await finished;
    },
  };
}
