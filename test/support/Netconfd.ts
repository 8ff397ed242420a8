/**
 * A real foreign NETCONF server, netconfd of yuma123, in a folder of its own, behind an SSH server of this process. It applies nothing
 * to the machine: its models are plain data here. Where it is not installed, the tests that need it are skipped, and say in their
 * title why.
 */
import { describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { Readable, Writable } from "node:stream"
import type { ServerChannel } from "ssh2"
import type { DriverTarget } from "../../src/drivers/Driver.ts"
import { sshServer } from "./SshServer.ts"

const program = "/usr/sbin/netconfd"
const subsystem = "/usr/sbin/netconf-subsystem"
const USER = "switch"
const MARK = "]]>]]>"

/** `describe` for tests that need netconfd. */
export const describeNetconfd = (title: string, tests: () => void): void => {
  if (existsSync(program)) describe(title, tests)
  else describe.skip(`${title} (skipped: netconfd is not installed; on Debian: apt-get install netconfd)`, tests)
}

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(holds))))

/** A server that starts with this configuration; gone with the scope. */
export const make = Effect.fnUntraced(function* (startup: string) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "netconfd-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = (name: string) => path.join(folder, name)
  writeFileSync(file("startup-cfg.xml"), `<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0">${startup}</config>`)
  let running: ChildProcess | undefined
  let isCut = false
  const sessions = new Set<ServerChannel>()

  /** Starts it with what it has saved. */
  const start = Effect.gen(function* () {
    running = spawn(
      program,
      [
        `--ncxserver-sockname=${file("socket")}`,
        `--superuser=${USER}`,
        "--target=candidate",
        "--with-startup=true",
        "--module=ietf-interfaces",
        "--module=iana-if-type",
        `--startup=${file("startup-cfg.xml")}`,
        `--log=${file("log")}`,
        "--log-level=info"
      ],
      // its own plug-ins would ask the machine for its interfaces
      { stdio: "ignore", env: { ...process.env, HOME: folder, YUMA_RUNPATH: "/nonexistent" } }
    )
    yield* until(() => existsSync(file("socket")))
  })
  /** Ends it as a machine that loses power would. */
  const kill = Effect.suspend(() => {
    const process = running
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return Effect.void
    process.kill("SIGKILL")
    return until(() => process.signalCode !== null)
  }).pipe(Effect.andThen(Effect.sync(() => rmSync(file("socket"), { force: true }))))

  /** The server has read the hello of this session. */
  const isActive = (session: string): boolean => {
    const log = readFileSync(file("log"), "utf8")
    return new RegExp(`^Session ${session} for \\S+ now active`, "m").test(log)
  }

  /**
   * Passes on what the client sends. Of two messages that netconfd reads together it handles the first, and the second only when more
   * comes. So our hello waits for its own, and what follows our hello waits until it has read that.
   */
  const passOn = (channel: ServerChannel, server: ChildProcessByStdio<Writable, Readable, null>): void => {
    let heard = ""
    let session: string | undefined
    let begun = Buffer.alloc(0)
    const isOver = () => server.exitCode !== null || channel.destroyed

    // seldom after a while: hundreds of servers share this process
    const later = (millis: number, again: (millis: number) => void) => {
      setTimeout(() => again(Math.min(2 * millis, 200)), millis)
    }
    const passRest = (rest: Buffer, millis = 5) => {
      if (isOver()) return
      if (session === undefined || !isActive(session)) return later(millis, (next) => passRest(rest, next))
      if (rest.length > 0) server.stdin.write(rest)
      channel.pipe(server.stdin)
    }
    const passHello = (end: number, millis = 5) => {
      if (isOver()) return
      if (session === undefined) return later(millis, (next) => passHello(end, next))
      server.stdin.write(begun.subarray(0, end))
      passRest(begun.subarray(end))
    }
    const first = (bytes: Buffer) => {
      begun = Buffer.concat([begun, bytes])
      const at = begun.indexOf(MARK)
      if (at < 0) return
      channel.off("data", first)
      channel.pause()
      passHello(at + MARK.length)
    }
    channel.on("data", first)
    server.stdout.on("data", (bytes: Buffer) => {
      if (session !== undefined) return
      heard += bytes.toString("utf8")
      session = /<session-id>(\d+)</.exec(heard)?.[1]
    })
    server.stdout.pipe(channel)
  }

  const serve = (channel: ServerChannel): void => {
    const server = spawn(subsystem, [`--ncxserver-sockname=830@${file("socket")}`], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, USER, SSH_CONNECTION: "127.0.0.1 40000 127.0.0.1 830" }
    })
    sessions.add(channel)
    const end = () => {
      sessions.delete(channel)
      server.kill("SIGKILL")
      channel.destroy()
    }
    server.on("error", end).on("exit", end)
    channel.on("close", end).on("error", end)
    server.stdin.on("error", end)
    server.stdout.on("error", end)
    passOn(channel, server)
  }

  yield* Effect.acquireRelease(start, () => kill)
  const server = yield* sshServer({
    authenticate: (context) => (isCut ? context.reject() : context.accept()),
    subsystem: (name, channel) => (name === "netconf" && !isCut ? serve(channel) : void channel.destroy())
  })
  const target: DriverTarget = {
    hostname: "netconf1",
    address: "127.0.0.1",
    port: server.port,
    username: USER,
    password: Redacted.make("sesame"),
    hostKey: { _tag: "accept" }
  }
  return {
    folder,
    port: server.port,
    target,
    start,
    kill,
    /** Its startup configuration. */
    startup: () => readFileSync(file("startup-cfg.xml"), "utf8"),
    log: () => readFileSync(file("log"), "utf8"),
    /** Nobody reaches it, and all sessions are lost, while it continues to run. */
    cut: Effect.sync(() => {
      isCut = true
      for (const channel of sessions) channel.destroy()
    }),
    mend: Effect.sync(() => {
      isCut = false
    })
  }
})

export type Netconfd = Effect.Success<ReturnType<typeof make>>
