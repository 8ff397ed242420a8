/**
 * Commits in force that came with a restored backup and that nobody has refreshed since (docs/operations.md#what-happens-afterwards): the
 * repositories may be further, so that a push of them would take back what came after the backup.
 */

export interface RestoredCommits {
  /** Time of the backup, ISO 8601, UTC. */
  readonly backup_of: string
  readonly commits: ReadonlyArray<{ readonly name: string; readonly commit: string }>
}

/** What is said of them wherever they matter. */
export const restoredSentence = ({ backup_of, commits }: RestoredCommits): string => {
  const named = commits.map(({ commit, name }) => `${name} ${commit.slice(0, 12)}`).join(", ")
  return `The commits in force are those of the backup of ${backup_of} (${named}): the repositories may have newer ones, and nobody has refreshed since the restore. Refresh them first`
}

/** Why a forced push of them is refused. */
export const olderRefusal = (restored: RestoredCommits): string =>
  `${restoredSentence(restored)}, or set confirm_older: true to push what is older all the same`
