/** What a switch has learnt of machines around it (docs/api.md#find), as it is read, sent to the job and stored. */
import { Schema } from "effect"

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
