import { meshCommand } from '../terminal/shell-word.js';

/** What a shell takes for "ended by Ctrl-C". */
const INTERRUPTED = 130;

/** Ctrl-C ends the command, not what it has started. The answer takes this back. */
export function onInterrupt(id: string, say: (line: string) => void): () => void {
  const leave = () => {
    say(`\nIt goes on without this command.\nTo see how it stands: ${meshCommand('show', [id])}`);
    say(`To end it: ${meshCommand('abort', [id])}`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave);
  return () => process.off('SIGINT', leave);
}
