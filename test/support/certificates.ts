import { readFileSync } from 'node:fs';

/** As `test/fixtures/tls/README.md` describes them. */
export type CertificateName = 'localhost' | 'wrong-host' | 'expired' | 'self-signed';

/** The authority that signed all but the self-signed one; no program trusts it unless told to. */
export const TEST_CA = read('ca.pem');

export function certificate(name: CertificateName): { cert: string; key: string } {
  return { cert: read(`${name}.pem`), key: read(`${name}.key.pem`) };
}

function read(file: string): string {
  return readFileSync(new URL(`../fixtures/tls/${file}`, import.meta.url), 'utf8');
}
