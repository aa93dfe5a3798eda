import { randomUUID } from 'node:crypto';
import type { MeshEvent } from '#contract/event.js';
import { TRY_SOURCE } from '#contract/names.js';
import { formatProblem, type Problem } from '#contract/text/problem.js';
import { createRedactor, type RedactOptions } from '#contract/text/redact/redact.js';
import type { Environment } from '#contract/settings.js';
import { DIALECTS } from '#rules/dialects/index.js';
import type { EventDefaults } from '../../event-input.js';
import { parseEvent } from '../../parse-event.js';
import { CliError } from '../cli-error.js';
import { lineageDefaults } from '../../lineage-defaults.js';
import { inputName, parseJsonLines, readInput } from '../read-input.js';
import { tenantFrom } from '../tenant-option.js';

interface Given {
  event: string;
  /** The dialect that the file is written in. */
  from?: string;
  tenant?: string;
}

/**
 * The one event of a file, as the mesh would take it, but for its source: whoever is told of it sees that it is a try. It has an
 * id of its own too, so that it can be tried again, and a remediation of the event itself is still to come when that is reported.
 */
export async function readTriedEvent(given: Given, env: Environment, redact: RedactOptions): Promise<MeshEvent> {
  const file = inputName(given.event);
  const [first, ...others] = parseJsonLines(await readInput(given.event), file);
  if (!first || others.length > 0) {
    throw new CliError(`${file}: expected one event, found ${first ? others.length + 1 : 'none'}`);
  }
  const dialect = given.from === undefined ? undefined : DIALECTS[given.from];
  const read = dialect ? dialect.event(first.value) : { ok: true as const, event: first.value };
  const parsed = read.ok
    ? parseEvent(
        given.from === undefined ? read.event : { ...(read.event as object), dialect: given.from },
        defaultsFrom(env),
        createRedactor(redact),
      )
    : read;
  if (!parsed.ok) throw new CliError(described(parsed.problems, file, first.line));
  const { tenant } = given.tenant === undefined ? parsed.event : { tenant: tenantFrom(given, env) };
  return { ...withoutToken(parsed.event), id: tryId(), tenant, source: TRY_SOURCE };
}

function defaultsFrom(env: Environment): EventDefaults {
  return { now: Date.now(), makeId: tryId, ...lineageDefaults(env), tenant: tenantFrom({}, env) };
}

function tryId(): string {
  return `try-${randomUUID()}`;
}

/** What it proves is judged by a watch, and this event passes none. */
function withoutToken(event: MeshEvent): MeshEvent {
  if (event.lineage?.token === undefined) return event;
  const { lineage, ...rest } = event;
  const { token: _token, ...place } = lineage;
  return Object.keys(place).length === 0 ? rest : { ...rest, lineage: place };
}

function described(problems: Problem[], file: string, line: number): string {
  return problems.map((problem) => formatProblem({ file, line, ...problem })).join('\n');
}
