import { join } from 'node:path';
import { createFileMailer } from '#adapters/mail/file-mailer.js';
import { createSmtpMailer } from '#adapters/mail/smtp-mailer.js';
import type { Mailer } from '#adapters/mail/mail.js';
import { createOutbound } from '#adapters/http/create-outbound.js';
import type { Environment, Settings } from '#contract/settings.js';
import type { ConsoleLog } from './logs.js';
import type { WorkerSetup } from './create-worker.js';
import { readLineageKey } from './lineage-key.js';
import { makeSources, type Sources } from './make-sources.js';

export interface MakeWorldOptions {
  settings: Settings;
  env: Environment;
  log: Pick<ConsoleLog, 'info' | 'error'>;
  /** Of the server that runs along, if any. */
  temporalUi: string | undefined;
}

/** The outside world as the settings describe it. */
export async function makeWorld({
  settings,
  env,
  log,
  temporalUi,
}: MakeWorldOptions): Promise<WorkerSetup['world'] & Sources> {
  return {
    ...makeSources(settings, log, env),
    mailer: makeMailer(settings),
    outbound: createOutbound(),
    redactKeys: settings.redactKeys,
    lineageKey: await readLineageKey(settings),
    env,
    temporalUi: settings.uiUrl ?? temporalUi,
  };
}

/** It connects when the first mail is sent. */
export function makeMailer({ smtpUrl, home }: Pick<Settings, 'smtpUrl' | 'home'>): Mailer {
  return smtpUrl === undefined ? createFileMailer(join(home, 'mail')) : createSmtpMailer(smtpUrl);
}
