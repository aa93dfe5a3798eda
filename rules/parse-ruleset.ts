import { actionName, keyPart, segment } from '#contract/ids.js';
import { nearest } from '#contract/text/nearest.js';
import { parseYaml } from '#contract/text/parse-yaml.js';
import { formatPath, type Problem, problemsOf } from '#contract/text/problem.js';
import { MAX_ENCODED_ID_CHARS, Ruleset } from '#contract/ruleset.js';
import { type KnownNames, nameWarnings, rulesetWarnings } from './warnings/index.js';

export type ParsedRuleset =
  { ok: true; ruleset: Ruleset; warnings: Problem[] } | { ok: false; problems: Problem[]; warnings: Problem[] };

/**
 * Reads a rule file's text: YAML or JSON, flat or wrapped in `hookChains`. Finds every problem, not just the first. With
 * `known`, it warns of teams, people, agents and a bridge that `mesh.yaml` does not have.
 */
export function parseRuleset(text: string, file: string, known?: KnownNames): ParsedRuleset {
  const parsed = parseYaml(text, file);
  if (!parsed.ok) return { ok: false, problems: parsed.problems, warnings: [] };
  const located = (problem: Problem): Problem => {
    const line = parsed.lineOf(problem.path);
    return { file, ...problem, ...(line !== undefined && { line }) };
  };
  const result = checkRuleset(parsed.value, known);
  const warnings = result.warnings.map(located);
  return result.ok ? { ...result, warnings } : { ok: false, problems: result.problems.map(located), warnings };
}

/** The same for a value that was parsed already. */
export function checkRuleset(value: unknown, known?: KnownNames): ParsedRuleset {
  const { inner, prefix, problems } = unwrap(value);
  const prefixed = (problem: Problem) => ({ ...problem, path: withPrefix(prefix, problem.path) });
  const parsed = Ruleset.safeParse(inner);
  if (!parsed.success)
    problems.push(
      ...problemsOf(parsed.error, inner)
        .map((one) => withWrapperHint(one, inner))
        .map(prefixed),
    );
  problems.push(...crossProblems(inner).map(prefixed));

  if (!parsed.success || problems.length > 0) return { ok: false, problems, warnings: [] };
  const { data } = parsed;
  const warnings = [...rulesetWarnings(data), ...(known ? nameWarnings(data, known) : [])];
  return { ok: true, ruleset: data, warnings: warnings.map(prefixed) };
}

function unwrap(value: unknown): { inner: unknown; prefix: string; problems: Problem[] } {
  if (!isObject(value) || !Object.hasOwn(value, 'hookChains')) return { inner: value, prefix: '', problems: [] };
  const problems = Object.keys(value)
    .filter((key) => key !== 'hookChains')
    .map((key) => ({
      path: formatPath([key]),
      message: `unknown key "${key}" beside "hookChains"`,
      expected: 'only hookChains',
      hint: 'put it inside hookChains',
    }));
  return { inner: value['hookChains'], prefix: 'hookChains', problems };
}

/** The wrapper is no field of a ruleset, so the schema cannot guess that it was meant. */
function withWrapperHint(problem: Problem, value: unknown): Problem {
  const isUnknown =
    isObject(value) && Object.hasOwn(value, problem.path) && !Object.hasOwn(Ruleset.shape, problem.path);
  const isWrapper = isUnknown && nearest(problem.path, ['hookChains']) !== undefined;
  return isWrapper ? { ...problem, hint: 'did you mean "hookChains"?' } : problem;
}

function withPrefix(prefix: string, path: string): string {
  if (prefix === '' || path === '') return prefix + path;
  return path.startsWith('[') ? prefix + path : `${prefix}.${path}`;
}

/**
 * What no field can know of itself. It reads the raw value, so that these problems show together with those of the schema
 * and not only once all the others are mended.
 */
function crossProblems(value: unknown): Problem[] {
  const rules = listAt(value, 'rules');
  return [
    ...repeated(rules.map((rule) => stringAt(rule, 'id'))).map(({ index, first, name }) => ({
      path: formatPath(['rules', index, 'id']),
      message: `duplicate rule id "${name}"`,
      expected: 'an id no other rule has',
      hint: `rules[${first}] has it already`,
    })),
    ...rules.flatMap((rule, index) => ruleProblems(rule, index)),
  ];
}

function ruleProblems(rule: unknown, index: number): Problem[] {
  const actions = listAt(rule, 'actions');
  const names = actions.map((action, place) => {
    const type = stringAt(action, 'type');
    return type === undefined ? stringAt(action, 'id') : actionName({ id: stringAt(action, 'id'), type }, place);
  });
  const problems: Problem[] = repeated(names).map(({ index: place, first, name }) => ({
    path: formatPath(['rules', index, 'actions', place, 'id']),
    message: `duplicate action id "${name}"`,
    expected: 'an id no other action of this rule has',
    hint: `rules[${index}].actions[${first}] has it already`,
  }));
  problems.push(...lengthProblems(stringAt(rule, 'id') ?? '', index, { actions, names }));
  const trigger = objectAt(rule, 'trigger');
  if (trigger && Object.hasOwn(trigger, 'outcome') && Object.hasOwn(trigger, 'outcomes')) {
    problems.push({
      path: formatPath(['rules', index, 'trigger']),
      message: 'has both "outcome" and "outcomes"',
      expected: 'one of the two',
      hint: 'put every outcome into "outcomes"',
    });
  }
  // zod silently leaves this key out, and a condition without it would hold for every event.
  if (Object.hasOwn(objectAt(objectAt(rule, 'condition'), 'eventFieldEquals') ?? {}, '__proto__')) {
    problems.push({
      path: formatPath(['rules', index, 'condition', 'eventFieldEquals', '__proto__']),
      message: 'no event carries a field called "__proto__"',
    });
  }
  return problems;
}

function lengthProblems(
  ruleId: string,
  index: number,
  { actions, names }: { actions: unknown[]; names: (string | undefined)[] },
): Problem[] {
  const left = MAX_ENCODED_ID_CHARS - segment(ruleId).length;
  // The schema says so of a rule that is too long by itself.
  if (left < 0) return [];
  return names.flatMap((name = '', place) => {
    if (keyPart(name).length <= left) return [];
    const hasId = stringAt(actions[place], 'id') !== undefined;
    const which = hasId ? 'beside the id of its rule' : `beside its action ${name}`;
    return {
      path: formatPath(['rules', index, ...(hasId ? ['actions', place] : []), 'id']),
      message: `is too long ${which}: in workflow ids at most ${MAX_ENCODED_ID_CHARS} encoded characters fit for both`,
      hint: 'shorten one of the two',
    };
  });
}

function repeated(names: (string | undefined)[]): { index: number; first: number; name: string }[] {
  return names.flatMap((name, index) => {
    const first = name === undefined ? index : names.indexOf(name);
    return name === undefined || first === index ? [] : [{ index, first, name }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listAt(value: unknown, key: string): unknown[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function objectAt(value: unknown, key: string): Record<string, unknown> | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

function stringAt(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}
