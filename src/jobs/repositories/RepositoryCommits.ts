/**
 * The newest commits of a repository as of its last refresh, with what became of them: from the local copy, and from what the
 * refreshes remember.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { type CommitRefusal, type CommitsOfRepository, Remark, remark } from "../../domain/Repository.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import { RefreshStore, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { commitList } from "./CommitList.ts"
import { RepositoryCopies } from "./RepositoryCopies.ts"

/** Refreshes that are looked at for refusals. */
const REFRESHES = 200

const Refused = Schema.Struct({
  refused: Schema.Struct({
    message: Schema.String,
    problems: Schema.optionalKey(Schema.Array(Remark)),
    commit: Schema.String
  })
})
const refusedIn = Schema.decodeUnknownOption(Refused)

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const refreshes = yield* RefreshStore
  const copies = yield* RepositoryCopies

  /** The last refusal of each commit. */
  const refusals = Effect.fnUntraced(function* (name: RepositoryName) {
    const found = new Map<string, CommitRefusal>()
    for (const { at, by, id, memo } of yield* refreshes.ended(name, REFRESHES)) {
      const refused = Option.getOrUndefined(refusedIn(memo))?.refused
      if (refused === undefined || found.has(refused.commit)) continue
      const { message, problems = [remark(message)] } = refused
      found.set(refused.commit, { job_id: id, at, by, message, problems })
    }
    return found
  })

  /** The commit in force, and those that the last refresh has found; without a copy, or one that is damaged, there are none. */
  const logged = Effect.fnUntraced(
    function* (copy: GitRepository, inForce: string | null, count: number) {
      const current = yield* copy.current
      const newest = Option.isSome(current) ? yield* copy.log(current.value.hash, count) : []
      if (inForce === null || newest.some(({ hash }) => hash === inForce)) return newest
      // older than the others, or of a history that was written anew
      const own = yield* Effect.orElseSucceed(copy.log(inForce, 1), () => [])
      return [...newest, ...own]
    },
    Effect.catchTags({
      GitFailed: ({ message }) => Effect.as(Effect.logWarning(`Commits cannot be listed: ${message}`), []),
      GitRefNotFound: () => Effect.succeed([])
    })
  )

  const list = Effect.fn("RepositoryCommits.list")(function* (name: RepositoryName, count: number) {
    const inForce = Option.getOrNull(yield* repositories.commitOf(name, ""))
    const copy = yield* Effect.option(copies.of(name))
    const commits = Option.isSome(copy) ? yield* logged(copy.value, inForce, count) : []
    const waiting = Option.map(yield* refreshes.waiting(name), ({ commit }) => commit)
    return {
      in_force: inForce,
      commits: commitList(commits, inForce, yield* refusals(name), Option.getOrNull(waiting))
    }
  })

  return RepositoryCommits.of({ list })
})

/** Commits of repositories. */
export class RepositoryCommits extends Context.Service<
  RepositoryCommits,
  {
    /** The newest commits, at most `count` and the one in force. */
    readonly list: (name: RepositoryName, count: number) => Effect.Effect<CommitsOfRepository, SqlError.SqlError>
  }
>()("switchyard/jobs/RepositoryCommits") {
  static readonly layer = Layer.effect(RepositoryCommits, make)
}
