// A process that drains a spool, for tests with several of them. What it sends it appends to a file, as a server would keep it.
import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { drain } from '#client/spool/drain.js';
import { namesIn } from './spooled.js';

const [folder = '', receivedFile = '', answerMs = ''] = process.argv.slice(2);

while (namesIn(folder).length > 0) {
  const { ended } = await drain({
    folder,
    log: (line) => process.stderr.write(`${line}\n`),
    send: async (events) => {
      // Long enough for the others to try in between.
      await wait(Number(answerMs));
      appendFileSync(receivedFile, events.map(({ id }) => `${id}\n`).join(''));
    },
  });
  if (ended === 'busy') await wait(2);
}
