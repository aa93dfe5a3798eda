import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { readSettings } from '#contract/settings.js';
import { followFiles } from '#worker/follow-files.js';
import { makeSources } from '#worker/make-sources.js';
import { eventually } from '../../support/eventually.js';

const GOOD = { rules: [{ id: 'r', trigger: { event: 'Stop' }, actions: [{ type: 'notify_team' }] }] };

test('a broken edit of the rules and its mending are told when they are saved, without any event', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-follow-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [rules, config] = [join(folder, 'rules.json'), join(folder, 'mesh.yaml')];
  await writeFile(rules, JSON.stringify(GOOD));
  await writeFile(config, '{}');
  const told: string[] = [];
  const tell = (_meta: object, message: string) => void told.push(message);
  const sources = makeSources({ ...readSettings({}).settings, rules, config }, { info: tell, error: tell });
  await sources.rulesets.get('default');
  const following = followFiles(sources);
  onTestFinished(() => following.stop());
  const hears = (words: RegExp) => eventually(String(words), () => told.find((line) => words.test(line)));

  await writeFile(rules, '{"rules": [');
  await hears(/cannot be used, the last good version stays in use/);
  told.length = 0;
  await writeFile(rules, JSON.stringify({ ...GOOD, enabled: true }));
  await hears(/^Rules loaded from /);
});
