/** Routes that read a device while the client waits (docs/api.md#live-reads). */
import { Effect, Record } from "effect"
import { SecretSight } from "../../access/SecretSight.ts"
import { Caller } from "../../api/Requests.ts"
import { BadRequest, enveloped, InternalError } from "../../api/Answers.ts"
import { requireManageable } from "../../domain/platforms/Unmanageable.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { type DeviceUnread, LiveDevices } from "../../devices/LiveDevices.ts"
import type { NeighbourDetails, Neighbours } from "../../drivers/Readings.ts"
import { interfaceLines } from "./InterfaceLines.ts"

const exception = ({ message, type }: DeviceUnread) => new InternalError({ message: `Exception: ${type}: ${message}` })

const neighbourFailure = (error: DeviceUnread) =>
  error.silent ? new InternalError({ message: "Failed to get LLDP neighbors" }) : exception(error)

/** What neighbours announce is theirs, so nobody is shown secrets in it. */
const maskedNeighbours = (heard: Neighbours): Neighbours =>
  Record.map(heard, (all) =>
    all.map(({ hostname, port }) => ({ hostname: maskSecrets(hostname), port: maskSecrets(port) }))
  )

const maskedDetails = (heard: NeighbourDetails): NeighbourDetails =>
  Record.map(heard, (all) =>
    all.map((one) => ({
      ...one,
      remote_port: maskSecrets(one.remote_port),
      remote_port_description: maskSecrets(one.remote_port_description),
      remote_system_name: maskSecrets(one.remote_system_name),
      remote_system_description: maskSecrets(one.remote_system_description)
    }))
  )

/** The handlers. */
export const makeDeviceReads = Effect.gen(function* () {
  const live = yield* LiveDevices
  const devices = yield* DeviceStore
  const sight = yield* SecretSight
  const { byHostname } = yield* makeDeviceLookup
  const readable = (hostname: string) => Effect.tap(byHostname(hostname), requireManageable)

  return {
    runningConfig: Effect.fn("DeviceReads.runningConfig")(function* (hostname: string, name: string | undefined) {
      const device = yield* byHostname(hostname)
      if (device.state !== "MANAGED") {
        return yield* new BadRequest({ message: `Hostname '${hostname}' not found or is not a managed device` })
      }
      yield* requireManageable(device)
      const text = yield* Effect.mapError(live.runningConfig(device), exception)
      const wanted = name === undefined ? text : interfaceLines(text, name, device.platform ?? "")
      return enveloped({ config: yield* sight.config(yield* Caller, { what: "running_config", hostname }, wanted) })
    }),
    neighbours: Effect.fn("DeviceReads.neighbours")(function* (hostname: string) {
      const heard = yield* Effect.mapError(live.neighbours(yield* readable(hostname)), neighbourFailure)
      return enveloped({ lldp_neighbors: maskedNeighbours(heard) })
    }),
    neighbourDetails: Effect.fn("DeviceReads.neighbourDetails")(function* (hostname: string) {
      const heard = yield* Effect.mapError(live.neighbourDetails(yield* readable(hostname)), neighbourFailure)
      return enveloped({ lldp_neighbors_detail: maskedDetails(heard) })
    }),
    optics: Effect.fn("DeviceReads.optics")(function* (hostname: string) {
      const device = yield* byHostname(hostname)
      if (device.state !== "MANAGED") {
        return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
      }
      yield* requireManageable(device)
      return enveloped({ optics: yield* Effect.mapError(live.optics(device), exception) })
    }),
    interfaceStatus: Effect.fn("DeviceReads.interfaceStatus")(function* (hostname: string) {
      const refuse = (reason: string) => new BadRequest({ message: `Could not get interface states, ${reason}` })
      const unknown = () => refuse(`invalid input: Hostname ${hostname} not found in inventory`)
      const device = yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", () =>
        Effect.fail(unknown())
      )
      if (device.state !== "MANAGED") return yield* unknown()
      yield* requireManageable(device)
      const shown = yield* Effect.mapError(live.interfaces(device), ({ message, type }) =>
        refuse(`unknown exception: ${type}: ${message}`)
      )
      const states = Object.entries(shown).map(([name, state]) => [
        name,
        {
          ...state,
          description: maskSecrets(state.description),
          speed: state.speed === null ? null : Math.round(state.speed)
        }
      ])
      return enveloped({ interface_status: Object.fromEntries(states) })
    })
  }
})
