import { shortHash } from '#contract/hash.js';

/** By which mail programs tell mails and threads apart. Hashes: keys are longer than a header line may be. */
export function messageIdsOf(effectKey: string, threadKey: string, fromAddress: string) {
  const domain = domainOf(fromAddress);
  return { messageId: `<${shortHash(effectKey)}@${domain}>`, thread: `<${shortHash(threadKey)}.thread@${domain}>` };
}

/** By which people sort what a team gets into a folder. */
export function listIdOf(team: string, fromAddress: string): string {
  const plain = team
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  // Two teams must not become one list because their names differ only in what an id cannot hold.
  const label = plain === team ? plain : [plain, shortHash(team).slice(0, 8)].filter((part) => part !== '').join('-');
  return `<${label}.teams.mesh.${domainOf(fromAddress)}>`;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
