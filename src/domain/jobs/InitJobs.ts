/**
 * Jobs that bring a new switch to MANAGED (docs/provisioning.md), and the memo of step 1: its decision, so that it continues at
 * the same point after a restart and restores everything after a failure.
 */
import { Effect, Schema } from "effect"
import { Device } from "../Device.ts"
import { Interface } from "../Interface.ts"
import { Linknet } from "../Linknet.ts"
import { Facts } from "../DeviceReadings.ts"
import { defineJob, flag } from "./JobDefinition.ts"

/** Rows from before the writes of step 1. */
export const RowsBefore = Schema.Struct({
  /** The switch and, for a pair, its peer or, for a replacement, the row of the new unit: the devices whose ports are restored. */
  deviceIds: Schema.Array(Schema.Int),
  /** Links that were removed, and the ids of those that were added. */
  removed: Schema.Array(Linknet),
  added: Schema.Array(Schema.Int),
  ports: Schema.Array(Interface),
  /** Neighbours that were synchronized. */
  inSync: Schema.Array(Schema.Int),
  infraIp: Schema.NullOr(Schema.String),
  /** The old switch and the row of the new unit, in a replacement. */
  replaced: Schema.NullOr(Schema.Struct({ old: Device, unit: Device }))
})
export type RowsBefore = typeof RowsBefore.Type

const Address = Schema.Struct({ ip: Schema.String, network: Schema.NullOr(Schema.String) })

export const InitDecision = Schema.Struct({
  stage: Schema.Literals(["prepared", "pushing", "done"]),
  /** The row that remains: the old switch's in a replacement. */
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
  /** Ports and links of a replaced switch that the new unit does not have. */
  lost: Schema.Struct({ interfaces: Schema.Array(Schema.String), links: Schema.Array(Schema.String) })
})
export type InitDecision = typeof InitDecision.Type

// Job `discover_device`: logs in to a switch that asked for DHCP and reads its identity (docs/provisioning.md#discovery).

export const DiscoverDevice = defineJob({
  name: "discover_device",
  /** `iteration`: number of the attempt, from 1. */
  Args: Schema.Struct({ ztp_mac: Schema.String, dhcp_ip: Schema.String, iteration: Schema.Int }),
  Memo: Schema.Struct({ facts: Facts }),
  kind: "discovery",
  changesDevices: () => false,
  pinsCommits: true,
  discovers: ({ dhcp_ip, ztp_mac }) => ({ dhcp_ip, ztp_mac })
})

// Job `init_access_device_step1`: gives a discovered access switch its place in the network (docs/provisioning.md).

export const InitAccessStep1 = defineJob({
  name: "init_access_device_step1",
  Args: Schema.Struct({
    device_id: Schema.Int,
    new_hostname: Schema.String,
    mlag_peer_id: Schema.optionalKey(Schema.Int),
    mlag_peer_new_hostname: Schema.optionalKey(Schema.String),
    uplink_hostnames_arg: Schema.optionalKey(Schema.Array(Schema.String)),
    replace_hostname: Schema.optionalKey(Schema.Boolean)
  }),
  Memo: InitDecision,
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices",
  pinsCommits: true
})

// Job `init_fabric_device_step1`: gives a discovered DIST or CORE device its place in the network
// (docs/provisioning.md#fabric-step-1).

export const InitFabricStep1 = defineJob({
  name: "init_fabric_device_step1",
  Args: Schema.Struct({
    device_id: Schema.Int,
    new_hostname: Schema.String,
    device_type: Schema.String,
    /** Null: find the neighbours; empty: do not check. */
    neighbors: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
  }),
  Memo: InitDecision,
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices",
  pinsCommits: true
})

// Job `init_device_step2`: logs in to a new switch on its management address and declares it MANAGED
// (docs/provisioning.md#step-2).

export const InitStep2 = defineJob({
  name: "init_device_step2",
  /** `iteration`: number of the attempt, from 1. */
  Args: Schema.Struct({ device_id: Schema.Int, iteration: Schema.Int }),
  Memo: Schema.Struct({ done: Schema.Literal(true) }),
  // a new switch is not in service yet
  followsWindows: () => false,
  kind: "devices"
})

// Job `update_interfacedb`: fills the interface database of an access switch (docs/provisioning.md#ports-of-an-access-switch
// and docs/jobs.md#update_interfacedb).

export const UpdateInterfaces = defineJob({
  name: "update_interfacedb",
  Args: Schema.Struct({
    hostname: Schema.String,
    replace: flag(false),
    delete_all: flag(false),
    mlag_peer_hostname: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
  }),
  Memo: Schema.Never,
  kind: "devices",
  changesDevices: () => false
})
