import { format } from 'prettier';
import { stringify } from 'yaml';
import type { Recorded } from './recorded.js';
import { showEntry, showMail, showPagerDuty, showSlack, showSlackJson, showWebhook } from './show-received.js';
import { fence } from './fence.js';
import { RULES } from './story.js';
import { STABLE_SETTING } from './stable-story.js';
import { writeMessages } from './write-messages.js';

/** docs/notifications.md, from what was recorded in a run and the renderers as they are now. */
export function writePage(recorded: Recorded): Promise<string> {
  const { incident, digest, resolved, hostile } = writeMessages(recorded, STABLE_SETTING);
  const [ciRule, deployRule] = RULES.rules;
  const page = `
# What people get

Every message on this page was received: by a mail server, by three HTTP servers and in a mailbox file, from a worker
and a Temporal server, in one run of \`npm run docs:notifications\`. That command writes this page. Only times and
addresses of the machine are made the same for every run. How to set channels up is in
[actions/notify-team.md](actions/notify-team.md).

- [At night, a tool fails](#at-night-a-tool-fails): one incident through each of the five channels
- [The tool works again](#the-tool-works-again): the alert is resolved
- [The rule was quiet meanwhile](#the-rule-was-quiet-meanwhile): the digest
- [Somebody plays tricks](#somebody-plays-tricks): hostile texts in an event

## At night, a tool fails

An agent that releases a shop cannot run its tests: the runners are gone. A rule starts a fallback agent, Claude, which
cannot be reached. So it starts the next one, Codex, which finds nothing it may do. Then the rule asks for two runners,
gets them, and tells the team on call.

${fence('yaml', stringify(ciRule))}

### Mail

${image('mail-desktop.png', 'The mail in a mail program')}

On a phone, at night:

${image('mail-phone-dark.png', 'The mail on a phone, in dark colours')}

Its headers, and the part for those who read plain text:

${showMail(incident.mails)}

### Slack

What is shown, as text. In Slack the headings are bold, and \`[Open the run]\` is a button.

${showSlack(incident.slack)}

What was sent. Long texts are cut here.

${showSlackJson(incident.slack)}

### PagerDuty

${showPagerDuty(incident.pagerduty)}

### Webhook

${showWebhook(incident.webhook, incident.message.at)}

### Inbox of an agent team

The entry in \`on-call/inboxes/alice.json\`, without its text:

${showEntry(incident.inbox)}

## The tool works again

Eleven minutes later the same tool succeeds in the same session. PagerDuty is told when the cooldown ends, because the
channel has \`resolveOn: [tool]\`; it knows the alert by its key. Nobody gets a mail for good news.

${showPagerDuty(resolved.pagerduty)}

## The rule was quiet meanwhile

Until its cooldown of 15 minutes ended, three more events of two sessions matched the rule. With \`notify.digest: true\`
one message tells so, through the same channels but PagerDuty: there it would open an alert.

${image('mail-digest.png', 'The digest in a mail program')}

${showMail(digest.mails)}

## Somebody plays tricks

An agent, or whoever feeds it, writes an event whose texts want to be more than texts: markup, mentions, links, another
recipient, a line that looks like one of the mesh, characters that turn the direction of writing, and a secret. The rule
has texts of its own, into which these are filled:

${fence('yaml', stringify(deployRule))}

${image('mail-hostile.png', 'The mail: every trick is plain text')}

${showMail(hostile.mails)}

In Slack, escaped as it was sent: nobody is mentioned, and the only link is the button.

${showSlack(hostile.slack)}

In the inbox of an agent, which would take tags and orders seriously:

${showEntry(hostile.inbox)}
`;
  return format(page, { parser: 'markdown', printWidth: 120, singleQuote: true });
}

function image(file: string, what: string): string {
  return `![${what}](images/${file})`;
}
