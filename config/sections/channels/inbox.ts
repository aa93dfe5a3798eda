import { formatPath, type Problem } from '#contract/text/problem.js';
import { strict, text } from '#contract/text/schema-words.js';
import { Name } from '../name.js';
import { ofEveryChannel } from './of-every-channel.js';

const SENDER = 'a sender: up to 60 letters, digits or _ -';

/** An entry in the file mailbox of each member: `<folder>/<team>/inboxes/<member>.json`, as agent teams use it. */
export const InboxChannel = strict({
  ...ofEveryChannel('inbox'),
  /** Relative to the configuration file; `~/` is the home folder of the worker. */
  folder: text('a folder').refine((folder) => !folder.includes('\0'), { error: 'holds a zero byte' }),
  /** The name that the agents use for the team, if it is not the name here. */
  team: Name.optional(),
  /** Agents see it in markup of theirs. */
  from: text(SENDER)
    .regex(/^[\w-]{1,60}$/, { error: SENDER })
    .default('remediation-mesh'),
});

/** A member or a team as part of a path, spelt as agent teams spell it. No name leads out of the folder, however it is written. */
export function inboxName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '-');
}

interface TeamOfInbox {
  members: { name: string }[];
  channels: { type: string }[];
}

/** Two members must not get one file because their names differ only in what a file name cannot hold, or in case. */
export function inboxProblems(teams: Record<string, TeamOfInbox>): Problem[] {
  return Object.entries(teams).flatMap(([team, { members, channels }]) => {
    if (!channels.some(({ type }) => type === 'inbox')) return [];
    const files = members.map(({ name }) => inboxName(name).toLowerCase());
    return members.flatMap(({ name }, index) => {
      const first = members[files.indexOf(files[index] ?? '')];
      // Another check reports a name that stands twice.
      if (first === undefined || first.name === name) return [];
      const message = `"${first.name}" and "${name}" would share one inbox file`;
      return [{ path: formatPath(['teams', team, 'members', index, 'name']), message, hint: 'rename one of them' }];
    });
  });
}
