/** What a switch hears over LLDP: who is there, and everything that they announce (docs/api.md#live-reads). */
import { Effect, Schema } from "effect"
import type { NeighbourDetail } from "../../domain/NeighbourDetail.ts"
import { eos } from "../../domain/platforms/Eos.ts"
import { compareNames, longName } from "../../domain/platforms/InterfaceNames.ts"
import type { LldpNeighbour } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson } from "./Answers.ts"

/** The long name of a port; the switch puts names of neighbours in quotes. */
const portName = (shown: string): string => longName(eos.name, shown.replaceAll('"', ""))

export const ShowLldp = Schema.Struct({
  lldpNeighbors: Schema.Array(
    Schema.Struct({ port: Schema.String, neighborDevice: Schema.String, neighborPort: Schema.String })
  )
})
export type ShowLldp = typeof ShowLldp.Type

/** Neighbours by long local port name, in natural order; a port may hear several. */
export const neighboursOf = (answer: ShowLldp): Readonly<Record<string, ReadonlyArray<LldpNeighbour>>> => {
  const ports = new Map<string, Array<LldpNeighbour>>()
  for (const { port, neighborDevice, neighborPort } of answer.lldpNeighbors) {
    const local = portName(port)
    const heard = ports.get(local) ?? []
    heard.push({ hostname: neighborDevice, port: portName(neighborPort) })
    ports.set(local, heard)
  }
  return Object.fromEntries([...ports].toSorted(([a], [b]) => compareNames(a, b)))
}

const text = Schema.optionalKey(Schema.String)

const Neighbour = Schema.Struct({
  systemName: text,
  systemDescription: text,
  chassisId: text,
  systemCapabilities: Schema.optionalKey(Schema.Record(Schema.String, Schema.Boolean)),
  neighborInterfaceInfo: Schema.optionalKey(Schema.Struct({ interfaceId: text, interfaceDescription: text }))
})

export const ShowLldpDetail = Schema.Struct({
  lldpNeighbors: Schema.Record(Schema.String, Schema.Struct({ lldpNeighborInfo: Schema.Array(Neighbour) }))
})

/** `0800.2700.1122` with colons; another kind of id as it is. */
const chassisId = (id: string): string => {
  const hex = id.replaceAll(".", "").toUpperCase()
  return /^[\dA-F]{12}$/.test(hex) ? (hex.match(/../g) ?? []).join(":") : id
}

const detailOf = (heard: typeof Neighbour.Type): NeighbourDetail => {
  const capabilities = Object.entries(heard.systemCapabilities ?? {})
  const port = heard.neighborInterfaceInfo
  return {
    parent_interface: "",
    remote_port: portName(port?.interfaceId ?? ""),
    remote_port_description: port?.interfaceDescription ?? "",
    remote_chassis_id: chassisId(heard.chassisId ?? ""),
    remote_system_name: heard.systemName ?? "",
    remote_system_description: heard.systemDescription ?? "",
    remote_system_capab: capabilities.map(([name]) => name),
    remote_system_enable_capab: capabilities.filter(([, enabled]) => enabled).map(([name]) => name)
  }
}

/** Neighbours by long local port name, in natural order; ports that hear nobody are left out. */
export const neighbourDetailsOf = (
  answer: typeof ShowLldpDetail.Type
): Readonly<Record<string, ReadonlyArray<NeighbourDetail>>> =>
  Object.fromEntries(
    Object.entries(answer.lldpNeighbors)
      .filter(([, { lldpNeighborInfo }]) => lldpNeighborInfo.length > 0)
      .map(([port, { lldpNeighborInfo }]) => [portName(port), lldpNeighborInfo.map(detailOf)] as const)
      .toSorted(([a], [b]) => compareNames(a, b))
  )

/** See `DriverSession.lldp`. */
export const lldp = (cli: Cli) => Effect.map(readJson(cli, "show lldp neighbors", ShowLldp), neighboursOf)

/** See `DriverSession.lldpDetail`. */
export const lldpDetail = (cli: Cli) =>
  Effect.map(readJson(cli, "show lldp neighbors detail", ShowLldpDetail), neighbourDetailsOf)
