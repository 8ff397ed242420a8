/**
 * How much there is of each kind that has an end (docs/operations.md#retention): counted every hour by one replica and kept, so that
 * asking costs nothing.
 */
import { Context, Effect, Layer, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type RetainedKind, retainedKinds } from "../domain/Retention.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { JobRetention } from "./JobRetention.ts"
import { locks } from "./AdvisoryLocks.ts"

/** Rows, time and table of each kind; configurations are in the table of `job_device`, the audit in that of `event`. */
const SOURCES = {
  job: { of: "job", time: "finish_time", size: "job" },
  job_device: { of: "job_device", time: "finished_at", size: "job_device" },
  config: { of: "job_device where brief_tasks is not null", time: "finished_at", size: "" },
  change: { of: "config_change", time: "created_at", size: "config_change" },
  stored_text: { of: "stored_text", time: "stored_at", size: "stored_text" },
  operation: { of: "device_operation", time: "created_at", size: "device_operation" },
  event: { of: "event where not is_audit", time: "at", size: "event" },
  audit: { of: "event where is_audit", time: "at", size: "event_seal" }
} as const
type RowKind = keyof typeof SOURCES
const KINDS = Struct.keys(SOURCES)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const retention = yield* JobRetention

  const oldEvents = (days: number, isAudit: boolean) =>
    days === 0
      ? Effect.succeed(0)
      : Effect.map(
          sql<{ due: number }>`select count(*)::float8 as due from event
            where is_audit = ${isAudit} and at < now() - make_interval(days => ${Math.max(days - 1, 0)})`,
          ([row]) => row?.due ?? 0
        )

  const dueOf = (kind: RowKind) => {
    const own = retainedKinds.find((one) => one === kind)
    if (own !== undefined) return retention.due(config, own)
    if (kind === "stored_text") return Effect.succeed(0)
    return kind === "audit" ? oldEvents(config.AUDIT_DAYS, true) : oldEvents(config.EVENT_DAYS, false)
  }

  const lookAt = Effect.fnUntraced(function* (kind: RowKind) {
    const { of, size, time } = SOURCES[kind]
    const due = yield* dueOf(kind)
    yield* sql`insert into retained (kind, rows, bytes, oldest, due)
      select ${kind}, count(*), pg_total_relation_size(to_regclass(nullif(${size}, ''))), min(${sql.literal(time)}), ${due}
        from ${sql.literal(of)}
      on conflict (kind) do update set rows = excluded.rows, bytes = excluded.bytes, oldest = excluded.oldest, due = excluded.due,
        looked_at = now()`
  })

  const begin = Effect.fn("RetainedFigures.begin")(function* (seconds: number) {
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.retentionRound}) as taken`
    if (lock?.taken !== true) return false
    const [known] = yield* sql<{
      is_young: boolean
    }>`select looked_at > now() - make_interval(secs => ${seconds}) as is_young
      from retained where kind = 'job'`
    if (known?.is_young === true) return false
    // the count that says to others that a round has begun
    yield* lookAt("job")
    return true
  }, sql.withTransaction)

  return RetainedFigures.of({
    begin,
    look: Effect.forEach(KINDS, lookAt, { discard: true }).pipe(Effect.withSpan("RetainedFigures.look")),
    noteRemoved: Effect.fn("RetainedFigures.noteRemoved")((removed: Readonly<Record<RetainedKind, number>>) =>
      Effect.forEach(
        retainedKinds,
        (kind) =>
          sql`update retained set removed = removed + ${removed[kind]} where kind = ${kind} and ${removed[kind]} > 0`,
        { discard: true }
      )
    )
  })
})

/** Figures of what is kept. */
export class RetainedFigures extends Context.Service<
  RetainedFigures,
  {
    /**
     * Whether a round of removal and counting is to be done by this replica: none has begun within so many seconds, and none begins
     * one now. Others are told so.
     */
    readonly begin: (seconds: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Counts, and keeps what was found. */
    readonly look: Effect.Effect<void, SqlError.SqlError>
    readonly noteRemoved: (removed: Readonly<Record<RetainedKind, number>>) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/RetainedFigures") {
  static readonly layer = Layer.effect(RetainedFigures, make)
}
