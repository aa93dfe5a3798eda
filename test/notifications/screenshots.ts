import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shrinkPng } from './shrink-png.js';

export interface Shot {
  /** Of the image, below `docs/images/`. */
  file: string;
  html: string;
  width: number;
  isDark?: boolean;
  /** Pixels of the image for each of the page. */
  scale?: number;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
const run = promisify(execFile);

/** A Chromium of this machine: the one in `CHROMIUM`, or on the PATH. */
export async function findChromium({ CHROMIUM }: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const name of CHROMIUM === undefined ? NAMES : [CHROMIUM]) {
    const isThere = await run(name, ['--version']).then(
      () => true,
      () => false,
    );
    if (isThere) return name;
  }
  return undefined;
}

/** Pictures of pages as a browser shows them, as tall as they are. */
export async function takeScreenshots(chromium: string, shots: Shot[], to: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-shots-'));
  const browser = (more: string[]) =>
    run(chromium, [...ALWAYS, `--user-data-dir=${join(folder, 'profile')}`, ...more], { maxBuffer: 64 * 1024 * 1024 });
  try {
    await mkdir(to, { recursive: true });
    for (const { file, html, width, isDark = false, scale = 1 } of shots) {
      const page = join(folder, 'page.html');
      await writeFile(page, html);
      const measured = join(folder, 'measured.html');
      await writeFile(measured, html + TELL_HEIGHT);
      const look = [`--blink-settings=preferredColorScheme=${isDark ? 0 : 1}`, `--force-device-scale-factor=${scale}`];
      const { stdout } = await browser([...look, `--window-size=${width},100`, '--dump-dom', measured]);
      const height = Number(/<title>(\d+)<\/title>/.exec(stdout)?.[1]);
      const shot = join(folder, 'shot.png');
      await browser([...look, `--window-size=${width},${height}`, `--screenshot=${shot}`, page]);
      await writeFile(join(to, file), shrinkPng(await readFile(shot)));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ALWAYS = [
  '--headless',
  '--disable-gpu',
  '--hide-scrollbars',
  // Coloured edges of letters look wrong on other screens, and are thousands of colours.
  '--disable-lcd-text',
  // A browser that is run by root has no sandbox to offer.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

const TELL_HEIGHT = '<script>document.title = document.documentElement.scrollHeight</script>';
