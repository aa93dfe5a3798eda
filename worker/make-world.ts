import { join } from 'node:path';
import { createFileMailer, createSmtpMailer } from '../activities/adapters/mailer.js';
import type { Environment, Settings } from '../contract/settings.js';
import type { ConsoleLog } from './console-log.js';
import type { WorkerSetup } from './create-worker.js';
import { makeSources, type Sources } from './make-sources.js';

export interface MakeWorldOptions {
  settings: Settings;
  env: Environment;
  log: Pick<ConsoleLog, 'info' | 'error'>;
  temporalUi: string | undefined;
}

/** The outside world as the settings describe it. */
export function makeWorld({ settings, env, log, temporalUi }: MakeWorldOptions): WorkerSetup['world'] & Sources {
  return {
    ...makeSources(settings, log),
    mailer:
      settings.smtpUrl === undefined
        ? createFileMailer(join(settings.home, 'mail'))
        : createSmtpMailer(settings.smtpUrl),
    env,
    temporalUi,
  };
}
