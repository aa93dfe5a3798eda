import type { Gathered } from './evidence/gathered.js';
import type { Random } from './random.js';
import type { Receivers } from './receivers/receivers.js';
import type { Site } from './site/site.js';
import type { Tally } from './tally.js';
import type { Ledger } from './traffic/ledger.js';

/** Everything a run is made of: what traffic, people and faults act on, and where they write down what they did. */
export interface World {
  random: Random;
  site: Site;
  receivers: Receivers;
  ledger: Ledger;
  gathered: Gathered;
  tally: Tally;
  /** Aborted when the faults are to stop. */
  over: AbortSignal;
}

/** What goes on while the run lasts. Each resolves soon after it is over. */
export type Activity = (world: World) => Promise<void>;
