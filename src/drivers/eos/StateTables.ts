/**
 * Readings of the state of a switch from its answers (docs/switch-dialogues.md#eos-readings), as pure functions. Each names the first
 * table or deciding field that is missing; other fields that are missing are null.
 */
import { Result } from "effect"
import { logSeverities, type ReadingItem, type ReadingItems } from "../../domain/checks/Readings.ts"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import { compareNames, longName } from "../../domain/platforms/Platforms.ts"
import { collect, type Found, inOrder, type Items, stateOf } from "../ReadingItems.ts"
import { maskSecrets } from "../SecretMask.ts"
import { isObject, type Json, type Names, numberIn, objectIn, textIn } from "./Answers.ts"

const portName = (shown: string): string => longName(eos.name, shown.trim())

const present = <A>(value: A | null, [name]: Names): Found<A> =>
  value === null ? Result.fail(`it gives no ${name}`) : Result.succeed(value)

const table = (shown: Json, names: Names): Found<Json> => present(objectIn(shown, names), names)

const objectsIn = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, Json]> =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, entry]) => (isObject(entry) ? [[name, entry] as const] : []))
    : []

const NAMES = {
  vrfs: ["vrfs"],
  bgpState: ["peerState"],
  bgpAs: ["peerAsn", "asn"],
  adjacency: ["adjacencyState"],
  mlagState: ["state"],
  protocol: ["lineProtocolStatus"],
  root: ["rootBridge"]
} as const satisfies Record<string, Names>

// BGP, OSPF and routes, of all VRFs.

/** A number of an autonomous system, also in the notation with a dot. */
const asnIn = (peer: Json): number | null => {
  const shown = textIn(peer, NAMES.bgpAs) ?? String(numberIn(peer, NAMES.bgpAs) ?? "")
  const [high = "", low] = shown.split(".")
  if (!/^\d+(?:\.\d+)?$/.test(shown)) return null
  return low === undefined ? Number(high) : Number(high) * 65_536 + Number(low)
}

/** Of all address families; a release without them counts IPv4 alone. */
const prefixesIn = (peer: Json): number | null => {
  const families = Object.values(peer).flatMap((family) =>
    isObject(family) ? [numberIn(family, ["nlrisReceived", "prefixReceived"]) ?? 0] : []
  )
  return families.length === 0
    ? numberIn(peer, ["prefixReceived", "prefixAccepted"])
    : families.reduce((sum, received) => sum + received, 0)
}

/** From `show bgp summary vrf all`, or the same of IPv4. */
export const bgpOf = (shown: Json): Items<"bgp"> =>
  Result.flatMap(table(shown, NAMES.vrfs), (vrfs) =>
    collect(
      entriesOf(vrfs).flatMap(([vrf, { peers }]) =>
        entriesOf(peers).map(([neighbour, peer]) => [
          `${vrf} ${neighbour}`,
          Result.map(present(textIn(peer, NAMES.bgpState), NAMES.bgpState), (state) => ({
            state: stateOf(state),
            is_established: stateOf(state) === "established",
            prefixes_received: prefixesIn(peer),
            asn: asnIn(peer)
          }))
        ])
      )
    )
  )

/** From `show ip ospf neighbor`. */
export const ospfOf = (shown: Json): Items<"ospf"> =>
  Result.flatMap(table(shown, NAMES.vrfs), (vrfs) =>
    collect(
      entriesOf(vrfs).flatMap(([vrf, { instList }]) =>
        entriesOf(instList)
          .flatMap(([, { ospfNeighborEntries }]) => objectsIn(ospfNeighborEntries))
          .map((entry) => [
            `${vrf} ${textIn(entry, ["routerId"]) ?? "?"} ${portName(textIn(entry, ["interfaceName"]) ?? "?")}`,
            Result.map(present(textIn(entry, NAMES.adjacency), NAMES.adjacency), (state) => ({
              state: stateOf(state),
              is_full: stateOf(state) === "full"
            }))
          ])
      )
    )
  )

/** A protocol, its number of routes, and the object around that number. */
const counters: ReadonlyArray<readonly [protocol: string, around: string | null, count: string]> = [
  ["connected", null, "connected"],
  ["static", null, "static"],
  ["rip", null, "rip"],
  ["bgp", "bgpCounts", "bgpTotal"],
  ["ospf", "ospfCounts", "ospfTotal"],
  ["ospf", "ospfv3Counts", "ospfv3Total"],
  ["isis", "isisCounts", "isisTotal"]
]

const routesIn = (
  vrf: string,
  found: Json,
  family: string
): ReadonlyArray<readonly [string, Found<{ count: number }>]> => {
  const counts = new Map<string, number>()
  for (const [protocol, around, count] of counters) {
    const number = numberIn(around === null ? found : (objectIn(found, [around]) ?? {}), [count])
    if (number !== null) counts.set(protocol, (counts.get(protocol) ?? 0) + number)
  }
  if (counts.size === 0) return [[vrf, Result.fail("it counts no routes")]]
  return [...counts].map(([protocol, count]) => [`${vrf} ${protocol}${family}`, Result.succeed({ count })])
}

/** From `show ip route vrf all summary`, or the same of IPv6; `family` stands behind the names. */
export const routesOf = (shown: Json, family: "" | " ipv6" = ""): Items<"routes"> =>
  Result.flatMap(table(shown, NAMES.vrfs), (vrfs) =>
    collect(entriesOf(vrfs).flatMap(([vrf, found]) => routesIn(vrf, found, family)))
  )

// Redundancy: MLAG, VRRP, port-channels, spanning tree.

/** From `show mlag`; no items where it is disabled. */
export const mlagOf = (shown: Json): Items<"mlag"> =>
  Result.map(present(textIn(shown, NAMES.mlagState), NAMES.mlagState), (state): ReadingItems<"mlag"> => {
    if (/^disabled/i.test(state) && textIn(shown, ["domainId"]) === null) return {}
    const link = textIn(shown, ["peerLinkStatus"])
    const sanity = textIn(shown, ["configSanity"])
    return {
      [textIn(shown, ["domainId"]) ?? "mlag"]: {
        state: state.toLowerCase(),
        is_active: /^active$/i.test(state),
        peer_link_up: link === null ? null : link.toLowerCase() === "up",
        sane: sanity === null ? null : sanity.toLowerCase() === "consistent"
      }
    }
  })

/** From `show vrrp`. */
export const vrrpOf = (shown: Json): Items<"vrrp"> => {
  const routers = shown["virtualRouters"]
  if (!Array.isArray(routers)) return Result.fail("it gives no virtualRouters")
  return collect(
    objectsIn(routers).map((router) => [
      `${portName(textIn(router, ["interface"]) ?? "?")} ${numberIn(router, ["groupId"]) ?? "?"}`,
      Result.map(present(textIn(router, ["state"]), ["state"]), (state) => ({ state: state.toLowerCase() }))
    ])
  )
}

/** From `show port-channel`. */
export const portChannelsOf = (shown: Json): Items<"port_channels"> =>
  Result.map(table(shown, ["portChannels"]), (channels) =>
    inOrder(
      entriesOf(channels).map(([name, channel]) => {
        const active = Object.keys(objectIn(channel, ["activePorts"]) ?? {}).map(portName)
        const inactive = Object.keys(objectIn(channel, ["inactivePorts"]) ?? {}).map(portName)
        const item = {
          members: [...active, ...inactive].toSorted(compareNames),
          active: active.toSorted(compareNames)
        }
        return [portName(name), item] as const
      })
    )
  )

interface TopologyChanges {
  readonly topology_changes: number
  readonly since_change: number | null
}

/** By instance: `show spanning-tree topology status detail` names the common one `Cist`. */
const changesIn = (shown: Json, now: number): ReadonlyMap<string, TopologyChanges> =>
  new Map(
    entriesOf(shown["topologies"]).map(([name, { interfaces }]) => {
      const ports = entriesOf(interfaces).map(([, port]) => port)
      const last = ports.flatMap((port) => numberIn(port, ["lastChange"]) ?? [])
      return [
        name === "Cist" ? "mst0" : name.toLowerCase(),
        {
          topology_changes: ports.reduce((sum, port) => sum + (numberIn(port, ["numChanges"]) ?? 0), 0),
          since_change: last.length === 0 ? null : Math.max(0, Math.round(now - Math.max(...last)))
        }
      ] as const
    })
  )

const bridgeOf = (bridge: Json): string | null => {
  const address = textIn(bridge, ["macAddress"])
  const priority = numberIn(bridge, ["priority"])
  if (address === null) return null
  return priority === null ? address : `${priority + (numberIn(bridge, ["systemIdExtension"]) ?? 0)} ${address}`
}

/** From `show spanning-tree` and `show spanning-tree topology status detail`; `now` in epoch seconds by the switch's clock. */
export const spanningTreeOf = (shown: Json, topologies: Json, now: number): Items<"spanning_tree"> =>
  Result.flatMap(table(shown, ["spanningTreeInstances"]), (instances) => {
    const changes = changesIn(topologies, now)
    return collect(
      entriesOf(instances).map(([name, instance]) => {
        const root = bridgeOf(objectIn(instance, NAMES.root) ?? {})
        const own = bridgeOf(objectIn(instance, ["bridge"]) ?? {})
        const changed = changes.get(name.toLowerCase())
        return [
          name,
          Result.map(present(root, NAMES.root), (bridge) => ({
            root: bridge,
            is_root: own === bridge,
            topology_changes: changed?.topology_changes ?? null,
            since_change: changed?.since_change ?? null
          }))
        ]
      })
    )
  })

// The box: ports, environment, processes.

/** From `show interfaces`, without subinterfaces. */
export const interfacesOf = (shown: Json): Items<"interfaces"> =>
  Result.flatMap(table(shown, ["interfaces"]), (ports) =>
    collect(
      entriesOf(ports)
        .filter(([name]) => !name.includes("."))
        .map(([name, port]) => {
          const status = textIn(port, ["interfaceStatus", "linkStatus"])
          return [
            name,
            // a release that shows one of both states still says whether the port is up
            Result.map(present(textIn(port, NAMES.protocol) ?? status, NAMES.protocol), (shown) => ({
              is_up: shown === "up" || shown === "connected",
              is_enabled: status === null ? null : status !== "disabled"
            }))
          ]
        })
    )
  )

/** From `show interfaces`: ports that count errors. */
export const errorsOf = (shown: Json): Items<"errors"> =>
  Result.map(table(shown, ["interfaces"]), (ports) =>
    inOrder(
      entriesOf(ports).flatMap(([name, port]) => {
        const counted = objectIn(port, ["interfaceCounters"]) ?? {}
        const counts = {
          in_errors: numberIn(counted, ["totalInErrors", "inErrors"]),
          out_errors: numberIn(counted, ["totalOutErrors", "outErrors"]),
          in_discards: numberIn(counted, ["inDiscards"]),
          out_discards: numberIn(counted, ["outDiscards"])
        }
        const known = Object.values(counts).filter((count) => count !== null)
        if (known.length === 0 || name.includes(".")) return []
        return [[name, { ...counts, total: known.reduce((sum, count) => sum + count, 0) }] as const]
      })
    )
  )

type Part = readonly [name: string, item: ReadingItem<"environment">]

const fine = /^(?:ok|powerok|good|present)$/i

const part = (name: string, state: string | null, value: number | null, isFine = fine): ReadonlyArray<Part> =>
  state === null ? [] : [[name, { ok: isFine.test(state), state: state.toLowerCase(), value }]]

/** Objects with sensors or fans, wherever they are: on the box, in its slots, in its power supplies. */
const placesIn = (shown: Json): ReadonlyArray<Json> => [
  shown,
  ...["cardSlots", "powerSupplySlots", "fanTraySlots"].flatMap((slots) => objectsIn(shown[slots]))
]

const sensorsIn = (shown: Json): ReadonlyArray<Part> =>
  placesIn(shown)
    .flatMap((place) => objectsIn(place["tempSensors"]))
    .flatMap((sensor) => {
      const name = textIn(sensor, ["name", "description"])
      const value = numberIn(sensor, ["currentTemperature"])
      const state = sensor["inAlertState"] === true ? "alert" : textIn(sensor, ["hwStatus"])
      return name === null ? [] : part(name, state, value)
    })

const fansIn = (shown: Json): ReadonlyArray<Part> =>
  placesIn(shown)
    .flatMap((place) => objectsIn(place["fans"]))
    .flatMap((fan) => {
      const label = textIn(fan, ["label"])
      return label === null ? [] : part(`Fan ${label}`, textIn(fan, ["status"]), numberIn(fan, ["actualSpeed"]))
    })

const suppliesIn = (shown: Json): ReadonlyArray<Part> =>
  entriesOf(shown["powerSupplies"]).flatMap(([name, supply]) =>
    part(`Power supply ${name}`, textIn(supply, ["state"]), numberIn(supply, ["outputPower"]))
  )

/** From the answers about temperature, cooling and power; null for one that the switch does not have. */
export const environmentOf = (
  temperature: Json | null,
  cooling: Json | null,
  power: Json | null
): Items<"environment"> => {
  if (temperature === null && cooling === null && power === null) return Result.fail("it shows no environment")
  const parts = [...sensorsIn(temperature ?? {}), ...fansIn(cooling ?? {}), ...suppliesIn(power ?? {})]
  return Result.succeed(inOrder(parts))
}

/** From `show agent uptime`; `now` in epoch seconds by the switch's clock. */
export const processesOf = (shown: Json, now: number): Items<"processes"> =>
  Result.map(table(shown, ["agents"]), (agents) =>
    inOrder(
      entriesOf(agents).map(([name, agent]) => {
        const started = numberIn(agent, ["agentStartTime", "startTime"])
        return [name, { uptime: started === null ? null : Math.max(0, Math.round(now - started)) }] as const
      })
    )
  )

// The log and time.

/** Messages that are kept, the oldest first. */
const MOST_MESSAGES = 100

const message = /%[A-Z][A-Z0-9_]*-([0-7])-[A-Z0-9_]+:/

const at = (line: string): number | null => {
  const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/.exec(line)?.[0]
  return time === undefined ? null : Date.parse(time)
}

/** From `show logging last …` for messages of this severity (0 to 7) and worse. */
export const logOf = (shown: string, most: number): Items<"log"> => {
  const lines = shown.split("\n").filter((line) => line.trim() !== "")
  const found: Array<ReadingItem<"log">> = []
  for (const line of lines) {
    const name = message.exec(line)
    if (name === null) return Result.fail(`this is no message of a log: ${maskSecrets(line).slice(0, 60)}`)
    const level = Number(name[1])
    const severity = logSeverities[level]
    if (severity === undefined || level > most) continue
    found.push({ severity, message: maskSecrets(line.slice(name.index)).trim(), at: at(line) })
  }
  const kept = found.slice(0, MOST_MESSAGES)
  return Result.succeed(Object.fromEntries(kept.map((item, index) => [String(index + 1), item])))
}

/** From `show ntp associations`. */
export const ntpOf = (shown: Json): Items<"ntp"> =>
  Result.map(table(shown, ["peers"]), (peers) =>
    inOrder(
      entriesOf(peers).map(([name, peer]) => [
        name,
        {
          is_synchronized: /^(?:sys|pps)\.peer$/.test(textIn(peer, ["condition"]) ?? ""),
          offset_ms: numberIn(peer, ["offset"]),
          stratum: numberIn(peer, ["stratumLevel", "stratum"])
        }
      ])
    )
  )
