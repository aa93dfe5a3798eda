/** What `mesh.yaml` has that rules count on. */
export interface KnownNames {
  /** The names of the members of each team. */
  members: Readonly<Record<string, readonly string[]>>;
  defaultTeam?: string | undefined;
  agents: readonly string[];
  /** A bridge that is switched off counts too: readers of the file see that it is off. */
  hasBridge: boolean;
}
