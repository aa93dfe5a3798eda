import { gatherVerdicts, lookAround } from './evidence/look.js';
import { doHarm } from './faults/faults.js';
import { mixedRules } from './mixed-rules.js';
import { peopleAtWork } from './people/people.js';
import { createRandom } from './random.js';
import type { Scenario } from './scenario.js';
import { reportAllTheTime } from './traffic/report-all-the-time.js';

const TENANTS = ['default', 'red', 'blue'];

/** Everything at once: every door, every fault (or those whose names match), people who look and change things. */
export function mixed(seed: number, faults = /./): Scenario {
  const random = createRandom(seed).fork('rules');
  return {
    name: 'mixed',
    site: {
      tenants: Object.fromEntries(TENANTS.map((tenant) => [tenant, mixedRules(random)])),
      workers: 2,
      hasGateway: true,
    },
    mostUnseen: 0.1,
    activities: [gatherVerdicts, reportAllTheTime, lookAround, peopleAtWork, doHarm(faults)],
  };
}
