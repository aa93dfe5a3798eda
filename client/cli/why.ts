import type { Command } from 'commander';
import { EVENT_ID } from '#contract/event.js';
import { remediationId } from '#contract/ids.js';
import { MeshError } from '../errors.js';
import type { Mesh } from '../mesh.js';
import type { RemediationDetail } from '../remediation-views.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { knownRules } from './known-rules.js';
import { print, printJson } from './print.js';
import { renderWhy, splitVerdicts } from './render/why.js';
import type { WhyFacts } from './render/why-facts.js';
import { TENANT_OPTION, tenantFrom } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { withWatch } from './with-watch.js';

interface WhyOptions {
  tenant?: string;
  json?: boolean;
}

export function addWhyCommand(program: Command): void {
  program
    .command('why')
    .description('why an event led to what it led to: each rule, each guard, what was started and what came of it')
    .argument('<event id>', 'as `mesh send` printed it, or as the reporter gave it')
    .option(...TENANT_OPTION)
    .option('--json', 'print one JSON object')
    .action(explainEvent);
}

async function explainEvent(eventId: string, options: WhyOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  if (!EVENT_ID.test(eventId)) {
    throw new CliError(
      `${JSON.stringify(eventId)}: expected the id of an event, not of a remediation; see \`npx mesh show\``,
    );
  }
  const facts = await withWatch((mesh) => gather(mesh, tenant, eventId));
  if (options.json) {
    const { judgement, remediations } = facts;
    printJson({ eventId, tenant, ...judgement, remediations });
  } else {
    print(renderWhy(facts, Date.now(), screenOf(process.stdout, process.env)));
  }
  const isKnown = facts.judgement.state !== 'unknown' || facts.remediations.length > 0;
  if (!isKnown) process.exitCode = EXIT_CODES.refused;
}

async function gather(mesh: Mesh, tenant: string, eventId: string): Promise<WhyFacts> {
  const [judgement, status, log] = await Promise.all([
    mesh.judgement(eventId, tenant),
    mesh.status(tenant),
    mesh.verdicts(undefined, tenant),
  ]);
  const rules = knownRules(status, log);
  const named = judgement.verdicts.flatMap(({ remediation }) => remediation ?? []);
  // Without verdicts there is still one place to look: a remediation goes by its rule and event.
  const isKept = splitVerdicts(judgement.verdicts).judgings.length > 0 || judgement.state === 'waiting';
  const ids = isKept ? named : rules.map((rule) => remediationId(tenant, rule, eventId));
  const found = await Promise.all([...new Set(ids)].map((id) => remediationAt(mesh, id)));
  return { eventId, judgement, status, knownRules: rules, remediations: found.filter((one) => one !== undefined) };
}

async function remediationAt(mesh: Mesh, id: string): Promise<RemediationDetail | undefined> {
  try {
    return await mesh.remediation(id);
  } catch (error) {
    // It never was, or the server does not keep it any more.
    if (error instanceof MeshError && error.code === 'not-found') return undefined;
    throw error;
  }
}
