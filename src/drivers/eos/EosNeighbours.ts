/** `show lldp neighbors detail | json` of EOS, as a schema, and as the records of contract api-devices.md §8. */
import { Schema } from "effect"
import type { NeighbourDetail } from "../../domain/NeighbourDetail.ts"
import { compareNames, longName } from "../../domain/platforms/InterfaceNames.ts"

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
    remote_port: longName("eos", (port?.interfaceId ?? "").replaceAll('"', "")),
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
      .map(([port, { lldpNeighborInfo }]) => [longName("eos", port), lldpNeighborInfo.map(detailOf)] as const)
      .toSorted(([a], [b]) => compareNames(a, b))
  )
