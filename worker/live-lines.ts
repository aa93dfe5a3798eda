import type { Writable } from 'node:stream';
import { endingLine, eventLine } from '#client/cli/render/news-lines.js';
import type { Paint } from '#client/cli/terminal/screen.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { Entry, TellRecord } from '#contract/record.js';
import { visible } from '#contract/text/plain-text.js';
import { plural } from '#contract/text/words.js';

/** Nobody reads faster, and a terminal that is written to all the time holds up the process. */
const LINES_PER_SECOND = 10;

export interface LiveLinesOptions {
  paint: Paint;
  output: Pick<Writable, 'write' | 'on' | 'writableNeedDrain'>;
}

/** A line for each judged event and each ended remediation. In a storm the first of each second, and how many more there were. */
export function createLiveLines({ paint, output }: LiveLinesOptions): TellRecord {
  let hasReader = true;
  // Whoever read the lines has gone, as in `npm start | head`: the work goes on.
  output.on('error', () => (hasReader = false));
  const say = (line: string) => {
    if (hasReader && !output.writableNeedDrain) output.write(`${line}\n`);
  };
  let second = 0;
  let shown = 0;
  let more = { events: 0, fired: 0, endings: 0 };

  return (tenant, entries) => {
    for (const entry of entries) {
      if (entry.kind === 'not-started') continue;
      const now = Math.floor(Date.now() / 1_000);
      if (now !== second) {
        second = now;
        shown = 0;
      }
      if (shown < LINES_PER_SECOND) {
        shown += 1;
        const line = entry.kind === 'event' ? eventLine(entry, paint) : endingLine(entry, paint);
        say(tenant === DEFAULT_TENANT ? line : `${line} ${paint.dim(`[${visible(tenant)}]`)}`);
      } else {
        if (isNothing(more)) setTimeout(sayMore, 1_000).unref();
        count(entry);
      }
    }
  };

  function count(entry: Entry): void {
    if (entry.kind === 'ending') more.endings += 1;
    if (entry.kind !== 'event') return;
    more.events += 1;
    if (entry.verdicts.some(({ verdict }) => verdict === 'fire')) more.fired += 1;
  }

  function sayMore(): void {
    const { events, fired, endings } = more;
    more = { events: 0, fired: 0, endings: 0 };
    const parts = [
      ...(events > 0 ? [`${plural(events, 'event')} judged, ${fired} of them fired`] : []),
      ...(endings > 0 ? [`${plural(endings, 'remediation')} ended`] : []),
    ];
    say(paint.dim(`         … and ${parts.join('; ')} within a second. All of them: npx mesh events`));
  }
}

function isNothing({ events, endings }: { events: number; endings: number }): boolean {
  return events === 0 && endings === 0;
}
