import type { Command } from 'commander';
import { addEventOptions, type EventOptions, filterFrom } from './event-options.js';
import { TENANT_OPTION } from './tenant-option.js';
import { withRecord } from './open-record.js';
import { print, printJson } from './print.js';
import { endingLine, eventLine } from './render/news-lines.js';
import { screenOf } from './terminal/screen.js';

interface TailOptions extends EventOptions {
  json?: boolean;
}

export function addTailCommand(program: Command): void {
  addEventOptions(program.command('tail'))
    .description('print a line for every event that is judged and every remediation that ends, as it happens')
    .option(...TENANT_OPTION)
    .option('--json', 'print one JSON object per line')
    .action(tail);
}

async function tail(options: TailOptions): Promise<void> {
  const { paint } = screenOf(process.stdout, process.env);
  const enough = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());
  await withRecord(async (record) => {
    for await (const news of record.follow(filterFrom(options, Date.now()), enough.signal)) {
      if (options.json) printJson(news);
      else print('event' in news ? eventLine(news.event, paint) : endingLine(news.ending, paint));
    }
  });
}
