/**
 * What drivers read from a device: facts, learnt addresses, LLDP neighbours, and the counters and optics of ports
 * (docs/api.md#live-reads).
 */
import { Result, Schema } from "effect"

/**
 * `uptime` in seconds; `interface_list` in natural order without subinterfaces. What the device does not say is null, and
 * `remarks` names it, where there is such.
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

/** The ports, for those who can do nothing without them; else a sentence that says what the device did not give. */
export const portsIn = ({ interface_list, remarks = [] }: Facts): Result.Result<ReadonlyArray<string>, string> =>
  Result.fromNullishOr(interface_list, () => `the device does not say which interfaces it has: ${remarks.join("; ")}`)

/** Name under which clients know the entry of a task list that holds the facts. */
export const FACTS_TASK = "napalm_get"

// What a switch has learnt of machines around it (docs/api.md#find), as it is read, sent to the job and stored.

/** A station that a switch has learnt on a port. `mac` upper case with colons; `vlan` null where the switch does not say it. */
export const MacEntry = Schema.Struct({ port: Schema.String, vlan: Schema.NullOr(Schema.Int), mac: Schema.String })
export type MacEntry = typeof MacEntry.Type

/** A port of a MAC address table that stands for others: its `members`, or for tunnels to other switches. */
export const JoinedPort = Schema.Struct({
  port: Schema.String,
  members: Schema.Array(Schema.String),
  isTunnel: Schema.Boolean
})
export type JoinedPort = typeof JoinedPort.Type

/** Stations that were learnt, without the switch's own addresses, and the ports of them that are not one cable. */
export const MacTable = Schema.Struct({ entries: Schema.Array(MacEntry), joined: Schema.Array(JoinedPort) })
export type MacTable = typeof MacTable.Type

/** Which station has an address of IPv4 or IPv6, as a router knows it. `mac` upper case with colons. */
export const ArpEntry = Schema.Struct({ ip: Schema.String, mac: Schema.String, interface: Schema.String })
export type ArpEntry = typeof ArpEntry.Type

/** All of it, and the names that are heard over LLDP, by port, where the switch tells them. */
export const LearnedTables = Schema.Struct({
  macs: MacTable,
  arps: Schema.Array(ArpEntry),
  neighbours: Schema.Record(Schema.String, Schema.Array(Schema.String))
})
export type LearnedTables = typeof LearnedTables.Type

// What LLDP tells about a neighbour (docs/api.md#live-reads).

/** Everything that a neighbour announces; empty text where it says nothing. */
export const NeighbourDetail = Schema.Struct({
  parent_interface: Schema.String,
  remote_port: Schema.String,
  remote_port_description: Schema.String,
  remote_chassis_id: Schema.String,
  remote_system_name: Schema.String,
  remote_system_description: Schema.String,
  remote_system_capab: Schema.Array(Schema.String),
  remote_system_enable_capab: Schema.Array(Schema.String)
})
export type NeighbourDetail = typeof NeighbourDetail.Type

// What switches count and measure at a port beside its state (docs/api.md#live-reads).

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
