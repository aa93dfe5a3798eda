import { visible } from '#contract/text/plain-text.js';
import type { RecordedEvent } from '#contract/views/events.js';
import type { Screen } from '../terminal/screen.js';
import { duration, moment } from '../terminal/times.js';
import { renderFacts, renderSections } from './facts.js';
import { paintOutcome } from './remediation-lines.js';

/** What the record knows of an event, for when nobody else can be asked. */
export function renderRecorded(event: RecordedEvent, tenant: string, now: number, { paint }: Screen): string {
  const { id, event: name, at, session, tool, error, verdicts, endings = [] } = event;
  return renderSections([
    `Event ${paint.bold(visible(id))} (${visible(name)}), tenant ${tenant}`,
    renderFacts([
      ['Session', session && visible(session)],
      ['Tool', tool && visible(tool)],
      ['Error', error && visible(error)],
    ]),
    `Judged ${moment(at, now)}:`,
    verdicts.map((one) => {
      const whose = [one.rule, one.action].flatMap((part) => (part === undefined ? [] : [visible(part)])).join(', ');
      const said =
        one.verdict === 'fire' ? paint.green('fired') : `${paint.yellow(`skip ${one.code}`)}: ${visible(one.reason)}`;
      return `  ${whose === '' ? '' : `${whose}: `}${said}`;
    }),
    endings.map(
      ({ rule, outcome, tookMs }) =>
        `  ${visible(rule)}: ${paintOutcome(outcome, paint)(outcome)} in ${duration(tookMs)}`,
    ),
  ]);
}
