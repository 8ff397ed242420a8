/**
 * Sends the audit to a syslog receiver as it happens (RFC 5424 with octet counting, over TCP or TLS; docs/security.md#audit). The database
 * keeps the place in the chain up to which a receiver has everything, so that a restart loses nothing; if a receiver is down, the export
 * waits for it.
 */
import { Effect, Layer, Option, Schedule, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type * as net from "node:net"
import * as os from "node:os"
import { ServerConfig } from "../ServerConfig.ts"
import { connected, handedOver, receiverOf, syslogMessage } from "./SyslogReceiver.ts"
import { locks, mayStandStill } from "../store/DatabaseClient.ts"
import { AUDIT_COLUMNS } from "../store/EventStore.ts"
import type { AuditEvent } from "../domain/events/Event.ts"

// The audit for other programs: events in the order in which they were sealed, as JSON (docs/security.md#audit).

/** An event with its place in the chain. */
export interface SealedEvent {
  readonly number: string
  readonly hash: string
  readonly event: AuditEvent
}

const BATCH = 500

/** Reads at most 500 sealed events after this place of the chain. */
const makeSealedEvents = Effect.map(
  Effect.service(SqlClient.SqlClient),
  (sql) => (after: string) =>
    Effect.map(
      sql<AuditEvent & { number: string; hash: string }>`select s.number::text, s.hash, ${sql.literal(AUDIT_COLUMNS)}
        from event_seal s join event on event.id = s.event_id
        where s.number > ${after}::bigint order by s.number limit ${BATCH}`,
      (rows) => rows.map(({ hash, number, ...event }): SealedEvent => ({ number, hash, event }))
    )
)

/** All sealed events that happened at `since` (ISO 8601, UTC) or later. */
export const makeExport = Effect.map(
  makeSealedEvents,
  (read) =>
    (since: string): Stream.Stream<SealedEvent, SqlError.SqlError> =>
      Stream.paginate("0", (after) =>
        Effect.map(read(after), (events) => {
          const last = events.at(-1)
          const wanted = events.filter(({ event }) => event.at >= since)
          return [wanted, last === undefined ? Option.none() : Option.some(last.number)] as const
        })
      )
)

export { receiverOf } from "./SyslogReceiver.ts"

/** AUDIT_SYSLOG names no receiver; the server does not start. */
export class SyslogAddressInvalid extends Schema.TaggedError<SyslogAddressInvalid>()("SyslogAddressInvalid", {
  address: Schema.String
}) {
  override get message() {
    return `AUDIT_SYSLOG: expected tcp://host:port or tls://host:port, found ${this.address}`
  }
}

/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5
const INTERVAL = "1 second"
const AGAIN = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

/**
 * An event as a message with its length in front. The structured data contain its place in the chain: an event that arrives twice has the
 * same.
 */
export const messageOf = (host: string, { event, hash, number }: SealedEvent): string =>
  syslogMessage({
    priority: PRIORITY,
    at: `${event.at}Z`,
    host,
    kind: event.kind,
    data: { id: "audit@32473", fields: { number, hash } },
    text: JSON.stringify(event)
  })

const make = Effect.fnUntraced(function* (address: string) {
  const receiver = Option.getOrUndefined(receiverOf(address))
  if (receiver === undefined) return yield* new SyslogAddressInvalid({ address })
  const sql = yield* SqlClient.SqlClient
  const read = yield* makeSealedEvents
  const host = os.hostname()

  // a stop waits for the batch that is being sent, because the next start would send it again
  const sendBatch = (socket: net.Socket) =>
    Effect.gen(function* () {
      yield* mayStandStill
      const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.auditSending}) as taken`
      if (lock?.taken !== true) return 0
      const [place] = yield* sql<{ number: string }>`select number::text from event_export where receiver = ${address}`
      const events = yield* read(place?.number ?? "0")
      const last = events.at(-1)
      if (last === undefined) return 0
      yield* handedOver(socket, events.map((event) => messageOf(host, event)).join(""))
      yield* sql`insert into event_export (receiver, number) values (${address}, ${last.number}::bigint)
        on conflict (receiver) do update set number = excluded.number`
      return events.length
    }).pipe(sql.withTransaction, Effect.uninterruptible)

  return Effect.gen(function* () {
    const socket = yield* connected(receiver)
    yield* Effect.repeat(sendBatch(socket), Schedule.spaced(INTERVAL))
  }).pipe(
    Effect.scoped,
    Effect.tapCause((cause) => Effect.logWarning("The audit waits for the syslog receiver", cause)),
    Effect.retry(AGAIN)
  )
})

/** Sends until the server stops, if AUDIT_SYSLOG is set. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { AUDIT_SYSLOG } = yield* ServerConfig
    if (Option.isNone(AUDIT_SYSLOG)) return
    yield* Effect.forkScoped(yield* make(AUDIT_SYSLOG.value))
  })
)
