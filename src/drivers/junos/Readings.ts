/**
 * Readings of the state of a device, which checks compare before and after a change (docs/switch-dialogues.md#readings): pure functions
 * from its answers, and the questions. Each names the first table or deciding field that is missing; other fields that are missing are
 * null.
 */
import { Effect, Result } from "effect"
import type { Question, Reading, ReadingItem, ReadingItems, ReadingKind } from "../../domain/checks/Readings.ts"
import { junos as platform } from "../../domain/platforms/junos/Platform.ts"
import { compareNames } from "../../domain/platforms/Platforms.ts"
import { NotOffered, type ReadError } from "../DriverErrors.ts"
import { type Element, findAll, textOf } from "../netconf/Xml.ts"
import { collect, countsOf, type Found, inOrder, type Items, neighbourItems, stateOf } from "../ReadingItems.ts"
import type { ReadingVerbs } from "../Verbs.ts"
import {
  firstText,
  isIdle,
  type Junos,
  numberIn,
  partsOf,
  portOf,
  show,
  showIfKnown,
  textAt,
  unexpected
} from "./Answers.ts"
import { errorsIn, portsIn } from "./Interfaces.ts"
import { arpTable, lldp, macTable } from "./Neighbours.ts"

/** The instance to which belongs what is in no other. */
const MAIN = "default"

const instanceOf = (name: string | null): string => (name === null || name === "master" ? MAIN : name)

/** The elements of a list, or that the answer has no such list. */
const listed = (answer: Element, list: string, entry: string): Found<ReadonlyArray<Element>> => {
  const lists = partsOf(answer, list)
  return lists.length === 0 && !isIdle(answer)
    ? Result.fail(`it gives no ${list}`)
    : Result.succeed(lists.flatMap(({ element }) => findAll(element, entry)))
}

const present = (text: string | null, field: string): Found<string> =>
  text === null ? Result.fail(`it gives no ${field}`) : Result.succeed(text)

// Protocols.

/** An autonomous system, also in the notation with a dot. */
const asnOf = (text: string | null): number | null => {
  const [, high = "", low] = /^(\d+)(?:\.(\d+))?$/.exec(text ?? "") ?? []
  if (high === "") return null
  return low === undefined ? Number(high) : Number(high) * 65_536 + Number(low)
}

const prefixesOf = (peer: Element): number | null => {
  const counts = findAll(peer, "bgp-rib").flatMap((rib) => numberIn(textAt(rib, "received-prefix-count")) ?? [])
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
}

/** From `get-bgp-neighbor-information`. An address has its port behind it while the session is up. */
export const bgpOf = (answer: Element): Items<"bgp"> =>
  Result.flatMap(listed(answer, "bgp-information", "bgp-peer"), (peers) =>
    collect(
      peers.map((peer) => {
        const vrf = instanceOf(firstText(peer, "peer-cfg-rti", "peer-fwd-rti"))
        const state = Result.map(present(textAt(peer, "peer-state"), "peer-state"), stateOf)
        return [
          `${vrf} ${textOf(peer, "peer-address").replace(/\+\d+$/, "")}`,
          Result.map(state, (found) => ({
            state: found,
            is_established: found === "established",
            prefixes_received: prefixesOf(peer),
            asn: asnOf(textAt(peer, "peer-as"))
          }))
        ]
      })
    )
  )

const showsOspf = (answer: Element): boolean =>
  ["ospf-neighbor-information-all", "ospf-neighbor-information"].some((list) => partsOf(answer, list).length > 0)

/** From `get-ospf-neighbor-information` of all instances, or of the main one. */
export const ospfOf = (answer: Element): Items<"ospf"> => {
  const instances = findAll(answer, "ospf-instance-neighbor").map(
    (one) => [instanceOf(textAt(one, "ospf-instance-name")), one] as const
  )
  const lists = partsOf(answer, "ospf-neighbor-information").map(({ element }) => [MAIN, element] as const)
  if (!showsOspf(answer) && !isIdle(answer)) return Result.fail("it gives no ospf-neighbor-information")
  return collect(
    [...instances, ...lists].flatMap(([vrf, list]) =>
      findAll(list, "ospf-neighbor").map((neighbour) => {
        const on = portOf(textOf(neighbour, "interface-name"))
        const state = Result.map(present(textAt(neighbour, "ospf-neighbor-state"), "ospf-neighbor-state"), stateOf)
        return [
          `${vrf} ${textOf(neighbour, "neighbor-id")} ${on}`,
          Result.map(state, (found) => ({ state: found, is_full: found === "full" }))
        ] as const
      })
    )
  )
}

/** The table of an instance for one version of IP, such as `inet.0` and `students.inet6.0`. */
const routeTable = /^(?:(.+)\.)?inet(6?)\.0$/

const PROTOCOLS: Readonly<Record<string, string>> = { direct: "connected", local: "local", ospf3: "ospf" }

/** Protocols that have a count also without a route, so that the loss of the last one shows. */
const ALWAYS = ["connected", "static", "bgp", "ospf"]

/** From `get-route-summary-information`: active routes. */
export const routesOf = (answer: Element): Items<"routes"> =>
  Result.map(listed(answer, "route-summary-information", "route-table"), (found) => {
    const counts = new Map<string, number>()
    for (const table of found) {
      const name = routeTable.exec(textOf(table, "table-name"))
      if (name === null) continue
      const [, instance = MAIN, six] = name
      const nameFor = (protocol: string) => `${instance} ${protocol}${six === "" ? "" : " ipv6"}`
      for (const protocol of ALWAYS) counts.set(nameFor(protocol), counts.get(nameFor(protocol)) ?? 0)
      for (const protocol of findAll(table, "protocols")) {
        const shown = textOf(protocol, "protocol-name").toLowerCase()
        const key = nameFor(PROTOCOLS[shown] ?? shown)
        const count = numberIn(firstText(protocol, "active-route-count", "protocol-route-count")) ?? 0
        counts.set(key, (counts.get(key) ?? 0) + count)
      }
    }
    return inOrder([...counts].map(([name, count]) => [name, { count }] as const))
  })

// Ports.

/** From `get-interface-information`. */
export const upStatesOf = (answer: Element): Items<"interfaces"> => {
  const ports = portsIn(answer)
  if (ports === null) return Result.fail("it gives no interface-information")
  return collect(
    ports.map(([name, port]) => {
      const admin = textAt(port, "admin-status")
      return [
        name,
        Result.map(present(textAt(port, "oper-status"), "oper-status"), (up) => ({
          is_up: up.toLowerCase() === "up",
          is_enabled: admin === null ? null : admin.toLowerCase() === "up"
        }))
      ] as const
    })
  )
}

/** From the extensive form: ports that count errors. */
export const errorsOf = (answer: Element): Items<"errors"> => {
  const ports = portsIn(answer)
  if (ports === null) return Result.fail("it gives no interface-information")
  return Result.succeed(
    inOrder(
      ports.flatMap(([name, port]) => {
        const counted = errorsIn(port)
        if (counted === null) return []
        const total = Object.values(counted).reduce<number>((sum, count) => sum + (count ?? 0), 0)
        const { in: in_errors, in_discards, out: out_errors, out_discards } = counted
        return [[name, { in_errors, out_errors, in_discards, out_discards, total }] as const]
      })
    )
  )
}

/** From `get-lacp-interface-information`; a bundle without LACP is not in it. */
export const portChannelsOf = (answer: Element): Items<"port_channels"> => {
  const bundles = findAll(answer, "lacp-interface-information")
  const isShown = bundles.length > 0 || findAll(answer, "lacp-interface-information-list").length > 0
  if (!isShown && !isIdle(answer)) return Result.fail("it gives no lacp-interface-information")
  return Result.succeed(
    inOrder(
      bundles.flatMap((bundle) => {
        const name = findAll(bundle, "aggregate-name")[0]?.text.trim() ?? ""
        const links = findAll(bundle, "lag-lacp-protocol")
        const namesOf = (some: ReadonlyArray<Element>) =>
          some.map((link) => textOf(link, "name")).toSorted(compareNames)
        // `Collecting distributing`, and not `Collecting` alone
        const active = links.filter((link) => /distributing/i.test(textOf(link, "lacp-mux-state")))
        return name === "" ? [] : [[name, { members: namesOf(links), active: namesOf(active) }] as const]
      })
    )
  )
}

// The box.

const fine = /^(?:ok|online|good)$/i
/** An empty place is no fault. */
const isEmpty = (status: string): boolean => /^(?:absent|empty)$/i.test(status)

const valueOf = (item: Element): number | null => {
  const temperature = item.children.find(({ name }) => name === "temperature")
  return numberIn(temperature?.attributes.get("celsius") ?? null) ?? numberIn(temperature?.text.trim() ?? null)
}

/** From `get-environment-information`; of several members each with its name before its parts. */
export const environmentOf = (answer: Element): Items<"environment"> => {
  const lists = partsOf(answer, "environment-information")
  if (lists.length === 0) return Result.fail("it gives no environment-information")
  const items = lists.flatMap(({ element, engine }) =>
    findAll(element, "environment-item").flatMap(
      (item): ReadonlyArray<readonly [string, ReadingItem<"environment">]> => {
        const status = textOf(item, "status")
        if (status === "" || isEmpty(status)) return []
        const name = `${engine} ${textOf(item, "name")}`.trim()
        return [[name, { ok: fine.test(status), state: status.toLowerCase(), value: valueOf(item) }]]
      }
    )
  )
  // a part may be listed for its temperature and for its power: what is wrong with it counts
  return Result.succeed(inOrder([...items.filter(([, { ok }]) => ok), ...items.filter(([, { ok }]) => !ok)]))
}

// The questions.

/**
 * What a device says that does not run a protocol, because its configuration does not ask for it. A daemon that does not run for
 * another reason says something else, which is an error.
 */
const notNeeded: Readonly<Record<"bgp" | "ospf" | "port_channels", RegExp>> = {
  bgp: /^bgp (?:instance )?is not running/i,
  ospf: /^ospf instance is not running/i,
  port_channels: /^lacp subsystem not running - not needed by configuration/i
}

/** The answer of a device; null if it does not run the protocol. */
const ifNeeded = (reads: keyof typeof notNeeded, answer: Effect.Effect<Element, ReadError>) => {
  const isNotNeeded = (text: string) => notNeeded[reads].test(text.trim())
  return answer.pipe(
    Effect.map((element) => (findAll(element, "output").some(({ text }) => isNotNeeded(text)) ? null : element)),
    Effect.catchTag("CommandRejected", (rejected) =>
      isNotNeeded(rejected.message) ? Effect.succeed(null) : Effect.fail(rejected)
    )
  )
}

const cleared = <Kind extends ReadingKind>(
  junos: Junos,
  reads: Kind,
  question: Parameters<typeof show>[1],
  answer: Effect.Effect<Element | null, ReadError>,
  read: (answer: Element) => Items<Kind>
) =>
  Effect.flatMap(answer, (element) => {
    if (element === null) return Effect.succeed({ reads, items: inOrder<ReadingItem<Kind>>([]) })
    const items = read(element)
    return Result.isFailure(items)
      ? Effect.fail(unexpected(junos, question, items.failure))
      : Effect.succeed({ reads, items: items.success })
  })

const reading = <Kind extends ReadingKind>(reads: Kind, items: Effect.Effect<ReadingItems<Kind>, ReadError>) =>
  Effect.map(items, (found) => ({ reads, items: found }))

/** A device that does not run the protocol has no list; nor has a release without an answer for all instances. */
const ospf = (junos: Junos) =>
  Effect.flatMap(showIfKnown(junos, "get-ospf-neighbor-information", [["instance", "all"]]), (answer) =>
    answer === null || !showsOspf(answer) ? show(junos, "get-ospf-neighbor-information") : Effect.succeed(answer)
  )

const ask = (junos: Junos, question: Question): Effect.Effect<Reading, ReadError> | undefined => {
  const from = <Kind extends ReadingKind>(
    reads: Kind,
    asked: Parameters<typeof show>[1],
    read: (answer: Element) => Items<Kind>,
    options?: Parameters<typeof show>[2]
  ) => cleared(junos, reads, asked, show(junos, asked, options), read)
  const ifRunning = <Kind extends keyof typeof notNeeded>(
    reads: Kind,
    asked: Parameters<typeof show>[1],
    read: (answer: Element) => Items<Kind>,
    answer = show(junos, asked)
  ) => cleared(junos, reads, asked, ifNeeded(reads, answer), read)
  switch (question.reads) {
    case "neighbours":
      return reading("neighbours", Effect.map(lldp(junos), neighbourItems))
    case "interfaces":
      return from("interfaces", "get-interface-information", upStatesOf, ["terse"])
    case "bgp":
      return ifRunning("bgp", "get-bgp-neighbor-information", bgpOf)
    case "ospf":
      return ifRunning("ospf", "get-ospf-neighbor-information", ospfOf, ospf(junos))
    case "routes":
      return from("routes", "get-route-summary-information", routesOf)
    case "port_channels":
      return ifRunning("port_channels", "get-lacp-interface-information", portChannelsOf)
    case "errors":
      return from("errors", "get-interface-information", errorsOf, ["extensive"])
    case "macs":
      return reading(
        "macs",
        Effect.map(macTable(junos), ({ entries }) => countsOf(entries.map(({ vlan }) => String(vlan ?? "untagged"))))
      )
    case "arp":
      return reading(
        "arp",
        Effect.map(arpTable(junos), (entries) => countsOf(entries.map((entry) => entry.interface)))
      )
    case "environment":
      return from("environment", "get-environment-information", environmentOf)
    default:
      return undefined
  }
}

/** The verbs on this device. */
export const readingVerbs = (junos: Junos): ReadingVerbs => ({
  kinds: new Set(platform.capabilities?.reads),
  read: (question) =>
    ask(junos, question) ?? new NotOffered({ hostname: junos.target.hostname, verbs: `readings of ${question.reads}` })
})
