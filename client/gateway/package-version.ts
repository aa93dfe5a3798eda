import { createRequire } from 'node:module';

/** By the package's own name, which finds it from the sources and from what they are compiled to. */
export function packageVersion(): string {
  const { version } = createRequire(import.meta.url)('remediation-mesh/package.json') as { version: string };
  return version;
}
