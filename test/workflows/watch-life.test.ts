import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { watchId } from '#contract/ids.js';
import { createLedgers } from '#workflows/watch/ledgers/index.js';
import { saveWatch } from '#workflows/watch/open-watch.js';
import { eventually } from '../support/eventually.js';
import { startTestMesh, type TestMesh, type TestMeshOptions } from '../support/test-mesh.js';

let mesh: TestMesh | undefined;

afterEach(async () => {
  await mesh?.stop();
  mesh = undefined;
});

async function meshWith(options: TestMeshOptions): Promise<TestMesh> {
  mesh = await startTestMesh(options);
  return mesh;
}

const rule = { id: 'r', trigger: { event: 'TaskCompleted' }, actions: [{ type: 'notify_team', id: 'tell' }] };
const rules = { defaultCooldownMs: 0, defaultDedupWindowMs: 0, rules: [rule] };
const renamed = { ...rules, rules: [{ ...rule, id: 'renamed' }] };
const broken = { ...rules, rules: [{ ...rule, coolDownMs: 5 }] };

test('an edit of the rules is picked up; a broken one keeps the last good version and is shown', async () => {
  const { report, judged, status, writeRules, watch, log, rulesFile } = await meshWith({ rules });
  await report({ id: 'e-1' });
  expect(await judged('e-1')).toEqual(['r/tell fire']);

  await writeRules(renamed);
  await report({ id: 'e-2' });
  expect(await judged('e-2')).toEqual(['renamed/tell fire']);
  expect((await status()).ruleset?.ruleIds).toEqual(['renamed']);
  const { currentDetails } = await watch().query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain('- `r`: not in the rules any more; fired 1 time');

  await writeRules(broken);
  await report({ id: 'e-3' });
  expect(await judged('e-3')).toEqual(['renamed/tell fire']);
  await report({ id: 'e-4' });
  expect(await judged('e-4')).toEqual(['renamed/tell fire']);
  expect((await status()).ruleset?.ruleIds).toEqual(['renamed']);
  const problem = `${rulesFile}:1: rules[0].coolDownMs: unknown key "coolDownMs" (did you mean "cooldownMs"?)`;
  expect((await status()).ruleset?.problems).toEqual([problem]);
  expect(log.filter((entry) => entry.includes('unknown key "coolDownMs"'))).toHaveLength(1);

  await writeRules(rules);
  await report({ id: 'e-5' });
  expect(await judged('e-5')).toEqual(['r/tell fire']);
  expect((await status()).ruleset?.problems).toEqual([]);
});

test('a broken mesh.yaml is shown for as long as workers see it, with what is in use meanwhile', async () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
  const { report, judged, status, writeConfig, watch, folder } = await meshWith({
    rules,
    config: { teamz: {}, [secret]: 1 },
  });
  await report({ id: 'e-1' });
  await judged('e-1');
  const { configTrouble: none } = await status();
  expect(none).toMatchObject({ source: `${folder}/mesh.yaml`, hasGoodVersion: false });
  expect(none?.problems[0]).toBe(`${folder}/mesh.yaml:1: teamz: unknown key "teamz" (did you mean "teams"?)`);
  expect(JSON.stringify(none)).not.toContain(secret);

  await writeConfig({});
  await report({ id: 'e-2' });
  await judged('e-2');
  expect(await status()).not.toHaveProperty('configTrouble');

  await writeConfig({ agents: 7 });
  await report({ id: 'e-3' });
  await judged('e-3');
  const { configTrouble: first } = await status();
  expect(first).toMatchObject({ hasGoodVersion: true, problems: [expect.stringContaining('agents') as string] });
  await report({ id: 'e-4' });
  await judged('e-4');
  const { configTrouble: second } = await status();
  expect(second?.sinceAt).toBe(first?.sinceAt);
  expect(second?.seenAt).toBeGreaterThan(first?.seenAt ?? Infinity);
  const { currentDetails } = await watch().query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toMatch(/cannot be used as it is\. The last good version stays in use\..*\n- `.*agents/);
});

test('events wait while there are no rules to judge by, and are judged in order once there are', async () => {
  const { report, judged, status, writeRules, watch, mesh: sdk, tenant } = await meshWith({ rules: broken });
  await report({ id: 'e-1' }, { id: 'e-2' });
  const held = await eventually('hold', async () => (await status()).held ?? undefined);
  expect(held.events).toBe(2);
  expect(held.problems.join()).toContain('unknown key "coolDownMs"');
  await report({ id: 'e-3' });
  await eventually('third event', async () => ((await status()).held?.events === 3 ? true : undefined));
  const { raw } = await watch().describe();
  expect(raw.pendingActivities?.[0]?.activityType?.name).toBe('awaitRules');

  await writeRules(rules);

  expect(await judged('e-3')).toEqual(['r/tell fire']);
  const fired = (await sdk.verdicts(undefined, tenant))
    .filter(({ verdict }) => verdict === 'fire')
    .map(({ eventId }) => eventId);
  expect(fired).toEqual(['e-1', 'e-2', 'e-3']);
  expect((await status()).held).toBeNull();
});

test('the kill switch works without rules', async () => {
  const { report, judged, status, mesh: sdk, tenant } = await meshWith({ rules: broken });
  await report({ id: 'e-1' });
  await eventually('hold', async () => (await status()).held ?? undefined);

  await sdk.pause(tenant);

  expect(await judged('e-1')).toEqual(['paused']);
});

test('a missing rules file holds events too, and says which file is expected', async () => {
  const { report, status, rulesFile, judged, writeRules } = await meshWith({ rules });
  await rm(rulesFile);
  await report({ id: 'e-1' });

  const held = await eventually('hold', async () => (await status()).held ?? undefined);
  expect(held.problems.join()).toContain('expected');

  await writeRules(rules);
  expect(await judged('e-1')).toEqual(['r/tell fire']);
});

test('continue-as-new carries guards, seen ids, counters, verdicts, chains and a pause, and loses and doubles nothing', async () => {
  const perSession = { ...rule, id: 'per-session', cooldownMs: 600_000, cooldownBy: ['session'] };
  const {
    report,
    judged,
    status,
    mesh: sdk,
    tenant,
    remediation,
  } = await meshWith({
    rules: { ...rules, defaultDedupWindowMs: 600_000, rules: [perSession] },
    watch: { maxHistoryEvents: 20 },
  });
  const ids = Array.from({ length: 60 }, (_, index) => `e-${index}`);
  for (let from = 0; from < ids.length; from += 5) {
    const batch = ids.slice(from, from + 5);
    await report(...batch.map((id, at) => ({ id, session: `s-${(from + at) % 20}`, payload: { index: from + at } })));
    await judged(batch[4] ?? '');
  }

  const { counters, guards, history, chains } = await status();
  expect(history.runs).toBeGreaterThan(2);
  expect(counters).toMatchObject({ events: 60, fired: 20, skipped: { cooldown: 40 } });
  expect(guards.live).toEqual({ cooldowns: 20, dedups: 20 });
  expect(guards.seenIds).toBe(60);
  expect(chains).toHaveLength(20);

  await report(...ids.map((id) => ({ id })));
  await sdk.pause(tenant, 'for good');
  await report({ id: 'paused-1' });
  for (let index = 0; index < 4; index++) {
    await report({ id: `filler-${index}` });
    await judged(`filler-${index}`);
  }

  const after = await status();
  expect(after.counters.skipped).toMatchObject({ duplicate: 60, paused: 5 });
  expect(after.paused?.reason).toBe('for good');
  expect(after.history.runs).toBeGreaterThan(history.runs);
  const started = await Promise.all(
    ids.map((id) =>
      remediation('per-session', id)
        .describe()
        .then(
          () => 1,
          () => 0,
        ),
    ),
  );
  expect(started.reduce<number>((sum, one) => sum + one, 0)).toBe(20);
});

test('expired windows are forgotten by runs that are too short for a timer to ring, and crowd nothing out', async () => {
  const ledgers = createLedgers('default', Date.now());
  const ended = { rule: 'r', action: 'tell', untilAt: Date.now() - 1 };
  for (let index = 0; index < 65_000; index++) ledgers.guards.dedups.set(`${index}`.padStart(16, '0'), ended);
  // A run that begins with more than it could hand on, so that the next has to drop live windows, if it takes these for such.
  const saved = saveWatch(ledgers, [], 1_800_000);
  const { report, judged, status } = await meshWith({ rules, watch: { maxHistoryEvents: 12, saved } });
  expect((await eventually('the first run', status)).guards.live.dedups).toBe(65_000);

  for (let index = 0; (await status()).history.runs < 4; index++) {
    await report({ id: `e-${index}` });
    await judged(`e-${index}`);
  }

  expect((await status()).guards).toMatchObject({ live: { dedups: 0 }, evicted: 0 });
});

test('a watch without guards and events completes, and the next event starts it again', async () => {
  const idle = { idleCloseMs: 1_500 };
  const { report, judged, watch, status, startWorker } = await meshWith({ rules, watch: idle, withoutWorker: true });
  // Before a worker begins the watch, which might else be over already.
  await report({ id: 'e-1', event: 'SessionStart' });
  await startWorker();
  await judged('e-1');

  await eventually('end of the watch', async () =>
    (await watch().describe()).status.name === 'COMPLETED' ? true : undefined,
  );
  await report({ id: 'e-2' });

  expect(await judged('e-2')).toEqual(['r/tell fire']);
  expect((await status()).counters.events).toBe(1);
});

test('a paused watch does not complete, and a live cooldown keeps it too', async () => {
  const {
    report,
    judged,
    watch,
    mesh: sdk,
    tenant,
  } = await meshWith({
    rules: { ...rules, defaultCooldownMs: 600_000 },
    watch: { idleCloseMs: 500 },
  });
  await report({ id: 'e-1' });
  await judged('e-1');
  await sdk.rearm(tenant);
  await sdk.pause(tenant);
  await report({ id: 'e-2' });
  await judged('e-2');
  // Ten times the idle limit: long enough for a watch that would close to have closed.
  await eventually('time to pass', async () => {
    const { lastAt = 0 } = { lastAt: (await sdk.verdicts(undefined, tenant)).at(-1)?.at };
    return Date.now() - lastAt > 5_000 ? true : undefined;
  });

  expect((await watch().describe()).status.name).toBe('RUNNING');
});

test('a remediation that cannot be started becomes an error people see, and the watch goes on', async () => {
  const { report, judged, verdicts, status } = await meshWith({
    rules,
    wrap: (activities) => ({
      ...activities,
      async startRemediations(request) {
        const refused = request.events.findIndex(({ id }) => id === 'e-1');
        const answers = await activities.startRemediations({
          ...request,
          fires: request.fires.filter(({ eventIndex }) => eventIndex !== refused),
        });
        return request.fires.map(({ eventIndex }) =>
          eventIndex === refused ? { error: 'no room' } : (answers.shift() ?? { error: '?' }),
        );
      },
    }),
  });

  await report({ id: 'e-1' }, { id: 'e-2' });

  await eventually('error', async () => ((await judged('e-1'))[0] === 'r/tell error' ? true : undefined));
  expect((await verdicts('e-1'))[0]).toHaveProperty('reason', 'remediation could not be started: no room');
  expect(await judged('e-2')).toEqual(['r/tell fire']);
  expect((await status()).counters).toMatchObject({ fired: 1, skipped: { error: 1 } });
});

test('an event that breaks the matching of its batch gets the error, the others are judged', async () => {
  const { report, judged, verdicts } = await meshWith({
    rules,
    wrap: (activities) => ({
      ...activities,
      async matchEvents(request) {
        if (request.events.some(({ id }) => id === 'poison')) throw new Error('indigestible');
        return activities.matchEvents(request);
      },
    }),
  });

  await report({ id: 'e-1' }, { id: 'poison' }, { id: 'e-2' });

  expect(await judged('poison')).toEqual(['error']);
  expect((await verdicts('poison'))[0]).toHaveProperty('reason', 'could not be matched: indigestible');
  expect(await judged('e-1')).toEqual(['r/tell fire']);
  expect(await judged('e-2')).toEqual(['r/tell fire']);
});

test('the watch explains itself in the Temporal UI', async () => {
  const { report, judged, client, tenant, writeRules } = await meshWith({
    rules: { ...rules, defaultCooldownMs: 600_000 },
  });
  await report({ id: 'e-1' });
  await judged('e-1');
  await report({ id: 'e-2', payload: { error: '| `x` |' } });
  await writeRules('not: [valid');
  await report({ id: 'e-3', event: 'SessionStart' });
  await judged('e-3');

  const metadata = await client.workflow
    .getHandle(watchId(tenant))
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');

  expect(metadata.currentDetails).toContain('3 events; rules fired 1 time; skipped: 1 cooldown, 1 no-match');
  expect(metadata.currentDetails).toContain('The last good version stays in use');
  expect(metadata.currentDetails).toMatch(
    /- `r`: fired 1 time, last 20\d\d-.* UTC; \*\*cooling until 20\d\d-.* UTC\*\*; suppressed: 1 cooldown/,
  );
});

test('a request to cancel the watch pauses it, and loses nothing', async () => {
  const {
    report,
    judged,
    watch,
    status,
    mesh: sdk,
    tenant,
  } = await meshWith({
    rules: { ...rules, defaultCooldownMs: 600_000 },
  });
  await report({ id: 'e-1' });
  await judged('e-1');

  await watch().cancel();
  await report({ id: 'e-2', payload: { n: 2 } });
  expect(await judged('e-2')).toEqual(['paused']);
  expect((await status()).paused?.reason).toContain('cancellation was requested');

  await sdk.resume(tenant);
  await report({ id: 'e-3', payload: { n: 3 } });
  expect(await judged('e-3')).toEqual(['r/tell cooldown']);

  // Temporal tells a run of one such request only.
  await watch().cancel();
  await report({ id: 'e-4', payload: { n: 4 } });
  expect(await judged('e-4')).toEqual(['paused']);
});

test('a request to cancel a watch that no worker has taken up yet pauses it, and loses nothing', async () => {
  const { report, judged, watch, mesh: sdk, tenant, startWorker } = await meshWith({ rules, withoutWorker: true });
  await report({ id: 'e-1' });
  await watch().cancel();
  await report({ id: 'e-2', payload: { n: 2 } });

  await startWorker();

  expect([await judged('e-1'), await judged('e-2')]).toEqual([['paused'], ['paused']]);
  await sdk.resume(tenant);
  await report({ id: 'e-3', payload: { n: 3 } });
  expect(await judged('e-3')).toEqual(['r/tell fire']);
});

test('a live window longer than the idle limit leaves the watch at rest until it ends', async () => {
  const { report, result, status } = await meshWith({
    rules: { ...rules, defaultCooldownMs: 600_000 },
    watch: { idleCloseMs: 300 },
  });
  await report({ id: 'e-1' });
  await result('r', 'e-1');
  const { history } = await status();

  const startedAt = Date.now();
  await eventually('three seconds', () => (Date.now() - startedAt > 3_000 ? true : undefined));

  // Asking for the status adds nothing to the history; a timer that rings again and again would.
  expect((await status()).history.events - history.events).toBeLessThan(8);
});

test('signals of the wrong shape, as people type them, are refused or understood, and stop nothing', async () => {
  const { report, judged, watch, verdicts, status } = await meshWith({
    rules: { ...rules, defaultCooldownMs: 600_000 },
  });
  await report({ id: 'e-1' });
  await judged('e-1');

  await watch().signal('rearm', { rul: 'r' });
  await watch().signal('rearm', 17);
  await watch().signal('pause', 5);
  await watch().signal('resume', 'now');
  await report({ id: 'e-2', payload: { n: 2 } });
  expect(await judged('e-2')).toEqual(['r/tell cooldown']);
  expect((await verdicts('?')).map((verdict) => verdict.verdict === 'skip' && verdict.reason)).toEqual([
    'expected {"rule": "<id>"}, or {} for every rule',
    'expected {"rule": "<id>"}, or {} for every rule',
  ]);

  await watch().signal('rearm', 'r');
  await watch().signal('pause', 'a bare text');
  await report({ id: 'e-3', payload: { n: 3 } });
  expect(await judged('e-3')).toEqual(['paused']);
  expect((await status()).paused?.reason).toBe('a bare text');
  await watch().signal('resume');
  await report({ id: 'e-4', payload: { n: 4 } });
  expect(await judged('e-4')).toEqual(['r/tell fire']);
});

test('names and payloads at their limits fit into what Temporal takes', async () => {
  // Together with an action's, an id of a rule has room for 600 characters when it is encoded; each of these is nine.
  const id = '規'.repeat(33);
  const { report, judged, result } = await meshWith({
    rules: {
      ...rules,
      rules: [
        {
          id,
          trigger: { event: 'TaskCompleted' },
          cooldownMs: 600_000,
          actions: [
            { type: 'warm_remote_capacity', id: '則'.repeat(33) },
            { type: 'notify_team', id: 'x'.repeat(300) },
          ],
        },
      ],
    },
  });
  const hostile = '\u200b'.repeat(20_000);

  const [eventId = ''] = await report({
    id: 'e'.repeat(200),
    session: '会'.repeat(200),
    payload: { error: hostile, tool_name: hostile, more: '会'.repeat(20_000) },
  });

  expect((await judged(eventId)).map((line) => line.slice(-5))).toEqual([' fire', ' fire']);
  expect((await result(id, eventId)).outcome).toBe('skipped');
  await report({ id: 'after', payload: { n: 2 } });
  expect((await judged('after')).map((line) => line.slice(-9))).toEqual([' cooldown', ' cooldown']);
});

test('signals sent while no worker ran act in the order they were sent', async () => {
  const cooling = { ...rules, defaultCooldownMs: 600_000 };
  const { report, judged, mesh: sdk, tenant, startWorker } = await meshWith({ rules: cooling, withoutWorker: true });
  await report({ id: 'e-1', payload: { n: 1 } });
  await sdk.rearm(tenant);
  await report({ id: 'e-2', payload: { n: 2 } });
  await sdk.pause(tenant);
  await sdk.resume(tenant);
  await sdk.rearm(tenant);
  await report({ id: 'e-3', payload: { n: 3 } });

  await startWorker();

  // A pause is a kill switch: it also stops what was sent before it and is not judged yet.
  expect(await judged('e-1')).toEqual(['paused']);
  expect(await judged('e-2')).toEqual(['paused']);
  expect(await judged('e-3')).toEqual(['r/tell fire']);
});

test('a re-arm sent between two events acts between them, also when all wait for a worker', async () => {
  const cooling = { ...rules, defaultCooldownMs: 600_000 };
  const { report, judged, mesh: sdk, tenant, startWorker } = await meshWith({ rules: cooling, withoutWorker: true });
  await report({ id: 'e-1', payload: { n: 1 } });
  await sdk.rearm(tenant);
  await report({ id: 'e-2', payload: { n: 2 } }, { id: 'e-3', payload: { n: 3 } });

  await startWorker();

  expect(await judged('e-1')).toEqual(['r/tell fire']);
  expect(await judged('e-2')).toEqual(['r/tell fire']);
  expect(await judged('e-3')).toEqual(['r/tell cooldown']);
});

test('a hold whose events were paused ends when the rules are mended', async () => {
  const { report, judged, status, writeRules, mesh: sdk, tenant } = await meshWith({ rules: broken });
  await report({ id: 'e-1' });
  await eventually('hold', async () => (await status()).held ?? undefined);
  await sdk.pause(tenant);
  expect(await judged('e-1')).toEqual(['paused']);

  await writeRules(rules);
  await sdk.resume(tenant);

  await eventually('end of the hold', async () => ((await status()).held === null ? true : undefined));
});

test('a hold does not spin when the worker that looks finds rules and the one that judges does not', async () => {
  const { report, status } = await meshWith({
    rules: broken,
    wrap: (activities) => ({ ...activities, awaitRules: () => Promise.resolve() }),
  });
  await report({ id: 'e-1' });
  const held = await eventually('hold', async () => (await status()).held ?? undefined);

  await eventually('five seconds of holding', () => (Date.now() - held.sinceAt > 5_000 ? true : undefined));

  const { history } = await status();
  expect(history.runs).toBe(1);
  expect(history.events).toBeLessThan(60);
});

test('an event nested too deep to be kept gets its verdict, and the next one is judged', async () => {
  const { report, judged, watch } = await meshWith({ rules });
  await report({ id: 'e-1' });
  await judged('e-1');
  const deep = `{"id":"deep","payload":${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}}`;

  await watch().signal('events', [JSON.parse(deep)]);
  await report({ id: 'e-2' });

  expect(await judged('deep')).toEqual(['error']);
  expect(await judged('e-2')).toEqual(['r/tell fire']);
});
