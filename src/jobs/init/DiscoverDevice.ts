/**
 * Job `discover_device`: logs in to a switch that asked for DHCP and learns what it is (contract engine.md §5.4, DESIGN §7
 * row 8). A switch that does not answer is tried again, each attempt a job of its own.
 */
import { Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { requireManageable } from "../../domain/platforms/Unmanageable.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { Facts } from "../../drivers/Readings.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import {
  decodeArguments,
  deviceRows,
  type JobHandler,
  refusedAsFailure,
  type RunningJob
} from "../engine/JobHandler.ts"

const Arguments = Schema.Struct({ ztp_mac: Schema.String, dhcp_ip: Schema.String, iteration: Schema.Int })
type Arguments = typeof Arguments.Type

const Memo = Schema.Struct({ facts: Facts })

/** Name under which clients know the entry that holds the facts. */
export const FACTS_TASK = "napalm_get"

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const templates = yield* ActiveTemplates
  const { DISCOVERY_DELAYS } = yield* ServerConfig
  const actorOf = yield* DeviceEntity.client

  const find = Effect.fnUntraced(function* (mac: string) {
    const found = yield* devices.findByMac(mac)
    if (Option.isNone(found)) {
      return yield* new JobFailure({ type: "ValueError", message: `Device with ztp_mac ${mac} not found` })
    }
    return found.value
  })

  const record = (job: RunningJob, device: Device, task: ReturnType<typeof taskOk>) =>
    jobs.addDevice(job.id, {
      hostname: device.hostname,
      result: deviceResult([task]),
      reachedEnd: !task.failed,
      changed: false,
      score: null
    })

  /** Gives the switch its name of the database, so that its neighbours see a known name; a failure is only logged. */
  const pushHostname = Effect.fnUntraced(
    function* (job: RunningJob, device: Device, address: string) {
      const { hostname: host, platform } = device
      const rendered = yield* templates.renderNamed(platform ?? "", "hostname.j2", { host })
      const login = { state: "DHCP_BOOT", address } as const
      const request = { login, sessionName: Candidate.ofJob(job.id), config: rendered.text }
      yield* patiently(actorOf(String(device.id)).MergeConfig(request))
    },
    Effect.catch((error) => Effect.logWarning(`The hostname could not be set: ${error.message}`))
  )

  /** The state and the memory of it change together, so that a restart knows that the switch was discovered already. */
  const discover = Effect.fnUntraced(function* (job: RunningJob, device: Device, dhcp_ip: string) {
    const login = { state: "DHCP_BOOT", address: dhcp_ip } as const
    const facts = yield* patiently(actorOf(String(device.id)).ReadFacts({ login }))
    yield* sql.withTransaction(
      Effect.andThen(
        states.apply(device.id, { type: "DISCOVERY_SUCCEEDED", dhcp_ip, facts }, { by: job.user, jobId: job.id }),
        jobs.remember(job.id, { facts })
      )
    )
    return facts
  })

  const giveUp = Effect.fnUntraced(function* (job: RunningJob, device: Device, args: Arguments, text: string) {
    const { dhcp_ip, iteration: attempt } = args
    const event = { type: "DISCOVERY_FAILED", dhcp_ip, attempt, attempts: DISCOVERY_DELAYS.length } as const
    yield* sql.withTransaction(
      Effect.andThen(
        states.apply(device.id, event, { by: job.user, jobId: job.id }),
        record(job, device, taskFailed(FACTS_TASK, text))
      )
    )
  })

  const remembered = (id: number) =>
    Effect.map(jobs.memo(id), (memo) => Option.flatMap(memo, Schema.decodeUnknownOption(Memo)))

  const handler: JobHandler = Effect.fn("DiscoverDevice")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    const device = yield* find(args.ztp_mac)
    const before = yield* remembered(job.id)
    if (Option.isNone(before) && device.state !== "DHCP_BOOT") {
      const message = `Device with ztp_mac ${args.ztp_mac} is in incorrect state: ${device.state}`
      return yield* new JobFailure({ type: "ValueError", message })
    }
    if (Option.isNone(before)) yield* requireManageable(device)
    const found = Option.isSome(before)
      ? Result.succeed(before.value.facts)
      : yield* Effect.result(discover(job, device, args.dhcp_ip))
    if (Result.isFailure(found)) {
      const error = found.failure
      if (error._tag === "SqlError") return yield* error
      yield* giveUp(job, device, args, callErrorText(error))
      return deviceRows
    }
    yield* pushHostname(job, device, args.dhcp_ip)
    yield* record(job, device, taskOk(FACTS_TASK, { facts: found.success }))
    return deviceRows
  }, refusedAsFailure)
  return handler
})
