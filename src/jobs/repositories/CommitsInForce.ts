/**
 * Brings checked commits into force: in one transaction with the devices that they concern, under a lock that is held for
 * nothing else. A commit that was checked beside something that is not in force any more is refused, so that of two servers
 * that refresh at once none puts an older commit in the place of a newer one.
 */
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { VlanLosses } from "../../settings/SettingsEffects.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { type CheckedCommit, type RefreshCause, RefreshRefused } from "./RefreshRefused.ts"

/** Somebody else has brought another commit into force since this one was checked: fetch and check again. */
export class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {}) {}

/** Somebody else is bringing a commit into force, or jobs are fixing the commits that they work on. */
class CommitsLocked extends Schema.TaggedError<CommitsLocked>()("CommitsLocked", {}) {}

/** Others need the lock for milliseconds; one that is longer away has been stopped amid its transaction. */
const ATTEMPTS = Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "10 seconds" }))

const BUSY =
  "Another job is locking configuration of devices, try again later (Unable to acquire lock for configuring devices)"

/** A checked commit, and the VLANs whose new names its ports get with it. */
export type PutCommit = CheckedCommit & { readonly renames?: VlanLosses["renames"] }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const repositories = yield* RepositoryStore
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const events = yield* SyncEventStore

  const putOnce = Effect.fnUntraced(function* (
    name: RepositoryName,
    { affected, commits, renames }: PutCommit,
    cause: RefreshCause,
    checkedBeside: string
  ) {
    if (!(yield* repositories.tryLock)) return yield* new CommitsLocked()
    if ((yield* repositories.inForce) !== checkedBeside) return yield* new Overtaken()
    for (const commit of commits) yield* repositories.put(commit)
    const concerned = yield* devices.byHostnames(affected)
    // with the rows of these devices locked, so that nobody changes their ports meanwhile
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

  return CommitsInForce.of({ put, now: repositories.inForce })
})

/** What is in force of both repositories. */
export class CommitsInForce extends Context.Service<
  CommitsInForce,
  {
    /** What is in force now, to be told to `put` by who begins to check a commit. */
    readonly now: Effect.Effect<string, SqlError.SqlError>
    readonly put: (
      name: RepositoryName,
      checked: PutCommit,
      cause: RefreshCause,
      checkedBeside: string
    ) => Effect.Effect<void, Overtaken | RefreshRefused | SqlError.SqlError>
  }
>()("switchyard/jobs/CommitsInForce") {
  static readonly layer = Layer.effect(CommitsInForce, make)
}
