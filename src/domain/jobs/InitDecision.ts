/**
 * What step 1 of an initialisation has decided and how far it came: the job's memory, so that a restart goes on where it was
 * and a failure can put everything back as it was before (docs/provisioning.md).
 */
import { Schema } from "effect"
import { Device } from "../Device.ts"
import { Interface } from "../Interface.ts"
import { Linknet } from "../Linknet.ts"

/** Rows as they were before step 1 wrote. */
export const RowsBefore = Schema.Struct({
  /** The switch and, for a pair, its peer or, for a replacement, the row of the new unit: whose ports are put back. */
  deviceIds: Schema.Array(Schema.Int),
  /** Links that were removed, and the ids of those that were added. */
  removed: Schema.Array(Linknet),
  added: Schema.Array(Schema.Int),
  ports: Schema.Array(Interface),
  /** Neighbours that were synchronized. */
  inSync: Schema.Array(Schema.Int),
  infraIp: Schema.NullOr(Schema.String),
  /** The old switch and the row of the new unit, when one takes the place of the other. */
  replaced: Schema.NullOr(Schema.Struct({ old: Device, unit: Device }))
})
export type RowsBefore = typeof RowsBefore.Type

const Address = Schema.Struct({ ip: Schema.String, network: Schema.NullOr(Schema.String) })

export const InitDecision = Schema.Struct({
  stage: Schema.Literals(["prepared", "pushing", "done"]),
  /** The row that goes on: the old switch's when it is replaced. */
  deviceId: Schema.Int,
  device_type: Schema.Literals(["ACCESS", "DIST", "CORE"]),
  previousHostname: Schema.String,
  newHostname: Schema.String,
  oldAddress: Schema.String,
  primary: Address,
  secondary: Schema.NullOr(Address),
  infraIp: Schema.NullOr(Schema.String),
  /** Template variables of the addresses. */
  variables: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
  /** Neighbours that were verified. */
  neighbours: Schema.Array(Schema.String),
  /** Hostnames above the switch or the pair, one per uplink. */
  uplinks: Schema.Array(Schema.String),
  before: RowsBefore,
  /** Ports and links of a replaced switch that the new unit has not. */
  lost: Schema.Struct({ interfaces: Schema.Array(Schema.String), links: Schema.Array(Schema.String) })
})
export type InitDecision = typeof InitDecision.Type
