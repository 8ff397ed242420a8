/**
 * Readings of the state of a Linux switch (docs/frr.md#readings): from FRRouting for its protocols, from the kernel for ports and
 * addresses. A daemon that does not run is an error: whether it was never started or has crashed cannot be seen.
 */
import { Effect, Result, Schema } from "effect"
import type {
  PingQuestion,
  Question,
  Reading,
  ReadingItem,
  ReadingItems,
  ReadingKind
} from "../../domain/checks/Readings.ts"
import { frr } from "../../domain/platforms/frr/Platform.ts"
import { CommandRejected, NotOffered, type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import { collect, countsOf, inOrder, type Items, neighbourItems, pingOf, stateOf } from "../ReadingItems.ts"
import type { ReadingVerbs } from "../Verbs.ts"
import { quoted, readJson, type Remote } from "./Answers.ts"
import { need } from "./Dialect.ts"
import { nameOf } from "./Facts.ts"
import { arpTable, lldp, macTable } from "./Neighbours.ts"

const vtysh = (command: string): string => `vtysh -c ${quoted(command)}`

// Protocols. FRR shows more fields than these, and other ones in each release.

const Peer = Schema.Struct({
  state: Schema.String,
  remoteAs: Schema.optionalKey(Schema.Finite),
  pfxRcd: Schema.optionalKey(Schema.Finite)
})
const Family = Schema.Struct({ peers: Schema.optionalKey(Schema.Record(Schema.String, Peer)) })

/** By VRF and address family. */
export const BgpSummary = Schema.Record(Schema.String, Schema.Record(Schema.String, Family))

/** A neighbour of several address families is one session with all its prefixes. */
export const bgpOf = (shown: typeof BgpSummary.Type): ReadingItems<"bgp"> => {
  const items = new Map<string, ReadingItem<"bgp">>()
  for (const [vrf, families] of Object.entries(shown)) {
    for (const { peers = {} } of Object.values(families)) {
      for (const [neighbour, { pfxRcd = null, remoteAs = null, state }] of Object.entries(peers)) {
        const known = items.get(`${vrf} ${neighbour}`)?.prefixes_received ?? null
        items.set(`${vrf} ${neighbour}`, {
          state: stateOf(state),
          is_established: stateOf(state) === "established",
          prefixes_received: pfxRcd === null ? known : (known ?? 0) + pfxRcd,
          asn: remoteAs
        })
      }
    }
  }
  return inOrder(items)
}

const Neighbour = Schema.Struct({
  converged: Schema.optionalKey(Schema.String),
  nbrState: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  ifaceName: Schema.String
})

/** By VRF, and by router id. */
export const OspfNeighbours = Schema.Record(
  Schema.String,
  Schema.Struct({ neighbors: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Neighbour))) })
)

/** An interface is shown with its address behind it. */
export const ospfOf = (shown: typeof OspfNeighbours.Type): Items<"ospf"> =>
  collect(
    Object.entries(shown).flatMap(([vrf, { neighbors = {} }]) =>
      Object.entries(neighbors).flatMap(([routerId, entries]) =>
        entries.map(({ converged, ifaceName, nbrState, state }) => {
          const told = converged ?? nbrState ?? state
          const item =
            told === undefined
              ? Result.fail("it gives no nbrState")
              : Result.succeed({ state: stateOf(told), is_full: stateOf(told) === "full" })
          return [`${vrf} ${routerId} ${ifaceName.replace(/:.*$/, "")}`, item] as const
        })
      )
    )
  )

export const RouteSummary = Schema.Struct({
  routes: Schema.Array(Schema.Struct({ type: Schema.String, rib: Schema.Finite }))
})

const PROTOCOLS: Readonly<Record<string, string>> = { ebgp: "bgp", ibgp: "bgp", ospf6: "ospf" }

/** Protocols that have a count also without a route, so that the loss of the last one shows. */
const ALWAYS = ["connected", "static", "bgp", "ospf"]

/** Routes of one VRF; `family` stands behind the names. */
export const routesOf = (
  vrf: string,
  { routes }: typeof RouteSummary.Type,
  family: "" | " ipv6"
): ReadingItems<"routes"> => {
  const counts = new Map(ALWAYS.map((protocol) => [`${vrf} ${protocol}${family}`, { count: 0 }]))
  for (const { rib, type } of routes) {
    const name = `${vrf} ${PROTOCOLS[type] ?? type}${family}`
    counts.set(name, { count: (counts.get(name)?.count ?? 0) + rib })
  }
  return inOrder(counts)
}

const Vrfs = Schema.Array(Schema.Struct({ name: Schema.String }))

const routes = Effect.fnUntraced(function* (remote: Remote) {
  yield* need(remote, "vtysh", "ip")
  const vrfs = yield* readJson(remote, "ip -json vrf show", Vrfs)
  const items: Record<string, ReadingItem<"routes">> = {}
  for (const vrf of ["default", ...vrfs.map(({ name }) => name)]) {
    const within = vrf === "default" ? "" : `vrf ${vrf} `
    for (const [word, family] of [
      ["ip", ""],
      ["ipv6", " ipv6"]
    ] as const) {
      const shown = yield* readJson(remote, vtysh(`show ${word} route ${within}summary json`), RouteSummary)
      Object.assign(items, routesOf(vrf, shown, family))
    }
  }
  return items
})

// Ports and the machine.

const Counted = Schema.Struct({ errors: Schema.optionalKey(Schema.Finite), dropped: Schema.optionalKey(Schema.Finite) })

export const CountedLinks = Schema.Array(
  Schema.Struct({
    ifname: Schema.String,
    flags: Schema.Array(Schema.String),
    stats64: Schema.optionalKey(Schema.Struct({ rx: Counted, tx: Counted }))
  })
)
type CountedLinks = typeof CountedLinks.Type

const isPort = (name: string): boolean => !name.includes(".")

export const interfacesOf = (links: CountedLinks): ReadingItems<"interfaces"> =>
  inOrder(
    links
      .map(({ flags, ifname }) => {
        const isEnabled = flags.includes("UP")
        return [nameOf(ifname), { is_up: isEnabled && flags.includes("LOWER_UP"), is_enabled: isEnabled }] as const
      })
      .filter(([name]) => isPort(name))
  )

export const errorsOf = (links: CountedLinks): ReadingItems<"errors"> =>
  inOrder(
    links.flatMap(({ ifname, stats64 }) => {
      if (stats64 === undefined || !isPort(nameOf(ifname)) || ifname === "lo") return []
      const counts = {
        in_errors: stats64.rx.errors ?? null,
        out_errors: stats64.tx.errors ?? null,
        in_discards: stats64.rx.dropped ?? null,
        out_discards: stats64.tx.dropped ?? null
      }
      const total = Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0)
      return [[nameOf(ifname), { ...counts, total }] as const]
    })
  )

/** Processes that make a Linux machine a router. */
const DAEMONS =
  /^(?:watchfrr|zebra|mgmtd|bgpd|ospfd|ospf6d|isisd|ripd|ripngd|staticd|bfdd|pimd|ldpd|vrrpd|eigrpd|pathd|lldpd|sshd)$/

/** From `ps`: of several processes with a name the oldest counts. */
export const processesOf = (shown: string): Items<"processes"> => {
  const items = new Map<string, { readonly uptime: number }>()
  for (const line of shown.split("\n")) {
    const [name = "", seconds = ""] = line.trim().split(/\s+/)
    if (!DAEMONS.test(name) || !/^\d+$/.test(seconds)) continue
    items.set(name, { uptime: Math.max(items.get(name)?.uptime ?? 0, Number(seconds)) })
  }
  return items.size === 0 ? Result.fail("it lists no daemon of FRRouting") : Result.succeed(inOrder(items))
}

const PS = "ps -eo comm=,etimes="
const LINKS = "ip -json -stats link show"

const clear = <Kind extends ReadingKind>(remote: Remote, command: string, items: Items<Kind>) =>
  Result.isFailure(items)
    ? new UnexpectedAnswer({
        hostname: remote.target.hostname,
        command,
        message: `the answer to "${command}" is not understood: ${items.failure}`
      })
    : Effect.succeed(items.success)

/** Seconds that a packet may take. */
const PER_PACKET = 2

/** The exit code of ping says whether something came back; a host without a route has no counts. */
const ping = Effect.fnUntraced(function* (remote: Remote, question: PingQuestion) {
  const { count, source, to, vrf } = question
  const words = [
    ...(vrf === undefined || vrf === "default" ? [] : ["ip", "vrf", "exec", quoted(vrf)]),
    `ping -n -q -c ${count} -W ${PER_PACKET}`,
    ...(source === undefined ? [] : ["-I", quoted(source)]),
    quoted(to)
  ]
  const command = words.join(" ")
  const { code, complaints, output } = yield* remote.run(command, {
    seconds: remote.timeouts.show + PER_PACKET * count
  })
  const said = `${output}\n${complaints}`
  if (code > 1 && !/unreachable/i.test(said)) {
    const message = complaints.trim() === "" ? `it ended with ${code}` : complaints.trim()
    return yield* new CommandRejected({ hostname: remote.target.hostname, command, message })
  }
  return yield* clear(remote, command, pingOf(said, question))
})

const reading = <Kind extends ReadingKind>(reads: Kind, items: Effect.Effect<ReadingItems<Kind>, ReadError>) =>
  Effect.map(items, (found) => ({ reads, items: found }))

const links = (remote: Remote) => Effect.andThen(need(remote, "ip"), readJson(remote, LINKS, CountedLinks))

const bgp = "show bgp vrf all summary json"
const ospf = "show ip ospf vrf all neighbor json"

const ask = (remote: Remote, question: Question): Effect.Effect<Reading, ReadError> | undefined => {
  switch (question.reads) {
    case "neighbours":
      return reading("neighbours", Effect.map(lldp(remote), neighbourItems))
    case "interfaces":
      return reading("interfaces", Effect.map(links(remote), interfacesOf))
    case "bgp":
      return reading("bgp", Effect.map(readJson(remote, vtysh(bgp), BgpSummary), bgpOf))
    case "ospf":
      return reading(
        "ospf",
        Effect.flatMap(readJson(remote, vtysh(ospf), OspfNeighbours), (shown) => clear(remote, ospf, ospfOf(shown)))
      )
    case "routes":
      return reading("routes", routes(remote))
    case "errors":
      return reading("errors", Effect.map(links(remote), errorsOf))
    case "macs":
      return reading(
        "macs",
        Effect.map(macTable(remote), ({ entries }) => countsOf(entries.map(({ vlan }) => String(vlan ?? "untagged"))))
      )
    case "arp":
      return reading(
        "arp",
        Effect.map(arpTable(remote), (entries) => countsOf(entries.map((entry) => entry.interface)))
      )
    case "processes":
      return reading(
        "processes",
        Effect.flatMap(remote.query(PS), (shown) => clear(remote, PS, processesOf(shown)))
      )
    case "ping":
      return reading("ping", ping(remote, question))
    default:
      return undefined
  }
}

/** The verbs on this switch. */
export const readingVerbs = (remote: Remote): ReadingVerbs => ({
  kinds: new Set(frr.capabilities?.reads),
  read: (question) =>
    ask(remote, question) ??
    new NotOffered({ hostname: remote.target.hostname, verbs: `readings of ${question.reads}` })
})
