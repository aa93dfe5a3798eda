import { redactorOf } from '#activities/redactor-of.js';
import type { MeshConfig } from '#config/mesh-config.js';
import type { ReadThroughFile } from '#config/read-through.js';
import type { Entry } from '#contract/record.js';
import type { Settings } from '#contract/settings.js';
import type { Redactor } from '#contract/text/redact/redact.js';
import type { LoggedVerdict } from '#contract/views/verdicts.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Takes out of what is recorded and printed what `mesh.yaml` calls secret. Doors have taken out what every mesh knows for a
 * secret; the SDK, the command line and hooks know nothing of that file.
 */
export function hideInEntries(
  settings: Settings,
  config: Pick<ReadThroughFile<MeshConfig>, 'get'>,
): (entries: Entry[]) => Entry[] {
  let redactor: Redactor | undefined;
  let lookedAt = -Infinity;
  void look();
  return (entries) => {
    if (Date.now() - lookedAt > LOOK_EVERY_MS) void look();
    const text = redactor?.text;
    return text ? entries.map((entry) => hidden(entry, text)) : entries;
  };

  /** What cannot be read says nothing: the last that was good counts. */
  async function look(): Promise<void> {
    lookedAt = Date.now();
    const current = await config.get();
    if (!current.available) return;
    const { keys, patterns } = current.value.redact;
    redactor = keys.length + patterns.length === 0 ? undefined : redactorOf(current.value, settings.redactKeys);
  }
}

type Hide = (text: string) => string;

function hidden(entry: Entry, hide: Hide): Entry {
  switch (entry.kind) {
    case 'ending':
      return entry;
    case 'not-started':
      return { ...entry, reason: hide(entry.reason) };
    case 'event': {
      const { session, agent, source, tool, task, error } = entry;
      const texts = Object.entries({ session, agent, source, tool, task, error }).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, hide(text)] as const],
      );
      return {
        ...entry,
        ...Object.fromEntries<string>(texts),
        verdicts: entry.verdicts.map((one) => hiddenIn(one, hide)),
      };
    }
  }
}

function hiddenIn(verdict: LoggedVerdict, hide: Hide): LoggedVerdict {
  const { session, tool, task, missed } = verdict;
  const same = {
    ...(session !== undefined && { session: hide(session) }),
    ...(tool !== undefined && { tool: hide(tool) }),
    ...(task !== undefined && { task: hide(task) }),
    ...(missed && { missed: missed.map(({ rule, reason }) => ({ rule, reason: hide(reason) })) }),
  };
  return verdict.verdict === 'fire' ? { ...verdict, ...same } : { ...verdict, reason: hide(verdict.reason), ...same };
}
