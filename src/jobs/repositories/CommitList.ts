/** What became of the commits of a repository: which is in force, which were refused and why. Pure. */
import type { CommitRefusal, CommitState, RepositoryCommit } from "../../domain/Repository.ts"
import type { LoggedCommit } from "../../git/GitCommit.ts"

const stateAt = (index: number, inForce: number, isRefused: boolean, isWaiting: boolean): CommitState => {
  if (index === inForce) return "in_force"
  if (isWaiting) return "waiting"
  if (inForce >= 0 && index > inForce) return "replaced"
  return isRefused ? "refused" : "not_applied"
}

/** Commits, the newest first, with what became of each; `refusals` by commit, `waiting` the one that waits for a confirmation. */
export const commitList = (
  logged: ReadonlyArray<LoggedCommit>,
  inForce: string | null,
  refusals: ReadonlyMap<string, CommitRefusal>,
  waiting: string | null = null
): ReadonlyArray<RepositoryCommit> => {
  const position = logged.findIndex(({ hash }) => hash === inForce)
  return logged.map(({ author, committer, hash, message, seconds }, index) => {
    const refusal = refusals.get(hash) ?? null
    const state = stateAt(index, position, refusal !== null, hash === waiting)
    return {
      commit: hash,
      author,
      committer,
      at: new Date(seconds * 1000).toISOString().slice(0, 19),
      subject: message.split("\n", 1)[0] ?? "",
      message,
      state,
      refusal: state === "refused" ? refusal : null
    }
  })
}
