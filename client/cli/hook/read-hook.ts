import type { Redactor } from '#contract/text/redact/redact.js';
import type { EventInput } from '../../event-input.js';
import { preparePayload } from '../../prepare-payload.js';
import { refuse } from '../../spool/refused.js';
import { hookEvent, type HookInput, partialEvent } from './hook-event.js';
import { messageOf } from '#contract/text/words.js';

/** Where that goes of which no whole event can be made. */
export interface Aside {
  spool: string;
  redactor: Redactor;
  log(line: string): void;
}

/**
 * The event of what came in. What cannot be read is put aside for a person to see; when its beginning tells what it is
 * about, there is an event of that much. `problem` says why not all of it came.
 */
export async function readHook(input: HookInput, aside: Aside, problem?: string): Promise<EventInput | undefined> {
  const { log, redactor } = aside;
  try {
    return hookEvent(input, log);
  } catch (error) {
    const why = redactor.text([problem, messageOf(error)].filter(Boolean).join('; '));
    const event = partialEvent(input, log);
    const reason = event === undefined ? why : `${why}; its beginning was reported as event ${event.id}`;
    await refuseInput(aside, input.text, reason).catch((failure: unknown) => {
      log(`${reason}; it cannot be put aside: ${messageOf(failure)}`);
    });
    return event;
  }
}

/** Without secrets, and as much of it as tells a person what it was. */
async function refuseInput({ spool, redactor, log }: Aside, text: string, reason: string): Promise<void> {
  const prepared = preparePayload({ input: text.slice(0, LOOKED_AT_CHARS) }, redactor);
  const kept = prepared.ok ? prepared.payload : {};
  if (text.trim() === '') log(reason);
  else await refuse(spool, { v: 1, ...kept }, reason, log);
}

/** Many times what is kept, so that no half secret at its end gets into that. */
const LOOKED_AT_CHARS = 64 * 1024;
