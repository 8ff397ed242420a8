/**
 * Switches that wait to be initialised, with where they hang (docs/page.md#new-switches-and-the-drawing): the ports of known devices that they hear or
 * that hear them, and the device that is at the other end of a port by the links of the database, whose place they may take.
 */
import { Schema } from "effect"
import { DeviceState } from "./Device.ts"
import { endOf, type Linknet } from "./Linknet.ts"
import { longName } from "./platforms/Platforms.ts"
import { finderOf, type Heard } from "./Topology.ts"

const nullableText = Schema.NullOr(Schema.String)

/** The port of a known device, and who was there. */
export const Place = Schema.Struct({
  hostname: Schema.String,
  port: Schema.String,
  /** The port of the new switch; empty where only the neighbour was asked and does not say it. */
  own_port: Schema.String,
  /** `switch`: the new switch hears the device. `neighbour`: the device hears the new switch. */
  heard_by: Schema.Literals(["switch", "neighbour"]),
  linknet_id: Schema.NullOr(Schema.Int),
  /** The device that the link leads to, when it is another one. */
  was: nullableText,
  was_state: Schema.NullOr(DeviceState)
})
export type Place = typeof Place.Type

export const WaitingDevice = Schema.Struct({
  id: Schema.Int,
  hostname: Schema.String,
  state: DeviceState,
  ztp_mac: nullableText,
  serial: nullableText,
  platform: nullableText,
  vendor: nullableText,
  model: nullableText,
  os_version: nullableText,
  dhcp_ip: nullableText,
  /** When it came into its state; null when that is not known any more. */
  since: nullableText,
  neighbours_read: nullableText,
  places: Schema.Array(Place),
  /** The device whose place it may take: it has a link to every place where a link is, and it is the only one. */
  replaces: nullableText,
  /** Why it cannot be initialised as it stands; empty when nothing is known against it. */
  problems: Schema.Array(Schema.String),
  /** The newest discovery or initialisation that has not ended. */
  job_id: Schema.NullOr(Schema.Int)
})
export type WaitingDevice = typeof WaitingDevice.Type

/** A device at an end of a place. */
export interface PlaceDevice {
  readonly id: number
  readonly hostname: string
  readonly platform: string | null
  readonly state: DeviceState
}

const NEW: ReadonlySet<DeviceState> = new Set(["DHCP_BOOT", "DISCOVERED", "UNKNOWN", "PRE_CONFIGURED"])

/** Where a switch hangs, once per port; what it hears itself comes before what others hear. */
export const placesOf = (
  device: PlaceDevice,
  devices: ReadonlyArray<PlaceDevice>,
  links: ReadonlyArray<Linknet>,
  heard: ReadonlyArray<Heard>
): ReadonlyArray<Place> => {
  const byId = new Map(devices.map((each) => [each.id, each]))
  const find = finderOf(devices)
  const found = new Map<string, Place>()
  const add = (at: PlaceDevice, port: string, own: string, heard_by: Place["heard_by"]) => {
    if (at.id === device.id || NEW.has(at.state) || port === "") return
    const long = longName(at.platform ?? "", port)
    const key = `${at.id} ${long}`
    if (found.has(key)) return
    const link = links.find((each) => endOf(each, at.id)?.port === long)
    const peer = link === undefined ? undefined : byId.get(endOf(link, at.id)?.peerId ?? -1)
    const was = peer === undefined || peer.id === device.id ? undefined : peer
    found.set(key, {
      hostname: at.hostname,
      port: long,
      own_port: longName(device.platform ?? "", own),
      heard_by,
      linknet_id: link?.id ?? null,
      was: was?.hostname ?? null,
      was_state: was?.state ?? null
    })
  }
  for (const each of heard.filter(({ device_id }) => device_id === device.id)) {
    const at = find(each.name)
    if (at !== undefined) add(at, each.peer_port, each.port, "switch")
  }
  for (const each of heard) {
    const at = byId.get(each.device_id)
    if (at !== undefined && find(each.name)?.id === device.id) add(at, each.port, each.peer_port, "neighbour")
  }
  return [...found.values()]
}

/** The one device that was at these places. */
export const replacedBy = (places: ReadonlyArray<Place>): string | null => {
  const names = new Set(places.flatMap(({ was }) => (was === null ? [] : [was])))
  const [only] = names
  return names.size === 1 && only !== undefined ? only : null
}
