/** The state of an action as people say it. */
export function saidState(state: string): string {
  if (state === 'running') return 'still running';
  return state === 'waiting' ? 'not started yet' : state;
}
