// `npm run house`: how large the rooms are, who imports whom, and which files one event passes. Writes docs/house.md.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import { repositoryFiles } from '../repo/files.js';
import { ROOT } from '../support/paths.js';
import { readSources } from './import-graph.js';
import { layoutOf } from './layout.js';
import { recordWalk } from './record-walk.js';
import { writePage } from './write-page.js';

const files = readSources(ROOT, repositoryFiles());
const page = writePage(layoutOf(files), files, await recordWalk(ROOT));
console.log(page);
await writeFile(
  join(ROOT, 'docs/house.md'),
  await format(page, { parser: 'markdown', printWidth: 120, proseWrap: 'always' }),
);
console.log('wrote docs/house.md');
