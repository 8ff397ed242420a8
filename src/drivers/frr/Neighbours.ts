/** What a switch hears over LLDP, as lldpd tells it (docs/frr.md#reading). */
import { Effect, Schema } from "effect"
import type { NeighbourDetail } from "../../domain/DeviceReadings.ts"
import { compareNames } from "../../domain/platforms/InterfaceNames.ts"
import type { LldpNeighbour, NeighbourDetails, Neighbours } from "../Readings.ts"
import { readJson } from "./Answers.ts"
import { commands } from "./Dialect.ts"
import { need } from "./Programs.ts"
import type { Remote } from "./Remote.ts"

const Value = Schema.Struct({ value: Schema.optionalKey(Schema.String) })
const Values = Schema.optionalKey(Schema.Array(Value))
const Ids = Schema.optionalKey(
  Schema.Array(Schema.Struct({ type: Schema.optionalKey(Schema.String), value: Schema.optionalKey(Schema.String) }))
)
const Capability = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(Schema.Boolean)
})

const Heard = Schema.Struct({
  name: Schema.String,
  chassis: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: Ids,
        name: Values,
        descr: Values,
        capability: Schema.optionalKey(Schema.Array(Capability))
      })
    )
  ),
  port: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Ids, descr: Values })))
})

/** In the form `json0` everything is a list, also what there is once. */
export const ShowNeighbours = Schema.Struct({
  lldp: Schema.Array(Schema.Struct({ interface: Schema.optionalKey(Schema.Array(Heard)) }))
})
export type ShowNeighbours = typeof ShowNeighbours.Type

const first = (values: ReadonlyArray<typeof Value.Type> | undefined): string => values?.[0]?.value ?? ""

/** lldpd announces a port by its address unless it is told otherwise; its description is the name then. */
const portName = (heard: typeof Heard.Type): string => {
  const port = heard.port?.[0]
  const id = port?.id?.[0]
  const description = first(port?.descr)
  return id?.type === "mac" && description !== "" ? description : (id?.value ?? description)
}

const detailOf = (heard: typeof Heard.Type): NeighbourDetail => {
  const chassis = heard.chassis?.[0]
  const capabilities = chassis?.capability ?? []
  const names = (which: ReadonlyArray<typeof Capability.Type>) => which.map(({ type }) => type ?? "")
  return {
    parent_interface: "",
    remote_port: portName(heard),
    remote_port_description: first(heard.port?.[0]?.descr),
    remote_chassis_id: (chassis?.id?.[0]?.value ?? "").toUpperCase(),
    remote_system_name: first(chassis?.name),
    remote_system_description: first(chassis?.descr),
    remote_system_capab: names(capabilities),
    remote_system_enable_capab: names(capabilities.filter(({ enabled }) => enabled === true))
  }
}

const byPort = <A>(answer: ShowNeighbours, read: (heard: typeof Heard.Type) => A): Record<string, ReadonlyArray<A>> => {
  const ports = new Map<string, Array<A>>()
  for (const heard of answer.lldp.flatMap(({ interface: found = [] }) => found)) {
    ports.set(heard.name, [...(ports.get(heard.name) ?? []), read(heard)])
  }
  return Object.fromEntries([...ports].toSorted(([a], [b]) => compareNames(a, b)))
}

/** Neighbours by local port, in natural order; a port may hear several. */
export const neighboursOf = (answer: ShowNeighbours): Neighbours =>
  byPort(answer, (heard): LldpNeighbour => ({ hostname: first(heard.chassis?.[0]?.name), port: portName(heard) }))

/** Everything that neighbours announce, by local port. */
export const neighbourDetailsOf = (answer: ShowNeighbours): NeighbourDetails => byPort(answer, detailOf)

const shown = (remote: Remote) =>
  Effect.andThen(need(remote, "lldpcli"), readJson(remote, commands.neighbours, ShowNeighbours))

/** See `DriverSession.lldp`. */
export const lldp = (remote: Remote) => Effect.map(shown(remote), neighboursOf)

/** See `DriverSession.lldpDetail`. */
export const lldpDetail = (remote: Remote) => Effect.map(shown(remote), neighbourDetailsOf)
