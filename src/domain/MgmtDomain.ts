/**
 * A management domain: the VLAN and gateway that a pair of devices gives the access switches below it
 * (docs/api.md#management-domains).
 */
import { Schema } from "effect"

export const MgmtDomain = Schema.Struct({
  id: Schema.Int,
  ipv4_gw: Schema.NullOr(Schema.String),
  ipv6_gw: Schema.NullOr(Schema.String),
  device_a_id: Schema.Int,
  device_a_ip: Schema.NullOr(Schema.String),
  device_b_id: Schema.Int,
  device_b_ip: Schema.NullOr(Schema.String),
  site_id: Schema.NullOr(Schema.Int),
  vlan: Schema.NullOr(Schema.Int),
  description: Schema.NullOr(Schema.String),
  esi_mac: Schema.NullOr(Schema.String)
})
export type MgmtDomain = typeof MgmtDomain.Type

/** What is needed to store a new management domain. */
export type NewMgmtDomain = Omit<MgmtDomain, "id">
