/** Messages for syslog receivers (RFC 5424 with octet counting, over TCP or TLS), and connections to them. */
import { Effect, Option, Schema, type Scope } from "effect"
import * as net from "node:net"
import * as tls from "node:tls"
import { lookup as ownLookup } from "../runtime/NameLookup.ts"
import { messageOf, ownFault } from "../runtime/SystemErrors.ts"

/** The receiver cannot be reached, or has closed the connection; trying again may help. */
export class ReceiverAway extends Schema.TaggedError<ReceiverAway>()("ReceiverAway", { message: Schema.String }) {}

const TIMEOUT = "10 seconds"

/** The parts of a message. */
export interface SyslogMessage {
  /** Facility times 8, and severity. */
  readonly priority: number
  /** ISO 8601 with `Z`. */
  readonly at: string
  readonly host: string
  /** The key by which receivers sort; characters that are not allowed there are replaced. */
  readonly kind: string
  readonly data: { readonly id: string; readonly fields: Readonly<Record<string, string>> }
  /** One line. */
  readonly text: string
}

const quoted = (value: string): string => value.replaceAll(/["\\\]]/g, String.raw`\$&`)

/** A message with its length in front. */
export const syslogMessage = ({ at, data, host, kind, priority, text }: SyslogMessage): string => {
  const name = kind.replaceAll(/[^!-~]/g, "-").slice(0, 32)
  const fields = Object.entries(data.fields).map(([field, value]) => ` ${field}="${quoted(value)}"`)
  const line = `<${priority}>1 ${at} ${host} switchyard - ${name} [${data.id}${fields.join("")}] ${text}`
  return `${Buffer.byteLength(line)} ${line}`
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

/** A fault of this server's machine is not reported as the receiver's. */
const away = (error: Error) => new ReceiverAway({ message: ownFault(error, "connection")?.message ?? messageOf(error) })

/** An open connection, until the scope closes; waits at most 10 seconds for it. `lookup` decides where a name may lead. */
export const connected = (
  { host, port, secure }: Receiver,
  lookup: net.LookupFunction = ownLookup
): Effect.Effect<net.Socket, ReceiverAway, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<net.Socket, ReceiverAway>((resume) => {
      const where = { host, port, lookup }
      const socket = secure ? tls.connect({ ...where, servername: host }) : net.connect(where)
      // the next write reports later errors
      socket.on("error", (error) => resume(Effect.fail(away(error))))
      // no data is expected, but unread data would hide the end of the connection
      socket.resume()
      socket.once(secure ? "secureConnect" : "connect", () => resume(Effect.succeed(socket)))
      return Effect.sync(() => socket.destroy())
    }),
    (socket) => Effect.sync(() => socket.destroy()),
    { interruptible: true }
  ).pipe(Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => new ReceiverAway({ message: "it does not answer" }) }))

/** Writes text and waits until it has been sent, 10 seconds at most. */
export const handedOver = (socket: net.Socket, text: string): Effect.Effect<void, ReceiverAway> =>
  Effect.callback<void, ReceiverAway>((resume) => {
    if (socket.destroyed || socket.readableEnded)
      return resume(Effect.fail(away(new Error("the connection has ended"))))
    socket.write(text, (error) => resume(error ? Effect.fail(away(error)) : Effect.void))
  }).pipe(Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => new ReceiverAway({ message: "it takes nothing" }) }))
