/**
 * Rows of configuration changes. A phase is claimed with a conditional write: it finds no row when another process has
 * taken the change over, and then nothing more may be sent to the switch (promise 1).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { Claim } from "../../machines/ChangeDecision.ts"
import type { ChangePhase, ChangeRow } from "../../machines/ChangeRow.ts"

/** A change with what is loaded: `candidate` is the configuration text, `failure` the error text of a failed step. */
export interface StoredChange {
  readonly id: number
  readonly job_id: number
  readonly device_id: number
  readonly protocol: ChangeRow
  readonly candidate: string
  readonly load_mode: "replace" | "merge"
  readonly failure: string | null
  /** Jobs whose change on this device has not come to its end: their sessions on the switch must be left alone. */
  readonly unfinished_jobs: ReadonlyArray<number>
}

/** A change to be stored; one per job and device. */
export type NewStoredChange = Omit<StoredChange, "id" | "failure" | "unfinished_jobs">

/** Where a job's change on a device stands, without its texts. `goal` is `old` once it must not be confirmed any more. */
export interface ChangeProgress {
  readonly id: number
  readonly device_id: number
  readonly phase: ChangePhase
  readonly goal: ChangeRow["goal"]
}

/** A confirmed change, to be undone if nobody has changed the device since. */
export interface UndoableChange extends ChangeProgress {
  readonly hostname: string
  /** Hash of what the change left on the device. */
  readonly hash: string | null
  /** The newest job that changed the device after this one. */
  readonly later_job: number | null
}

/** What a device was last proved to run. */
export interface ProvedConfig {
  readonly device_id: number
  readonly job_id: number | null
  readonly hash: string
  readonly config: string
}

/** Configurations that are kept together with a claim. */
export interface ClaimTexts {
  /** What ran on the device before the change, when it was just read; kept for undoing. */
  readonly before?: string | null
  /** What the device was proved to run now that the change has ended. */
  readonly proved?: Pick<ProvedConfig, "hash" | "config">
}

/** Phases after which there is nothing to undo. */
const CAME_TO_NOTHING: ReadonlySet<ChangePhase> = new Set(["reverted", "unchanged", "discarded"])

const UNFINISHED = "phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')"

const COLUMNS = `id, job_id, device_id, protocol, candidate, load_mode, failure,
  array(select o.job_id from config_change o where o.device_id = config_change.device_id and o.${UNFINISHED})
    as unfinished_jobs`

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(COLUMNS)
  const progress = sql.literal("c.id, c.device_id, c.phase, c.protocol ->> 'goal' as goal")
  const replaceProved = sql.literal(`on conflict (device_id) do update set job_id = excluded.job_id,
    hash = excluded.hash, config = excluded.config, proved_at = now()`)
  const first = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  return ChangeStore.of({
    findOrInsert: Effect.fn("ChangeStore.findOrInsert")(function* (change: NewStoredChange) {
      const { protocol, ...rest } = change
      const row = { ...rest, phase: protocol.phase, epoch: protocol.epoch, protocol: sql.json(protocol) }
      const inserted = yield* sql<StoredChange>`insert into config_change ${sql.insert(row)}
        on conflict on constraint config_change_once do nothing returning ${columns}`
      const found =
        inserted[0] === undefined
          ? yield* sql<StoredChange>`select ${columns} from config_change
              where job_id = ${change.job_id} and device_id = ${change.device_id}`
          : inserted
      return yield* Effect.orDie(Effect.fromOption(first(found)))
    }),
    get: Effect.fn("ChangeStore.get")((id: number) =>
      Effect.map(sql<StoredChange>`select ${columns} from config_change where id = ${id}`, first)
    ),
    claim: Effect.fn("ChangeStore.claim")(function* (
      id: number,
      { from, row }: Claim,
      failure: string | null,
      texts: ClaimTexts = {}
    ) {
      const before = texts.before ?? null
      // a late commit of an earlier round makes our own candidate look like what ran before
      const old = CAME_TO_NOTHING.has(row.phase)
        ? sql`null`
        : sql`case when ${before}::text is null or protocol ->> 'candidateHash' = ${row.oldHash}
            then coalesce(old_config, ${before}) else ${before} end`
      const claimed = sql`
        update config_change set phase = ${row.phase}, epoch = ${row.epoch}, protocol = ${sql.json(row)},
          failure = coalesce(${failure}, failure), old_config = ${old}, updated_at = now()
        where id = ${id} and phase = ${from.phase} and epoch = ${from.epoch} returning id, device_id, job_id`
      const { proved } = texts
      const rows = yield* proved === undefined
        ? claimed
        : sql`with claimed as (${claimed}) insert into proved_config (device_id, job_id, hash, config)
            select device_id, job_id, ${proved.hash}, ${proved.config} from claimed ${replaceProved} returning device_id`
      return rows.length === 1
    }),
    unfinishedJobsOf: Effect.fn("ChangeStore.unfinishedJobsOf")((deviceId: number) =>
      Effect.map(
        sql<{ job_id: number }>`select job_id from config_change
          where device_id = ${deviceId} and ${sql.literal(UNFINISHED)}`,
        (rows) => rows.map((row) => row.job_id)
      )
    ),
    ofJob: Effect.fn("ChangeStore.ofJob")(
      (jobId: number) => sql<StoredChange>`select ${columns} from config_change where job_id = ${jobId} order by id`
    ),
    progressOfJob: Effect.fn("ChangeStore.progressOfJob")(
      (jobId: number) =>
        sql<ChangeProgress>`select ${progress} from config_change c where job_id = ${jobId} order by id`
    ),
    undoable: Effect.fn("ChangeStore.undoable")(
      (jobId: number, byJob: number) => sql<UndoableChange>`
        select ${progress}, device.hostname, c.protocol ->> 'candidateHash' as hash,
          (select max(l.job_id) from config_change l where l.device_id = c.device_id and l.id > c.id
            and l.phase = 'confirmed' and l.job_id <> ${byJob}) as later_job
        from config_change c join device on device.id = c.device_id
        where c.job_id = ${jobId} and c.phase = 'confirmed' order by device.hostname`
    ),
    oldConfig: Effect.fn("ChangeStore.oldConfig")((id: number) =>
      Effect.map(sql<{ old_config: string | null }>`select old_config from config_change where id = ${id}`, (rows) =>
        Option.fromNullishOr(rows[0]?.old_config)
      )
    ),
    proved: Effect.fn("ChangeStore.proved")((deviceId: number) =>
      Effect.map(
        sql<ProvedConfig>`select device_id, job_id, hash, config from proved_config where device_id = ${deviceId}`,
        first
      )
    )
  })
})

type Find<A> = Effect.Effect<Option.Option<A>, SqlError.SqlError>

/** Changes by job and device. */
export class ChangeStore extends Context.Service<
  ChangeStore,
  {
    /** The job's change on this device: the given one when there was none, else the stored one, whatever it has come to. */
    readonly findOrInsert: (change: NewStoredChange) => Effect.Effect<StoredChange, SqlError.SqlError>
    readonly get: (id: number) => Find<StoredChange>
    /**
     * Moves the change on if it still is where the claim says, and then keeps the texts; false when somebody else has moved
     * it.
     */
    readonly claim: (
      id: number,
      claim: Claim,
      failure: string | null,
      texts?: ClaimTexts
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** As `unfinished_jobs` of a change. */
    readonly unfinishedJobsOf: (deviceId: number) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    readonly ofJob: (jobId: number) => Effect.Effect<ReadonlyArray<StoredChange>, SqlError.SqlError>
    /** Where the changes of a job stand. */
    readonly progressOfJob: (jobId: number) => Effect.Effect<ReadonlyArray<ChangeProgress>, SqlError.SqlError>
    /** The confirmed changes of a job, by hostname; changes of `byJob` itself do not count as later. */
    readonly undoable: (jobId: number, byJob: number) => Effect.Effect<ReadonlyArray<UndoableChange>, SqlError.SqlError>
    /** What ran on the device before the change; none when it came to nothing. */
    readonly oldConfig: (id: number) => Find<string>
    /** What a device was last proved to run. */
    readonly proved: (deviceId: number) => Find<ProvedConfig>
  }
>()("switchyard/store/ChangeStore") {
  static readonly layer = Layer.effect(ChangeStore, make)
}
