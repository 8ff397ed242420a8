/** A commit of a repository, and what became of it (docs/settings-repository.md#commits). */
import { Schema } from "effect"
import { Remark } from "./Remark.ts"

/** Why a refresh refused a commit. `at` is UTC. */
export const CommitRefusal = Schema.Struct({
  job_id: Schema.Int,
  at: Schema.NullOr(Schema.String),
  by: Schema.NullOr(Schema.String),
  message: Schema.String,
  problems: Schema.Array(Remark)
})
export type CommitRefusal = typeof CommitRefusal.Type

/**
 * `in_force`; `refused`: the last refresh that looked at it refused it; `not_applied`: it is newer than what is in force, and no refresh
 * has looked at it by itself; `replaced`: another one came into force after it; `waiting`: it takes away too much, and waits until somebody
 * confirms it.
 */
export const CommitState = Schema.Literals(["in_force", "refused", "not_applied", "replaced", "waiting"])
export type CommitState = typeof CommitState.Type

/** A commit of a repository. `at` is UTC. */
export const RepositoryCommit = Schema.Struct({
  commit: Schema.String,
  author: Schema.String,
  committer: Schema.String,
  at: Schema.String,
  subject: Schema.String,
  message: Schema.String,
  state: CommitState,
  refusal: Schema.NullOr(CommitRefusal)
})
export type RepositoryCommit = typeof RepositoryCommit.Type

/** The newest commits as of the last refresh, the newest first. */
export const CommitsOfRepository = Schema.Struct({
  /** The commit in force. */
  in_force: Schema.NullOr(Schema.String),
  commits: Schema.Array(RepositoryCommit)
})
export type CommitsOfRepository = typeof CommitsOfRepository.Type
