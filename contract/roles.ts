/** What a token of the gateway may do. None implies another. */
export const ROLES = ['report', 'read', 'operate'] as const;
export type Role = (typeof ROLES)[number];

export const ROLE_MEANINGS: Record<Role, string> = {
  report: 'Report events.',
  read: 'Read verdicts, remediations, status and metrics.',
  operate: 'Abort and retry remediations; re-arm, pause and resume.',
};

/** What `mesh.yaml` keeps of a token. */
export const TOKEN_SHA256 = /^[0-9a-f]{64}$/;
