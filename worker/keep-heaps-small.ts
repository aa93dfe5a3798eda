import { setFlagsFromString } from 'node:v8';

/**
 * To be called before anything else is done. What the mesh keeps is a few dozen megabytes, and what an event makes is garbage at
 * once. Left alone, V8 takes a machine with much memory as leave to collect late: then most of a process is garbage, and the
 * native allocator keeps room for all the buffers that wait to be collected with it. Neither setting limits what a heap may hold.
 */
export function keepHeapsSmall(): void {
  // Looked at after each collection: the next one comes when what was left over has doubled, not quadrupled.
  setFlagsFromString('--heap-growing-percent=100');
  // Looked at when a thread starts, as that of the workflows does: in megabytes, a quarter of what it would be.
  setFlagsFromString('--max-semi-space-size=4');
}
