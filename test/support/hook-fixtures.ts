import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../fixtures/claude-code/', import.meta.url);

export type HookJson = Record<string, unknown> & { hook_event_name?: string };

/** What hooks of Claude Code are given, by the name of the fixture. */
export function hookFixture(name: string): HookJson {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as HookJson;
}

export function hookFixtureNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}
