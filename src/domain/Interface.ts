/** A port of an access switch as the interface database keeps it (docs/api.md#ports-of-a-device). */
import { Schema } from "effect"

/** What a port is used for. */
export const configTypes = [
  "UNKNOWN",
  "UNMANAGED",
  "CONFIGFILE",
  "CUSTOM",
  "TEMPLATE",
  "ACCESS_AUTO",
  "ACCESS_UNTAGGED",
  "ACCESS_TAGGED",
  "ACCESS_UPLINK",
  "ACCESS_DOWNLINK",
  "MLAG_PEER"
] as const
export const ConfigType = Schema.Literals(configTypes)
export type ConfigType = typeof ConfigType.Type

/** Free-form data of a port: VLAN names, description, neighbour and so on; the API decides which keys it takes. */
export const InterfaceData = Schema.Record(Schema.String, Schema.Unknown)
export type InterfaceData = typeof InterfaceData.Type

/** One port; names are unique per device. */
export const Interface = Schema.Struct({
  device_id: Schema.Int,
  name: Schema.String,
  configtype: ConfigType,
  data: Schema.NullOr(InterfaceData)
})
export type Interface = typeof Interface.Type

const NUMBERED = /^[a-zA-Z-]*([0-9]+\/?)([0-9]+\/?)?([0-9]+\/?)?([0-9]+\/?)?$/

/**
 * The sort number of an interface name: each of its one to four numbers plus one, in base 100, the last the least
 * significant (`Ethernet1` 2, `ge-0/0/23` 10124); 0 for a name without them.
 */
export const indexNumber = (name: string): number => {
  const match = NUMBERED.exec(name)
  if (match === null) return 0
  return match
    .slice(1)
    .filter((part) => part !== undefined)
    .reduce((sum, part) => sum * 100 + Number.parseInt(part, 10) + 1, 0)
}
