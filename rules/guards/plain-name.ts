/** Runtimes spell the names of events in different ways. Case and `. _ : -` make no difference. */
export function plainName(event: string): string {
  return event.toLowerCase().replace(/[._:-]/g, '');
}
