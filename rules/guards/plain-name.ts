/** Runtimes spell the names of events in their own ways: case and `. _ : -` tell none apart. */
export function plainName(event: string): string {
  return event.toLowerCase().replace(/[._:-]/g, '');
}
