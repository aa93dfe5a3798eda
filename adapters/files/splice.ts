/** What agent teams keep of a message, and in `id` the effect key. */
export interface InboxEntry {
  from: string;
  text: string;
  /** Of one line: shown before the message is opened, and outside of the fence. So no text of an event is in it. */
  summary: string;
  timestamp: string;
  read: false;
  id: string;
}

export type Spliced =
  | { kind: 'added'; content: string }
  /** An earlier attempt, whose answer was lost, has written the entry. */
  | { kind: 'present' }
  /** The file is no JSON list, so it is no inbox. */
  | { kind: 'broken' };

/**
 * An inbox with one entry more. What stands there is kept to the letter: other programs write it, with fields and numbers of
 * their own, and reading and writing it again would change some.
 */
export function spliceEntry(content: string, entry: InboxEntry): Spliced {
  const trimmed = content.trim();
  if (trimmed === '') return { kind: 'added', content: `[\n${setIn(entry)}\n]\n` };
  const entries = parse(trimmed);
  if (!Array.isArray(entries)) return { kind: 'broken' };
  if (entries.some((one) => isSame(one, entry))) return { kind: 'present' };
  // A JSON list ends with its bracket.
  const open = trimmed.slice(0, -1).trimEnd();
  return { kind: 'added', content: `${open}${entries.length === 0 ? '' : ','}\n${setIn(entry)}\n]\n` };
}

function setIn(entry: InboxEntry): string {
  const lines = JSON.stringify(entry, null, 2).split('\n');
  return lines.map((line) => `  ${line}`).join('\n');
}

/** By its id, or by its whole text, which ends with the id. */
function isSame(one: unknown, entry: InboxEntry): boolean {
  if (typeof one !== 'object' || one === null) return false;
  const { id, text } = one as Record<string, unknown>;
  return id === entry.id || text === entry.text;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
