import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { blankRouter, type FabricPlan, LOGIN, siteDhcp, usual } from "../../../src/fabric/FabricPlan.ts"
import * as Campus from "../../support/Campus.ts"
import { dataFolder, ofThisProcess } from "../../support/Program.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { routerSettings, routers } from "./RouterSettings.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (file: string) => fs.readFile(path.join(root, file), "utf8")

const dnsmasq = `port=0
interface=eth0
bind-interfaces
dhcp-authoritative
dhcp-leasefile=/var/lib/switchyard/leases
dhcp-range=tag:frr,10.99.0.100,10.99.0.199,255.255.255.0,300
dhcp-option=3
dhcp-vendorclass=set:frr,FRR
dhcp-option=tag:frr,option:bootfile-name,http://10.99.0.1/templates/frr/dhcp-init.j2
dhcp-script=/etc/switchyard/dnsmasq-lease
script-on-renewal
log-dhcp
log-facility=/var/log/dnsmasq`

const environment = `SWITCHYARD=${root}
SWITCHYARD_NODE=${process.execPath}
SWITCHYARD_URL=http://10.99.0.1:5000
SWITCHYARD_HOOK_LOG=/var/log/hook
DATA_DIR=/var/lib/switchyard`

/** The usual fabric with blank routers, and a DHCP server that calls the hook as a site would install it. */
const plan = Effect.promise(async (): Promise<FabricPlan> => {
  const { cables, nodes } = usual()
  const hook = await read("deploy/frr/udhcpc-lease")
  const inSite = (name: string, text: string) => ({ path: `/etc/switchyard/${name}`, text })
  const dhcp = siteDhcp("10.99.0.2/16", [
    inSite("dnsmasq.conf", dnsmasq),
    inSite("dhcp-hook.env", environment),
    inSite("platform-of", "platform_of() { echo frr; }"),
    inSite("dnsmasq-lease", await read("deploy/dhcp/dnsmasq-lease")),
    inSite("switchyard-lease", await read("deploy/dhcp/switchyard-lease"))
  ])
  return {
    address: "10.99.0.1/16",
    cables,
    nodes: [
      ...routers.map((name) => blankRouter(name, hook)),
      dhcp,
      ...nodes.filter(({ name }) => name.startsWith("host"))
    ]
  }
})

const Reply = Schema.fromJsonString(Schema.Struct({ status: Schema.String, data: Schema.optionalKey(Schema.Unknown) }))
const Devices = Schema.Struct({
  devices: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      hostname: Schema.String,
      state: Schema.String,
      ztp_mac: Schema.NullOr(Schema.String),
      management_ip: Schema.NullOr(Schema.String),
      synchronized: Schema.Boolean
    })
  )
})

const makeApi = (port: number) => {
  const call = (method: string, route: string, body?: unknown) =>
    Effect.promise(async () => {
      const sent =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1.0${route}`, { method, ...sent })
      return { status: answer.status, text: await answer.text() }
    })
  const devices = Effect.gen(function* () {
    const { text } = yield* call("GET", "/devices?per_page=100")
    const { data } = yield* Schema.decodeUnknownEffect(Reply)(text)
    return (yield* Schema.decodeUnknownEffect(Devices)(data)).devices
  })
  return { call, devices }
}

const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("500 millis"), until(condition))
  )

/** The server, in the network of the site. */
const serve = Effect.fnUntraced(function* (fabric: Fabric.Fabric) {
  const folders = yield* Campus.makeFolders
  yield* folders.settings.commit({
    ...routerSettings,
    "global/base_system.yml": "---\ncli_append_str: |\n  ip route 10.99.0.0/24 eth0\n"
  })
  const logins = Object.fromEntries(
    ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"].flatMap((state) => [
      [`USERNAME_${state}`, LOGIN.username],
      [`PASSWORD_${state}`, LOGIN.password]
    ])
  )
  const env = {
    ...ofThisProcess,
    ...Campus.environment({ port: 22 }, folders, yield* dataFolder),
    ...logins,
    HOST: "10.99.0.1",
    ALLOW_OPEN_API: "true",
    PORT: "5000",
    ZTP_HTTP_HOST: "10.99.0.1",
    ZTP_HTTP_PORT: "80",
    SSH_ADDRESS_MAP: "",
    INIT_MGMT_TIMEOUT: timer(20),
    LOG_LEVEL: "Info"
  }
  const [program = "", ...words] = fabric.inSite([process.execPath, path.join(root, "src/main.ts"), "serve"])
  let log = ""
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, words, { env, stdio: ["ignore", "pipe", "pipe"] })
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
      return child
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGTERM")
      })
  )
  yield* until(Effect.sync(() => child.exitCode !== null || log.includes("Listening on http://10.99.0.1:5000")))
  expect(child.exitCode, log).toBeNull()
  return { api: makeApi(yield* fabric.reach("10.99.0.1", 5000)), log: () => log.slice(-6000) }
})

describeReal("six blank routers", () => {
  it.live(
    "become MANAGED by a lease of dnsmasq, LLDP and SSH, and packets cross the fabric",
    () =>
      Effect.gen(function* () {
        const fabric = yield* Fabric.make(yield* plan)
        const { api, log } = yield* serve(fabric)
        for (const name of ["templates", "settings"]) {
          const { status, text } = yield* api.call("PUT", `/repository/${name}`, { action: "REFRESH" })
          expect(status, text).toBe(200)
        }
        const renew = (name: string) => fabric.run(name, "kill -USR1 $(cat /run/udhcpc.pid)")
        const macs = new Map<string, string>()
        for (const name of routers) {
          const mac = yield* fabric.run(name, "cat /sys/class/net/eth0/address")
          macs.set(name, mac.trim().replaceAll(":", "").toUpperCase())
        }
        const deviceOf = (name: string) =>
          Effect.map(api.devices, (all) => all.find(({ ztp_mac }) => ztp_mac === macs.get(name)))
        const inState = (name: string, state: string) => Effect.map(deviceOf(name), (device) => device?.state === state)
        for (const name of routers) {
          yield* until(
            Effect.andThen(
              Effect.andThen(Effect.ignore(renew(name)), Effect.sleep("1 second")),
              inState(name, "DISCOVERED")
            )
          )
        }
        for (const name of routers) {
          yield* until(Effect.map(fabric.run(name, "hostname"), (said) => said.startsWith("mac-")))
        }
        yield* Effect.sleep("4 seconds")
        for (const name of routers) {
          const device = yield* deviceOf(name)
          const body = { hostname: name, device_type: name.startsWith("core") ? "CORE" : "DIST", neighbors: [] }
          const { status, text } = yield* api.call("POST", `/device_init/${device?.id}`, body)
          expect(status, text).toBe(200)
          yield* until(Effect.map(inState(name, "MANAGED"), (is) => is)).pipe(
            Effect.timeoutOrElse({
              duration: "60 seconds",
              orElse: () =>
                Effect.flatMap(api.call("GET", "/jobs?sort=-id&per_page=3"), (jobs) =>
                  Effect.die(new Error(`${name}: ${jobs.text.slice(0, 5000)}\n${log()}`))
                )
            })
          )
          expect((yield* deviceOf(name))?.management_ip).toMatch(/^10\.99\.1\./)
          expect(yield* fabric.run(name, "ip -br -4 addr show eth0; hostname")).not.toContain("10.99.0.")
        }
        const links = yield* api.call("GET", "/linknets")
        expect(links.text.match(/"device_a_port"/g)).toHaveLength(8)
        const { status, text } = yield* api.call("POST", "/device_syncto", { all: true, dry_run: false, resync: true })
        expect(status, text).toBe(200)
        yield* until(Effect.map(api.devices, (all) => all.every(({ synchronized }) => synchronized)))
        yield* until(
          Effect.map(fabric.run("host1", "ping -c 10 -i 0.2 -W 1 10.98.4.2 || true"), (said) =>
            said.includes("10 received")
          )
        )
      }).pipe(Effect.scoped),
    seconds(600)
  )
})
