/** PUT interfaces: changes ports one by one, keeps what is good and tells what is not (docs/api.md#changing-ports). */
import { Effect } from "effect"
import { permitted } from "../../access/Permit.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, InternalError } from "../../api/Failures.ts"
import type { Device } from "../../domain/Device.ts"
import { changePort, type PortChange, type PortContext, refersToSettings } from "../../domain/PortChange.ts"
import { NO_OBJECT, type PortChanges } from "../../domain/PortFields.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { isObject, type JsonObject } from "../../domain/fields/Values.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { SettingsView } from "../../settings/SettingsView.ts"

type SentPorts = typeof PortChanges.checked.Type
type Ports = typeof PortChanges.schema.Type.interfaces

const refuse = (errors: ReadonlyArray<string>) => new BadRequest({ message: { errors } })

/** The VXLANs of effective settings by their keys, and the names of their VLANs. */
export const vlansOf = (settings: JsonObject): Pick<PortContext, "vlanNames" | "vxlans"> => {
  const vxlans = isObject(settings["vxlans"]) ? settings["vxlans"] : {}
  const names = Object.values(vxlans).flatMap((vxlan) => {
    const name = isObject(vxlan) ? vxlan["vlan_name"] : undefined
    return typeof name === "string" ? [name] : []
  })
  return { vxlans: new Set(Object.keys(vxlans)), vlanNames: new Set(names) }
}

const asUpdated = ({ configtype, configtypeChanged, data, dataChanged }: PortChange) => ({
  ...(configtypeChanged ? { configtype } : {}),
  ...(dataChanged ? { data } : {})
})

const isBroken = (text: unknown): boolean => typeof text === "string" && /[\r\n]/.test(text.trim())

/** Whether a port's data bring lines of their own into the configuration: given as such, or behind a line break. */
const isFree = ({ fields }: NonNullable<Ports[string]>): boolean => {
  const { cli_append_str, description, tags } = fields.data?.fields ?? {}
  return Boolean(cli_append_str) || [description ?? "", ...(tags ?? [])].some(isBroken)
}

const makeContext = Effect.gen(function* () {
  const settings = yield* SettingsView
  return Effect.fnUntraced(function* (device: Device, interfaces: Ports) {
    const { hostname } = device
    if (!Object.values(interfaces).some(refersToSettings)) {
      return { hostname, vlanNames: new Set<string>(), vxlans: new Set<string>() } satisfies PortContext
    }
    const effective = yield* settings
      .effective({ _tag: "Device", device })
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(new InternalError({ message: `Error getting settings: ${message}` }))
        )
      )
    return { hostname, ...vlansOf(effective.settings) } satisfies PortContext
  })
})

/** Changes ports by a request body. Fails with 400 when any part was refused, after the good parts were stored. */
export const makeInterfaceUpdate = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const contextOf = yield* makeContext
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const change = Effect.fnUntraced(function* (device: Device, interfaces: Ports, by: string) {
    const context = yield* contextOf(device, interfaces)
    const stored = new Map((yield* ports.ofDevice(device.id)).map((port) => [port.name, port]))
    const errors: Array<string> = []
    const updated: Array<readonly [name: string, change: ReturnType<typeof asUpdated>]> = []
    for (const [name, sent] of Object.entries(interfaces)) {
      const port = stored.get(name)
      if (port === undefined || sent === null) {
        errors.push(sent === null ? NO_OBJECT : `Interface ${name} not found`)
        continue
      }
      const outcome = changePort(port, sent, context)
      errors.push(...outcome.errors)
      if (!outcome.configtypeChanged && !outcome.dataChanged) continue
      yield* ports.put(device.id, name, outcome.configtype, outcome.dataChanged ? outcome.data : port.data)
      updated.push([name, asUpdated(outcome)])
    }
    if (updated.length > 0) yield* unsynchronize([device.id], "interface_updated", by)
    return { errors, updated: Object.fromEntries(updated) }
  })

  return Effect.fn("InterfaceUpdate.update")(function* (hostname: string, sent: SentPorts, by: string) {
    const known = yield* devices.getByHostname(hostname)
    const { interfaces } = yield* Effect.mapError(Effect.fromResult(sent.complete), refuse)
    const free = Object.values(interfaces).some((port) => port !== null && isFree(port))
    yield* permitted({
      ports: Object.keys(interfaces).map((port) => ({ hostname: known.hostname, port })),
      ...(free ? { free, whole: true as const } : {})
    })
    // the row's lock lets changes of one device's ports happen one after the other
    const locked = Effect.flatMap(devices.lock(known.id), (device) => change(device, interfaces, by))
    const { errors, updated } = yield* inTransaction(locked)
    if (errors.length === 0) return enveloped({ updated })
    return yield* Object.keys(updated).length === 0 ? refuse(errors) : new BadRequest({ message: { errors, updated } })
  })
})
