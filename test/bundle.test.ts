import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { BUNDLE } from './support/paths.js';

test('the workflow bundle holds workflows, contract and guards, and nothing of the world outside', async () => {
  const code = await readFile(BUNDLE, 'utf8');

  const modules = [...new Set([...code.matchAll(/^\/\*\*\*\/ "(\.\/[^"]+)"/gm)].map(([, name = '']) => name))];
  const ours = modules
    .filter((name) => !name.includes('node_modules'))
    .map((name) => name.replace(/^.*\/dist(-\d+)?\//, './'));
  const packages = new Set(modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1] ?? []));

  expect(modules.length).toBeGreaterThan(20);
  expect(ours.filter((name) => !/\/(workflows|contract|rules\/guards)\//.test(name))).toEqual([]);
  expect([...packages].filter((name) => !ALLOWED_PACKAGES.has(name))).toEqual([]);
  // Without the sources themselves: a worker holds the bundle in memory several times.
  expect(code.length).toBeLessThan(1_800_000);
});

/** The SDK's sandbox side and what it brings along. No zod, no yaml, nothing that reaches out. */
const ALLOWED_PACKAGES = new Set(['@temporalio/workflow', '@temporalio/common', 'long', 'ms', 'nexus-rpc']);
