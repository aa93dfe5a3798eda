/** What `mesh.yaml` has that rules count on. */
export interface KnownNames {
  /** The names of the members of each team. */
  members: Readonly<Record<string, readonly string[]>>;
  defaultTeam?: string | undefined;
  agents: readonly string[];
  /** Also one that is switched off: whoever reads the file sees that. */
  hasBridge: boolean;
}
