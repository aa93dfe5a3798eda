import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the harness knows of a rule, which is all that its checks need of it. */
export interface WrittenRule {
  id: string;
  mode?: 'enforce' | 'shadow';
  trigger: { event: string; outcome?: string };
  cooldownMs: number;
  cooldownBy?: string[];
  dedupWindowMs: number;
  dedupBy?: string[];
  actions: ({ id: string; type: string } & Record<string, unknown>)[];
}

/** A version of the rules of a tenant that is valid, and when it came to lie in the file. */
export interface RulesVersion {
  tenant: string;
  rules: readonly WrittenRule[];
  /** Before this it cannot have been read. */
  fromAt: number;
}

export interface RulesOnDisk {
  folder: string;
  versions: readonly RulesVersion[];
  current(tenant: string): readonly WrittenRule[];
  write(tenant: string, rules: readonly WrittenRule[]): Promise<void>;
  /** The version before it stays the current one, since the mesh is to go on with that. */
  writeBroken(tenant: string, text: string): Promise<void>;
  /** Puts the current version there again. */
  mend(tenant: string): Promise<void>;
}

export async function createRulesOnDisk(folder: string): Promise<RulesOnDisk> {
  const versions: RulesVersion[] = [];
  await mkdir(folder, { recursive: true });
  const current = (tenant: string) => versions.findLast((version) => version.tenant === tenant)?.rules ?? [];
  let writes = 0;

  async function put(tenant: string, text: string): Promise<void> {
    const file = join(folder, `${tenant}.json`);
    const part = `${file}.${++writes}.part`;
    await writeFile(part, text);
    await rename(part, file);
  }

  return {
    folder,
    versions,
    current,
    async write(tenant, rules) {
      versions.push({ tenant, rules, fromAt: Date.now() });
      await put(tenant, textOf(rules));
    },
    writeBroken: put,
    mend: (tenant) => put(tenant, textOf(current(tenant))),
  };
}

function textOf(rules: readonly WrittenRule[]): string {
  return JSON.stringify({ maxDescendants: 1000, rules });
}
