/** The states of a switch's ports, from the kernel and from FRR (docs/frr.md#reading). */
import { Effect, Schema } from "effect"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import type { ReadError } from "../DriverErrors.ts"
import type { InterfaceState, InterfaceStates } from "../Readings.ts"
import { readJson } from "./Answers.ts"
import { commands } from "./Dialect.ts"
import { need } from "./Programs.ts"
import type { Remote } from "./Remote.ts"

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

/** Every link is told as `name@other` where it has an other end; only the name counts. */
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
