/**
 * What may be asked of a device's actor, from any replica: the protocol of the `Device` entity. Its address is the device's
 * id, so that calls to one device are served one after the other, wherever they come from (promise 1). Only `ShowActor` is
 * answered beside them.
 */
import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { verdicts } from "../../machines/change/ChangeRow.ts"
import { ActorView, OurSession } from "../domain/DeviceActivity.ts"
import { DeviceState } from "../domain/Device.ts"
import { ShownIdentity } from "../domain/DeviceIdentity.ts"
import { ChangeReport } from "./ChangeExecutor.ts"
import { DeviceFailure } from "./DeviceFailure.ts"
import { firmwareCalls } from "./FirmwareCalls.ts"
import { operationCalls } from "./OperationCalls.ts"
import { Facts } from "../domain/DeviceReadings.ts"
import { Neighbours } from "../drivers/Driver.ts"

export { DeviceFailure }

/** Another process has taken the change over; its outcome is not known here. */
export class ChangeMoved extends Schema.TaggedError<ChangeMoved>()("ChangeMoved", { id: Schema.Int }) {}

/** Where to log in when the row does not say it: another address, or the credentials of another state. */
export const LoginAs = Schema.Struct({
  address: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(DeviceState)
})

/** A base configuration that moves a new switch to its management address. */
export const BasePush = Schema.Struct({
  sessionName: Schema.String,
  /** Nothing is committed any more once this job is to be aborted. */
  jobId: Schema.Int,
  config: Schema.String,
  newHostname: Schema.String,
  oldAddress: Schema.String,
  newAddress: Schema.String,
  /** How long the switch may take to answer on its new address. */
  seconds: Schema.Int,
  /** Nothing is pushed: the switch is only looked for, because the push may have been sent before. */
  lookOnly: Schema.Boolean
})

/** Where the switch answers after the push; `failure` is the text of what the switch or the way to it said. */
export const BasePushed = Schema.Struct({
  newAddressAnswers: Schema.Boolean,
  oldAddressAnswers: Schema.Boolean,
  /** The job was aborted before the commit, so that the switch runs what it ran before. */
  aborted: Schema.Boolean,
  failure: Schema.NullOr(Schema.String)
})
export type BasePushed = typeof BasePushed.Type

/** Runs a stored change to its end; a change that was begun before is resumed by looking at the device. */
export const RunChange = Rpc.make("RunChange", {
  payload: { changeId: Schema.Int },
  success: ChangeReport,
  error: Schema.Union([DeviceFailure, ChangeMoved])
})

/** Tells a change that waits for the other devices of its job how they fared. */
export const SettleChange = Rpc.make("SettleChange", {
  payload: { changeId: Schema.Int, verdict: Schema.Literals(verdicts) },
  success: ChangeReport,
  error: Schema.Union([DeviceFailure, ChangeMoved])
})

const RunningConfig = Schema.Struct({ config: Schema.String, hash: Schema.String })

export const ReadFacts = Rpc.make("ReadFacts", { payload: { login: LoginAs }, success: Facts, error: DeviceFailure })
/** Reads which device it is, whatever its record says, unless its host key is that of another record. */
export const ReadIdentity = Rpc.make("ReadIdentity", {
  success: Schema.Struct({ hostKey: Schema.String, ...ShownIdentity.fields }),
  error: DeviceFailure
})
export const ReadNeighbours = Rpc.make("ReadNeighbours", {
  payload: { login: LoginAs },
  success: Neighbours,
  error: DeviceFailure
})
export const ReadRunningConfig = Rpc.make("ReadRunningConfig", {
  payload: { login: LoginAs },
  success: RunningConfig,
  error: DeviceFailure
})

/**
 * Compares what the device runs with a configuration and its hash; `diff` is empty when the hashes are equal. `sessions` are ours that
 * are open or timed, absent when nothing is known of them: the device does not list them, or a replica of the release before has
 * answered. `jobs` are those of which the device has candidates, also committed ones, if they were asked for and it lists them.
 */
export const ReadDrift = Rpc.make("ReadDrift", {
  payload: { config: Schema.String, hash: Schema.String, withJobs: Schema.optionalKey(Schema.Boolean) },
  success: Schema.Struct({
    hash: Schema.String,
    diff: Schema.String,
    sessions: Schema.optionalKey(Schema.Array(OurSession)),
    jobs: Schema.optionalKey(Schema.Array(Schema.Int))
  }),
  error: DeviceFailure
})

/** Adds lines to the running configuration without a timer and saves: for changes that cannot cut the device off. */
export const MergeConfig = Rpc.make("MergeConfig", {
  payload: { login: LoginAs, sessionName: Schema.String, config: Schema.String },
  success: Schema.Struct({ diff: Schema.String }),
  error: DeviceFailure
})

export const PushBase = Rpc.make("PushBase", { payload: BasePush, success: BasePushed, error: DeviceFailure })

/**
 * Logs in on the management address of a new switch, saves its configuration and reads what it is and runs. A replica of the release before
 * does not say what it runs.
 */
export const FinishInit = Rpc.make("FinishInit", {
  success: Schema.Struct({
    facts: Facts,
    hostKey: Schema.String,
    running: Schema.optionalKey(RunningConfig)
  }),
  error: DeviceFailure
})

/** Shows the device's actor; answers beside the call under way. */
export const ShowActor = Rpc.make("ShowActor", { success: ActorView, error: DeviceFailure })

/** The device as an actor, addressed by its id. */
export const DeviceEntity = Entity.make("Device", [
  RunChange,
  SettleChange,
  ReadFacts,
  ReadIdentity,
  ReadNeighbours,
  ReadRunningConfig,
  ReadDrift,
  MergeConfig,
  PushBase,
  FinishInit,
  ShowActor,
  ...firmwareCalls,
  ...operationCalls
])
