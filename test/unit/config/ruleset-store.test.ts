import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { RulesetStore } from '#config/ruleset-store.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aRule } from '../../support/builders.js';

describe('a store of one file', () => {
  test('has the rules of tenant default', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    writeFileSync(file, rulesCalled('a'));

    const answer = await new RulesetStore({ path: file }).get('default');

    expect(answer).toMatchObject({ available: true, source: file, problems: [], ruleset: { rules: [{ id: 'a' }] } });
  });

  test('has no rules for another tenant, and says what to do', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    writeFileSync(file, rulesCalled('a'));

    const answer = await new RulesetStore({ path: file }).get('team');

    expect(answer).toEqual({
      available: false,
      problems: [
        `no rules for tenant team: ${file} is one file, which is for tenant default (point MESH_RULES at a folder)`,
      ],
    });
  });

  test('that is not there says so', async () => {
    const file = join(tempFolder(), 'rules.yaml');

    expect(await new RulesetStore({ path: file }).get('default')).toEqual({
      available: false,
      problems: [`${file}: file not found`],
    });
  });

  test('that is broken from the start names the problems, and is taken once mended', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    writeFileSync(file, 'rules:\n  - id: a\n');
    const store = new RulesetStore({ path: file });

    const before = await store.get('default');
    writeFileSync(file, rulesCalled('a'));
    const after = await store.get('default');

    expect(before).toEqual({
      available: false,
      problems: [
        `${file}:2: rules[0].trigger: is missing: expected an object`,
        `${file}:2: rules[0].actions: is missing: expected a list of actions`,
      ],
    });
    expect(after).toMatchObject({ available: true, problems: [] });
  });

  test('keeps its last good version through a broken edit', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    writeFileSync(file, rulesCalled('a'));
    const store = new RulesetStore({ path: file });
    const good = await store.get('default');

    writeFileSync(file, 'rules: [');
    const broken = await store.get('default');

    expect(broken).toEqual({
      ...good,
      problems: [expect.stringMatching(/^\S+rules\.yaml:1: not valid YAML or JSON: /) as string],
    });
  });

  test('reports what changed', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    writeFileSync(file, rulesCalled('a'));
    const reported: [string, boolean, number][] = [];
    const store = new RulesetStore({
      path: file,
      onChange: (name, current) => reported.push([name, current.available, current.problems.length]),
    });

    await store.get('default');
    writeFileSync(file, 'nonsense');
    await store.get('default');
    await store.get('default');

    expect(reported).toEqual([
      [file, true, 0],
      [file, true, 1],
    ]);
  });
});

describe('a store of a folder', () => {
  test.each(['yaml', 'yml', 'json'])('finds <tenant>.%s', async (extension) => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, `team.${extension}`),
      extension === 'json' ? JSON.stringify({ rules: [aRule({ id: 'a' })] }) : rulesCalled('a'),
    );

    const answer = await new RulesetStore({ path: folder }).get('team');

    expect(answer).toMatchObject({
      available: true,
      source: join(folder, `team.${extension}`),
      ruleset: { rules: [{ id: 'a' }] },
    });
  });

  test('keeps tenants apart, even when one is broken', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'one.yaml'), rulesCalled('a'));
    writeFileSync(join(folder, 'two.yaml'), 'rules: 5');
    const store = new RulesetStore({ path: folder });

    const [one, two] = await Promise.all([store.get('one'), store.get('two')]);

    expect([one.available, two.available]).toEqual([true, false]);
  });

  test('says which file a tenant without rules would need', async () => {
    const folder = tempFolder();

    expect(await new RulesetStore({ path: folder }).get('team')).toEqual({
      available: false,
      problems: [`no rules for tenant team: expected ${join(folder, 'team.yaml')}`],
    });
  });

  test('takes a tenant whose file comes later', async () => {
    const folder = tempFolder();
    const store = new RulesetStore({ path: folder });
    await store.get('team');

    writeFileSync(join(folder, 'team.yml'), rulesCalled('a'));

    expect(await store.get('team')).toMatchObject({ available: true });
  });

  test('does not choose between two files of one tenant', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'team.yaml'), rulesCalled('a'));
    writeFileSync(join(folder, 'team.json'), '{}');

    const answer = await new RulesetStore({ path: folder }).get('team');

    expect(answer).toEqual({
      available: false,
      problems: [
        `tenant team has several rule files, keep one: ${join(folder, 'team.yaml')}, ${join(folder, 'team.json')}`,
      ],
    });
  });

  test('keeps using the file it knows when a second one appears, and says so', async () => {
    const folder = tempFolder();
    const [yaml, json] = [join(folder, 'team.yaml'), join(folder, 'team.json')];
    writeFileSync(json, rulesCalled('a'));
    const store = new RulesetStore({ path: folder });
    const good = await store.get('team');

    writeFileSync(yaml, rulesCalled('b'));
    const both = await store.get('team');
    rmSync(json);
    const mended = await store.get('team');

    expect(both).toEqual({ ...good, problems: [`tenant team has several rule files, keep one: ${yaml}, ${json}`] });
    expect(mended).toMatchObject({ source: yaml, problems: [], ruleset: { rules: [{ id: 'b' }] } });
  });

  test.each(['default', 'team'])('keeps the last good rules of %s while the whole folder is gone', async (tenant) => {
    const folder = join(tempFolder(), 'rules');
    mkdirSync(folder);
    writeFileSync(join(folder, `${tenant}.yaml`), rulesCalled('a'));
    const store = new RulesetStore({ path: folder });
    const good = await store.get(tenant);

    renameSync(folder, `${folder}.bak`);
    const gone = await store.get(tenant);
    renameSync(`${folder}.bak`, folder);
    const back = await store.get(tenant);

    expect(gone).toEqual({ ...good, problems: [`${join(folder, `${tenant}.yaml`)}: file not found`] });
    expect(back).toEqual(good);
  });

  test('keeps the last good version of a file that is gone, until it comes back', async () => {
    const folder = tempFolder();
    const file = join(folder, 'team.json');
    writeFileSync(file, rulesCalled('a'));
    const store = new RulesetStore({ path: folder });
    const good = await store.get('team');

    renameSync(file, `${file}.bak`);
    const gone = await store.get('team');
    renameSync(`${file}.bak`, file);
    const back = await store.get('team');

    expect(gone).toEqual({ ...good, problems: [`${file}: file not found`] });
    expect(back).toEqual(good);
  });

  test('follows a tenant from one extension to another', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'team.yaml'), rulesCalled('a'));
    const store = new RulesetStore({ path: folder });
    await store.get('team');

    rmSync(join(folder, 'team.yaml'));
    writeFileSync(join(folder, 'team.json'), JSON.stringify({ rules: [aRule({ id: 'b' })] }));

    expect(await store.get('team')).toMatchObject({ available: true, problems: [], ruleset: { rules: [{ id: 'b' }] } });
  });

  test('takes no folder for a file', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'team.yaml'));

    expect(await new RulesetStore({ path: folder }).get('team')).toEqual({
      available: false,
      problems: [`${join(folder, 'team.yaml')}: is a folder, expected a file`],
    });
  });
});

describe('versions', () => {
  test('of before an edit can still be had by their hash', async () => {
    const file = join(tempFolder(), 'rules.yaml');
    const store = new RulesetStore({ path: file });
    writeFileSync(file, rulesCalled('a'));
    const first = await hashNow(store);
    writeFileSync(file, rulesCalled('b'));
    const second = await hashNow(store);

    expect(first).not.toBe(second);
    expect([store.version(first)?.rules[0]?.id, store.version(second)?.rules[0]?.id]).toEqual(['a', 'b']);
    expect(store.version('unknown')).toBeUndefined();
  });

  test('are the same for the same content', async () => {
    const folder = tempFolder();
    for (const tenant of ['one', 'two']) writeFileSync(join(folder, `${tenant}.yaml`), rulesCalled('a'));
    const store = new RulesetStore({ path: folder });

    expect(await hashNow(store, 'one')).toBe(await hashNow(store, 'two'));
  });

  test('are forgotten, the least lately used first, when there are more than 16', async () => {
    const folder = tempFolder();
    const store = new RulesetStore({ path: folder });
    const hashes: string[] = [];
    for (let index = 0; index < 17; index++) {
      writeFileSync(join(folder, `t${index}.yaml`), rulesCalled(`rule-${index}`));
      hashes.push(await hashNow(store, `t${index}`));
      if (index < 16) await store.get('t0');
    }

    const kept = hashes.map((hash) => store.version(hash) !== undefined);

    expect(kept).toEqual([true, false, ...Array<boolean>(15).fill(true)]);
  });
});

function rulesCalled(id: string): string {
  return stringify({ rules: [aRule({ id })] });
}

async function hashNow(store: RulesetStore, tenant = 'default'): Promise<string> {
  const answer = await store.get(tenant);
  if (!answer.available) throw new Error(answer.problems.join('; '));
  return answer.hash;
}
