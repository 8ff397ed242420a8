/**
 * A small SSH server for behaviour that neither a lab switch nor a real OpenSSH can be configured for. Listens on loopback until its scope
 * ends.
 */
import { Effect } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import type { AuthContext, Connection, ServerChannel } from "ssh2"
import { fingerprint } from "../../src/drivers/ssh/Authentication.ts"
import { Server, utils } from "../../src/drivers/ssh/Ssh2.ts"

export interface SshServerOptions {
  readonly authenticate: (context: AuthContext, connection: Connection) => void
  /** The shell; without it there are none. */
  readonly shell?: (channel: ServerChannel) => void
  /** A subsystem by its name; without it there are none. */
  readonly subsystem?: (name: string, channel: ServerChannel) => void
  /** Where a forwarded connection really goes; without it nothing is forwarded. */
  readonly forward?: (host: string, port: number) => { readonly host: string; readonly port: number }
  /** An address of loopback; without it any port of 127.0.0.1. */
  readonly at?: { readonly host: string; readonly port: number }
}

/** A server that runs. */
export interface SshServer {
  readonly port: number
  /** `SHA256:…` */
  readonly hostKey: string
  /** Connections that were made. */
  readonly connections: () => number
  /** Connections that are open. */
  readonly open: () => number
}

const forwardTo = (connection: Connection, target: NonNullable<SshServerOptions["forward"]>) =>
  connection.on("tcpip", (accept, reject, { destIP, destPort }) => {
    const socket = connect({ ...target(destIP, destPort), noDelay: true })
    socket.once("error", () => reject())
    socket.once("connect", () => {
      const channel = accept()
      socket.on("error", () => channel.destroy())
      channel.on("error", () => socket.destroy())
      channel.pipe(socket).pipe(channel)
    })
  })

/** Starts one. */
export const sshServer = ({ at, authenticate, forward, shell, subsystem }: SshServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const key = utils.generateKeyPairSync("ecdsa", { bits: 256 })
      const parsed = utils.parseKey(key.private)
      if (parsed instanceof Error) throw parsed
      const alive = new Set<Connection>()
      let connections = 0
      const server = new Server({ hostKeys: [key.private] }, (connection) => {
        connections += 1
        alive.add(connection)
        connection.on("close", () => alive.delete(connection))
        connection.on("error", () => undefined)
        connection.on("authentication", (context) => authenticate(context, connection))
        if (forward !== undefined) forwardTo(connection, forward)
        connection.on("session", (accept) => {
          const session = accept()
          session.on("pty", (acceptPty) => acceptPty())
          if (subsystem !== undefined) {
            session.on("subsystem", (acceptSubsystem, _, { name }) => subsystem(name, acceptSubsystem()))
          }
          if (shell !== undefined) session.on("shell", (acceptShell) => shell(acceptShell()))
        })
      })
      server.listen(at?.port ?? 0, at?.host ?? "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      const running: SshServer = {
        port,
        hostKey: fingerprint(parsed.getPublicSSH()),
        connections: () => connections,
        open: () => alive.size
      }
      return { running, stop: () => stop(server, alive) }
    }),
    ({ stop: close }) => Effect.promise(close)
  ).pipe(Effect.map(({ running }) => running))

const stop = async (server: InstanceType<typeof Server>, alive: ReadonlySet<Connection>): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const connection of alive) connection.end()
  await closed
}
