/**
 * Which access switches hang directly below each distribution switch, as the linknets say
 * (docs/settings-repository.md#vxlans-from-below).
 */
import type { Device } from "../domain/Device.ts"
import type { Linknet } from "../domain/Linknet.ts"

type DeviceIdentity = Pick<Device, "id" | "device_type">

/**
 * For each DIST device by its id: its neighbours of type ACCESS, each once, in the order of the linknets' ids. Links to
 * devices that are not in the list are passed over.
 */
export const downstreamDevices = <D extends DeviceIdentity>(
  devices: Iterable<D>,
  linknets: Iterable<Pick<Linknet, "id" | "device_a_id" | "device_b_id">>
): ReadonlyMap<number, ReadonlyArray<D>> => {
  const byId = new Map([...devices].map((device) => [device.id, device]))
  const below = new Map<number, Set<D>>()
  const add = (upper: D | undefined, lower: D | undefined): void => {
    if (upper?.device_type !== "DIST" || lower?.device_type !== "ACCESS") return
    const neighbors = below.get(upper.id) ?? new Set<D>()
    below.set(upper.id, neighbors.add(lower))
  }
  for (const { device_a_id: a, device_b_id: b } of [...linknets].toSorted((one, other) => one.id - other.id)) {
    add(byId.get(a), byId.get(b))
    add(byId.get(b), byId.get(a))
  }
  return new Map([...below].map(([id, neighbors]) => [id, [...neighbors]]))
}
