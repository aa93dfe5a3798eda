import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TENANT } from '#contract/event.js';
import { DEFAULT_TENANT } from '#contract/names.js';
import type { Ruleset } from '#contract/ruleset.js';
import type { LoadedRuleset } from '#rules/match-batch.js';
import { parseRuleset } from '#rules/parse-ruleset.js';
import { type Current, ReadThroughFile } from './read-through.js';
import { shortenProblems } from './shorten-problems.js';

export type RulesetAnswer = ({ available: true } & LoadedRuleset) | { available: false; problems: string[] };

export interface RulesetStoreOptions {
  /** A file, which is the ruleset of tenant `default`, or a folder with one file per tenant. */
  path: string;
  onChange?(file: string, current: Current<Ruleset>): void;
  /** Called once for each tenant and problem that lies not in a file but in which files there are. */
  onProblem?(problem: string): void;
}

type FoundFile = { ok: true; file: string; problem?: string } | { ok: false; file?: undefined; problem: string };

const EXTENSIONS = ['yaml', 'yml', 'json'];
const KEPT_VERSIONS = 16;

/** The rules of every tenant, always as the files say now, or as they last said without a mistake. */
export class RulesetStore {
  private readonly files = new Map<string, ReadThroughFile<Ruleset>>();
  /** A remediation is planned from the version by which its event was judged, also when the file has changed since. */
  private readonly versions = new Map<string, Ruleset>();

  private readonly reported = new Set<string>();

  constructor(private readonly options: RulesetStoreOptions) {}

  async get(tenant: string): Promise<RulesetAnswer> {
    const found = await this.fileOf(tenant);
    if (found.problem !== undefined) this.report(found.problem);
    if (!found.ok) return { available: false, problems: [found.problem] };
    const current = await this.readThrough(found.file).get();
    const problems = shortenProblems([...(found.problem === undefined ? [] : [found.problem]), ...current.problems]);
    if (!current.available) return { available: false, problems };
    this.remember(current.hash, current.value);
    return { available: true, ruleset: current.value, hash: current.hash, source: found.file, problems };
  }

  /** Tells what has changed since in the files that are in use. */
  async lookAgain(): Promise<void> {
    await Promise.all([...this.files.values()].map((file) => file.get()));
  }

  version(hash: string): Ruleset | undefined {
    return this.versions.get(hash);
  }

  private async fileOf(tenant: string): Promise<FoundFile> {
    const { path } = this.options;
    // Anyone with the Temporal CLI can start a watch, and a tenant becomes part of a path here.
    if (!TENANT.test(tenant)) return { ok: false, problem: `${JSON.stringify(tenant)} is not a tenant name` };
    // The rules that are in use stay in use when the folder is gone, as after any other broken edit.
    const known = EXTENSIONS.map((extension) => join(path, `${tenant}.${extension}`)).find((file) =>
      this.files.has(file),
    );
    if (known === undefined && !(await isFolder(path))) {
      if (tenant === DEFAULT_TENANT) return { ok: true, file: path };
      const problem = `no rules for tenant ${tenant}: ${path} is one file, which is for tenant ${DEFAULT_TENANT} (point MESH_RULES at a folder)`;
      return { ok: false, problem };
    }
    const present: string[] = [];
    for (const extension of EXTENSIONS) {
      const file = join(path, `${tenant}.${extension}`);
      if (await exists(file)) present.push(file);
    }
    if (present.length > 1) {
      const problem = `tenant ${tenant} has several rule files, keep one: ${present.join(', ')}`;
      return known === undefined ? { ok: false, problem } : { ok: true, file: known, problem };
    }
    const file = present[0] ?? known;
    if (file !== undefined) return { ok: true, file };
    return { ok: false, problem: `no rules for tenant ${tenant}: expected ${join(path, `${tenant}.yaml`)}` };
  }

  private report(problem: string): void {
    if (this.reported.has(problem)) return;
    this.reported.add(problem);
    this.options.onProblem?.(problem);
  }

  private readThrough(file: string): ReadThroughFile<Ruleset> {
    const known = this.files.get(file);
    if (known) return known;
    const { onChange } = this.options;
    const readThrough = new ReadThroughFile<Ruleset>(file, {
      parse(text, name) {
        const parsed = parseRuleset(text, name);
        return parsed.ok ? { ok: true, value: parsed.ruleset } : parsed;
      },
      ...(onChange && { onChange }),
    });
    this.files.set(file, readThrough);
    return readThrough;
  }

  private remember(hash: string, ruleset: Ruleset): void {
    this.versions.delete(hash);
    this.versions.set(hash, ruleset);
    const [oldest] = this.versions.keys();
    if (this.versions.size > KEPT_VERSIONS && oldest !== undefined) this.versions.delete(oldest);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
