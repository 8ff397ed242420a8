/**
 * A real fabric as a scoped resource: routers of FRRouting with LLDP and OpenSSH in namespaces of their own, joined by cables.
 * Everything lives below one process of `site.sh`, whose input we hold: when the scope ends, or this process dies, the kernel
 * takes all of it away. The machine's network is never touched; what has to talk to the routers runs in the site's network
 * (`inSite`) or goes through a local port (`reach`).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createConnection, createServer } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema, type Scope } from "effect"
import { type FabricPlan, planText } from "./FabricPlan.ts"
import { ownModule } from "../runtime/OwnModule.ts"

const SITE = path.join(import.meta.dirname, "site.sh")
const RELAY = fileURLToPath(ownModule("./relayMain", import.meta.url))

/** A fabric could not be built, or a command in one of its nodes failed. `output` is what was said. */
export class FabricError extends Schema.TaggedError<FabricError>()("FabricError", {
  command: Schema.String,
  output: Schema.String
}) {
  override get message(): string {
    return `${this.command}: ${this.output}`
  }
}

/** Where a local port listens; an address of the loopback network, and any port for 0. */
export interface LocalEnd {
  readonly address: string
  readonly port: number
}

export interface Fabric {
  /** The process of the site, for `nsenter`. */
  readonly pid: number
  /** Program and arguments that run a command in the site's network, with the machine's files. */
  readonly inSite: (command: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Runs a line of shell in a node and gives what it printed. Waits until the node is up. */
  readonly run: (node: string, line: string) => Effect.Effect<string, FabricError>
  /** Ends everything that a node runs at once. What it has written stays. */
  readonly halt: (node: string) => Effect.Effect<void, FabricError>
  /** Starts a node that was halted. */
  readonly boot: (node: string) => Effect.Effect<void, FabricError>
  /** Pulls out the cable of a node's management port, or puts it in again. */
  readonly pull: (node: string) => Effect.Effect<void, FabricError>
  readonly plug: (node: string) => Effect.Effect<void, FabricError>
  /**
   * A local port that leads to a port of an address in the management network. Without `local` it is any port of 127.0.0.1.
   */
  readonly reach: (address: string, port: number, local?: LocalEnd) => Effect.Effect<number, never, Scope.Scope>
}

const namespaces = ["--mount", "--propagation", "private", "--pid", "--net", "--uts", "--ipc", "--fork"]

/** The only child of a process; undefined while it has none, and when there is no such process. */
export const childOf = (pid: number): number | undefined => {
  const children = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(children)) return undefined
  const [child] = readFileSync(children, "utf8").trim().split(" ")
  return child === undefined || child === "" ? undefined : Number(child)
}

/** Program and arguments that ask `site.sh` of the site with this process. */
export const siteCommand = (pid: number, words: ReadonlyArray<string>): ReadonlyArray<string> => [
  "nsenter",
  "-t",
  String(pid),
  "--mount",
  "--pid",
  "--net",
  "--uts",
  "--ipc",
  "sh",
  SITE,
  ...words
]

/** Runs a program to its end. Fails with what it said when it does not end with 0. */
export const runToEnd = (command: ReadonlyArray<string>): Effect.Effect<string, FabricError> =>
  Effect.callback<string, FabricError>((resume) => {
    const [program = "", ...words] = command
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let complaints = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
    child.on("error", (error) => (complaints += error.message))
    child.on("close", (code) =>
      resume(
        code === 0
          ? Effect.succeed(output)
          : Effect.fail(new FabricError({ command: command.join(" "), output: output + complaints }))
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
    child.kill("SIGKILL")
  })

/** Ends the site's first process, and with it everything; waits until the kernel has taken it all away. */
const endSite = Effect.fnUntraced(function* (site: ChildProcess) {
  const pid = site.pid === undefined || site.exitCode !== null ? undefined : childOf(site.pid)
  yield* ended(site)
  const isThere = () => pid !== undefined && existsSync(`/proc/${pid}`)
  while (isThere()) yield* Effect.sleep("5 millis")
})

/** Starts the site and waits for its nodes. Detached, it goes on without us once `leaveSite` has told it so. */
export const startSite = (plan: FabricPlan, detached = false) =>
  Effect.callback<ChildProcess, FabricError>((resume) => {
    const child = spawn(
      "unshare",
      [...namespaces, "--kill-child", "--mount-proc", "sh", SITE, detached ? "stay" : "init"],
      {
        stdio: ["pipe", "pipe", "pipe"],
        detached
      }
    )
    let said = ""
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      if (/^up$/m.test(said)) resume(Effect.succeed(child))
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.on("error", (error) => resume(Effect.fail(new FabricError({ command: "unshare", output: error.message }))))
    child.on("exit", () => resume(Effect.fail(new FabricError({ command: "site.sh init", output: said }))))
    child.stdin.on("error", () => undefined)
    child.stdin.write(planText(plan))
    return ended(child)
  })

/** Tells a detached site to go on without us; yields when it was told. */
export const leaveSite = (site: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    site.stdin?.end("stay\n", () => resume(Effect.void))
  })

/** The process in the site's network that connects on our behalf; both sides meet at a socket in the file system. */
const startRelay = (pid: number, socket: string) =>
  Effect.callback<ChildProcess, FabricError>((resume) => {
    const words = ["-t", String(pid), "--net", process.execPath, RELAY, socket]
    const child = spawn("nsenter", words, { stdio: ["pipe", "pipe", "inherit"] })
    child.stdout.once("data", () => resume(Effect.succeed(child)))
    child.on("exit", () => resume(Effect.fail(new FabricError({ command: "relay", output: "it ended" }))))
    return ended(child)
  })

const anywhere: LocalEnd = { address: "127.0.0.1", port: 0 }

const localPort = (socket: string, address: string, port: number, local: LocalEnd) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((near) => {
        const far = createConnection(socket)
        far.write(`${address} ${port}\n`)
        near.pipe(far).pipe(near)
        near.on("error", () => far.destroy())
        far.on("error", () => near.destroy())
        near.on("close", () => far.destroy())
        far.on("close", () => near.destroy())
      })
      server.listen(local.port, local.address, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(
    Effect.map((server) => {
      const found = server.address()
      return typeof found === "object" && found !== null ? found.port : 0
    })
  )

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "fabric-"))),
  (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
)

/** Builds a fabric; it is gone when the scope ends. Fails with FabricError when it cannot be built. */
export const make = Effect.fn("Fabric.make")(function* (
  plan: FabricPlan
): Effect.fn.Return<Fabric, FabricError, Scope.Scope> {
  const site = yield* Effect.acquireRelease(startSite(plan), endSite)
  const pid = childOf(site.pid ?? 0)
  if (pid === undefined) return yield* new FabricError({ command: "site.sh init", output: "it ended" })
  const socket = path.join(yield* folder, "relay")
  yield* Effect.acquireRelease(startRelay(pid, socket), ended)
  const ask = (...words: ReadonlyArray<string>) => runToEnd(siteCommand(pid, words))
  return {
    pid,
    inSite: (command) => ["nsenter", "-t", String(pid), "--net", ...command],
    run: (node, line) => ask("enter", node, "sh", "-c", line),
    halt: (node) => Effect.asVoid(ask("halt", node)),
    boot: (node) => Effect.asVoid(ask("boot", node)),
    pull: (node) => Effect.asVoid(ask("pull", node)),
    plug: (node) => Effect.asVoid(ask("plug", node)),
    reach: (address, port, local = anywhere) => localPort(socket, address, port, local)
  }
})
