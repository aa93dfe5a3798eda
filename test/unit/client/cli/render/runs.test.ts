import { describe, expect, test } from 'vitest';
import { renderRuns } from '#client/cli/render/runs.js';
import { PLAIN_SCREEN } from '#client/cli/terminal/screen.js';
import { textWidth } from '#client/cli/terminal/text-width.js';
import { aSummary, NOW } from './samples.js';

const ID = 'd1176a09-3f24-4e1d-9f02-4c530459eb72';
const { closedAt: _closedAt, event: _event, ...open } = aSummary({ rule: 'warm', eventId: 'e-2' });
const REMEDIATIONS = [
  { ...open, outcome: 'running' as const, startedAt: NOW - 5_000 },
  aSummary({ rule: 'retry-failed-tool', eventId: ID, tool: 'Bash', session: 's-1' }),
  aSummary({ eventId: 'e-0', session: 's-2', outcome: 'executed', startedAt: NOW - 86_400_000, closedAt: NOW }),
];

describe('renderRuns', () => {
  test('is a line per remediation', () => {
    expect(renderRuns({ remediations: REMEDIATIONS }, NOW, PLAIN_SCREEN).split('\n')).toEqual([
      'STARTED                             RULE               EVENT               TOOL / SESSION  OUTCOME   TOOK  ID',
      '5 s ago (03:12:04 UTC)              warm               -                   -               running   5 s   e-2',
      `3 min ago (03:09:09 UTC)            retry-failed-tool  PostToolUseFailure  Bash / s-1      failed    12 s  ${ID}`,
      '24 h ago (2026-01-30 03:12:09 UTC)  retry              PostToolUseFailure  s-2             executed  24 h  e-0',
    ]);
  });

  test('keeps rules and outcomes whole in a narrow terminal', () => {
    const table = renderRuns({ remediations: REMEDIATIONS }, NOW, { ...PLAIN_SCREEN, width: 80 });

    expect(table.split('\n')).toEqual([
      'STARTED    RULE               OUTCOME   ID',
      '5 s ago    warm               running   e-2',
      `3 min ago  retry-failed-tool  failed    ${ID}`,
      '24 h ago   retry              executed  e-0',
    ]);
  });

  test('keeps ids whole in a narrow terminal, since people copy them', () => {
    const table = renderRuns({ remediations: REMEDIATIONS }, NOW, { ...PLAIN_SCREEN, width: 80 });

    expect(table).toContain(ID);
    for (const line of table.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(80);
  });
});
