/**
 * The chain of the audit (docs/security.md#audit): each event of it gets a seal, which is a keyed digest of the event and of the seal
 * before it. A user who changes, removes or inserts rows without the server's own key breaks the chain at that row.
 */
import { Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHmac, createSecretKey } from "node:crypto"
import { SecretKey } from "../runtime/SecretKey.ts"
import { locks } from "../store/DatabaseClient.ts"
import { ServerConfig } from "../ServerConfig.ts"

const BATCH = 1000

/** Transactions get their numbers before others see their rows: this far behind the newest number no further row can appear. */
const MARGIN = 1000

/** The same text for the same row on every read: the database sorts keys of JSON, and times are counted in microseconds. */
const CANON = `jsonb_build_array(e.id, e.transaction::text, (extract(epoch from e.at) * 1000000)::bigint, e.kind, e.action, e.actor,
  e.way, e.address, e.device_id, e.hostname, e.job_id, e.is_audit, e.data)::text`

/** A link of the chain; ids and numbers are the database's texts. */
interface Link {
  readonly number: string
  readonly event_id: string
  readonly hash: string
}

/** The result of a verification of the chain; `problem` is null if there is none. */
export interface Verdict {
  /** When the oldest event was written that still exists; null if there is none. */
  readonly since: string | null
  /** Events before it that were removed because they were old. */
  readonly removed: number
  readonly checked: number
  readonly problem: string | null
  /** The event at which the chain breaks. */
  readonly eventId: string | null
}

const START: Link = { number: "0", event_id: "0", hash: "" }

type Found = Omit<Verdict, "removed" | "since">

const broken = (checked: number, eventId: string, problem: string): Found => ({ checked, eventId, problem })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = createSecretKey(Redacted.value((yield* SecretKey).keyFor("audit")))
  const canon = sql.literal(CANON)
  const hashOf = (before: string, text: string) =>
    createHmac("sha256", key).update(before).update("\n").update(text).digest("base64url")

  /** Events up to this one are sealed or not part of the audit, and none can come any more. */
  let floor = "0"

  /** The transactions that can still add older events, and the newest event at that look. */
  let seen: { readonly beyond: string; readonly newest: string } | null = null

  const anchor = Effect.map(
    sql<Link>`select number::text, event_id::text, hash from event_anchor`,
    ([row]) => row ?? START
  )

  const lastLink = Effect.flatMap(
    sql<Link>`select number::text, event_id::text, hash from event_seal order by event_seal.number desc limit 1`,
    ([row]) => (row === undefined ? anchor : Effect.succeed(row))
  )

  /** Raises the floor when all transactions that were open at an earlier look have ended. */
  const raiseFloor = Effect.gen(function* () {
    const [now] = yield* sql<{ oldest: string; beyond: string; newest: string }>`
      select pg_snapshot_xmin(s)::text as oldest, pg_snapshot_xmax(s)::text as beyond,
        (select greatest(coalesce(max(id), 0) - ${MARGIN}, 0)::text from event) as newest from pg_current_snapshot() s`
    if (now === undefined) return
    if (seen !== null && BigInt(now.oldest) < BigInt(seen.beyond)) return
    if (seen !== null) floor = seen.newest
    seen = now
  })

  // a row of a transaction that this server has not seen yet comes from a restored database
  const sealBatch = Effect.gen(function* () {
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.auditSealing}) as taken`
    if (lock?.taken !== true) return 0
    const last = yield* lastLink
    const rows = yield* sql<{ id: string; text: string }>`select e.id::text, ${canon} as text
      from event e, pg_current_snapshot() s where e.is_audit and e.id > ${floor}::bigint
        and (e.transaction < pg_snapshot_xmin(s) or e.transaction >= pg_snapshot_xmax(s))
        and not exists (select from event_seal where event_id = e.id) order by e.id limit ${BATCH}`
    if (rows.length === 0) return 0
    let hash = last.hash
    const hashes = rows.map(({ text }) => (hash = hashOf(hash, text)))
    yield* sql`insert into event_seal (number, event_id, hash)
      select ${last.number}::bigint + place, id, hash from unnest(${rows.map(({ id }) => id)}::bigint[], ${hashes}::text[])
        with ordinality as sealed (id, hash, place)`
    return rows.length
  }).pipe(sql.withTransaction)

  const seal = Effect.gen(function* () {
    let total = 0
    for (let count = BATCH; count === BATCH; total += count) count = yield* sealBatch
    yield* raiseFloor
    return total
  }).pipe(Effect.withSpan("AuditChain.seal"))

  const judge = (before: Link, link: Link & { readonly text: string | null }, checked: number): Found | null => {
    const { event_id, hash, number, text } = link
    if (BigInt(number) !== BigInt(before.number) + 1n)
      return broken(checked, event_id, `seals are missing between event ${before.event_id} and event ${event_id}`)
    if (text === null) return broken(checked, event_id, `event ${event_id} is missing`)
    if (hash === hashOf(before.hash, text)) return null
    return broken(checked, event_id, `event ${event_id} or its seal was changed`)
  }

  const beginning = Effect.map(
    sql<Pick<Verdict, "removed" | "since">>`select coalesce((select number from event_anchor), 0)::float8 as removed,
      (select iso_time(e.at) from event_seal s join event e on e.id = s.event_id order by s.number limit 1) as since`,
    ([row]) => row ?? { removed: 0, since: null }
  )

  const walkFrom = Effect.fnUntraced(function* (start: Link) {
    let [before, checked, more] = [start, 0, true]
    while (more) {
      const links = yield* sql<
        Link & { text: string | null }
      >`select s.number::text, s.event_id::text, s.hash, ${canon} as text,
          e.id is null as gone from event_seal s left join event e on e.id = s.event_id
        where s.number > ${before.number}::bigint order by s.number limit ${BATCH}`.pipe(
        Effect.map((rows) => rows.map((row) => ("gone" in row && row.gone === true ? { ...row, text: null } : row)))
      )
      for (const link of links) {
        const found = judge(before, link, checked)
        if (found !== null) return found
        before = link
        checked += 1
      }
      more = links.length === BATCH
    }
    const [stranger] = yield* sql<{ id: string }>`select e.id::text from event e where e.is_audit
      and e.id < (select max(event_id) from event_seal) - ${MARGIN}
      and not exists (select from event_seal where event_id = e.id) order by e.id limit 1`
    if (stranger !== undefined) return broken(checked, stranger.id, `event ${stranger.id} was inserted: it has no seal`)
    return { checked, eventId: null, problem: null } satisfies Found
  })

  const verify: Effect.Effect<Verdict, SqlError.SqlError> = Effect.gen(function* () {
    const start = yield* anchor
    const found = yield* walkFrom(start)
    // a missing event may have been removed because it is old, during this walk
    if (found.problem !== null && (yield* anchor).number !== start.number) return yield* verify
    return { ...(yield* beginning), ...found }
  }).pipe(Effect.withSpan("AuditChain.verify"))

  const forgetBatch = Effect.fnUntraced(function* (days: number) {
    yield* sql`select set_config('switchyard.retention', 'on', true)`
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.auditSealing}) as taken`
    if (lock?.taken !== true) return 0
    const old = yield* sql<Link & { old: boolean }>`select s.number::text, s.event_id::text, s.hash,
        coalesce(e.at < now() - make_interval(days => ${days}), false) as old
      from event_seal s left join event e on e.id = s.event_id order by s.number limit ${BATCH}`
    const young = old.findIndex((link) => !link.old)
    const gone = young < 0 ? old : old.slice(0, young)
    const last = gone.at(-1)
    if (last === undefined) return 0
    yield* sql`insert into event_anchor (number, event_id, hash) values (${last.number}::bigint, ${last.event_id}::bigint, ${last.hash})
      on conflict (one) do update set number = excluded.number, event_id = excluded.event_id, hash = excluded.hash`
    yield* sql`delete from event using event_seal s where s.event_id = event.id and s.number <= ${last.number}::bigint`
    yield* sql`delete from event_seal where number <= ${last.number}::bigint`
    yield* sql`insert into event (kind, action, is_audit, data) values ('audit', 'removed', true,
      jsonb_build_object('events', ${gone.length}::integer, 'through', ${last.event_id}::bigint))`
    return gone.length
  }, sql.withTransaction)

  const forget = Effect.fn("AuditChain.forget")(function* (days: number) {
    let total = 0
    for (let count = BATCH; count === BATCH; total += count) count = yield* forgetBatch(days)
    return total
  })

  return AuditChain.of({ seal, verify, forget })
})

/** The seals of the audit. */
export class AuditChain extends Context.Service<
  AuditChain,
  {
    /** Seals the events that were committed since the last time, unless another replica does so now; yields how many. */
    readonly seal: Effect.Effect<number, SqlError.SqlError>
    /** Walks the chain from its anchor and names the first row that does not fit. */
    readonly verify: Effect.Effect<Verdict, SqlError.SqlError>
    /** Removes sealed events older than so many days; the chain continues from the last removed one. Yields how many. */
    readonly forget: (days: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/access/AuditChain") {
  static readonly layer = Layer.effect(AuditChain, make)
}

// Seals the audit while the server runs, and removes events older than AUDIT_DAYS (docs/security.md#audit).

const SEAL_INTERVAL = "1 second"

const logged = (sentence: string) => Effect.catchCause((cause) => Effect.logWarning(sentence, cause))

/** Runs until the server stops. */
export const upkeepLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const chain = yield* AuditChain
    const { AUDIT_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
    yield* chain.seal.pipe(
      logged("The audit could not be sealed"),
      Effect.repeat(Schedule.spaced(SEAL_INTERVAL)),
      Effect.forkScoped
    )
    if (AUDIT_DAYS === 0) return
    yield* chain
      .forget(AUDIT_DAYS)
      .pipe(
        logged("Old events of the audit could not be removed"),
        Effect.repeat(Schedule.spaced(Duration.seconds(UPKEEP_INTERVAL))),
        Effect.forkScoped
      )
  })
)
