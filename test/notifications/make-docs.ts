// Writes docs/notifications.md and its pictures, from a real run: `npm run docs:notifications`. Do so when what is sent has
// changed on purpose: `npm run check` holds the page to what the renderers make now.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/paths.js';
import { installQuietRuntime } from '../support/quiet-runtime.js';
import { checkReceived } from './check-received.js';
import { writePictured } from './pictured.js';
import { writeRecorded } from './recorded.js';
import { runStory } from './run-story.js';
import { findChromium, takeScreenshots } from './screenshots.js';
import { shotsOf } from './shots.js';
import { withStableTimes } from './stable-story.js';
import { writePage } from './write-page.js';

installQuietRuntime();
const run = await runStory();
checkReceived(run);
const recorded = withStableTimes(run.recorded);
await writeRecorded(recorded);
await writeFile(join(ROOT, 'docs/notifications.md'), await writePage(recorded));
console.log('wrote docs/notifications.md');

const chromium = await findChromium(process.env);
if (chromium === undefined) {
  console.log('found no Chromium (on the PATH or in CHROMIUM), so the pictures in docs/images stay as they are;');
  console.log('`npm run check` refuses them if they are of mails that look otherwise by now');
} else {
  await takeScreenshots(chromium, shotsOf(recorded), join(ROOT, 'docs/images'));
  await writePictured(shotsOf(recorded));
  console.log('took the pictures in docs/images');
}
