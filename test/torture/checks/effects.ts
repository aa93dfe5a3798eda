import type { ActionResult, DeliveryRecord } from '#contract/remediation.js';
import type { Evidence, FiredRemediation } from '../evidence/evidence.js';
import { grouped } from '../evidence/grouped.js';
import type { Check } from './check.js';

export const keysAreStable: Check = {
  name: 'g: whoever honours keys takes each effect once, and only effects of remediations',
  run(evidence) {
    const { agents, webhooks } = evidence.receivers;
    const known = new Map(evidence.remediations.map((one) => [one.id, one]));
    const violations: string[] = [];
    let looked = 0;
    for (const [receiver, { taken }] of Object.entries({ agents, webhooks })) {
      const byEffect = new Map<string, string>();
      for (const key of [...taken.keys()].filter((one) => one.startsWith('remediation/'))) {
        looked += 1;
        // remediation/<tenant>/<rule>/<event>/<action>, and for messages the recipient. A retry by hand has a key of its own.
        const parts = key.split('/');
        const remediation = parts.slice(0, 4).join('/');
        if (!known.has(remediation)) violations.push(`${receiver} took ${key}, and there is no such remediation`);
        if (key.includes('~')) continue;
        const effect = parts.slice(0, 5).join('/');
        const other = byEffect.get(effect);
        if (other !== undefined) violations.push(`${receiver} took one effect under two keys: ${other} and ${key}`);
        byEffect.set(effect, key);
      }
    }
    return { looked, violations };
  },
};

export const effectsArrive: Check = {
  name: 'g: every action that may not fail was executed, and what was executed has reached its receivers',
  run(evidence) {
    const arrived = arrivedIn(evidence);
    const violations: string[] = [];
    const excused: ActionResult[] = [];
    let looked = 0;
    for (const remediation of evidence.remediations) {
      for (const { what, hasArrived } of claimsOf(remediation, arrived)) {
        looked += 1;
        if (!hasArrived) violations.push(`${remediation.id}: ${what}, and the receiver knows nothing of it`);
      }
      const { status, result, input } = remediation;
      if (status === 'RUNNING') continue;
      if (result?.actions === undefined) {
        violations.push(`${remediation.id} has ended without a result: ${status}`);
        continue;
      }
      for (const { name } of input.actions) {
        looked += 1;
        const done = result.actions.find(({ action }) => action === name);
        if (!done) violations.push(`${remediation.id}: its result says nothing of ${name}`);
        else if (isInVain(remediation, done)) {
          violations.push(`${remediation.id}: ${name} was not executed but ${done.status}: ${done.reason}`);
        } else if (done.status !== 'executed') excused.push(done);
      }
    }
    const byStatus = [...grouped(excused, ({ status }) => status)].map(([status, { length }]) => `${length} ${status}`);
    const remark = `not executed, as may be: ${byStatus.join(', ')}`;
    return { looked, violations, remarks: excused.length === 0 ? [] : [remark] };
  },
};

/** Every receiver works in the end, so only what has a limit of attempts, or was aborted, may come to nothing. */
function isInVain({ input, wasAborted }: FiredRemediation, { action, status, deliveries = [] }: ActionResult): boolean {
  if (status === 'executed') return false;
  // What was aborted says so. What failed has given up by itself, whether or not there was an abort later on.
  if (status === 'aborted') return !wasAborted;
  const plan = input.actions.find(({ name }) => name === action);
  if (status === 'failed') return (plan?.retry.maxAttempts ?? MANY) >= MANY && !isSpared(deliveries);
  return plan?.refused === undefined;
}

/** A receiver without keys that was left in doubt again and again is spared one more copy, and the docs say so. */
function isSpared(deliveries: readonly DeliveryRecord[]): boolean {
  const failed = deliveries.filter(({ status }) => status === 'failed');
  return (
    failed.length > 0 &&
    failed.every(({ channel, error = '' }) => WITHOUT_KEYS.includes(channel) && IN_DOUBT.test(error))
  );
}

const WITHOUT_KEYS = ['email', 'slack'];
const IN_DOUBT = /^gave up, so that nobody gets it again and again: \d+ attempts may have arrived/;
const MANY = 1_000;

type Arrived = ReturnType<typeof arrivedIn>;

function arrivedIn({ receivers, programRuns }: Evidence) {
  const mails = receivers.mail.mails.map(({ source }) => source.replaceAll(/=\r?\n/g, ''));
  return {
    webhook: (effect: string) => [...receivers.webhooks.taken.keys()].some((key) => key.startsWith(`${effect}/`)),
    endpoint: (effect: string) => [...receivers.agents.taken.keys()].some((key) => isOf(key, effect)),
    program: (effect: string) => programRuns.some((key) => isOf(key, effect)),
    slack: (eventId: string) => receivers.slackBodies.some(naming(eventId)),
    email: (eventId: string) => mails.some(naming(eventId)),
  };
}

/** As a whole word: the id of one event may be how that of another begins or ends. */
function naming(eventId: string): (text: string) => boolean {
  const word = new RegExp(`(?<![\\w:-])${eventId.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`);
  return (text) => word.test(text);
}

/** An agent that is started again by hand has the key of the action and something after it. */
function isOf(key: string, effect: string): boolean {
  return key === effect || key.startsWith(`${effect}~`);
}

function claimsOf({ input, result, eventId }: FiredRemediation, arrived: Arrived) {
  return (result?.actions ?? []).flatMap((done) => {
    const effect = input.actions.find(({ name }) => name === done.action)?.effectKey ?? '';
    // Of what was aborted nobody knows whether it has begun.
    const isSure = done.status === 'executed';
    const launched = (done.launches ?? []).filter(({ status }) => isSure && status === 'launched');
    const launches = launched.map(({ launcher }) => ({
      what: `${done.action} was launched by ${launcher}`,
      hasArrived: launcher === 'endpoint' ? arrived.endpoint(effect) : arrived.program(effect),
    }));
    const delivered = (done.deliveries ?? []).filter(({ status }) => status === 'delivered');
    const deliveries = delivered.map(({ delivery, channel }) => ({
      what: `${done.action} was delivered to ${delivery}`,
      hasArrived: channel === 'webhook' ? arrived.webhook(effect) : arrived[channel as 'slack' | 'email'](eventId),
    }));
    return [...launches, ...deliveries];
  });
}
