import { describe, expect, it } from 'vitest';
import { parseJsonLines } from '#client/cli/read-input.js';
import { parseEvent } from '#client/parse-event.js';
import { parseMeshConfig } from '#config/mesh-config.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { createRedactor } from '#contract/text/redact/redact.js';
import { simulate } from '#rules/simulate.js';
import { repositoryFiles } from './files.js';
import { readText } from './markdown.js';

const files = repositoryFiles();
const EXAMPLES = files.filter((path) => /^config\/examples\/[^.]+\.(ya?ml|json)$/.test(path));
const EVENT_FILES = files.filter((path) => /^config\/examples\/.+\.jsonl$/.test(path));
const SINGLE_EVENTS = files.filter((path) => /^config\/examples\/.+\.event\.json$/.test(path));

describe.each(['config/rules.yaml', ...EXAMPLES])('%s', (file) => {
  it('is valid, without a warning', () => {
    const parsed = parseRuleset(readText(file), file);

    expect(parsed).toMatchObject({ ok: true, warnings: [] });
  });

  it('says at its head what it is for', () => {
    expect(readText(file)).toMatch(/^# .{20}/);
  });
});

it('at least four examples are shipped, and each is named in docs/setting-up.md', () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(4);
  expect([...EXAMPLES, ...EVENT_FILES].filter((file) => !isNamed(file))).toEqual([]);
});

it.each(EVENT_FILES)('%s shows both firings and skips with the ruleset of the same name', (file) => {
  const rules = file.replace(/\.events\.jsonl$/, '.yaml');
  const parsed = parseRuleset(readText(rules), rules);
  if (!parsed.ok) throw new Error(`${rules} is not valid`);
  const steps = parseJsonLines(readText(file), file).map(({ value }, index) => {
    const { atMs, event } = value as { atMs: number; event: unknown };
    const read = parseEvent(event, { now: atMs, makeId: () => `e-${index}` }, createRedactor());
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return { atMs, event: read.event };
  });

  const verdicts = simulate({ ruleset: parsed.ruleset, hash: 'h', source: rules, problems: [] }, steps).flat();

  expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['fire', 'skip']));
});

it.each(SINGLE_EVENTS)(
  '%s is an event that a shipped rule looks at, and docs/setting-up.md says what to do with it',
  (file) => {
    const read = parseEvent(JSON.parse(readText(file)), { now: 0, makeId: () => 'e' }, createRedactor());
    const parsed = parseRuleset(readText('config/rules.yaml'), 'config/rules.yaml');
    if (!read.ok || !parsed.ok) throw new Error('not valid');

    const events = parsed.ruleset.rules.map(({ trigger }) => trigger.event);

    expect(events).toContain(read.event.event);
    expect(readText('docs/setting-up.md')).toContain(file);
  },
);

it('config/mesh.yaml is valid', () => {
  expect(parseMeshConfig(readText('config/mesh.yaml'), 'config/mesh.yaml')).toMatchObject({ ok: true });
});

/** An events file is named where its ruleset says how to try it. */
function isNamed(file: string): boolean {
  const rules = file.replace(/\.events\.jsonl$/, '.yaml');
  return readText('docs/setting-up.md').includes(file) || (rules !== file && readText(rules).includes(file));
}
