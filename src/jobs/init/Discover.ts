/**
 * Job `discover_device`: logs in to a switch that asked for DHCP and reads its facts (docs/provisioning.md#discovery). If a switch
 * does not answer, it is tried again, each time by a new job.
 */
import { Effect, Option, Result } from "effect"
import { callErrorText, DeviceEntity, isWrongDevice, patiently } from "../../devices/DeviceCalls.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import type { Device } from "../../domain/Device.ts"
import { deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { DiscoverDevice } from "../../domain/jobs/InitJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { deviceRows, handle, inTransaction, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { requireAccepted } from "../requests/SignedCommits.ts"
import { FACTS_TASK } from "../../domain/DeviceReadings.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"

type Discovery = JobRun<typeof DiscoverDevice>

const find = Effect.fnUntraced(function* (mac: string) {
  const devices = yield* DeviceStore

  const found = yield* devices.findByMac(mac)
  if (Option.isNone(found)) {
    return yield* new JobFailure({ type: "ValueError", message: `Device with ztp_mac ${mac} not found` })
  }
  return found.value
})

const record = Effect.fnUntraced(function* (job: Discovery, device: Device, task: ReturnType<typeof taskOk>) {
  const jobs = yield* JobStore
  return yield* jobs.addDevice(job.id, {
    hostname: device.hostname,
    result: deviceResult([task]),
    reachedEnd: !task.failed,
    changed: false,
    score: null
  })
})

/** Sets the switch's name from the database, so its neighbours see a known name; a failure is only logged. */
const pushHostname = Effect.fnUntraced(
  function* (job: Discovery, device: Device) {
    const templates = yield* ActiveTemplates
    const actorOf = yield* DeviceEntity.client

    yield* requireAccepted
    const { hostname: host, platform } = device
    const rendered = yield* templates.renderNamed(platform ?? "", "hostname.j2", { host })
    const login = { state: "DHCP_BOOT", address: job.args.dhcp_ip } as const
    const request = { login, sessionName: Candidate.ofJob(job.id), config: rendered.text }
    yield* patiently(actorOf(String(device.id)).MergeConfig(request))
  },
  Effect.catch((error) => Effect.logWarning(`The hostname could not be set: ${error.message}`))
)

/** Records the switch's neighbours for the operators who will initialise it; a failure is only logged. */
const keepNeighbours = Effect.fnUntraced(
  function* (job: Discovery, device: Device) {
    const { neighbours } = yield* DeviceStore
    const actorOf = yield* DeviceEntity.client

    const login = { state: "DHCP_BOOT", address: job.args.dhcp_ip } as const
    yield* neighbours.keep(device.id, yield* patiently(actorOf(String(device.id)).ReadNeighbours({ login })))
  },
  Effect.catch((error) => Effect.logWarning(`The neighbours could not be read: ${error.message}`))
)

/** Changes the state and the memo together, so after a restart the switch counts as discovered. */
const discover = Effect.fnUntraced(function* (job: Discovery, device: Device) {
  const states = yield* DeviceStates
  const actorOf = yield* DeviceEntity.client

  const { dhcp_ip } = job.args
  const login = { state: "DHCP_BOOT", address: dhcp_ip } as const
  const facts = yield* patiently(actorOf(String(device.id)).ReadFacts({ login }))
  yield* inTransaction(
    Effect.andThen(
      states.apply(device.id, { type: "DISCOVERY_SUCCEEDED", dhcp_ip, facts }, { by: job.user, jobId: job.id }),
      job.memo.write({ facts })
    )
  )
  return facts
})

const giveUp = Effect.fnUntraced(function* (job: Discovery, device: Device, text: string, isFinal: boolean) {
  const states = yield* DeviceStates
  const { DISCOVERY_DELAYS } = yield* ServerConfig

  const { dhcp_ip, iteration } = job.args
  const attempt = isFinal ? DISCOVERY_DELAYS.length : iteration
  const event = { type: "DISCOVERY_FAILED", dhcp_ip, attempt, attempts: DISCOVERY_DELAYS.length } as const
  yield* inTransaction(
    Effect.andThen(
      states.apply(device.id, event, { by: job.user, jobId: job.id }),
      record(job, device, taskFailed(FACTS_TASK, text))
    )
  )
})

const handler = Effect.fn("DiscoverDevice")(function* (job: JobRun<typeof DiscoverDevice>) {
  const { ztp_mac } = job.args
  const device = yield* find(ztp_mac)
  const before = yield* job.memo.read
  if (Option.isNone(before) && device.state !== "DHCP_BOOT") {
    const message = `Device with ztp_mac ${ztp_mac} is in incorrect state: ${device.state}`
    return yield* new JobFailure({ type: "ValueError", message })
  }
  if (Option.isNone(before)) yield* requireManageable(device)
  const found = Option.isSome(before) ? Result.succeed(before.value.facts) : yield* Effect.result(discover(job, device))
  if (Result.isFailure(found)) {
    const error = found.failure
    if (error._tag === "SqlError") return yield* error
    yield* giveUp(job, device, callErrorText(error), isWrongDevice(error))
    return deviceRows
  }
  yield* pushHostname(job, device)
  yield* keepNeighbours(job, device)
  yield* record(job, device, taskOk(FACTS_TASK, { facts: found.success }))
  return deviceRows
}, refusedAsFailure)

export const job = handle(DiscoverDevice, handler)
