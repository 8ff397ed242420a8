/**
 * Brings one repository up to date: fetch, check, put in force, mark the devices that it concerns as unsynchronized. What is in
 * force changes in one transaction at the end or not at all (docs/settings-repository.md#refresh). No job waits for a remote or
 * a check: a running one goes on with the commits that it began with.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { GitAddressInvalid } from "../../git/GitAddress.ts"
import type { GitFailed } from "../../git/GitCommand.ts"
import { type CommitEffects, NO_EFFECTS } from "../../domain/CommitEffects.ts"
import { waitingMessage } from "../../domain/EffectSentences.ts"
import { clonedText, commitText, currentText, type GitCommit, type GitRefNotFound } from "../../git/GitCommit.ts"
import type { RefreshResult } from "../../git/GitRepository.ts"
import { repositoryCommits } from "../../runtime/metrics/JobMetrics.ts"
import { RefreshStore, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { refreshAnswer } from "../../settings/SettingsProblem.ts"
import { makeEffects } from "./CommitEffects.ts"
import { CommitsInForce, type Overtaken } from "./CommitsInForce.ts"
import {
  type CheckedCommit,
  isOfContent,
  type RefreshCause,
  type RefreshOutcome,
  RefreshRefused,
  withUndefined
} from "./RefreshRefused.ts"
import * as RefreshTurns from "./RefreshTurns.ts"
import { RepositoryCopies } from "./RepositoryCopies.ts"
import { SettingsUpdate } from "./SettingsUpdate.ts"
import { TemplatesUpdate } from "./TemplatesUpdate.ts"
import { missingBranchProblem } from "../../settings/SettingsSnapshot.ts"

const broken = (message: string) => new RefreshRefused({ status: 500, message: `Error in repository: ${message}` })

/** The refusal of a commit, whichever part of the check found it. */
const refusalOf = (commit: string, { message, problems, status }: RefreshRefused) =>
  new RefreshRefused({ status, message, commit, ...(problems === undefined ? {} : { problems }) })

/** Who confirms says which commit was looked at. */
const anotherCommit = (confirm: string, { hash }: GitCommit) =>
  new RefreshRefused({
    status: 409,
    message: `confirm names commit ${confirm}, but the newest commit is ${hash}: refresh without confirm to see what that one means`
  })

type UpdateError = RefreshRefused | GitFailed | GitRefNotFound | GitAddressInvalid | SqlError.SqlError

/**
 * Whoever has overtaken a refresh has brought a commit into force, so this comes to an end. What the machine of this server lacks refuses
 * nothing: the job waits for it (`JobExecution.ts`).
 */
const asRefused = <A, R>(effect: Effect.Effect<A, UpdateError | Overtaken, R>) =>
  effect.pipe(
    Effect.retry({ while: (error) => error._tag === "Overtaken" }),
    Effect.tapErrorTag("GitFailed", ({ own }) => (own === undefined ? Effect.void : Effect.die(own))),
    Effect.mapError((error) =>
      error._tag === "RefreshRefused" || error._tag === "SqlError" ? error : broken(error.message)
    )
  )

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const refreshes = yield* RefreshStore
  const inForce = yield* CommitsInForce
  const effectsOf = yield* makeEffects
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

  /** What a commit means beside the one in force; nothing before the first. */
  const meaning = ({ affected, compared }: CheckedCommit) =>
    compared === undefined ? Effect.succeed({ effects: NO_EFFECTS, renames: [] }) : effectsOf(compared, affected, false)

  /** Leaves in force what is, until somebody confirms the commit or another one comes. */
  const wait = Effect.fnUntraced(function* (
    name: RepositoryName,
    commit: string,
    { by, jobId }: RefreshCause,
    effects: CommitEffects
  ) {
    const message = waitingMessage(name, commit, effects.confirm)
    yield* refreshes.keepWaiting(name, { commit, message, effects, by, job_id: jobId })
    yield* Effect.logWarning(message)
    return yield* new RefreshRefused({ status: 409, message, commit, effects })
  })

  const updateNow = Effect.fn("RepositoryUpdate.update")(function* (name: RepositoryName, cause: RefreshCause) {
    const repository = yield* copies.of(name)
    const refreshed: RefreshResult = yield* repository.refresh
    yield* refreshes.forgetWaiting(name, refreshed.commit.hash)
    const { confirm } = cause
    const isConfirmed = confirm !== undefined && refreshed.commit.hash.startsWith(confirm.toLowerCase())
    if (confirm !== undefined && !isConfirmed) return yield* anotherCommit(confirm, refreshed.commit)
    const beside = yield* inForce.now
    const before = yield* repositories.find(name, "")
    const { checked, commits } = yield* Effect.gen(function* () {
      const checked = yield* updates[name].check(repository, refreshed.commit, before)
      return { checked, commits: [...checked.commits, ...(yield* newBranches(checked.branches))] }
    }).pipe(Effect.catchTag("RefreshRefused", (refusal) => Effect.fail(refusalOf(refreshed.commit.hash, refusal))))
    const { effects, renames } = yield* meaning(checked)
    if (effects.confirm.length > 0 && !isConfirmed) return yield* wait(name, refreshed.commit.hash, cause, effects)
    const put = { ...checked, commits, renames: cause.renamePorts === true ? renames : [] }
    // who aborts the refresh must be able to tell whether the commit is in force
    yield* Effect.uninterruptible(inForce.put(name, put, cause, beside))
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
    const warnings = withUndefined(checked.warnings, effects.undefined_names)
    return { message, warnings, ignored: checked.ignored, commit: refreshed.commit.hash, effects }
  }, asRefused)

  const updateCounted = (name: RepositoryName, cause: RefreshCause) =>
    Effect.tapErrorTag(updateNow(name, cause), "RefreshRefused", (refusal) =>
      Effect.sync(() => (isOfContent(refusal) ? repositoryCommits.add(1, name, "refused") : undefined))
    )

  const turns = {
    settings: RefreshTurns.make<RefreshOutcome, RefreshRefused | SqlError.SqlError>(),
    templates: RefreshTurns.make<RefreshOutcome, RefreshRefused | SqlError.SqlError>()
  }
  const update = (name: RepositoryName, cause: RefreshCause) =>
    // who asks for more than a refresh has a turn of their own
    turns[name](updateCounted(name, cause), JSON.stringify([cause.confirm ?? null, cause.renamePorts ?? false]))

  const describe = Effect.fn("RepositoryUpdate.describe")(function* (name: RepositoryName) {
    const applied = yield* repositories.find(name, "")
    return Option.match(applied, { onNone: () => currentText(Option.none()), onSome: ({ description }) => description })
  })

  return RepositoryUpdate.of({ update, describe, waiting: refreshes.waiting })
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
    /** The commit that waits until somebody confirms it. */
    readonly waiting: RefreshStore["Service"]["waiting"]
  }
>()("switchyard/jobs/RepositoryUpdate") {
  static readonly layer = Layer.effect(RepositoryUpdate, make)
}
