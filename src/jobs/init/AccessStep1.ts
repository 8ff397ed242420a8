/**
 * Job `init_access_device_step1`: gives a discovered access switch its place in the network and moves it to its management
 * address (docs/provisioning.md). A restart continues with the decision that was made before.
 */
import { Effect, Option } from "effect"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { isSameHostname } from "../../domain/Network.ts"
import { InitAccessStep1, type InitDecision } from "../../domain/jobs/InitJobs.ts"
import { accessStart, mlagPeerDelay, step2Delay } from "../../provisioning/Init.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { deviceRows, handle, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { requireAccepted } from "../requests/SignedCommits.ts"
import { prepareAccess, uplinksOfPair } from "./AccessPlan.ts"
import { moveSwitch } from "./Move.ts"
import { abortRecorded, checkpoint, finishProgress } from "./Progress.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"

type Step1 = JobRun<typeof InitAccessStep1>

interface Peer {
  readonly device: Device
  readonly newHostname: string
}

const refuse = (type: string, message: string) => new JobFailure({ type, message })

const find = Effect.fnUntraced(function* (id: number) {
  const devices = yield* DeviceStore

  return yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
    Effect.fail(refuse("ValueError", `No device with id ${id} found`))
  )
})

const peerOf = Effect.fnUntraced(function* ({ mlag_peer_id: id, mlag_peer_new_hostname: newHostname }: Step1["args"]) {
  if (id === undefined && newHostname === undefined) return null
  if (id === undefined || newHostname === undefined) {
    return yield* refuse("ValueError", "mlag_peer_id and mlag_peer_new_hostname must be specified together")
  }
  const peer: Peer = { device: yield* find(id), newHostname }
  return peer
})

const nameIsFree = Effect.fnUntraced(function* (hostname: string, id: number) {
  const devices = yield* DeviceStore

  const [taken] = yield* devices.bearing([hostname])
  if (taken === undefined || taken.id === id) return
  return yield* refuse("DeviceStateError", `There is already a device with hostname ${taken.hostname}`)
})

const peerArgs = ({ device, newHostname }: Peer, uplinks: ReadonlyArray<string>) => ({
  device_id: device.id,
  new_hostname: newHostname,
  uplink_hostnames_arg: uplinks
})

const later = ({ user }: Step1, { INIT_STEP2_DELAY }: ServerSettings) => ({
  user,
  delaySeconds: mlagPeerDelay(INIT_STEP2_DELAY)
})

const prepare = Effect.fnUntraced(function* (job: Step1, device: Device, peer: Peer | null) {
  const { new_hostname: newHostname, replace_hostname: replace = false, uplink_hostnames_arg } = job.args
  yield* requireManageable(device)
  if (peer !== null) yield* requireManageable(peer.device)
  if (device.id === peer?.device.id || isSameHostname(newHostname, peer?.newHostname)) {
    return yield* refuse("ValueError", "The switches of an MLAG pair must be two devices with two hostnames")
  }
  if (peer !== null && replace) return yield* refuse("DeviceStateError", "Replacing a MLAG switch is not supported")
  if (!replace) yield* nameIsFree(newHostname, device.id)
  if (peer !== null) yield* nameIsFree(peer.newHostname, peer.device.id)
  return yield* prepareAccess(job, { device, newHostname, peer, uplinks: uplink_hostnames_arg ?? null, replace })
})

const carryOut = Effect.fnUntraced(function* (job: Step1, decided: InitDecision, peer: Peer | null) {
  const config = yield* ServerConfig
  const engine = yield* JobEngine

  const { INIT_MGMT_TIMEOUT, INIT_STEP2_DELAY } = config
  yield* moveSwitch(job, decided, {
    step2DelaySeconds: step2Delay(INIT_STEP2_DELAY, INIT_MGMT_TIMEOUT, peer !== null),
    afterwards:
      peer === null
        ? Effect.void
        : Effect.asVoid(engine.start(InitAccessStep1, peerArgs(peer, decided.uplinks), later(job, config)))
  })
})

const run = Effect.fn("InitAccessStep1")(function* (job: Step1) {
  const engine = yield* JobEngine

  const { args } = job
  const before = yield* job.memo.read
  const peer = yield* peerOf(args)
  if (Option.isSome(before)) {
    if (before.value.stage !== "done") yield* carryOut(job, before.value, peer)
    return deviceRows
  }
  const device = yield* find(args.device_id)
  if ((yield* Effect.fromResult(accessStart(device, peer?.device ?? null))) === "peerOnly" && peer !== null) {
    yield* checkpoint(job, `Starting step 1 of ${peer.newHostname}`)
    const uplinks = yield* uplinksOfPair([device.id, peer.device.id])
    yield* finishProgress(job, { devices: {} })
    yield* engine.follow(job.id, InitAccessStep1, peerArgs(peer, uplinks), later(job, yield* ServerConfig))
    return deviceRows
  }
  yield* requireAccepted
  yield* carryOut(job, yield* prepare(job, device, peer), peer)
  return deviceRows
}, refusedAsFailure)

const handler = (job: JobRun<typeof InitAccessStep1>) => abortRecorded(job, job.args.device_id, run(job))

export const job = handle(InitAccessStep1, handler)
