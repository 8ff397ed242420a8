/**
 * Real DHCP servers with the configurations of deploy/dhcp and a real DHCP client, in a network namespace of its own: a lease
 * makes a device, a renewal starts its discovery. Needs root, namespaces and the servers; says so where they are missing.
 */
import { assert, layer } from "@effect/vitest"
import { Console, Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { makeFolder } from "./HookProgram.ts"
import { seconds } from "../support/Patience.ts"

const repository = path.resolve(import.meta.dirname, "../..")
const deploy = path.join(repository, "deploy/dhcp")

/** Runs a program; true when it ended well. */
const works = (program: string, ...args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** One end is here, where the server is; the other in the namespace of the client. */
const names = { server: `sys${process.pid}`, client: `syc${process.pid}`, namespace: `switchyard-${process.pid}` }

interface Server {
  readonly name: string
  readonly program: string
  readonly config: string
  readonly arguments: (folder: string) => ReadonlyArray<string>
}

const SERVERS: ReadonlyArray<Server> = [
  {
    name: "dnsmasq",
    program: "dnsmasq",
    config: "dnsmasq.conf",
    arguments: (folder) => ["--keep-in-foreground", "--user=root", "--pid-file", `--conf-file=${folder}/dnsmasq.conf`]
  },
  {
    name: "ISC dhcpd",
    program: "dhcpd",
    config: "dhcpd.conf",
    arguments: (folder) => [
      "-f",
      "-d",
      "-cf",
      `${folder}/dhcpd.conf`,
      "-lf",
      `${folder}/dhcpd.leases`,
      "-pf",
      `${folder}/dhcpd.pid`,
      names.server
    ]
  },
  {
    name: "Kea",
    program: "kea-dhcp4",
    config: "kea-dhcp4.json",
    arguments: (folder) => ["-c", `${folder}/kea-dhcp4.json`]
  }
]

const NEEDED = ["ip", "busybox"]
const probe = `switchyard-probe-${process.pid}`
const allowed = process.getuid?.() === 0 && works("ip", "netns", "add", probe) && works("ip", "netns", "delete", probe)
const missing = NEEDED.filter((program) => !works("which", program))
const installed = SERVERS.filter(({ program }) => works("which", program))

/** A switch that asks, and what it is answered. */
interface Client {
  readonly platform: string
  /** Its vendor class, as switches of the vendor send it. */
  readonly vendorClass: string
  /** Options that it asks for by name or number. */
  readonly wants: ReadonlyArray<string>
  /** What the server must say, in the words of the client's script. */
  readonly told: ReadonlyArray<string>
}

/** A suboption of option 43: its number, its length, its text. */
const suboption = (code: number, text: string): string =>
  Buffer.from([code, text.length, ...Buffer.from(text)]).toString("hex")

const CLIENTS: ReadonlyArray<Client> = [
  {
    platform: "eos",
    vendorClass: "Arista;DCS-7050SX3;4.31.4M",
    wants: ["bootfile"],
    told: ["http://10.0.9.2/templates/eos/dhcp-init.j2"]
  },
  {
    platform: "junos",
    vendorClass: "Juniper-ex3400-48p-NV0218180253",
    wants: ["43", "tftp"],
    told: [suboption(1, "/templates/junos/dhcp-init.j2"), suboption(3, "http"), "tftp=10.0.9.2"]
  }
]

/** Configuration and scripts as a site would install them, with this test's names and paths. */
const install = Effect.fnUntraced(function* (folder: string, api: string) {
  yield* Effect.promise(async () => {
    await fs.cp(deploy, folder, { recursive: true })
    await fs.chmod(folder, 0o755)
    await fs.writeFile(path.join(folder, "dhcpd.leases"), "")
    const hooks = execFileSync("sh", ["-c", "ls /usr/lib/*/kea/hooks/libdhcp_run_script.so 2>/dev/null || true"])
    for (const name of await fs.readdir(folder)) {
      const file = path.join(folder, name)
      const placed = (await fs.readFile(file, "utf8"))
        .replaceAll(
          /\/etc\/switchyard\/|\/usr\/lib\/switchyard\/deploy\/dhcp\/|\/var\/lib\/switchyard-dhcp\//g,
          `${folder}/`
        )
        .replaceAll("/var/lib/kea/", `${folder}/`)
        .replaceAll("/usr/lib/x86_64-linux-gnu/kea/hooks/libdhcp_run_script.so", hooks.toString().trim())
        .replaceAll("eth0", names.server)
      await fs.writeFile(file, placed)
    }
    await fs.writeFile(
      path.join(folder, "dhcp-hook.env"),
      Object.entries({
        SWITCHYARD_URL: api,
        SWITCHYARD_HOOK_LOG: path.join(folder, "hook.log"),
        DATA_DIR: folder
      })
        .map(([name, value]) => `${name}='${value}'\n`)
        .join("")
    )
    await fs.writeFile(
      path.join(folder, "client"),
      '#!/bin/sh\n[ "$1" = bound ] || [ "$1" = renew ] || exit 0\nenv >"$(dirname "$0")/told"\nip address replace "$ip/24" dev "$interface"\n',
      { mode: 0o755 }
    )
  })
  return { PATH: process.env["PATH"] ?? "", KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder }
})

const run = (...args: ReadonlyArray<string>) => Effect.sync(() => execFileSync("ip", args, { stdio: "pipe" }))

/** A cable between this machine (10.0.9.2) and the client's namespace, gone with the scope. */
const cable = Effect.acquireRelease(
  Effect.gen(function* () {
    yield* run("netns", "add", names.namespace)
    yield* run("link", "add", names.server, "type", "veth", "peer", "name", names.client, "netns", names.namespace)
    yield* run("address", "add", "10.0.9.2/24", "dev", names.server)
    yield* run("link", "set", names.server, "up")
    yield* run("-n", names.namespace, "link", "set", names.client, "address", "00:1c:73:00:0d:01")
    yield* run("-n", names.namespace, "link", "set", names.client, "up")
  }),
  () =>
    Effect.sync(() => {
      works("ip", "link", "delete", names.server)
      works("ip", "netns", "delete", names.namespace)
    })
)

/** A program that runs until the scope ends. `output` is what it has printed. */
const background = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] })
      let text = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += String(part)))
      return { child, output: () => text.slice(-4000) }
    }),
    ({ child }) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )

const ask = (folder: string, env: Readonly<Record<string, string>>, { vendorClass, wants }: Client) =>
  background(
    "ip",
    ["netns", "exec", names.namespace, "busybox", "udhcpc", "-f", "-i", names.client].concat([
      "-s",
      `${folder}/client`,
      "-V",
      vendorClass,
      ...wants.flatMap((option) => ["-O", option]),
      "-t",
      "20",
      "-T",
      "1"
    ]),
    env
  )

const deviceOf = Effect.gen(function* () {
  const [device] = yield* (yield* DeviceStore).byHostnames(["mac-001C73000D01"])
  return device
})

/** Asks again until there is something, for as long as the test may take. */
const until = <A, E, R>(look: Effect.Effect<A | undefined, E, R>) =>
  look.pipe(
    Effect.repeat({ until: (found) => found !== undefined, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOption(seconds(60))
  )

const story = Effect.fnUntraced(function* (server: Server, asking: Client) {
  const { base } = yield* ApiClient
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from device`
  yield* sql`delete from job`
  const folder = yield* makeFolder
  const env = yield* install(folder, base)
  yield* cable
  const running = yield* background(server.program, server.arguments(folder), env)
  const client = yield* ask(folder, env, asking)
  yield* until(deviceOf)
  const said = () => `${server.name}, ${asking.platform}: ${running.output()}\nclient: ${client.output()}`
  const device = yield* deviceOf
  assert.deepInclude(device ?? {}, { state: "DHCP_BOOT", platform: asking.platform, device_type: "UNKNOWN" }, said())
  assert.match(device?.dhcp_ip ?? "", /^10\.0\.9\.\d+$/)
  const told = yield* Effect.promise(() => fs.readFile(path.join(folder, "told"), "utf8"))
  for (const words of asking.told) assert.include(told, words, said())
  const discovery = Effect.map(
    sql<{ start_arguments: unknown }>`select start_arguments from job where function_name = 'discover_device'`,
    ([job]) => job
  )
  // a server does not call its script for a renewal within the same second
  const renewals = Effect.repeat(
    Effect.sync(() => client.child.kill("SIGUSR1")),
    Schedule.spaced("1500 millis")
  )
  yield* Effect.raceFirst(until(discovery), Effect.delay(renewals, "1500 millis"))
  const args = { ztp_mac: "001C73000D01", dhcp_ip: device?.dhcp_ip, iteration: 1 }
  assert.deepStrictEqual(yield* discovery, { start_arguments: args }, said())
}, Effect.scoped)

layer(ApiServer(), { excludeTestServices: true })("a lease of a real DHCP server", (it) => {
  it.effect("creates a device, and its renewal starts the discovery", () =>
    Effect.gen(function* () {
      const why = allowed ? missing.concat(installed.length === 0 ? ["a DHCP server"] : []) : ["network namespaces"]
      if (why.length > 0) return yield* Console.log(`Skipped: this machine has no ${why.join(", no ")}`)
      for (const server of SERVERS) {
        if (installed.includes(server)) {
          for (const client of CLIENTS) yield* story(server, client)
        } else yield* Console.log(`Skipped ${server.name}: it is not installed`)
      }
    })
  )
})
