/**
 * Sends the audit to a syslog receiver as it happens (RFC 5424 with octet counting, over TCP or TLS; docs/security.md#audit). The place in
 * the chain up to which a receiver has everything is kept in the database, so that a restart loses nothing; a receiver that is
 * down is waited for.
 */
import { Effect, Layer, Option, Schedule, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as net from "node:net"
import * as os from "node:os"
import * as tls from "node:tls"
import { ServerConfig } from "../ServerConfig.ts"
import { makeSealedEvents, type SealedEvent } from "./AuditExport.ts"

/** AUDIT_SYSLOG names no receiver; the server does not start. */
export class SyslogAddressInvalid extends Schema.TaggedError<SyslogAddressInvalid>()("SyslogAddressInvalid", {
  address: Schema.String
}) {
  override get message() {
    return `AUDIT_SYSLOG: expected tcp://host:port or tls://host:port, found ${this.address}`
  }
}

/** The receiver cannot be reached, or has gone; trying again may help. */
export class ReceiverAway extends Schema.TaggedError<ReceiverAway>()("ReceiverAway", { message: Schema.String }) {}

/** Advisory lock of the replica that sends. */
const SEND_LOCK = 5_417_281
/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5
const INTERVAL = "1 second"
const TIMEOUT = "10 seconds"
const AGAIN = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

/** An event as a message with its length before it. The structured data name its place in the chain: what arrives twice has the same. */
export const messageOf = (host: string, { event, hash, number }: SealedEvent): string => {
  const kind = event.kind.replaceAll(/[^!-~]/g, "-").slice(0, 32)
  const text = `<${PRIORITY}>1 ${event.at}Z ${host} switchyard - ${kind} [audit@32473 number="${number}" hash="${hash}"] ${JSON.stringify(event)}`
  return `${Buffer.byteLength(text)} ${text}`
}

interface Receiver {
  readonly secure: boolean
  readonly host: string
  readonly port: number
}

/** The receiver of an address such as `tls://logs.example.org:6514`. */
export const receiverOf = (address: string): Option.Option<Receiver> => {
  const [, scheme, bracketed, plain, port] =
    /^(tcp|tls):\/\/(?:\[([^\]]+)\]|([^:/[\]]+)):(\d{1,5})\/?$/.exec(address) ?? []
  const host = bracketed ?? plain
  return host === undefined ? Option.none() : Option.some({ secure: scheme === "tls", host, port: Number(port) })
}

const away = (error: Error) => new ReceiverAway({ message: error.message })

const connected = ({ host, port, secure }: Receiver): Effect.Effect<net.Socket, ReceiverAway, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<net.Socket, ReceiverAway>((resume) => {
      const socket = secure ? tls.connect({ host, port, servername: host }) : net.connect({ host, port })
      // later errors are met by the next write
      socket.on("error", (error) => resume(Effect.fail(away(error))))
      // nothing is expected, but what is not read would keep the end of the connection from being seen
      socket.resume()
      socket.once(secure ? "secureConnect" : "connect", () => resume(Effect.succeed(socket)))
      return Effect.sync(() => socket.destroy())
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const written = (socket: net.Socket, text: string) =>
  Effect.callback<void, ReceiverAway>((resume) => {
    if (socket.destroyed || socket.readableEnded)
      return resume(Effect.fail(away(new Error("the connection has ended"))))
    socket.write(text, (error) => resume(error ? Effect.fail(away(error)) : Effect.void))
  })

const make = Effect.fnUntraced(function* (address: string) {
  const receiver = Option.getOrUndefined(receiverOf(address))
  if (receiver === undefined) return yield* new SyslogAddressInvalid({ address })
  const sql = yield* SqlClient.SqlClient
  const read = yield* makeSealedEvents
  const host = os.hostname()

  const sendBatch = (socket: net.Socket) =>
    Effect.gen(function* () {
      const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${SEND_LOCK}) as taken`
      if (lock?.taken !== true) return 0
      const [place] = yield* sql<{ number: string }>`select number::text from event_export where receiver = ${address}`
      const events = yield* read(place?.number ?? "0")
      const last = events.at(-1)
      if (last === undefined) return 0
      yield* Effect.timeoutOrElse(written(socket, events.map((event) => messageOf(host, event)).join("")), {
        duration: TIMEOUT,
        orElse: () => new ReceiverAway({ message: "it takes nothing" })
      })
      yield* sql`insert into event_export (receiver, number) values (${address}, ${last.number}::bigint)
        on conflict (receiver) do update set number = excluded.number`
      return events.length
    }).pipe(sql.withTransaction)

  return Effect.gen(function* () {
    const socket = yield* Effect.timeoutOrElse(connected(receiver), {
      duration: TIMEOUT,
      orElse: () => new ReceiverAway({ message: "it does not answer" })
    })
    yield* Effect.repeat(sendBatch(socket), Schedule.spaced(INTERVAL))
  }).pipe(
    Effect.scoped,
    Effect.tapCause((cause) => Effect.logWarning("The audit waits for the syslog receiver", cause)),
    Effect.retry(AGAIN)
  )
})

/** Sends until the server stops, when AUDIT_SYSLOG is set. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { AUDIT_SYSLOG } = yield* ServerConfig
    if (Option.isNone(AUDIT_SYSLOG)) return
    yield* Effect.forkScoped(yield* make(AUDIT_SYSLOG.value))
  })
)
