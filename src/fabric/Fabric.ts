/**
 * A real fabric as a scoped resource: routers of FRRouting with LLDP and OpenSSH in namespaces of their own, joined by cables.
 * Everything lives below one process of `site.sh`, whose input we hold: when the scope ends, or this process dies, the kernel
 * removes all of it. The machine's network is not touched; a program that talks to the routers runs in the site's network
 * (`inSite`, `startProgram`) or goes through a local port (`reach`).
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createConnection, createServer } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { type FabricPlan, planText } from "./FabricPlan.ts"
import { createInterface } from "node:readline"

const SITE = path.join(import.meta.dirname, "site.sh")
const RELAY = path.join(import.meta.dirname, "relay.mjs")

/** A fabric could not be built, or a command in one of its nodes failed. `output` is the printed text. */
export class FabricError extends Schema.TaggedError<FabricError>()("FabricError", {
  command: Schema.String,
  output: Schema.String
}) {
  override get message(): string {
    return `${this.command}: ${this.output}`
  }
}

/** The address of a local port: in the loopback network, with 0 for any port. */
interface LocalEnd {
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
  /** Ends everything that a node runs at once. Its files are kept. */
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

/** Runs a program to its end. Fails with its output if it does not end with 0. */
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

/** Ends the site's first process, and with it everything; waits until the kernel has removed it. */
const endSite = Effect.fnUntraced(function* (site: ChildProcess) {
  const pid = site.pid === undefined || site.exitCode !== null ? undefined : childOf(site.pid)
  yield* ended(site)
  const isThere = () => pid !== undefined && existsSync(`/proc/${pid}`)
  while (isThere()) yield* Effect.sleep("5 millis")
})

/** Starts the site and waits for its nodes. Detached, it keeps running without us after `leaveSite`. */
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

/** Lets a detached site keep running without us. */
export const leaveSite = (site: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    site.stdin?.end("stay\n", () => resume(Effect.void))
  })

/** The process in the site's network that connects for us; both sides use a socket in the file system. */
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

/** Builds a fabric; it ends with the scope. Fails with FabricError when it cannot be built. */
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

// A program in the network of a site: it has the machine's files, and ends when the scope does or this process dies.

const WHILE_INPUT = path.join(import.meta.dirname, "while-input.sh")

/** Last lines in the error when the program ends too early. */
const LAST_LINES = 30

interface SiteProgram {
  /** Program and arguments. */
  readonly command: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Text in the line that it prints when it is ready. */
  readonly ready: string
  /** Called with every line that it prints. */
  readonly onLine: (line: string) => void
}

const inputEnded = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end()
  })

/** Starts a program and waits until it is ready. Fails with its last lines when it ends before. */
export const startProgram = Effect.fn("Fabric.startProgram")(function* (
  fabric: Fabric,
  { command, env, onLine, ready }: SiteProgram
): Effect.fn.Return<void, FabricError, Scope.Scope> {
  const [program = "", ...words] = fabric.inSite(["sh", WHILE_INPUT, ...command])
  // Ctrl-C reaches only this process: the program ends with its input
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, words, { env, stdio: "pipe", detached: true })),
    inputEnded
  )
  child.stdin.on("error", () => undefined)
  yield* Effect.callback<void, FabricError>((resume) => {
    const last: Array<string> = []
    const listen = (line: string) => {
      if (last.push(line) > LAST_LINES) last.shift()
      onLine(line)
      if (line.includes(ready)) resume(Effect.void)
    }
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", listen)
    child.once("close", () =>
      resume(Effect.fail(new FabricError({ command: command.join(" "), output: last.join("\n") })))
    )
  })
})

// Observations on the nodes of the usual fabric: MAC addresses, BGP sessions, and packets from host to host.

/** The address of the host at the other end of the fabric. */
const FAR_HOST = "10.98.4.2"

const Summary = Schema.fromJsonString(
  Schema.Struct({
    ipv4Unicast: Schema.optionalKey(
      Schema.Struct({ peers: Schema.Record(Schema.String, Schema.Struct({ state: Schema.String })) })
    )
  })
)

/** The MAC address of a node's management port: 12 capital digits. */
export const macOf = (fabric: Fabric, node: string) =>
  Effect.map(fabric.run(node, "cat /sys/class/net/eth0/address"), (text) =>
    text.trim().replaceAll(":", "").toUpperCase()
  )

/** Makes the DHCP client of a node renew its lease. */
export const renewLease = (fabric: Fabric, node: string) =>
  Effect.asVoid(fabric.run(node, "kill -USR1 $(cat /run/udhcpc.pid)"))

/** How many BGP sessions of a router are up. */
export const bgpSessions = Effect.fn("Fabric.bgpSessions")(function* (fabric: Fabric, node: string) {
  const command = "vtysh -c 'show bgp summary json' 2>/dev/null"
  const text = yield* fabric.run(node, command)
  const { ipv4Unicast } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Summary)(text),
    (error) => new FabricError({ command, output: error.message })
  )
  return Object.values(ipv4Unicast?.peers ?? {}).filter(({ state }) => state === "Established").length
})

/** How many of so many packets from the first host to the second, one every 0.2 s, were answered. */
export const pings = (fabric: Fabric, count: number) =>
  Effect.map(fabric.run("host1", `ping -c ${count} -i 0.2 -W 1 ${FAR_HOST} || true`), (said) =>
    Number(/(\d+) received/.exec(said)?.[1] ?? 0)
  )

// Packages and rights that a machine needs for a real fabric, and how to install what is missing.

/** A file of each package that is needed. On Debian the packages have these names; elsewhere similar ones. */
const packages: ReadonlyArray<readonly [name: string, file: string]> = [
  ["frr", "/usr/lib/frr/zebra"],
  ["frr-pythontools", "/usr/lib/frr/frr-reload.py"],
  ["lldpd", "/usr/sbin/lldpd"],
  ["openssh-server", "/usr/sbin/sshd"],
  ["dnsmasq-base", "/usr/sbin/dnsmasq"],
  ["udhcpc", "/usr/sbin/udhcpc"],
  ["iproute2", "/sbin/ip"],
  ["iputils-ping", "/usr/bin/ping"],
  ["util-linux", "/usr/bin/nsenter"],
  ["procps", "/usr/sbin/sysctl"]
]

const inPath = (file: string): boolean =>
  ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].some((folder) => existsSync(path.join(folder, path.basename(file))))

const isThere = (file: string): boolean => existsSync(file) || (!file.includes("/frr/") && inPath(file))

/** Whether this process may make namespaces with links and an overlay in them. */
const mayBuild = (): boolean => {
  const attempt = [
    "mount -t tmpfs fabric /mnt && mkdir /mnt/u /mnt/w /mnt/r &&",
    "mount -t overlay fabric -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r &&",
    "ip link add try0 type veth peer name try1 && ip link add try2 type bridge"
  ].join(" ")
  const flags = ["--mount", "--propagation", "private", "--pid", "--net", "--fork", "sh", "-c", attempt]
  return spawnSync("unshare", flags, { stdio: "ignore" }).status === 0
}

/** The properties of a machine that a fabric depends on. */
interface Machine {
  readonly isLinux: boolean
  readonly isRoot: boolean
  readonly has: (file: string) => boolean
  /** Asked only if nothing else is missing. */
  readonly mayBuild: () => boolean
}

const absentText = (absent: ReadonlyArray<string>): ReadonlyArray<string> =>
  absent.length === 0
    ? []
    : [
        `Missing: ${absent.join(", ")}.`,
        `On Debian: apt-get install --no-install-recommends ${absent.join(" ")} (no service of it has to run)`
      ]

/** Sentences that say what this machine lacks, the last of them how it is installed; empty when nothing is. */
export const missingOn = ({ has, isLinux, isRoot, mayBuild: may }: Machine): ReadonlyArray<string> => {
  if (!isLinux) return ["A real fabric needs Linux."]
  const lacks = [
    ...(isRoot ? [] : ["A real fabric needs root: run it with sudo."]),
    ...absentText(packages.filter(([, file]) => !has(file)).map(([name]) => name))
  ]
  if (lacks.length > 0) return lacks
  return may()
    ? []
    : ["This kernel, or the container around us, does not allow namespaces with an overlay, veth and bridge in them."]
}

/** The same of the machine that this process runs on. */
export const missing = (): ReadonlyArray<string> =>
  missingOn({
    isLinux: process.platform === "linux",
    isRoot: process.getuid?.() === 0,
    has: isThere,
    mayBuild
  })
