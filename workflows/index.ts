// The entry of the workflow bundle: everything reachable from here runs in Temporal's sandbox.
export { watch } from './watch/watch.js';
export { remediate } from './remediate.js';
export { notice } from './notice.js';
export { lease } from './lease/lease.js';
export { slots } from './slots.js';
