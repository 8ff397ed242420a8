/**
 * The calls to a device's actor, from any replica: the protocol of the `Device` entity. Its address is the device's id, so calls to
 * one device are served one after the other, wherever they come from (promise 1). Only `ShowActor` is answered at once.
 */
import { Effect, Schedule, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { changePhases, proofs, verdicts } from "../../machines/change/ChangeRow.ts"
import { ShownOutput } from "../domain/checks/PluginQuestion.ts"
import { Question, StateAnswer } from "../domain/checks/Readings.ts"
import { ChangeNotes, CheckResult, PlannedCheck } from "../domain/Job.ts"
import { DeviceState } from "../domain/Device.ts"
import { ShownIdentity, type WrongDevice } from "../domain/DeviceIdentity.ts"
import { InterfaceStates, NeighbourDetails, Neighbours, Optics } from "../drivers/Driver.ts"
import { rareRetry } from "../runtime/BackgroundWork.ts"
import { Facts, LearnedTables } from "../domain/DeviceReadings.ts"
import { ActorView, OurSession } from "../domain/DeviceActivity.ts"

/**
 * Something could not be done on the device. `type` is the name that operators know (ConnectAuthError, CommandTimeout …),
 * `text` the whole text for a failed task, ending in `Type: message` and a newline.
 */
export class DeviceFailure extends Schema.TaggedError<DeviceFailure>()("DeviceFailure", {
  type: Schema.String,
  message: Schema.String,
  text: Schema.String
}) {}

/** Another process has taken the change over; its outcome is not known here. */
export class ChangeMoved extends Schema.TaggedError<ChangeMoved>()("ChangeMoved", { id: Schema.Int }) {}

/** Where to log in when the row does not say it: another address, or the credentials of another state. */
const LoginAs = Schema.Struct({
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

/** Where the switch answers after the push; `failure` is the error text of the switch or of the way to it. */
export const BasePushed = Schema.Struct({
  newAddressAnswers: Schema.Boolean,
  oldAddressAnswers: Schema.Boolean,
  /** The job was aborted before the commit, so the switch still runs its previous configuration. */
  aborted: Schema.Boolean,
  failure: Schema.NullOr(Schema.String)
})
export type BasePushed = typeof BasePushed.Type

/** The result of a change, for the job's record. `waiting` is true for a mode-2 change that is proved and needs a verdict. */
export const ChangeReport = Schema.Struct({
  waiting: Schema.Boolean,
  result: Schema.NullOr(Schema.Literals(["confirmed", "reverted", "unchanged", "discarded", "unknown"])),
  runs: Schema.Literals(["new", "old", "unclear"]),
  ok: Schema.Boolean,
  phase: Schema.Literals(changePhases),
  reason: Schema.NullOr(Schema.String),
  message: Schema.String,
  /** Error text of the step that failed, ending in `Type: message` and a newline. */
  failure: Schema.NullOr(Schema.String),
  diff: Schema.String,
  hash: Schema.NullOr(Schema.String),
  /** How the device was proved to run the candidate. */
  proof: Schema.optionalKey(Schema.Literals(proofs)),
  /** Remarks about the device for people, although nothing is wrong. */
  remarks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Notes about the load. */
  notes: Schema.optionalKey(ChangeNotes),
  /** The results of its checks; absent for a device without any. */
  checks: Schema.optionalKey(Schema.Array(CheckResult)),
  /** The checks that a live run would make; only of a dry run. */
  plannedChecks: Schema.optionalKey(Schema.Array(PlannedCheck)),
  /** The name that the device gave after a mode-2 commit, as evidence that it answers. */
  fqdn: Schema.optionalKey(Schema.String)
})
export type ChangeReport = typeof ChangeReport.Type

/** Whether the change continues although its job reports it: its end is recorded when it is known. */
export const isOpen = ({ phase, waiting }: ChangeReport): boolean => !waiting && phase === "expiring"

/** Runs a stored change to its end; a change that was begun before is resumed by looking at the device. */
export const RunChange = Rpc.make("RunChange", {
  payload: { changeId: Schema.Int },
  success: ChangeReport,
  error: Schema.Union([DeviceFailure, ChangeMoved])
})

/** Sends a waiting change the verdict over the devices of its job. */
export const SettleChange = Rpc.make("SettleChange", {
  payload: { changeId: Schema.Int, verdict: Schema.Literals(verdicts) },
  success: ChangeReport,
  error: Schema.Union([DeviceFailure, ChangeMoved])
})

const RunningConfig = Schema.Struct({ config: Schema.String, hash: Schema.String })

export const ReadFacts = Rpc.make("ReadFacts", { payload: { login: LoginAs }, success: Facts, error: DeviceFailure })
/** Reads the identity of the device, whatever its record says, unless its host key is that of another record. */
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
 * Compares what the device runs with a configuration and its hash; `diff` is empty when the hashes are equal. `sessions` are ours
 * that are open or timed, absent when nothing is known of them: the device does not list them, or a replica of the previous release
 * has answered. `jobs` are the jobs with candidates on the device, also committed ones, if they were asked for and it lists them.
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
 * Logs in on the management address of a new switch, saves its configuration and reads its facts and its running configuration,
 * which a replica of the previous release does not report.
 */
export const FinishInit = Rpc.make("FinishInit", {
  success: Schema.Struct({
    facts: Facts,
    hostKey: Schema.String,
    running: Schema.optionalKey(RunningConfig)
  }),
  error: DeviceFailure
})

// Calls other than changes of the configuration: live states, bouncing ports, certificates, erasing.

/** Ports to bounce with the rendered halves of it. */
export const Bounce = Schema.Struct({ ports: Schema.Array(Schema.String), down: Schema.String, up: Schema.String })
export type Bounce = typeof Bounce.Type

/** `refused`: why nothing was sent, or null; `changed`: both halves made a difference. */
export const Bounced = Schema.Struct({ refused: Schema.NullOr(Schema.String), changed: Schema.Boolean })
export type Bounced = typeof Bounced.Type

/** A private key and its certificate, both PEM. */
export const KeyPair = Schema.Struct({ key: Schema.RedactedFromValue(Schema.String), certificate: Schema.String })
export type KeyPair = typeof KeyPair.Type

/** A key pair that a job installs; it is installed once per job. */
export const CertificateOrder = Schema.Struct({ ...KeyPair.fields, jobId: Schema.Int })
export type CertificateOrder = typeof CertificateOrder.Type

/** `reloadSeen`: false when it is not known whether the erased switch has restarted. */
export const Erased = Schema.Struct({ reloadSeen: Schema.Boolean })
export type Erased = typeof Erased.Type

export const ReadInterfaces = Rpc.make("ReadInterfaces", { success: InterfaceStates, error: DeviceFailure })
export const ReadOptics = Rpc.make("ReadOptics", { success: Optics, error: DeviceFailure })
export const ReadNeighbourDetails = Rpc.make("ReadNeighbourDetails", {
  success: NeighbourDetails,
  error: DeviceFailure
})

const stateCall = {
  payload: { questions: Schema.Array(Question) },
  success: Schema.Array(StateAnswer),
  error: DeviceFailure
}

/**
 * Reads the state of a device for the checks of a change on its neighbour, or of a job without a change, over a session of its own and
 * out of turn: two devices that change at the same time and read each other must not wait for each other. An answer for each question, in
 * their order.
 */
export const ReadBeside = Rpc.make("ReadBeside", stateCall)

/** Gives a device read-only commands, as `ReadBeside` asks; what each has shown, without secrets, in their order. */
export const ShowBeside = Rpc.make("ShowBeside", {
  payload: { commands: Schema.Array(Schema.String) },
  success: Schema.Array(ShownOutput),
  error: DeviceFailure
})

/** Reads the machines that a switch has learnt. */
export const ReadTables = Rpc.make("ReadTables", { success: LearnedTables, error: DeviceFailure })

/** Asks all questions over one login; an answer for each, in their order. */
export const ReadState = Rpc.make("ReadState", stateCall)

/** Takes ports down and up again, if the device has them and they are enabled. */
export const BouncePorts = Rpc.make("BouncePorts", { payload: Bounce, success: Bounced, error: DeviceFailure })

/**
 * Copies a key and its certificate to the device and puts them into its stores. `discoveredAt` is the address of a device
 * that is being initialised, null for a managed one.
 */
export const InstallCertificate = Rpc.make("InstallCertificate", {
  payload: { ...CertificateOrder.fields, discoveredAt: Schema.NullOr(Schema.String) },
  error: DeviceFailure
})

/** Removes the startup configuration and the certificate and reloads; a connection that ends then is no failure. */
export const EraseDevice = Rpc.make("EraseDevice", {
  payload: { jobId: Schema.Int },
  success: Erased,
  error: DeviceFailure
})

/** Raises the ports that an interrupted bounce has left down. */
export const FinishBounce = Rpc.make("FinishBounce", {
  success: Schema.Struct({ ports: Schema.Array(Schema.String) }),
  error: DeviceFailure
})

const operationCalls = [
  ReadInterfaces,
  ReadOptics,
  ReadNeighbourDetails,
  ReadTables,
  ReadBeside,
  ShowBeside,
  ReadState,
  BouncePorts,
  FinishBounce,
  InstallCertificate,
  EraseDevice
] as const

// The calls of an upgrade, one for each step; a repeated step finds what is done already.

/** The expected image: its size in bytes and checksums in hexadecimal. */
export const ExpectedImage = Schema.Struct({ size: Schema.Int, sha512: Schema.String, md5: Schema.String })
export type ExpectedImage = typeof ExpectedImage.Type

/** Checks whether an image fits on the switch and makes room if there is little; `file` and `image` if they are known. */
export const FirmwarePreflight = Rpc.make("FirmwarePreflight", {
  payload: { file: Schema.NullOr(Schema.String), image: Schema.NullOr(ExpectedImage) },
  success: Schema.Struct({
    freeKib: Schema.Int,
    bootImage: Schema.String,
    model: Schema.NullOr(Schema.String),
    os_version: Schema.NullOr(Schema.String)
  }),
  error: DeviceFailure
})

/** Makes the switch fetch an image, and verifies it there when its checksums are known. One that is present and right is kept. */
export const FirmwareDownload = Rpc.make("FirmwareDownload", {
  payload: {
    url: Schema.String,
    file: Schema.String,
    vrf: Schema.NullOr(Schema.String),
    image: Schema.NullOr(ExpectedImage)
  },
  error: DeviceFailure
})

/** Makes the image the one that is booted next. `alreadyActive` if it was active before. */
export const FirmwareActivate = Rpc.make("FirmwareActivate", {
  payload: { file: Schema.String },
  success: Schema.Struct({ alreadyActive: Schema.Boolean }),
  error: DeviceFailure
})

/** Saves the configuration and reloads; a connection that ends after the reload was sent is no failure. */
export const FirmwareReboot = Rpc.make("FirmwareReboot", { error: DeviceFailure })

const firmwareCalls = [FirmwarePreflight, FirmwareDownload, FirmwareActivate, FirmwareReboot] as const

/** Shows the device's actor; answers during another call. */
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

// Calls to device actors that outlast a change of replicas. While an actor moves, because its replica stops or was lost, a call to
// it fails although nothing is wrong with the device: then it is tried again until the actor answers, or until the caller itself is
// stopped; the process that takes over its job then continues.

interface TaggedError {
  readonly _tag: string
}

/** Failures of the way to the actor; trying again helps. Those of the cluster's storage mean an unavailable database. */
const AWAY: ReadonlySet<string> = new Set([
  "EntityNotAssignedToRunner",
  "RunnerNotRegistered",
  "RunnerUnavailable",
  "AlreadyProcessingMessage",
  "MailboxFull",
  "PersistenceError"
])

const PAUSE = Schedule.spaced("500 millis")

/** The actor could not be reached, or was lost during the call: the device's part in it is not known. */
export const isAway = ({ _tag }: TaggedError): boolean => AWAY.has(_tag)

/** The call, repeated for as long as its actor cannot be reached. The device's own failures end it as before. */
export const patiently = <A, E extends TaggedError, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  rareRetry(call, Effect.retry({ while: isAway, schedule: PAUSE }))

// The text of a failed call to a device's actor in a job's result.

/** A failure of a call, or of the way to the actor. */
export interface CallError {
  readonly _tag: string
  readonly message: string
}

/** Whether the switch is another one than its record says: asking again does not help. */
export const isWrongDevice = (error: CallError | (CallError & { readonly type: string })): boolean =>
  ("type" in error ? error.type : error._tag) === ("WrongDevice" satisfies WrongDevice["_tag"])

/** The device's own text when there is one, otherwise the kind of error with its message; ends with a line break. */
export const callErrorText = (error: CallError | (CallError & { readonly text: string })): string =>
  "text" in error ? error.text : `${error._tag}: ${error.message}\n`
