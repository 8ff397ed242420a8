/** What switches count and measure at a port beside its state (docs/api.md#live-reads). */
import { Schema } from "effect"

/** Packets since the counters were cleared: those with errors, and those that were thrown away for want of room. */
export const PortErrors = Schema.Struct({
  in: Schema.Finite,
  out: Schema.Finite,
  in_discards: Schema.Finite,
  out_discards: Schema.Finite
})
export type PortErrors = typeof PortErrors.Type

/** A transceiver: light in dBm (of the first lane), its laser's current in mA, degrees Celsius. What it does not measure is null. */
export const PortOptics = Schema.Struct({
  media: Schema.String,
  serial: Schema.String,
  rx_power: Schema.NullOr(Schema.Finite),
  tx_power: Schema.NullOr(Schema.Finite),
  bias: Schema.NullOr(Schema.Finite),
  temperature: Schema.NullOr(Schema.Finite)
})
export type PortOptics = typeof PortOptics.Type
