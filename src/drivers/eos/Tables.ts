/** Which stations a switch has learnt, and on which ports (docs/switch-dialogues.md#eos-reading). */
import { Effect, Option } from "effect"
import { macWithColons } from "../../domain/Network.ts"
import { eos } from "../../domain/platforms/Eos.ts"
import { longName } from "../../domain/platforms/InterfaceNames.ts"
import type { ArpEntry, JoinedPort, MacEntry } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson, unexpected } from "./Answers.ts"
import { AnyObject, isObject, type Json, type Names, numberIn, objectIn, textIn } from "./Fields.ts"

/** The fields that are read, each by the names that it has had. */
const fields = {
  unicast: ["unicastTable"],
  mac: ["macAddress"],
  port: ["interface"],
  vlan: ["vlanId"],
  kind: ["entryType"],
  address: ["address"],
  hardware: ["hwAddress"],
  members: ["memberInterfaces"]
} as const satisfies Record<string, Names>

const objectsIn = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])

const nameOf = (shown: string): string => longName(eos.name, shown.trim())

const macIn = (found: Json, names: Names): string | null =>
  Option.getOrNull(Option.flatMap(Option.fromNullishOr(textIn(found, names)), macWithColons))

/** Not a port: addresses of the switch itself, and of the router that it is. */
const own = /^(?:Cpu|Router|Switch|Drop)\b/i

/** Entries of `show mac address-table`, without the switch's own. */
export const macEntriesOf = (shown: Json): ReadonlyArray<MacEntry> =>
  objectsIn(objectIn(shown, fields.unicast)?.["tableEntries"]).flatMap((found) => {
    const port = textIn(found, fields.port)
    const mac = macIn(found, fields.mac)
    if (port === null || mac === null || own.test(port)) return []
    const vlan = numberIn(found, fields.vlan)
    return [{ port: nameOf(port), vlan: Number.isInteger(vlan) ? vlan : null, mac }]
  })

const isBundle = (port: string): boolean => port.startsWith("Port-Channel")
const isTunnel = (port: string): boolean => port.startsWith("Vxlan")

/** The ports of these entries that stand for others; `shown` is `show interfaces`. */
export const joinedOf = (entries: ReadonlyArray<MacEntry>, shown: Json): ReadonlyArray<JoinedPort> =>
  [...new Set(entries.map(({ port }) => port))]
    .filter((port) => isBundle(port) || isTunnel(port))
    .map((port) => {
      const told = shown[port]
      const members = isObject(told) ? (objectIn(told, fields.members) ?? {}) : {}
      return { port, members: Object.keys(members).map(nameOf), isTunnel: isTunnel(port) }
    })

/** Tables by VRF, or the one of the VRF that a release shows alone. */
const vrfsOf = (shown: Json): ReadonlyArray<Json> => {
  const vrfs = objectIn(shown, ["vrfs"])
  return vrfs === null ? [shown] : Object.values(vrfs).filter(isObject)
}

/**
 * Entries of `show ip arp` and `show ipv6 neighbors`. On a VLAN the switch names the port as well (`Vlan10, Ethernet3`); the MAC address
 * table knows it better.
 */
export const arpEntriesOf = (shown: Json): ReadonlyArray<ArpEntry> =>
  vrfsOf(shown)
    .flatMap((vrf) => [...objectsIn(vrf["ipV4Neighbors"]), ...objectsIn(vrf["ipV6Neighbors"])])
    .flatMap((found) => {
      const ip = textIn(found, fields.address)
      const mac = macIn(found, fields.hardware)
      const [on = ""] = (textIn(found, fields.port) ?? "").split(",")
      return ip === null || mac === null ? [] : [{ ip, mac, interface: nameOf(on) }]
    })

/** See `DriverSession.macTable`. */
export const macTable = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show mac address-table"
  const shown = yield* readJson(cli, command, AnyObject)
  if (objectIn(shown, fields.unicast) === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no unicastTable`)
  }
  const entries = macEntriesOf(shown)
  const interfaces = entries.some(({ port }) => isBundle(port))
    ? (objectIn(yield* readJson(cli, "show interfaces", AnyObject), ["interfaces"]) ?? {})
    : {}
  return { entries, joined: joinedOf(entries, interfaces) }
})

/** A release without VRFs, or without IPv6, does not know the command. */
const orElse = <A, E extends { readonly _tag: string }, B, E2>(
  read: Effect.Effect<A, E>,
  other: Effect.Effect<B, E2>
): Effect.Effect<A | B, E | E2> =>
  Effect.catchIf(
    read,
    (error) => error._tag === "CommandRejected",
    () => other
  )

/** See `DriverSession.arpTable`. */
export const arpTable = Effect.fnUntraced(function* (cli: Cli) {
  const four = yield* orElse(readJson(cli, "show ip arp vrf all", AnyObject), readJson(cli, "show ip arp", AnyObject))
  const six = yield* orElse(readJson(cli, "show ipv6 neighbors vrf all", AnyObject), Effect.succeed({}))
  return [...arpEntriesOf(four), ...arpEntriesOf(six)]
})
