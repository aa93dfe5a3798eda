import { join } from 'node:path';
import { createFileMailer, createSmtpMailer } from '../activities/adapters/mailer.js';
import { type MeshConfig, parseMeshConfig } from '../config/mesh-config.js';
import { type Current, ReadThroughFile } from '../config/read-through.js';
import { RulesetStore } from '../config/ruleset-store.js';
import { formatProblem } from '../contract/problem.js';
import type { Environment, Settings } from '../contract/settings.js';
import type { ConsoleLog } from './console-log.js';
import type { WorkerSetup } from './create-worker.js';

export interface MakeWorldOptions {
  settings: Settings;
  env: Environment;
  log: Pick<ConsoleLog, 'info' | 'error'>;
  temporalUi: string | undefined;
}

/** The outside world as the settings describe it. */
export function makeWorld({ settings, env, log, temporalUi }: MakeWorldOptions): WorkerSetup['world'] {
  const report = (what: string) => (file: string, current: Current<unknown>) => {
    if (current.problems.length === 0) return log.info({ file }, `${what} loaded from ${file}`);
    const consequence = current.available ? 'the last good version stays in use' : 'nothing is in use, events are held';
    const problems = current.problems.map((problem) => `  - ${formatProblem(problem)}`).join('\n');
    log.error({ file }, `${what}: ${file} cannot be used, ${consequence}:\n${problems}`);
  };
  return {
    rulesets: new RulesetStore({
      path: settings.rules,
      onChange: report('Rules'),
      onProblem: (problem) => log.error({}, `Rules: ${problem}`),
    }),
    config: new ReadThroughFile<MeshConfig>(settings.config, {
      parse: parseMeshConfig,
      onChange: report('Configuration'),
    }),
    mailer:
      settings.smtpUrl === undefined
        ? createFileMailer(join(settings.home, 'mail'))
        : createSmtpMailer(settings.smtpUrl),
    env,
    temporalUi,
  };
}
