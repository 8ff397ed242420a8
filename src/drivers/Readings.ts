/**
 * What is read from a device (docs/switch-dialogues.md#facts), in the form in which threads and replicas send it to each other.
 */
import { Schema } from "effect"
import { NeighbourDetail, PortErrors, PortOptics } from "../domain/DeviceReadings.ts"

export { Facts } from "../domain/DeviceReadings.ts"
export { ArpEntry, JoinedPort, MacEntry, MacTable } from "../domain/DeviceReadings.ts"

/**
 * `speed` in Mbit/s, `last_flapped` in epoch seconds or −1, `mac_address` upper case with colons or empty. What the switch does
 * not say is null. `errors` is absent where it counts none.
 */
export const InterfaceState = Schema.Struct({
  is_up: Schema.NullOr(Schema.Boolean),
  is_enabled: Schema.NullOr(Schema.Boolean),
  description: Schema.String,
  last_flapped: Schema.Finite,
  mtu: Schema.NullOr(Schema.Finite),
  speed: Schema.NullOr(Schema.Finite),
  mac_address: Schema.String,
  errors: Schema.optionalKey(PortErrors)
})
export type InterfaceState = typeof InterfaceState.Type

/** The state of each port. */
export const InterfaceStates = Schema.Record(Schema.String, InterfaceState)
export type InterfaceStates = typeof InterfaceStates.Type

/** The transceivers by port; empty where the platform tells of none. */
export const Optics = Schema.Record(Schema.String, PortOptics)
export type Optics = typeof Optics.Type

/**
 * What is heard on a port. `hostname` is the announced system name, which may be fully qualified; either is empty when the switch
 * does not say it.
 */
export const LldpNeighbour = Schema.Struct({ hostname: Schema.String, port: Schema.String })
export type LldpNeighbour = typeof LldpNeighbour.Type

/** What is heard on each port. */
export const Neighbours = Schema.Record(Schema.String, Schema.Array(LldpNeighbour))
export type Neighbours = typeof Neighbours.Type

/** Everything that neighbours announce, by port. */
export const NeighbourDetails = Schema.Record(Schema.String, Schema.Array(NeighbourDetail))
export type NeighbourDetails = typeof NeighbourDetails.Type
