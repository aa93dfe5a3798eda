/** Every code a skip can carry, with its meaning. There is no quiet no: what does not fire has one of these. */
export const SKIP_CODES = {
  duplicate: 'This event id was judged before.',
  paused: 'The tenant is paused: every event is skipped until it is resumed.',
  stale: 'The event is older than `maxEventAgeMs` of the ruleset.',
  disabled: 'The ruleset, or this action, has `enabled: false`.',
  'max-depth': 'The event lies as deep in a chain of remediations as `maxChainDepth` allows.',
  'no-match': 'No rule looks at this event; the reason names what each rule missed on.',
  'rule-limit': 'As many rules fired for this event, or were judged, as may for one: the others were not judged.',
  'rule-depth': 'The event lies as deep in a chain as `maxDepth` of this rule allows.',
  cooldown: 'The rule fired less than its cooldown ago.',
  dedup: 'This action ran for an equal event less than its dedup window ago.',
  descendants: 'The first event of the chain has led to `maxDescendants` agents already.',
  'spawn-rate': 'The first event of the chain has led to three agents within ten seconds already.',
  shadow: 'The rule is in shadow mode: judged and recorded, never acted on.',
  error: 'This event could not be judged, or its remediation could not be started; the reason says why.',
} as const;

export type SkipCode = keyof typeof SKIP_CODES;

/** Said of a copy of an event that was judged before. */
export function isCopy({ verdict, code }: { verdict: 'fire' | 'skip'; code?: SkipCode }): boolean {
  return verdict === 'skip' && code === 'duplicate';
}
