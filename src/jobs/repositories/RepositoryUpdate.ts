/**
 * Brings one repository up to date: fetch, check, put in force, mark the devices that it concerns as unsynchronized. What is in
 * force changes in one transaction at the end or not at all (docs/settings-repository.md#refresh). No job waits for a remote or
 * a check: a running one goes on with the commits that it began with.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { type GitAddressInvalid } from "../../git/GitAddress.ts"
import type { GitFailed } from "../../git/GitCommand.ts"
import { clonedText, commitText, currentText } from "../../git/GitCommit.ts"
import type { GitRefNotFound } from "../../git/GitRef.ts"
import type { RefreshResult } from "../../git/GitRepository.ts"
import { repositoryCommits } from "../../runtime/metrics/JobMetrics.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { missingBranchProblem } from "../../settings/GroupView.ts"
import { refreshAnswer } from "../../settings/SettingsProblem.ts"
import { CommitsInForce, type Overtaken } from "./CommitsInForce.ts"
import { isOfContent, type RefreshCause, type RefreshOutcome, RefreshRefused } from "./RefreshRefused.ts"
import * as RefreshTurns from "./RefreshTurns.ts"
import { RepositoryCopies } from "./RepositoryCopies.ts"
import { SettingsUpdate } from "./SettingsUpdate.ts"
import { TemplatesUpdate } from "./TemplatesUpdate.ts"

const broken = (message: string) => new RefreshRefused({ status: 500, message: `Error in repository: ${message}` })

/** The refusal of a commit, whichever part of the check found it. */
const refusalOf = (commit: string, { message, problems, status }: RefreshRefused) =>
  new RefreshRefused({ status, message, commit, ...(problems === undefined ? {} : { problems }) })

type UpdateError = RefreshRefused | GitFailed | GitRefNotFound | GitAddressInvalid | SqlError.SqlError

/** Whoever has overtaken a refresh has brought a commit into force, so this comes to an end. */
const asRefused = <A, R>(effect: Effect.Effect<A, UpdateError | Overtaken, R>) =>
  effect.pipe(
    Effect.retry({ while: (error) => error._tag === "Overtaken" }),
    Effect.mapError((error) =>
      error._tag === "RefreshRefused" || error._tag === "SqlError" ? error : broken(error.message)
    )
  )

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const inForce = yield* CommitsInForce
  const updates = { settings: yield* SettingsUpdate, templates: yield* TemplatesUpdate }

  /**
   * Branches that a commit of the settings asks for and that are not in force yet. Without templates nothing can be rendered
   * anyhow, and their first refresh reads the branches.
   */
  const newBranches = Effect.fnUntraced(function* (branches: ReadonlyArray<string>) {
    const known = yield* repositories.refs("templates")
    const missing = known.length === 0 ? [] : branches.filter((branch) => !known.includes(branch))
    if (missing.length === 0) return []
    const repository = yield* copies.of("templates")
    return yield* Effect.forEach(missing, (branch) =>
      Effect.catchTag(updates.templates.branch(repository, branch), "GitRefNotFound", () =>
        Effect.fail(new RefreshRefused(refreshAnswer(missingBranchProblem(branch))))
      )
    )
  })

  const updateNow = Effect.fn("RepositoryUpdate.update")(function* (name: RepositoryName, cause: RefreshCause) {
    const repository = yield* copies.of(name)
    const refreshed: RefreshResult = yield* repository.refresh
    const beside = yield* inForce.now
    const before = yield* repositories.find(name, "")
    const { checked, commits } = yield* Effect.gen(function* () {
      const checked = yield* updates[name].check(repository, refreshed.commit, before)
      return { checked, commits: [...checked.commits, ...(yield* newBranches(checked.branches))] }
    }).pipe(Effect.catchTag("RefreshRefused", (refusal) => Effect.fail(refusalOf(refreshed.commit.hash, refusal))))
    // who aborts the refresh must be able to tell whether the commit is in force
    yield* Effect.uninterruptible(inForce.put(name, { ...checked, commits }, cause, beside))
    if (!Option.exists(before, ({ commit }) => commit === refreshed.commit.hash)) {
      repositoryCommits.add(1, name, "accepted")
    }
    yield* Effect.catch(repository.keep(refreshed.commit.hash), (error) =>
      Effect.logWarning(`The commit in force may be forgotten by the local copy: ${error.message}`)
    )
    yield* Effect.logInfo(`Refreshed the ${name} repository`, {
      commit: refreshed.commit.hash,
      affected: checked.affected.length
    })
    const isFirst = refreshed.cloned && Option.isNone(before)
    const message = isFirst ? clonedText(refreshed.commit) : commitText(refreshed.commit)
    return { message, warnings: checked.warnings, ignored: checked.ignored, commit: refreshed.commit.hash }
  }, asRefused)

  const updateCounted = (name: RepositoryName, cause: RefreshCause) =>
    Effect.tapErrorTag(updateNow(name, cause), "RefreshRefused", (refusal) =>
      Effect.sync(() => (isOfContent(refusal) ? repositoryCommits.add(1, name, "refused") : undefined))
    )

  const turns = {
    settings: RefreshTurns.make<RefreshOutcome, RefreshRefused | SqlError.SqlError>(),
    templates: RefreshTurns.make<RefreshOutcome, RefreshRefused | SqlError.SqlError>()
  }
  const update = (name: RepositoryName, cause: RefreshCause) => turns[name](updateCounted(name, cause))

  const describe = Effect.fn("RepositoryUpdate.describe")(function* (name: RepositoryName) {
    const applied = yield* repositories.find(name, "")
    return Option.match(applied, { onNone: () => currentText(Option.none()), onSome: ({ description }) => description })
  })

  return RepositoryUpdate.of({ update, describe })
})

/** Updates repositories. */
export class RepositoryUpdate extends Context.Service<
  RepositoryUpdate,
  {
    /** Yields what came into force, and what is doubtful about it. Updates of one repository wait for each other. */
    readonly update: (
      name: RepositoryName,
      cause: RefreshCause
    ) => Effect.Effect<RefreshOutcome, RefreshRefused | SqlError.SqlError>
    /** The text of the commit in force. */
    readonly describe: (name: RepositoryName) => Effect.Effect<string, SqlError.SqlError>
  }
>()("switchyard/jobs/RepositoryUpdate") {
  static readonly layer = Layer.effect(RepositoryUpdate, make)
}
