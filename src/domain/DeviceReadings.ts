/**
 * Readings of a device by drivers: facts, learnt addresses, LLDP neighbours, and the counters and optics of ports
 * (docs/api.md#live-reads).
 */
import { Result, Schema } from "effect"

/**
 * `uptime` in seconds; `interface_list` in natural order without subinterfaces. A fact that the device does not report is null,
 * and `remarks` names it.
 */
export const Facts = Schema.Struct({
  hostname: Schema.NullOr(Schema.String),
  fqdn: Schema.NullOr(Schema.String),
  vendor: Schema.String,
  model: Schema.NullOr(Schema.String),
  serial_number: Schema.NullOr(Schema.String),
  os_version: Schema.NullOr(Schema.String),
  uptime: Schema.NullOr(Schema.Finite),
  interface_list: Schema.NullOr(Schema.Array(Schema.String)),
  remarks: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Facts = typeof Facts.Type

/** The ports, for callers that need them; else a sentence about what the device did not report. */
export const portsIn = ({ interface_list, remarks = [] }: Facts): Result.Result<ReadonlyArray<string>, string> =>
  Result.fromNullishOr(interface_list, () => `the device does not say which interfaces it has: ${remarks.join("; ")}`)

/** Name under which clients know the entry of a task list that contains the facts. */
export const FACTS_TASK = "napalm_get"

// Machines that a switch has learnt around it (docs/api.md#find), in the form in which they are read, sent to the job and
// stored.

/** A station that a switch has learnt on a port. `mac` upper case with colons; `vlan` null where the switch does not report it. */
export const MacEntry = Schema.Struct({ port: Schema.String, vlan: Schema.NullOr(Schema.Int), mac: Schema.String })
export type MacEntry = typeof MacEntry.Type

/** A port of a MAC address table that represents others: its `members`, or tunnels to other switches. */
export const JoinedPort = Schema.Struct({
  port: Schema.String,
  members: Schema.Array(Schema.String),
  isTunnel: Schema.Boolean
})
export type JoinedPort = typeof JoinedPort.Type

/** Learnt stations, without the switch's own addresses, and their ports that are more than one cable. */
export const MacTable = Schema.Struct({ entries: Schema.Array(MacEntry), joined: Schema.Array(JoinedPort) })
export type MacTable = typeof MacTable.Type

/** The station behind an IPv4 or IPv6 address, as a router knows it. `mac` upper case with colons. */
export const ArpEntry = Schema.Struct({ ip: Schema.String, mac: Schema.String, interface: Schema.String })
export type ArpEntry = typeof ArpEntry.Type

/** All tables, and the names that neighbours announce over LLDP, by port, where the switch reports them. */
export const LearnedTables = Schema.Struct({
  macs: MacTable,
  arps: Schema.Array(ArpEntry),
  neighbours: Schema.Record(Schema.String, Schema.Array(Schema.String))
})
export type LearnedTables = typeof LearnedTables.Type

// An LLDP neighbour (docs/api.md#live-reads).

/** The announcement of a neighbour; empty text for a missing part. */
export const NeighbourDetail = Schema.Struct({
  parent_interface: Schema.String,
  remote_port: Schema.String,
  remote_port_description: Schema.String,
  remote_chassis_id: Schema.String,
  remote_system_name: Schema.String,
  remote_system_description: Schema.String,
  remote_system_capab: Schema.Array(Schema.String),
  remote_system_enable_capab: Schema.Array(Schema.String)
}).annotate({ identifier: "LldpNeighborDetail" })
export type NeighbourDetail = typeof NeighbourDetail.Type

// Counters and measurements of a port in addition to its state (docs/api.md#live-reads).

/** Packets since the counters were cleared: those with errors, and those that were dropped because a buffer was full. */
export const PortErrors = Schema.Struct({
  in: Schema.Finite,
  out: Schema.Finite,
  in_discards: Schema.Finite,
  out_discards: Schema.Finite
}).annotate({ identifier: "PortErrors" })
export type PortErrors = typeof PortErrors.Type

/**
 * A transceiver: light in dBm (of the first lane), its laser's current in mA, degrees Celsius. A value that it does not measure
 * is null.
 */
export const PortOptics = Schema.Struct({
  media: Schema.String,
  serial: Schema.String,
  rx_power: Schema.NullOr(Schema.Finite),
  tx_power: Schema.NullOr(Schema.Finite),
  bias: Schema.NullOr(Schema.Finite),
  temperature: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "PortOptics" })
export type PortOptics = typeof PortOptics.Type

/**
 * A port as it was read: `speed` in Mbit/s, `last_flapped` in epoch seconds, -1 when unknown. Values that the device does not report are null;
 * `errors` is absent if the platform counts none, `light` without a transceiver that measures it.
 */
export const PortReading = Schema.Struct({
  is_up: Schema.NullOr(Schema.Boolean),
  is_enabled: Schema.NullOr(Schema.Boolean),
  description: Schema.String,
  last_flapped: Schema.Finite,
  mtu: Schema.NullOr(Schema.Finite),
  speed: Schema.NullOr(Schema.Int),
  mac_address: Schema.String,
  errors: Schema.optionalKey(PortErrors),
  light: Schema.optionalKey(PortOptics)
}).annotate({ identifier: "PortReading" })
export type PortReading = typeof PortReading.Type
