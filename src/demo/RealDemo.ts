/**
 * The demo on real routers (`src/fabric`): six blank ones become MANAGED by DHCP, LLDP and SSH, routing comes up and packets cross
 * the fabric, a commit changes their configuration, one that breaks BGP is taken back by a check, and one that locks a router out is
 * rolled back automatically. Fails if a step fails.
 */
import { Console, Effect, Schema } from "effect"
import * as Runtime from "effect/Runtime"
import { cores, dists, routers, usual } from "../fabric/FabricPlan.ts"
import { bgpSessions, macOf, missing, pings, renewLease } from "../fabric/Fabric.ts"
import * as Campus from "./DemoCampus.ts"
import { DemoFailed, type DemoOptions, hold, say, sayFailure, step } from "./DemoApi.ts"
import { build, fabricSettings, OFFICES, type RealSite, serve, withLines } from "./RealSite.ts"

/** The machine cannot run a real fabric; the missing parts were printed. */
class CannotBuild extends Schema.TaggedError<CannotBuild>()("CannotBuild", {}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = 1
}

/** So many packets are sent from host to host. */
const PACKETS = 10

const WAY = ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"]

const typeOf = (name: string) => (cores.includes(name) ? "CORE" : "DIST")

/** The ends of the cables between routers, each as one text whichever end comes first. */
const cables = usual()
  .cables.filter(({ a, b }) => [a, b].every(([node]) => routers.includes(node)))
  .map(({ a, b }) => [a.join(" "), b.join(" ")].toSorted().join(" – "))
  .toSorted()

const deviceOf = ({ api }: RealSite, mac: string) =>
  Effect.map(api.devices(`filter[ztp_mac]=${mac}`), ([device]) => device ?? null)

/** Makes the client renew its lease every so many attempts, so the story need not wait for half of the lease. */
const LOOKS_PER_LEASE = 30

const discover = Effect.fnUntraced(function* (site: RealSite, name: string) {
  const mac = yield* macOf(site.fabric, name)
  let looks = 0
  const look = Effect.gen(function* () {
    const device = yield* deviceOf(site, mac)
    if (device?.state === "DISCOVERED") return device
    if (looks % LOOKS_PER_LEASE === 0) yield* renewLease(site.fabric, name)
    looks += 1
    return null
  })
  const { hostname, id } = yield* site.api.until(`${name} to be DISCOVERED`, look)
  yield* say(`  ${hostname}: DHCP_BOOT → DISCOVERED`)
  return { name, id }
})

const Check = Schema.Struct({ linknets: Schema.optionalKey(Schema.Array(Schema.Unknown)) })

/** Waits until the router sees so many managed neighbours over LLDP. */
const hears = ({ api }: RealSite, id: number, body: unknown, count: number) =>
  api.until(
    `${count} links of device ${id}`,
    Effect.map(Effect.option(api.call("POST", `/device_initcheck/${id}`, body)), (answer) => {
      const data = answer._tag === "Some" ? Schema.decodeUnknownOption(Check)(answer.value.data) : answer
      return data._tag === "Some" && data.value.linknets?.length === count ? true : null
    })
  )

const initialise = Effect.fnUntraced(function* (site: RealSite, { id, name }: { id: number; name: string }) {
  const { api, statesOf } = site
  const body = { hostname: name, device_type: typeOf(name), neighbors: [] }
  if (dists.includes(name)) yield* hears(site, id, body, cores.length)
  const job = yield* api.run(`/device_init/${id}`, body)
  yield* hold(job.next_job_id !== null, `${name} does not become ${typeOf(name)}: ${JSON.stringify(job.result)}`)
  const states = yield* api.until(
    `${name} to be MANAGED`,
    Effect.sync(() => (statesOf(id).at(-1) === "MANAGED" ? statesOf(id) : null))
  )
  yield* hold(states.join() === WAY.join(), `${name} went another way: ${states.join(" → ")}`)
  const [managed] = yield* api.devices(`filter[hostname]=${name}`)
  const ports = yield* site.fabric.run(name, "hostname; ip -br -4 addr show eth0")
  const [shown, addresses = ""] = ports.split("\n")
  yield* hold(shown === name, `${name} calls itself ${shown}`)
  yield* hold(
    addresses.includes(` ${managed?.management_ip}/`) && !addresses.includes(" 10.99.0."),
    `${name} has other addresses: ${addresses}`
  )
  yield* say(`  ${name}: ${states.join(" → ")} on ${managed?.management_ip}`)
})

/** The links of the database are the cables of the plan. */
const compareLinks = Effect.fnUntraced(function* ({ api }: RealSite) {
  const names = new Map((yield* api.devices("per_page=100")).map(({ hostname, id }) => [id, hostname]))
  const found = (yield* api.links)
    .map((link) =>
      [`${names.get(link.device_a_id)} ${link.device_a_port}`, `${names.get(link.device_b_id)} ${link.device_b_port}`]
        .toSorted()
        .join(" – ")
    )
    .toSorted()
  yield* hold(found.join() === cables.join(), `links ${found.join(", ")} instead of ${cables.join(", ")}`)
  yield* say(
    `  ${found.length} links in the database, found by LLDP: exactly the ${cables.length} cables that were plugged`
  )
})

const provision = Effect.fnUntraced(function* (site: RealSite) {
  yield* step("Six blank routers ask for DHCP; the DHCP server calls the hook, and they are discovered over SSH")
  const found = yield* Effect.forEach(routers, (name) => discover(site, name), { concurrency: "unbounded" })
  yield* step("They get name, place and address: two cores, and four distribution routers below them")
  for (const level of [cores, dists]) {
    const routers = found.filter(({ name }) => level.includes(name))
    yield* Effect.forEach(routers, (router) => initialise(site, router), { concurrency: "unbounded" })
  }
  yield* compareLinks(site)
})

/** Fails when a packet is lost. */
const ping = Effect.fnUntraced(function* ({ fabric }: RealSite) {
  const received = yield* pings(fabric, PACKETS)
  yield* hold(received === PACKETS, `${received} of ${PACKETS} packets came through`)
  yield* say(`  host1 → host2: ${received} of ${PACKETS} packets came through`)
})

const allSynchronized = Effect.fnUntraced(function* ({ api }: RealSite) {
  const left = (yield* api.devices("per_page=100")).filter((device) => !device.synchronized)
  yield* hold(left.length === 0, `not synchronized: ${left.map(({ hostname }) => hostname).join(", ")}`)
})

const bringUp = Effect.fnUntraced(function* (site: RealSite) {
  yield* step("First synchronization: the underlay from git, BGP on every cable")
  const diffs = yield* site.api.diffs(yield* site.api.sync(false, { all: true }))
  for (const { diff, hostname } of diffs)
    yield* say(`  ${hostname}: ${diff === "" ? "runs what it should" : "pushed, proved, confirmed"}`)
  yield* allSynchronized(site)
  for (const name of routers) {
    const wanted = cables.filter((cable) => cable.includes(`${name} `)).length
    yield* site.api.until(
      `${wanted} BGP sessions of ${name}`,
      Effect.map(bgpSessions(site.fabric, name), (count) => (count === wanted ? true : null))
    )
    yield* say(`  ${name}: ${wanted} BGP sessions are up`)
  }
  const first = Effect.map(pings(site.fabric, 1), (received) => (received === 1 ? true : null))
  yield* site.api.until("a packet from host to host", first)
  yield* ping(site)
})

const change = Effect.fnUntraced(function* (site: RealSite) {
  const { api, fabric, settings } = site
  yield* step("A commit in the settings repository: one more network in a prefix list")
  const line = OFFICES.replace("seq 5 permit 10.0.0.0/8", "seq 10 permit 172.16.0.0/12")
  yield* Campus.commitFiles(settings, { "fabric/base_system.yml": withLines(line) }, "Add a network of offices")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* step("Dry run: what would change on core1")
  const dry = yield* api.diffs(yield* api.sync(true, { hostname: "core1" }))
  const shown = dry.map(({ diff }) => diff).join("\n")
  yield* say(shown.trimEnd().replaceAll(/^/gm, "    "))
  yield* hold(shown.includes(line), "the difference does not show the new line")
  yield* step("Live run on every router")
  const live = yield* api.diffs(yield* api.sync(false, { all: true }))
  for (const { hostname } of live)
    yield* say(`  ${hostname}: applied under a timer on the router, proved over a new login, confirmed, saved`)
  yield* allSynchronized(site)
  for (const name of routers) {
    const text = yield* fabric.run(name, "vtysh -c 'show running-config' 2>/dev/null; cat /etc/frr/frr.conf")
    yield* hold(text.split(line).length === 3, `${name} does not both run the change and start with it`)
  }
  yield* say(`  all ${routers.length} run it, and would start with it: ${line}`)
  yield* ping(site)
})

// Two commits that break a router: a check takes back the first, and the router itself the second.

const ROUTER = "dist2"
const FILE = `devices/${ROUTER}/base_system.yml`

/** The port of the router to its first core. */
const UPLINK = "swp1"

/** The router's own view: its port, its running and startup configuration, and the end of the last commit. */
const look = ({ fabric }: RealSite) =>
  Effect.all({
    port: fabric.run(ROUTER, "cat /sys/class/net/eth0/operstate"),
    configuration: fabric.run(ROUTER, "vtysh -c 'show running-config no-header' 2>/dev/null; cat /etc/frr/frr.conf"),
    last: fabric.run(ROUTER, "cat /etc/frr/switchyard/last")
  })

/** Shuts down the session with a core. The router accepts it and stays reachable, and packets go over the other core. */
const breakBgp = Effect.fnUntraced(function* (site: RealSite) {
  const { api, fabric, settings, templates } = site
  yield* step("A commit in the templates repository: the ready set of checks for FRRouting")
  yield* Campus.includeChecks(templates, "frr-leaf")
  yield* say(`  ${yield* api.refresh("templates")}`)
  yield* step(`A commit that breaks BGP: it shuts down the session of ${ROUTER} on ${UPLINK}`)
  const { configuration: before } = yield* look(site)
  const [bgp = ""] = /^router bgp \d+$/m.exec(before) ?? []
  yield* hold(bgp !== "", `${ROUTER} does not speak BGP:\n${before}`)
  const shut = withLines(bgp, ` neighbor ${UPLINK} shutdown`, "exit")
  yield* Campus.commitFiles(settings, { [FILE]: shut }, "Shut down a neighbour")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* api.takenBack(ROUTER, "frr-leaf-bgp")
  const { configuration } = yield* look(site)
  yield* hold(configuration === before, "the router does not run, or start with, what it had before")
  yield* api.until(
    `2 BGP sessions of ${ROUTER}`,
    Effect.map(bgpSessions(fabric, ROUTER), (count) => (count === 2 ? true : null))
  )
  yield* say(`  ${ROUTER} was taken back: it runs, and would start with, what it had before; its 2 BGP sessions are up`)
})

const lockOut = Effect.fnUntraced(function* (site: RealSite) {
  const { api, settings } = site
  const before = yield* look(site)
  const shut = withLines("interface eth0", " shutdown", "exit")
  yield* Campus.commitFiles(settings, { [FILE]: shut }, "Shut a port")
  yield* say(`  ${yield* api.refresh("settings")}`)
  const job = yield* api.sync(false, { hostname: ROUTER })
  const [failure] = yield* api.failures(job)
  yield* hold(failure !== undefined, `job ${job.id} says that ${ROUTER} was changed`)
  yield* say(`  job ${job.id} says of ${ROUTER}:\n${failure?.reason.trim().replaceAll(/^ */gm, "    ")}`)
  yield* hold(
    failure?.reason.includes("runs the configuration that it had before") === true,
    "the job does not say what the router runs"
  )
  const after = yield* look(site)
  yield* hold(after.port.trim() === "up", `the management port is ${after.port.trim()}`)
  yield* hold(
    after.configuration === before.configuration,
    "the router does not run, or start with, what it had before"
  )
  yield* hold(/^reverted .* timer$/m.test(after.last), `the router says of the last commit: ${after.last.trim()}`)
  yield* say(
    "  the router says so too: the timer has run out, the port is up, running and startup configuration are the previous ones"
  )
})

const putRight = Effect.fnUntraced(function* ({ api, settings }: RealSite) {
  const [device] = yield* api.devices(`filter[hostname]=${ROUTER}`)
  yield* hold(device?.synchronized === false, `${ROUTER} counts as synchronized`)
  yield* say(`  ${ROUTER} is not synchronized: git asks for something else`)
  yield* Campus.commitFiles(settings, { [FILE]: fabricSettings[FILE] ?? "" }, "Take it back")
  yield* say(`  ${yield* api.refresh("settings")}`)
  yield* api.diffs(yield* api.sync(false, { hostname: ROUTER }))
  const [again] = yield* api.devices(`filter[hostname]=${ROUTER}`)
  yield* hold(again?.synchronized === true, `${ROUTER} is not synchronized`)
  yield* say(`  ${ROUTER}: synchronized`)
})

/** Plays this part. */
const playBreaks = Effect.fn("RealBreaks.play")(function* (site: RealSite) {
  yield* breakBgp(site)
  yield* step("The commit is taken back in git, too")
  yield* putRight(site)
  yield* step(
    `A commit that shuts the management port of ${ROUTER}: it locks us out, and comes back when the timer runs out`
  )
  yield* lockOut(site)
  yield* step("The commit is taken back")
  yield* putRight(site)
})

const play = Effect.fnUntraced(function* (options: DemoOptions) {
  const lacks = missing()
  if (lacks.length > 0) {
    yield* Console.error(lacks.join("\n"))
    return yield* new CannotBuild()
  }
  yield* step(
    "A fabric of six blank routers: FRRouting, lldpd and OpenSSH in namespaces of their own, joined by cables"
  )
  const fabric = yield* build
  yield* say("  The network of this machine is not touched; the demo removes everything at its end")
  yield* step("The server is up in the management network, with an embedded database")
  const site = yield* serve(fabric, options.port)
  yield* say(`  API ${site.url}/api/v1.0, its description ${site.url}/api/doc/`)
  yield* site.api.ready
  yield* provision(site)
  yield* bringUp(site)
  yield* change(site)
  yield* playBreaks(site)
  yield* ping(site)
  yield* step("Everything held")
  if (options.exit) return
  yield* say(`A shell on a router: nsenter -t ${fabric.pid} --net ssh root@10.99.1.0 (password fabric)`)
  yield* say("Serving on. Stop with Ctrl-C.")
  yield* Effect.never
}, Effect.scoped)

/** Plays the demo. Fails with DemoFailed, or with FabricError when a router or the fabric fails. */
export const run = (options: DemoOptions) =>
  play(options).pipe(
    Effect.catchTag("FabricError", ({ message }) => Effect.fail(new DemoFailed({ message }))),
    sayFailure
  )
