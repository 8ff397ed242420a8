/** What LLDP tells about a neighbour (docs/api.md#live-reads). */
import { Schema } from "effect"

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
