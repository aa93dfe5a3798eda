import type { Check } from './check.js';

export const countersAgree: Check = {
  name: 'b: the watch counts as many firings of a rule as there are remediations of it',
  run({ tenants, statuses, remediations }) {
    const violations: string[] = [];
    let looked = 0;
    for (const tenant of tenants) {
      const status = statuses.get(tenant);
      const ofTenant = remediations.filter((one) => one.tenant === tenant);
      if (!status) {
        if (ofTenant.length > 0) violations.push(`${tenant}: the watch does not say what it has counted`);
        continue;
      }
      const rules = new Set([...Object.keys(status.counters.rules), ...ofTenant.map(({ rule }) => rule)]);
      for (const rule of rules) {
        looked += 1;
        const counted = status.counters.rules[rule]?.fired ?? 0;
        const existing = ofTenant.filter((one) => one.rule === rule).length;
        if (counted !== existing) {
          violations.push(
            `${tenant} ${rule}: the watch counts ${counted} firings, the server has ${existing} remediations`,
          );
        }
      }
    }
    return { looked, violations };
  },
};
