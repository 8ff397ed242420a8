/**
 * Brings one repository up to date: fetch, check, put in force, mark the devices that it concerns as unsynchronized. The commit in
 * force changes in one transaction at the end or not at all (docs/settings-repository.md#refresh). No job waits for a remote or
 * a check: a running job continues with the commits that it began with.
 */
import { Cause, Context, Effect, Exit, Layer, Option, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { GitAddressInvalid } from "../../git/GitAddress.ts"
import type { GitFailed } from "../../git/GitCommand.ts"
import { type CommitEffects, NO_EFFECTS } from "../../domain/CommitEffects.ts"
import { waitingMessage } from "../../domain/words/EffectSentences.ts"
import { clonedText, commitText, currentText, type GitCommit, type GitRefNotFound } from "../../git/GitCommit.ts"
import type { GitRepository, RefreshResult } from "../../git/GitRepository.ts"
import { signaturePhrase } from "../../domain/CommitSignature.ts"
import { type AppliedCommit, makeRefreshes, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { refreshAnswer } from "../../settings/SettingsProblem.ts"
import { type BranchChecks, makeBranchCheck } from "./BranchCheck.ts"
import { makeEffects } from "./CommitEffects.ts"
import {
  type CheckedCommit,
  isOfContent,
  type RefreshCause,
  type RefreshOutcome,
  RefreshRefused,
  RepositoryCopies,
  withUndefined
} from "./CheckedCommit.ts"
import { makeSettingsUpdate } from "./SettingsUpdate.ts"
import { turnsBack } from "./Signatures.ts"
import { makeTemplatesUpdate } from "./TemplatesUpdate.ts"
import type { VlanLosses } from "../../settings/SettingsEffects.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { EventStore } from "../../store/EventStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { missingBranchProblem } from "../../settings/SettingsSnapshot.ts"
import { repositoryCommits } from "../../runtime/metrics/Metrics.ts"
import type { ServerConfig } from "../../ServerConfig.ts"

// Refreshes of one repository run one after another. Waiting callers share the next one: it begins after their calls, so it sees
// all earlier pushes, and a caller waits for a hanging remote twice at most, however many callers there are.

interface Run<A, E> {
  readonly number: number
  readonly what: string
  readonly exit: Exit.Exit<A, E>
}

/** Takes turns: does the work, or yields the result of a run of the same work (`what`) that began after the call. */
const makeTurns = <A, E>() => {
  const one = Semaphore.makeUnsafe(1)
  let begun = 0
  let last: Run<A, E> | undefined
  return (work: Effect.Effect<A, E>, what = ""): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const asked = begun
      const turn = Effect.suspend((): Effect.Effect<A, E> => {
        if (last !== undefined && last.number > asked && last.what === what) return last.exit
        begun += 1
        const number = begun
        return Effect.onExit(work, (exit) =>
          Effect.sync(() => {
            // the interruption concerned only that caller: the next one does the work
            if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) last = { number, what, exit }
          })
        )
      })
      return one.withPermits(1)(turn)
    })
}

// Brings checked commits into force: in one transaction with the devices that they concern, under a lock for this purpose only. A
// commit that was checked against a commit that is no longer in force is refused, so of two servers that refresh at once none
// replaces a newer commit with an older one.

/** Another refresh has brought a commit into force since this one was checked: fetch and check again. */
class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {}) {}

/** Another refresh is bringing a commit into force, or jobs are pinning the commits that they work on. */
class CommitsLocked extends Schema.TaggedError<CommitsLocked>()("CommitsLocked", {}) {}

/** Others need the lock for milliseconds; a longer holder was stopped within its transaction. */
const ATTEMPTS = Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

const BUSY =
  "Another job is locking configuration of devices, try again later (Unable to acquire lock for configuring devices)"

/** A checked commit, and the VLANs whose new names its ports get with it. */
type PutCommit = CheckedCommit & { readonly renames?: VlanLosses["renames"] }

const makeCommitsInForce = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repositories = yield* RepositoryStore
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const events = yield* SyncEventStore
  const log = yield* EventStore

  /** Tells of a commit that comes into force although no allowed signer has signed it, as `warn` lets it. */
  const tellUnsigned = Effect.fnUntraced(function* (
    { commit, name, ref, signature = null }: AppliedCommit,
    { by, jobId }: RefreshCause
  ) {
    if (signature === null || signature.state === "signed") return
    if (Option.contains(yield* repositories.commitOf(name, ref), commit)) return
    const about = { repository: name, ref, commit, by, phrase: signaturePhrase(signature), signature }
    yield* log.append({ kind: "repository", action: "unsigned", isAudit: true, jobId, data: about })
  })

  const putOnce = Effect.fnUntraced(function* (
    name: RepositoryName,
    { affected, commits, renames }: PutCommit,
    cause: RefreshCause,
    checkedBeside: string
  ) {
    if (!(yield* repositories.tryLock)) return yield* new CommitsLocked()
    if ((yield* repositories.inForce) !== checkedBeside) return yield* new Overtaken()
    for (const commit of commits) {
      yield* tellUnsigned(commit, cause)
      yield* repositories.put(commit)
    }
    const concerned = yield* devices.byHostnames(affected)
    // with the rows of these devices locked, so their ports cannot change meanwhile
    yield* events.unsynchronize(concerned, { cause: `refresh_${name}`, by: cause.by, job_id: cause.jobId })
    for (const { ids, names } of renames ?? []) yield* ports.renameVlans(ids, names)
  }, sql.withTransaction)

  const put = Effect.fn("CommitsInForce.put")(
    (name: RepositoryName, checked: PutCommit, cause: RefreshCause, checkedBeside: string) =>
      putOnce(name, checked, cause, checkedBeside).pipe(
        Effect.retry({ while: (error) => error._tag === "CommitsLocked", schedule: ATTEMPTS }),
        Effect.catchTag("CommitsLocked", () => Effect.fail(new RefreshRefused({ status: 503, message: BUSY })))
      )
  )

  return {
    put,
    /** The commits in force now: read it before a check, and pass it to `put`. */
    now: repositories.inForce
  }
})

const broken = (message: string) => new RefreshRefused({ status: 500, message: `Error in repository: ${message}` })

/** The refusal of a commit, whichever part of the check found it. */
const refusalOf = (commit: string, { message, problems, status }: RefreshRefused) =>
  new RefreshRefused({ status, message, commit, ...(problems === undefined ? {} : { problems }) })

/** The user who confirms names the commit that they have reviewed. */
const anotherCommit = (confirm: string, { hash }: GitCommit) =>
  new RefreshRefused({
    status: 409,
    message: `confirm names commit ${confirm}, but the newest commit is ${hash}: refresh without confirm to see what that one means`
  })

type UpdateError = RefreshRefused | GitFailed | GitRefNotFound | GitAddressInvalid | SqlError.SqlError

/**
 * A refresh that overtakes another brings a commit into force, so the retries end. On a fault of this server's machine the job
 * waits until it is repaired (`JobRunner.ts`).
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
  const services = yield* Effect.context<ServerConfig>()
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const refreshes = yield* makeRefreshes
  const inForce = yield* makeCommitsInForce
  const effectsOf = yield* makeEffects
  const updates = { settings: yield* makeSettingsUpdate, templates: yield* makeTemplatesUpdate }
  const checks = yield* makeBranchCheck(updates, effectsOf)

  /**
   * Branches that a commit of the settings asks for and that are not in force yet. Without templates nothing can be rendered, and
   * their first refresh reads the branches.
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

  /** The effects of a commit compared with the one in force; none before the first. */
  const meaning = ({ affected, compared }: CheckedCommit) =>
    compared === undefined
      ? Effect.succeed({ effects: NO_EFFECTS, renames: [] })
      : effectsOf(compared, affected, "sample")

  /** Keeps the present commit in force until a user confirms the new one, or another commit arrives. */
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

  /** Keeps who signed a commit that does not come into force now. */
  const noteSignature = Effect.fnUntraced(function* (name: RepositoryName, repository: GitRepository, hash: string) {
    const signature = (yield* repository.signatures([hash])).get(hash)
    if (signature !== undefined) yield* repositories.noteSignature(name, hash, signature)
  })

  const updateNow = Effect.fn("RepositoryUpdate.update")(function* (name: RepositoryName, cause: RefreshCause) {
    const repository = yield* copies.of(name)
    const refreshed: RefreshResult = yield* repository.refresh
    yield* refreshes.forgetWaiting(name, refreshed.commit.hash)
    const { confirm } = cause
    const isConfirmed = confirm !== undefined && refreshed.commit.hash.startsWith(confirm.toLowerCase())
    if (confirm !== undefined && !isConfirmed) return yield* anotherCommit(confirm, refreshed.commit)
    const current = yield* inForce.now
    const before = yield* repositories.find(name, "")
    const noted = noteSignature(name, repository, refreshed.commit.hash)
    const { checked, commits } = yield* Effect.gen(function* () {
      const checked = yield* updates[name].check(repository, refreshed.commit, before)
      return { checked, commits: [...checked.commits, ...(yield* newBranches(checked.branches))] }
    }).pipe(
      Effect.catchTag("RefreshRefused", (refusal) =>
        Effect.andThen(noted, Effect.fail(refusalOf(refreshed.commit.hash, refusal)))
      )
    )
    const { effects: found, renames } = yield* meaning(checked)
    const back = yield* Effect.provideContext(
      turnsBack(repository, name, {
        before: Option.getOrNull(Option.map(before, ({ commit }) => commit)),
        after: refreshed.commit.hash
      }),
      services
    )
    const effects = back === undefined ? found : { ...found, confirm: [...found.confirm, back] }
    if (effects.confirm.length > 0 && !isConfirmed) {
      yield* noted
      return yield* wait(name, refreshed.commit.hash, cause, effects)
    }
    const put = { ...checked, commits, renames: cause.renamePorts === true ? renames : [] }
    // uninterruptible: after an abort it must be certain whether the commit is in force
    yield* Effect.uninterruptible(inForce.put(name, put, cause, current))
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
    settings: makeTurns<RefreshOutcome, RefreshRefused | SqlError.SqlError>(),
    templates: makeTurns<RefreshOutcome, RefreshRefused | SqlError.SqlError>()
  }
  const update = (name: RepositoryName, cause: RefreshCause) =>
    // a refresh with options has a turn of its own
    turns[name](updateCounted(name, cause), JSON.stringify([cause.confirm ?? null, cause.renamePorts ?? false]))

  const describe = Effect.fn("RepositoryUpdate.describe")(function* (name: RepositoryName) {
    const applied = yield* repositories.find(name, "")
    return Option.match(applied, { onNone: () => currentText(Option.none()), onSome: ({ description }) => description })
  })

  return RepositoryUpdate.of({
    update,
    checkBranch: checks.branch,
    checkProposal: checks.proposal,
    describe,
    waiting: refreshes.waiting
  })
})

/** Updates repositories, and checks branches as an update does. */
export class RepositoryUpdate extends Context.Service<
  RepositoryUpdate,
  {
    /** Yields the commit that came into force, with its warnings. Updates of one repository wait for each other. */
    readonly update: (
      name: RepositoryName,
      cause: RefreshCause
    ) => Effect.Effect<RefreshOutcome, RefreshRefused | SqlError.SqlError>
    /** The result of a refresh of a branch, or of files that were sent: problems, effects and configurations of devices. */
    readonly checkBranch: BranchChecks["branch"]
    /** The same for a proposal, for which nobody waits. */
    readonly checkProposal: BranchChecks["proposal"]
    /** The text of the commit in force. */
    readonly describe: (name: RepositoryName) => Effect.Effect<string, SqlError.SqlError>
    /** The commit that waits for a confirmation. */
    readonly waiting: Effect.Success<typeof makeRefreshes>["waiting"]
  }
>()("switchyard/jobs/RepositoryUpdate") {
  static readonly layer = Layer.effect(RepositoryUpdate, make)
}
