/** Handlers of the ports as they were read last, and of what they can be given (docs/api.md#ports-as-last-read). */
import { Effect, Option, Record } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { enveloped } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import type { PortOptions, Readings } from "../api/PortReadingsApi.ts"
import { LiveDevices } from "../devices/LiveDevices.ts"
import type { Device } from "../domain/Device.ts"
import type { PortReading } from "../domain/DeviceReadings.ts"
import { macWithColons } from "../domain/Network.ts"
import { isObject } from "../domain/fields/Values.ts"
import { isManageable } from "../domain/platforms/Platforms.ts"
import type { InterfaceStates, Optics } from "../drivers/Driver.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { locationText } from "../settings/SettingsModel.ts"
import { requiringSettings, SettingsView } from "../settings/SettingsView.ts"
import { makeFindQueries } from "../store/FleetViews.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { answered } from "./core/HandlerErrors.ts"
import { makeDeviceLookup, makeVisible } from "./core/Permits.ts"

const readingsOf = (states: InterfaceStates, light: Optics): Readonly<Record<string, PortReading>> =>
  Record.map(states, (state, name) => {
    const optics = light[name]
    return {
      ...state,
      description: maskSecrets(state.description),
      speed: state.speed === null ? null : Math.round(state.speed),
      ...(optics === undefined ? {} : { light: optics })
    }
  })

const makeReadings = Effect.gen(function* () {
  const live = yield* LiveDevices
  const { keepReading, lastReading } = yield* InterfaceStore
  const { byHostname } = yield* makeDeviceLookup
  const { onPorts } = yield* makeFindQueries
  const visible = yield* makeVisible

  /** Reads the device and keeps what it said; yields why that was not possible, else null. */
  const readNow = Effect.fnUntraced(function* (device: Device) {
    if (device.state !== "MANAGED" || !isManageable(device))
      return { busy: false, message: `${device.hostname} is not a managed device` }
    const read = Effect.gen(function* () {
      const states = yield* live.interfaces(device)
      // a platform that refuses to show its transceivers has ports all the same
      const light = yield* Effect.catchTag(live.optics(device), "DeviceUnread", () => Effect.succeed({}))
      yield* keepReading(device.id, readingsOf(states, light))
      return null
    })
    return yield* Effect.catchTag(read, "DeviceUnread", ({ message, type }) =>
      Effect.succeed({ busy: type === "Busy", message })
    )
  })

  return Effect.fn("PortReadings.read")(function* (hostname: string, maxAge: number | undefined) {
    const device = yield* byHostname(hostname)
    const known = yield* lastReading(device.id)
    const isOld = maxAge !== undefined && (known === null || known.age > maxAge)
    const problem = isOld ? yield* readNow(device) : null
    const last = isOld && problem === null ? yield* lastReading(device.id) : known
    const machines = yield* onPorts(device.id, (yield* visible).within)
    return enveloped({
      read_at: last?.read_at ?? null,
      age: last === null ? null : Math.max(0, Math.round(last.age)),
      problem,
      ports: last?.ports ?? {},
      machines: machines.map((one) => ({ ...one, mac: Option.getOrElse(macWithColons(one.mac), () => one.mac) }))
    } satisfies Readings)
  })
})

const textIn = (value: unknown, key: string): string => {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === "string" ? found : ""
}

const makeOptions = Effect.gen(function* () {
  const settings = yield* SettingsView
  const { byHostname } = yield* makeDeviceLookup
  return Effect.fn("PortReadings.options")(function* (hostname: string) {
    const device = yield* byHostname(hostname)
    const { settings: effective } = yield* requiringSettings(settings.effective({ _tag: "Device", device }))
    const { location, port_profiles: profiles, vxlans } = effective
    const vlans = Object.values(isObject(vxlans) ? vxlans : {}).flatMap((vxlan) => {
      const id = isObject(vxlan) ? vxlan["vlan_id"] : undefined
      const name = textIn(vxlan, "vlan_name")
      return typeof id === "number" && name !== "" ? [{ id, name }] : []
    })
    return enveloped({
      vlans,
      profiles: Object.entries(isObject(profiles) ? profiles : {}).map(([name, profile]) => ({
        name,
        description: textIn(profile, "description")
      })),
      location: locationText(location)
    } satisfies PortOptions)
  })
})

/** Handlers of `PortReadingsGroup`. */
export const PortReadingsLive = HttpApiBuilder.group(Api, "portReadings", (handlers) =>
  Effect.gen(function* () {
    const readings = yield* makeReadings
    const options = yield* makeOptions
    return handlers
      .handle("readings", ({ params, query }) => answered(readings(params.hostname, query.max_age)))
      .handle("options", ({ params }) => answered(options(params.hostname)))
  })
)
