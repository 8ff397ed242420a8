/** Facts of a switch and the states of its ports (docs/frr.md#reading). */
import { Effect, Schema } from "effect"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import { frr } from "../../domain/platforms/frr/Platform.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/Platforms.ts"
import { type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import type { InterfaceState, InterfaceStates } from "../Driver.ts"
import { readJson, type Remote } from "./Answers.ts"
import { commands, need } from "./Dialect.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"

// The states of a switch's ports, from the kernel and from FRR (docs/frr.md#reading).

export const Links = Schema.Array(
  Schema.Struct({
    ifname: Schema.String,
    flags: Schema.Array(Schema.String),
    mtu: Schema.optionalKey(Schema.Finite),
    operstate: Schema.optionalKey(Schema.String),
    address: Schema.optionalKey(Schema.String),
    link_type: Schema.optionalKey(Schema.String)
  })
)
export type Links = typeof Links.Type

const Descriptions = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Struct({ description: Schema.optionalKey(Schema.String) }))
)

/** `NAME MBIT` per line; a port without a cable says −1. */
const speedsOf = (told: string): ReadonlyMap<string, number> =>
  new Map(
    told.split("\n").flatMap((line) => {
      const [name = "", speed = ""] = line.split(" ")
      return name === "" ? [] : [[name, Math.max(0, Number(speed) || 0)] as const]
    })
  )

/** Every link is shown as `name@other` where it has an other end; only the name counts. */
export const nameOf = (ifname: string): string => ifname.replace(/@.*$/, "")

const stateOf = (link: Links[number], speed: number, description: string): InterfaceState => ({
  is_up: link.flags.includes("LOWER_UP") && link.flags.includes("UP"),
  is_enabled: link.flags.includes("UP"),
  description,
  last_flapped: -1,
  mtu: link.mtu ?? 0,
  speed,
  mac_address: link.link_type === "ether" ? (link.address ?? "").toUpperCase() : ""
})

/** Interfaces in natural order, subinterfaces left out. */
export const interfacesOf = (
  links: Links,
  speeds: string,
  descriptions: Readonly<Record<string, { readonly description?: string }>>
): InterfaceStates => {
  const speedOf = speedsOf(speeds)
  return Object.fromEntries(
    links
      .map((link) => [nameOf(link.ifname), link] as const)
      .filter(([name]) => !isSubinterface(name))
      .toSorted(([a], [b]) => compareNames(a, b))
      .map(([name, link]) => [name, stateOf(link, speedOf.get(name) ?? 0, descriptions[name]?.description ?? "")])
  )
}

/** See `DriverSession.interfaces`. */
export const interfaces: (remote: Remote) => Effect.Effect<InterfaceStates, ReadError> = Effect.fnUntraced(
  function* (remote) {
    yield* need(remote, "ip")
    const links = yield* readJson(remote, commands.links, Links)
    const speeds = yield* remote.query(commands.speeds)
    const told = yield* remote.query(commands.descriptions)
    // a release without this answer has ports without descriptions
    const descriptions = yield* Effect.orElseSucceed(Schema.decodeUnknownEffect(Descriptions)(told), () => ({}))
    return interfacesOf(links, speeds, descriptions)
  }
)

/** Texts of firmware whose serial number was never written. */
const placeholder =
  /^(?:0+|n\/?a|none|unknown|(?:system |chassis |default )?serial ?number|default string|not (?:specified|applicable|available)|to be filled.*|0?123456789.*|x+|\.+)$/i

const serialOf = (line: string): string | null => {
  const serial = line.trim()
  return serial === "" || placeholder.test(serial) ? null : serial
}

const identity = commands.machine.slice(0, 4)

/** A line of shell that prints name, model and serial number after our own mark. */
export const askIdentity = identity.map((line) => `echo "identity:$(${line})"`).join("; ")

/** The answer to `askIdentity`. */
export const shownIn = (told: string): ShownIdentity => {
  const [hostname = "", , model = "", serial = ""] = told
    .split("\n")
    .flatMap((line) => (line.startsWith("identity:") ? [line.slice("identity:".length)] : []))
  return { hostname: hostname || null, model: model || null, serial: serialOf(serial) }
}

/** The release in the first line of `show version`; undefined when the line is something else. */
const releaseOf = (line: string): string | undefined => /^FRRouting (\S+)/.exec(line)?.[1]

/** The record from the lines that `commands.machine` gives, in their order. */
export const factsOf = (machine: string, release: string, links: Links): Facts => {
  const [hostname = "", fqdn = "", model = "", serial = "", uptime = ""] = machine.split("\n")
  return {
    hostname,
    fqdn: fqdn === "" ? hostname : fqdn,
    vendor: frr.vendor,
    model,
    serial_number: serialOf(serial),
    os_version: release,
    uptime: Number(uptime) || 0,
    interface_list: links
      .map(({ ifname }) => nameOf(ifname))
      .filter((name) => !isSubinterface(name))
      .toSorted(compareNames)
  }
}

/** See `DriverSession.facts`. */
export const facts: (remote: Remote) => Effect.Effect<Facts, ReadError> = Effect.fnUntraced(function* (remote) {
  yield* need(remote, "vtysh", "ip")
  const shown = yield* remote.query(commands.version)
  const release = releaseOf(shown)
  if (release === undefined) {
    const message = "this is not what FRRouting says"
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "show version", message })
  }
  // each gives one line, whatever becomes of it
  const asked = commands.machine.map((line) => `echo "$(${line})"`).join("; ")
  const machine = yield* remote.query(asked)
  return factsOf(machine, release, yield* readJson(remote, commands.links, Links))
})
