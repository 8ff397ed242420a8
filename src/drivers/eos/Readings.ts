/**
 * Asks a switch for readings of its state (docs/switch-dialogues.md#eos-readings). `StateTables.ts` reads the answers. Questions that
 * are asked together share the commands that they have in common.
 */
import { Clock, Effect, Result } from "effect"
import {
  logSeverities,
  type LogQuestion,
  type PingQuestion,
  type Question,
  type Reading,
  type ReadingItems,
  type ReadingKind
} from "../../domain/checks/Readings.ts"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import type { CommandRejected, ReadError } from "../DriverErrors.ts"
import { countsOf, type Items, neighbourItems, pingOf } from "../ReadingItems.ts"
import type { Cli, SendOptions } from "../ssh/Cli.ts"
import { type ReadingVerbs, SharedAnswers } from "../Verbs.ts"
import { AnyObject, decodeJson, isObject, type Json, jsonIsWhole, numberIn, unexpected } from "./Answers.ts"
import { arpEntriesOf, macEntriesOf, neighboursOf } from "./Neighbours.ts"
import {
  bgpOf,
  environmentOf,
  errorsOf,
  interfacesOf,
  logOf,
  mlagOf,
  ntpOf,
  ospfOf,
  portChannelsOf,
  processesOf,
  routesOf,
  spanningTreeOf,
  vrrpOf
} from "./StateTables.ts"

/** The answer to a command, which questions of one turn share. */
const textOf = (cli: Cli, command: string, options?: SendOptions) =>
  Effect.gen(function* () {
    const shared = yield* SharedAnswers
    const known = shared?.get(command)
    if (known !== undefined) return known
    const text = yield* cli.query(command, options)
    shared?.set(command, text)
    return text
  })

const json = (cli: Cli, command: string): Effect.Effect<Json, ReadError> =>
  Effect.flatMap(textOf(cli, `${command} | json`, { isWhole: jsonIsWhole }), (text) =>
    decodeJson(cli, command, AnyObject, text)
  )

/** A release, or a model, does not have the command. A command that the account may not give is no such case. */
const without = (error: ReadError): error is CommandRejected =>
  error._tag === "CommandRejected" && error.denied !== true

const orElse = <A, B>(read: Effect.Effect<A, ReadError>, other: () => Effect.Effect<B, ReadError>) =>
  Effect.catchIf(read, without, other)

/** The switch says itself that it does not run the protocol: then its table is empty and not missing. */
const inactive =
  /\b(?:BGP|OSPF|NTP|MLAG|VRRP|spanning[- ]tree|routing)\b.*\b(?:inactive|not (?:configured|running|enabled)|disabled)\b/i

const saysInactive = (shown: Json): boolean =>
  ["errors", "warnings"].some((name) => {
    const said = shown[name]
    return Array.isArray(said) && said.some((line) => typeof line === "string" && inactive.test(line))
  })

/** An answer in JSON with errors instead of a table, as from a command that a model does not have. */
const refusedIn = (shown: Json): boolean => Array.isArray(shown["errors"])

const clear = <Kind extends ReadingKind>(cli: Cli, command: string, items: Items<Kind>) =>
  Result.isFailure(items)
    ? unexpected(cli, command, `the answer to "${command}" is not understood: ${items.failure}`)
    : Effect.succeed(items.success)

type Read<Kind extends ReadingKind> = Effect.Effect<ReadingItems<Kind>, ReadError>

/** The items in the answer to a command. */
const from = <Kind extends ReadingKind>(cli: Cli, command: string, items: (shown: Json) => Items<Kind>): Read<Kind> =>
  json(cli, command).pipe(
    Effect.flatMap((shown) =>
      saysInactive(shown) && Result.isFailure(items(shown))
        ? Effect.succeed<ReadingItems<Kind>>({})
        : clear(cli, command, items(shown))
    ),
    Effect.catchIf(
      (error) => without(error) && inactive.test(error.message),
      () => Effect.succeed<ReadingItems<Kind>>({})
    )
  )

/** Epoch seconds by the switch's clock, which need not be ours. */
const clockOf = (cli: Cli): Effect.Effect<number, ReadError> => {
  const ours = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)
  return orElse(
    Effect.flatMap(json(cli, "show clock"), (shown) => {
      const theirs = numberIn(shown, ["utcTime"])
      return theirs === null ? ours : Effect.succeed(theirs)
    }),
    () => ours
  )
}

const neighbours = (cli: Cli): Read<"neighbours"> => {
  const command = "show lldp neighbors"
  return Effect.flatMap(json(cli, command), ({ lldpNeighbors: table }) =>
    isObject(table) || Array.isArray(table)
      ? Effect.succeed(neighbourItems(neighboursOf(table).neighbours))
      : unexpected(cli, command, `the answer to "${command}" is not understood: it gives no lldpNeighbors`)
  )
}

const bgp = (cli: Cli): Read<"bgp"> =>
  orElse(from(cli, "show bgp summary vrf all", bgpOf), () => from(cli, "show ip bgp summary vrf all", bgpOf))

const routes = Effect.fnUntraced(function* (cli: Cli) {
  const four = yield* from(cli, "show ip route vrf all summary", routesOf)
  const command = "show ipv6 route vrf all summary"
  const shown = yield* orElse(json(cli, command), () => Effect.succeed({ errors: [] }))
  if (refusedIn(shown)) return four
  const six = yield* clear(cli, command, routesOf(shown, " ipv6"))
  return { ...four, ...six }
})

const spanningTree = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show spanning-tree"
  const shown = yield* json(cli, command)
  const topologies = yield* orElse(json(cli, "show spanning-tree topology status detail"), () => Effect.succeed({}))
  return yield* clear(cli, command, spanningTreeOf(shown, topologies, yield* clockOf(cli)))
})

const macs = (cli: Cli): Read<"macs"> => {
  const command = "show mac address-table"
  return Effect.flatMap(json(cli, command), (shown) =>
    isObject(shown["unicastTable"])
      ? Effect.succeed(countsOf(macEntriesOf(shown).map(({ vlan }) => String(vlan ?? "unknown"))))
      : unexpected(cli, command, `the answer to "${command}" is not understood: it gives no unicastTable`)
  )
}

/** Entries by interface, with the VRF before it outside the default one. */
const arpNames = (shown: Json): ReadonlyArray<string> | null => {
  const vrfs = shown["vrfs"]
  if (!isObject(vrfs)) return null
  return Object.entries(vrfs).flatMap(([vrf, table]) =>
    isObject(table)
      ? arpEntriesOf(table).map(({ interface: port }) => (vrf === "default" ? port : `${vrf} ${port}`))
      : []
  )
}

const arp = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show ip arp vrf all"
  const four = arpNames(yield* json(cli, command))
  if (four === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no vrfs`)
  }
  const six = yield* Effect.catchTag(json(cli, "show ipv6 neighbors vrf all"), "CommandRejected", () =>
    Effect.succeed({})
  )
  return countsOf([...four, ...(arpNames(six) ?? [])])
})

/** One of the answers about the environment; null on a model that has no such parts. */
const surroundings = (cli: Cli, command: string): Effect.Effect<Json | null, ReadError> =>
  Effect.map(
    orElse(json(cli, command), () => Effect.succeed({ errors: [] })),
    (shown) => (refusedIn(shown) ? null : shown)
  )

const environment = Effect.fnUntraced(function* (cli: Cli) {
  const temperature = yield* surroundings(cli, "show system environment temperature")
  const cooling = yield* surroundings(cli, "show system environment cooling")
  const power = yield* surroundings(cli, "show system environment power")
  return yield* clear(cli, "show system environment temperature", environmentOf(temperature, cooling, power))
})

const processes = Effect.fnUntraced(function* (cli: Cli) {
  const now = yield* clockOf(cli)
  return yield* from(cli, "show agent uptime", (shown) => processesOf(shown, now))
})

/** Characters of a log that are read; more of it is not needed to see that something is wrong. */
const MOST_OF_LOG = 4 * 1024 * 1024

const log = Effect.fnUntraced(function* (cli: Cli, { severity, since }: LogQuestion) {
  const worst = logSeverities.indexOf(severity)
  const seconds = Math.max(1, Math.ceil(((yield* Clock.currentTimeMillis) - since) / 1000))
  // the switch reckons the time itself, so its clock and its zone do not matter
  const command = `show logging last ${seconds} seconds`
  const shown = yield* textOf(cli, `${command} | include -[0-${worst}]-[A-Z]`, { isLog: true, limit: MOST_OF_LOG })
  return yield* clear(cli, command, logOf(shown, worst))
})

/** Seconds for the packets that get no answer, in addition to the usual patience. */
const PER_PACKET = 2

const ping = Effect.fnUntraced(function* (cli: Cli, question: PingQuestion) {
  const { count, source, to, vrf } = question
  const words = ["ping", ...(vrf === undefined ? [] : ["vrf", vrf]), to]
  const command = [...words, ...(source === undefined ? [] : ["source", source]), "repeat", String(count)].join(" ")
  const shown = yield* cli.query(command, { timeout: cli.timeouts.show + PER_PACKET * count })
  return yield* clear(cli, command, pingOf(shown, question))
})

const reading = <Kind extends ReadingKind>(reads: Kind, items: Read<Kind>) =>
  Effect.map(items, (found) => ({ reads, items: found }))

const readings = (cli: Cli, question: Question): Effect.Effect<Reading, ReadError> => {
  switch (question.reads) {
    case "neighbours":
      return reading("neighbours", neighbours(cli))
    case "interfaces":
      return reading("interfaces", from(cli, "show interfaces", interfacesOf))
    case "bgp":
      return reading("bgp", bgp(cli))
    case "ospf":
      return reading("ospf", from(cli, "show ip ospf neighbor", ospfOf))
    case "routes":
      return reading("routes", routes(cli))
    case "mlag":
      return reading("mlag", from(cli, "show mlag", mlagOf))
    case "vrrp":
      return reading("vrrp", from(cli, "show vrrp", vrrpOf))
    case "port_channels":
      return reading("port_channels", from(cli, "show port-channel", portChannelsOf))
    case "errors":
      return reading("errors", from(cli, "show interfaces", errorsOf))
    case "macs":
      return reading("macs", macs(cli))
    case "arp":
      return reading("arp", arp(cli))
    case "spanning_tree":
      return reading("spanning_tree", spanningTree(cli))
    case "environment":
      return reading("environment", environment(cli))
    case "processes":
      return reading("processes", processes(cli))
    case "log":
      return reading("log", log(cli, question))
    case "ping":
      return reading("ping", ping(cli, question))
    case "ntp":
      return reading("ntp", from(cli, "show ntp associations", ntpOf))
  }
}

/** The verbs on this switch. */
export const readingVerbs = (cli: Cli): ReadingVerbs => ({
  kinds: new Set(eos.capabilities?.reads),
  read: (question) => readings(cli, question)
})
