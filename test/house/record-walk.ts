import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#worker/dev/dev-server.js';
import { eventually } from '../support/eventually.js';
import { mailingThrough, startMailServer } from '../support/mail-server.js';
import { runIn, startIn } from '../support/start-in.js';
import { crossingsOf } from './import-graph.js';
import { instrument } from './instrument.js';

/** One entry into a function, in the order of time over all threads. */
interface Entry {
  atNs: bigint;
  path: string;
  /** The function: its file and where in it it begins. */
  place: string;
}

interface Span {
  beginsNs: bigint;
  endsNs: bigint;
}

/** Threads run at the same time, and their entries mix by chance: of several events the one that mixes least is shown. */
const EVENTS = 3;
const RECORDER = fileURLToPath(new URL('recorder.mjs', import.meta.url));
const IDLE_MS = 4_000;

const START = `import { runStart } from './dist/worker/start.js';\nawait runStart({ isQuiet: true });\n`;

const RULES = {
  rules: [
    {
      id: 'tell',
      trigger: { event: 'PostToolUseFailure', outcome: 'failed' },
      condition: { toolNames: ['Bash'] },
      cooldownMs: 0,
      dedupWindowMs: 0,
      actions: [{ id: 'tell', type: 'notify_team' }],
    },
  ],
};

/**
 * The files that one event passes from `POST /v1/events` until its mail is at the mail server, each at its first entry. A copy
 * of what was compiled runs as `npm start` runs it, with every function noting when it is entered.
 */
export async function recordWalk(root: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-house-'));
  const mail = await startMailServer();
  try {
    await copyInstrumented(root, folder);
    const [port, record] = [await freePort(), join(folder, 'record')];
    await Promise.all([
      mkdir(record),
      writeFile(join(folder, 'start.mjs'), START),
      writeFile(join(folder, 'rules.json'), JSON.stringify(RULES)),
      writeFile(join(folder, 'mesh.json'), JSON.stringify(mailingThrough(mail.url, configOf()))),
    ]);
    const mesh = startIn(folder, ['node', '--import', RECORDER, 'start.mjs'], {
      HOUSE_RECORD: record,
      MESH_HOME: join(folder, 'home'),
      MESH_RULES: join(folder, 'rules.json'),
      MESH_CONFIG: join(folder, 'mesh.json'),
      MESH_GATEWAY_PORT: String(port),
      MESH_TEMPORAL_PORT: String(await freePort()),
      MESH_UI_PORT: String(await freePort()),
    });
    try {
      const send = () => sendOne(`http://127.0.0.1:${port}`, mail.mails);
      await eventually('the gateway', () => isReady(`http://127.0.0.1:${port}`), 60_000);
      // What is done once in a process, such as reading a file, is no part of the way of an event.
      await send();
      await send();
      await wait(IDLE_MS);
      const idleUntilNs = process.hrtime.bigint();
      const spans: Span[] = [];
      for (let sent = 0; sent < EVENTS; sent += 1) {
        const beginsNs = process.hrtime.bigint();
        spans.push({ beginsNs, endsNs: await send() });
        // What follows the mail is no part of the next event.
        await wait(IDLE_MS / 2);
      }
      const entries = await readEntries(record);
      const walks = spans.map((span) => walkOf(entries, span, idleUntilNs));
      return walks.sort((a, b) => crossingsOf(a) - crossingsOf(b))[0] ?? [];
    } finally {
      mesh.child.kill('SIGTERM');
      await mesh.finished;
    }
  } finally {
    await mail.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf() {
  const members = [{ name: 'alice', email: 'alice@example.com' }];
  return { teams: { ops: { members } }, notify: { defaultTeam: 'ops', fromAddress: 'mesh@example.com' } };
}

/** What was compiled, with notes in it, and the workflows bundled anew from that. */
async function copyInstrumented(root: string, folder: string): Promise<void> {
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  const names = await readdir(join(folder, 'dist'), { recursive: true });
  for (const name of names.filter((path) => path.endsWith('.js'))) {
    const file = join(folder, 'dist', name);
    await writeFile(file, instrument(name.replace(/\.js$/, '.ts'), await readFile(file, 'utf8')));
  }
  await runIn(folder, ['node', join('dist', 'worker', 'bundle.js')]);
}

async function isReady(url: string): Promise<true | undefined> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  return response?.ok === true ? true : undefined;
}

/** Reports a failed tool, and answers when the mail has arrived. */
async function sendOne(url: string, mails: unknown[]): Promise<bigint> {
  const before = mails.length;
  const body = { event: 'PostToolUseFailure', outcome: 'failed', payload: { tool_name: 'Bash', error: 'timeout' } };
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  return eventually('the mail', () => (mails.length > before ? process.hrtime.bigint() : undefined), 60_000);
}

async function readEntries(folder: string): Promise<Entry[]> {
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => {
      const [at = '0', path = '', position = ''] = line.split(' ');
      return { atNs: BigInt(at), path, place: `${path}:${position}` };
    })
    .sort((a, b) => (a.atNs < b.atNs ? -1 : 1));
}

/** What runs while nothing is reported, by a timer, is not counted. */
function walkOf(entries: Entry[], { beginsNs, endsNs }: Span, idleUntilNs: bigint): string[] {
  const idleFromNs = idleUntilNs - BigInt(IDLE_MS - 1_000) * 1_000_000n;
  const idle = new Set(entries.filter(({ atNs }) => atNs > idleFromNs && atNs < idleUntilNs).map(({ place }) => place));
  const ofEvent = entries.filter(({ atNs, place }) => atNs >= beginsNs && atNs <= endsNs && !idle.has(place));
  return [...new Set(ofEvent.map(({ path }) => path))];
}
