import type { Command } from 'commander';
import { EVENT_ID } from '#contract/event.js';
import { explainEvent } from '../explain-event.js';
import { CliError } from './cli-error.js';
import { EXIT_CODES } from './exit-codes.js';
import { print, printJson } from './print.js';
import { renderWhy } from './render/why.js';
import { TENANT_OPTION, tenantFrom } from './tenant-option.js';
import { screenOf } from './terminal/screen.js';
import { withWatch } from './open-mesh.js';

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
    .action(tellWhy);
}

async function tellWhy(eventId: string, options: WhyOptions): Promise<void> {
  const tenant = tenantFrom(options, process.env);
  if (!EVENT_ID.test(eventId)) {
    throw new CliError(
      `${JSON.stringify(eventId)}: expected the id of an event, not of a remediation; see \`npx mesh show\``,
    );
  }
  const facts = await withWatch((mesh) => explainEvent(mesh, eventId, tenant));
  if (options.json) {
    const { judgement, remediations } = facts;
    printJson({ eventId, tenant, ...judgement, remediations });
  } else {
    print(renderWhy(facts, Date.now(), screenOf(process.stdout, process.env)));
  }
  const isKnown = facts.judgement.state !== 'unknown' || facts.remediations.length > 0;
  if (!isKnown) process.exitCode = EXIT_CODES.refused;
}
