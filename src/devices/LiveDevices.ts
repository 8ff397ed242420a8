/** What is asked of a device while a request waits (contract api-devices.md §6.3, §8, §11.4 and §11.5). */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Bounced } from "./OperationCalls.ts"
import type { InterfaceStates, NeighbourDetails } from "../drivers/Readings.ts"
import type { Device } from "../domain/Device.ts"

/** The device could not be asked, or not understood. `type` is the name that operators know; `silent`: it did not answer. */
export class DeviceUnread extends Schema.TaggedError<DeviceUnread>()("DeviceUnread", {
  type: Schema.String,
  silent: Schema.Boolean,
  message: Schema.String
}) {}

/** Neighbours by local port. */
export type Neighbours = Readonly<Record<string, ReadonlyArray<{ readonly hostname: string; readonly port: string }>>>

type Read<A> = (device: Device) => Effect.Effect<A, DeviceUnread>

/** Reads devices and bounces their ports, one call at a time per device. */
export class LiveDevices extends Context.Service<
  LiveDevices,
  {
    readonly runningConfig: Read<string>
    readonly neighbours: Read<Neighbours>
    readonly neighbourDetails: Read<NeighbourDetails>
    readonly interfaces: Read<InterfaceStates>
    /** Goes on to its end when the request is given up, so that no port stays down. */
    readonly bounce: (
      device: Device,
      ports: ReadonlyArray<string>
    ) => Effect.Effect<Bounced, DeviceUnread | SqlError.SqlError>
  }
>()("switchyard/devices/LiveDevices") {}
