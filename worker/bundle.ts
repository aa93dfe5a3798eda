import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Where the compiled worker finds its workflows: bundled once when compiling, not at each start. */
export const BUNDLE_PATH = join(HERE, '..', 'workflow-bundle.cjs');

/** Bundles the workflows and returns the code with its inline source map. */
export async function bundleWorkflows(): Promise<string> {
  const quiet = () => undefined;
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(HERE, '..', 'workflows', 'index.js'),
    workflowInterceptorModules: [join(HERE, '..', 'workflows', 'early-queries.js')],
    logger,
    // Where a line came from is told without them, and every worker holds the bundle in memory several times.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  });
  return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(dirname(BUNDLE_PATH), { recursive: true });
  writeFileSync(BUNDLE_PATH, await bundleWorkflows());
}
