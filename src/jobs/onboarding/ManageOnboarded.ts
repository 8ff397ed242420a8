/**
 * Job `manage_onboarded`: a switch whose running configuration, read now over a session, has no difference to the generated one becomes MANAGED,
 * proved and synchronized, without a push (docs/onboarding.md#managing-without-a-push). The record says so only if settings, templates and
 * records are still those that were rendered (promise 5).
 */
import { Effect, Option, Result } from "effect"
import { PgClient } from "@effect/sql-pg"
import { SqlError } from "effect/sql"
import { callErrorText, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import type { Device } from "../../domain/Device.ts"
import { firstDifference, isOtherDevice } from "../../domain/DeviceIdentity.ts"
import { deviceResult, taskFailed, taskOk } from "../../domain/Job.ts"
import { ManageOnboarded } from "../../domain/jobs/OnboardingJobs.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { counted } from "../../domain/words/Units.ts"
import { distanceOf } from "../../onboarding/Distance.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { locks } from "../../store/DatabaseClient.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type CommitsInForce, makeOnboarding } from "../../store/OnboardingStore.ts"
import { requireAccepted } from "../requests/SignedCommits.ts"
import { type Candidate, CandidateConfigs, RenderFailed } from "../../templates/CandidateConfigs.ts"
import {
  askedTogether,
  deviceRows,
  handle,
  inTransaction,
  type JobRun,
  notStarted,
  type RunningJob,
  untilAborted
} from "../engine/JobHandler.ts"

const TASK = "manage_onboarded"

/** Why a switch is not managed: as the last line of its entry shows it. */
interface Refusal {
  readonly _tag: "NotReached" | "NotOnboarded" | "RecordChanged" | "WrongDevice" | "RenderFailed"
  readonly message: string
}

const refusal = (_tag: Refusal["_tag"], message: string): Refusal => ({ _tag, message })

/** What a switch was rendered from, to be compared when its record is written. */
interface Basis {
  readonly commits: CommitsInForce
  /** The newest cause why some device is not synchronized. */
  readonly events: number
}

const basis = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const store = yield* makeOnboarding
  const [row] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::float8 as id from sync_event`
  return { commits: yield* store.inForce, events: row?.id ?? 0 } satisfies Basis
})

/** What the switch runs now, if that is what would be generated for it. */
const proof = Effect.fnUntraced(function* (device: Device, candidate: Candidate) {
  const store = yield* makeOnboarding
  const actorOf = yield* DeviceEntity.client
  const actor = actorOf(String(device.id))
  const platform = platformOf(device.platform)

  if (Result.isFailure(candidate)) return yield* Effect.fail(refusal("RenderFailed", candidate.failure.message))
  if (platform === undefined) return yield* Effect.fail(refusal("RenderFailed", "its platform is not known"))
  const facts = yield* patiently(actor.ReadFacts({ login: {} }))
  const shown = { serial: facts.serial_number, model: facts.model, hostname: facts.hostname }
  const other = firstDifference(device, shown)
  if (other !== null)
    return yield* Effect.fail(refusal("WrongDevice", `it shows the hostname ${other.shown}, not ${device.hostname}`))
  const running = yield* patiently(actor.ReadRunningConfig({ login: {} }))
  const { extra, missing, secrets } = distanceOf(platform, running.config, candidate.success.text)
  if (extra + missing === 0 && secrets.length === 0) return running
  const row = yield* store.find(device.hostname)
  const known = Option.flatMap(row, ({ shown: seen }) => Option.fromNullishOr(seen))
  if (Option.isSome(known)) yield* store.read(device.id, known.value, running.config)
  const [secret] = secrets
  const why =
    extra + missing > 0
      ? `${counted(extra, "line")} run and are not generated, ${counted(missing, "line")} are generated and do not run`
      : `the secret of ${counted(secrets.length, "line")} is not what would be generated, or cannot be compared (${secret}): synchronize the switch instead`
  return yield* Effect.fail(refusal("NotReached", why))
})

/** The record, in one transaction with the proof. */
const manage = Effect.fnUntraced(function* (
  job: RunningJob,
  device: Device,
  running: { readonly config: string; readonly hash: string },
  { commits, events }: Basis
) {
  const sql = yield* PgClient.PgClient
  const devices = yield* DeviceStore
  const states = yield* DeviceStates
  const changes = yield* ChangeStore
  const store = yield* makeOnboarding
  const syncEvents = yield* SyncEventStore
  const { proved } = yield* ConfigStore

  // a refresh waits until this is written, and then marks the device if it concerns it
  yield* sql`select pg_advisory_xact_lock_shared(${locks.commits})`
  const now = yield* devices.lock(device.id)
  const inForce = yield* store.inForce
  const [newer] = yield* sql<{
    id: number
  }>`select id from sync_event where hostname = ${device.hostname} and id > ${events} limit 1`
  const isSame = inForce.settings === commits.settings && inForce.templates === commits.templates
  if (!isSame || newer !== undefined || isOtherDevice(device, now))
    return yield* Effect.fail(
      refusal("RecordChanged", "settings, templates or its record have changed while it was read: start the job again")
    )
  const [busy] = yield* changes.unfinishedJobsOf(device.id)
  if (busy !== undefined) return yield* Effect.fail(refusal("RecordChanged", `job ${busy} is changing it`))
  yield* states.apply(device.id, { type: "OPERATOR_SET", state: "MANAGED" }, { by: job.user, jobId: job.id })
  yield* proved.prove({ device_id: device.id, job_id: job.id, ...running })
  yield* syncEvents.clear([device.hostname])
  yield* sql`update device set synchronized = true, confhash = ${running.hash}, last_seen = now() where id = ${device.id}`
  yield* store.proved(device.id, running.config)
}, inTransaction)

const lookAt = Effect.fn("ManageOnboarded.device")(function* (
  job: RunningJob,
  device: Device,
  render: (device: Device) => Effect.Effect<Candidate>,
  from: Basis
) {
  const jobs = yield* JobStore
  const store = yield* makeOnboarding
  const { hostname } = device

  const work = Effect.gen(function* () {
    const row = yield* store.find(hostname)
    if (Option.isNone(row) || device.state !== "UNMANAGED")
      return yield* Effect.fail(
        refusal(
          "NotOnboarded",
          `${hostname} is ${device.state}, and only an onboarded switch that is UNMANAGED can be managed so`
        )
      )
    const running = yield* proof(device, yield* render(device))
    yield* manage(job, device, running, from)
  })
  const found = yield* untilAborted(job, Effect.result(work))
  const result = Option.match(found, {
    onNone: () => notStarted({ aborted: true, message: "The job was aborted" }, TASK),
    onSome: (ended) => {
      if (Result.isSuccess(ended))
        return deviceResult([
          taskOk(TASK, "It runs what is generated: managed and synchronized, nothing was sent to it")
        ])
      return deviceResult([taskFailed(TASK, callErrorText(ended.failure))])
    }
  })
  yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: !result.failed, changed: false, score: null })
})

const handler = Effect.fn("ManageOnboarded")(function* (job: JobRun<typeof ManageOnboarded>) {
  const { SYNC_CONCURRENCY } = yield* ServerConfig
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const configs = yield* CandidateConfigs

  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  const asked = (yield* devices.byHostnames(job.args.hostnames)).filter(({ hostname }) => !done.has(hostname))
  // an unsigned commit must not become the proved configuration of a switch
  yield* requireAccepted
  const from = yield* basis
  const prepared = yield* Effect.result(configs.prepare(asked))
  const together = yield* askedTogether(job)
  if (Result.isFailure(prepared) && SqlError.isSqlError(prepared.failure)) return yield* prepared.failure
  const render = Result.match(prepared, {
    onSuccess: (render) => render,
    onFailure:
      ({ message }) =>
      () =>
        Effect.succeed<Candidate>(Result.fail(new RenderFailed({ type: "NothingToRender", message })))
  })
  yield* Effect.forEach(asked, (device) => lookAt(together, device, render, from), {
    concurrency: SYNC_CONCURRENCY,
    discard: true
  })
  return asked.length + done.size === 0 ? { result: { devices: {} }, change_score: null } : deviceRows
})

export const job = handle(ManageOnboarded, handler)
