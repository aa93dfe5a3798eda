import { createHash } from 'node:crypto';
import type { MeshEvent } from '#contract/event.js';
import { CANONICAL, factsOf } from '#contract/facts.js';
import type { Rule } from '#contract/ruleset.js';
import { quoted } from '#contract/text/words.js';
import { shortened } from '#contract/text/shorten.js';
import { canonicalJson } from '#contract/text/canonical-json.js';
import { readPath } from './read-path.js';

type Fingerprinted = Pick<Rule, 'id' | 'cooldownBy' | 'dedupBy'>;

/** What makes two events equal for one action: the paths in `dedupBy`, or else everything that is not volatile. */
export function dedupKeys(rule: Fingerprinted, actions: string[], event: MeshEvent): string[] {
  const text = rule.dedupBy ? canonicalJson(valuesAt(event, rule.dedupBy)) : identityOf(event);
  return actions.map((action) => hash(['dedup', rule.id, action, text]));
}

const identities = new WeakMap<MeshEvent, string>();

/** Made once per event: with large payloads and many rules, canonical JSON is most of the work of matching. */
function identityOf(event: MeshEvent): string {
  const known = identities.get(event);
  if (known !== undefined) return known;
  const { outcome, session = null } = event;
  const identity = canonicalJson([event.event, outcome, session, withoutVolatile(event)]);
  identities.set(event, identity);
  return identity;
}

/** One cooldown per rule, or one per distinct set of values at `cooldownBy`. */
export function cooldownKey(rule: Fingerprinted, event: MeshEvent): { key: string; label?: string } {
  if (!rule.cooldownBy) return { key: hash(['cooldown', rule.id]) };
  const values = canonicalJson(valuesAt(event, rule.cooldownBy));
  return { key: hash(['cooldown', rule.id, values]), label: labelOf(event, rule.cooldownBy) };
}

const MAX_LABEL_CHARS = 120;

/** Stands in sentences of the mesh. What does not fit is left out as a whole, so that no quotation stays open. */
function labelOf(event: MeshEvent, paths: string[]): string {
  const parts = paths.map((path) => partOf(path, shortValue(readPath(event, path))));
  const whole = parts.join(', ');
  if (whole.length <= MAX_LABEL_CHARS) return whole;
  const fits = parts.filter(
    (_part, place) => parts.slice(0, place + 1).join(', ').length < MAX_LABEL_CHARS - MORE.length,
  );
  return `${fits.join(', ')}${MORE}`;
}

const MORE = ', …';

function partOf(path: string, value: string): string {
  const said = quoted(value);
  return `${shortened(path, MAX_LABEL_CHARS - MORE.length - said.length - 2)}=${said}`;
}

function valuesAt(event: MeshEvent, paths: string[]): unknown[] {
  return paths.map((path) => readPath(event, path) ?? null);
}

/** Volatile fields differ from one report of a failure to the next, and would make every event unique. */
function withoutVolatile(event: MeshEvent): Record<string, unknown> {
  const volatile = [...CANONICAL.volatile, ...(factsOf(event).volatile ?? [])];
  return Object.fromEntries(Object.entries(event.payload).filter(([key]) => !volatile.includes(key)));
}

/** 96 bits: with 20,000 live windows a false hit is one in 10^24. */
function hash(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

function shortValue(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, 40);
  return (JSON.stringify(value) ?? 'nothing').slice(0, 40);
}
