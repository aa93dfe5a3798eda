import type { Check } from './check.js';
import { acknowledgedIsJudged } from './acknowledged-is-judged.js';
import { cooldownsHold, dedupsHold } from './windows-hold.js';
import { countersAgree } from './counters-agree.js';
import { effectsArrive, keysAreStable } from './effects.js';
import { everythingSettles } from './everything-settles.js';
import { firesAreRemediations } from './fires-are-remediations.js';
import { judgedOnce } from './judged-once.js';
import { noTaskFails } from './no-task-fails.js';
import { nothingIsLost } from './nothing-is-lost.js';
import { recordIsWhole } from './record-is-whole.js';
import { skipsHaveAWindow } from './skips-have-a-window.js';

export const ALL_CHECKS: readonly Check[] = [
  acknowledgedIsJudged,
  firesAreRemediations,
  countersAgree,
  nothingIsLost,
  cooldownsHold,
  dedupsHold,
  skipsHaveAWindow,
  judgedOnce,
  noTaskFails,
  keysAreStable,
  effectsArrive,
  everythingSettles,
  recordIsWhole,
];
