/**
 * Job `sync_devices`: renders the configuration of every selected device and, per device, shows the difference or pushes,
 * proves and confirms it (docs/changes.md#synchronize, docs/changes.md#hash-check, docs/concepts.md#how-data-flows and
 * docs/jobs.md#what-a-restart-does). A restart continues with the devices that have no result yet; a change that was under way is
 * resumed by looking at its device.
 */
import { Effect, Option, Result } from "effect"
import { JobFailure } from "../../domain/Job.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { askedTogether, handle, type JobRun, type RunningJob, untilAborted } from "../engine/JobHandler.ts"
import { manageableOf, selectDevices, skippedPart } from "../requests/JobSubjects.ts"
import { canariesOf, type Guard, unknownCanaries } from "./SyncPlan.ts"
import { SyncOutcome } from "./Outcome.ts"
import type { SyncJob } from "./SyncDevice.ts"
import { DeviceEntity, isWrongDevice, patiently } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import type { Refusal } from "../../domain/AutoPush.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { JobWindows } from "../requests/JobWindows.ts"
import { notAccepted, requireAccepted } from "../requests/SignedCommits.ts"
import { judgeAutoPush } from "../requests/DryRun.ts"
import { refusedByProof } from "./FailedProofs.ts"
import { resumeWaiting, rollOut } from "./Rollout.ts"
import { makeJobCommits } from "../../store/JobResults.ts"
import { jobScore } from "../../domain/ChangeRisk.ts"
import { SyncDevices, type SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import { olderRefusal, restoredSentence } from "../../domain/Repository.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { WatchStore } from "../../store/WatchStore.ts"

// The sequel of a dry run with `auto_push`: the live run, or the reason why a person has to start it (docs/changes.md#auto_push).
// Clients take a missing follow-up for success, so every refusal is in the record and in the log.

/** A window that has closed since the dry run began also prevents the live run, and so does a failed proof of the same change. */
const mayFollow = Effect.fnUntraced(function* (job: SyncJob, rows: ReadonlyArray<JobDevice>) {
  const devices = yield* DeviceStore
  const windows = yield* JobWindows

  for (const device of yield* devices.byHostnames(rows.map(({ hostname }) => hostname))) {
    const closed = yield* windows.closed(job.args, device)
    if (closed !== null) return { refused: "window", message: closed, lines: [] } satisfies Refusal
    const refused = yield* refusedByProof(job, device)
    if (refused !== null) return refused
  }
  return "push"
})

/** Ends a dry run. Yields why nothing was pushed; null if something was pushed or no push was requested. */
const followDryRun = Effect.fn("AutoPush.follow")(function* (job: SyncJob, rows: ReadonlyArray<JobDevice>) {
  const engine = yield* JobEngine

  const { args, id, user } = job
  if (!args.auto_push || !args.dry_run || (yield* job.aborting)) return null
  const judged = yield* judgeAutoPush(job, rows)
  if (judged === null) return null
  const verdict = judged === "push" ? yield* mayFollow(job, rows) : judged
  const hostnames = rows.map(({ hostname }) => hostname)
  if (verdict === "push") {
    const policy = args.on_missing_lines === undefined ? {} : { on_missing_lines: args.on_missing_lines }
    const again = args.failed_proof === undefined ? {} : { failed_proof: args.failed_proof }
    const wishes = {
      ...(args.emergency === undefined ? {} : { emergency: args.emergency }),
      ...(args.skip_checks === undefined ? {} : { skip_checks: args.skip_checks })
    }
    const next = {
      hostnames,
      dry_run: false,
      force: args.force,
      confirm_older: args.confirm_older,
      ...policy,
      ...again,
      ...wishes
    }
    yield* engine.follow(id, SyncDevices, next, { user, delaySeconds: 0 })
    return null
  }
  const refusal = { ...verdict, lines: verdict.lines.map(maskSecrets) }
  const whose = hostnames.length === 1 ? (hostnames[0] ?? "") : `${hostnames.length} devices`
  const which = refusal.lines.length === 0 ? "" : ` (${refusal.lines.join("; ")})`
  yield* Effect.logWarning(
    `job #${id}: auto_push of ${whose} refused by ${refusal.refused}: ${refusal.message}${which}`,
    { rule: refusal.refused }
  )
  return refusal
})

// The check before the first push of a whole job: every selected device with a known configuration must still run it
// (`abort_on_failure`, docs/changes.md#the-way-of-a-change and docs/changes.md#hash-check).

/** At most so many devices are explained in the message. */
const EXPLAINED = 20

const mismatch = Effect.fnUntraced(function* (job: RunningJob, device: Device) {
  const { proved } = yield* ConfigStore
  const actorOf = yield* DeviceEntity.client

  const call = patiently(actorOf(String(device.id)).ReadRunningConfig({ login: {} }))
  const asked = yield* untilAborted(job, Effect.result(call))
  // nothing is begun after an abort, so no check is needed
  if (Option.isNone(asked)) return null
  const read = asked.value
  if (Result.isFailure(read)) {
    const { failure } = read
    return { device, why: isWrongDevice(failure) ? `WrongDevice: ${failure.message}` : failure.message }
  }
  const isRun = yield* proved.isRun(device, device.confhash, read.success)
  return isRun ? null : { device, why: "its configuration was altered outside of Switchyard" }
})

/** Fails with JobFailure when a device does not pass, after marking those devices unsynchronized. */
const checkHashes = Effect.fn("HashCheck.check")(function* (job: RunningJob, selected: ReadonlyArray<Device>) {
  const config = yield* ServerConfig
  const events = yield* SyncEventStore

  // a device without a driver fails without affecting the others
  const known = selected.filter((device) => device.confhash !== null && isManageable(device))
  const together = yield* askedTogether(job)
  const checked = yield* Effect.forEach(known, (device) => mismatch(together, device), {
    concurrency: config.SYNC_CONCURRENCY
  })
  const failed = checked.filter((result) => result !== null)
  if (failed.length === 0) return
  const names = failed.map(({ device }) => device.hostname)
  yield* events.unsynchronize(
    failed.map(({ device }) => device),
    { cause: "confighash", by: job.user, job_id: job.id }
  )
  const reasons = failed.slice(0, EXPLAINED).map(({ device, why }) => `\n${device.hostname}: ${why}`)
  return yield* new JobFailure({
    type: "Exception",
    message: `Configuration hash check failed for ${names.join(" ")}${reasons.join("")}`
  })
})

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

const chooseCanaries = Effect.fnUntraced(function* (devices: ReadonlyArray<Device>, count: number) {
  const watched = yield* WatchStore
  const silent = yield* watched.silent
  const names = devices.flatMap(({ hostname, id }) => (silent.has(id) ? [hostname] : []))
  return canariesOf(devices, count, new Set(names))
})

/** Makes and stores the decision that a later run of the same job continues with. */
const decide = Effect.fnUntraced(function* (job: SyncJob) {
  const commits = yield* makeJobCommits
  const { live: liveChanges } = yield* ChangeStore
  const repositories = yield* RepositoryStore

  const { args } = job
  // the database may have been restored while a scheduled job or a follow-up waited
  const restored = yield* repositories.restored
  if (Option.isSome(restored) && args.force && !args.dry_run && !args.confirm_older)
    return yield* new JobFailure({ type: "OlderCommits", message: olderRefusal(restored.value) })
  if (!args.dry_run) yield* requireAccepted
  const { eventsSeen } = yield* commits.pin(job.id)
  const changesSeen = yield* liveChanges.newestId
  const selected = yield* Effect.mapError(selectDevices(args), (error) =>
    error._tag === "SqlError" ? error : invalid(error)
  )
  const { devices, skipped } = manageableOf(args, selected)
  const hostnames = devices.map((device) => device.hostname)
  const unknown = unknownCanaries(hostnames, args.canary)
  if (unknown.length > 0) {
    return yield* invalid({ message: `canary names devices that are not selected: ${unknown.join(", ")}` })
  }
  if (args.abort_on_failure && !args.force) yield* checkHashes(job, devices)
  const chosen = typeof args.canary === "number" ? { canaries: yield* chooseCanaries(devices, args.canary) } : {}
  const decided: SyncMemo = { hostnames, eventsSeen, changesSeen, skipped, ...chosen }
  yield* job.memo.write(decided)
  return decided
})

/** What a person has to know before the push of a dry run: its commits are older than the newest or not signed, or windows are closed now. */
const dryRunRemarks = Effect.fnUntraced(function* (rows: ReadonlyArray<JobDevice>) {
  const repositories = yield* RepositoryStore
  const devices = yield* DeviceStore
  const windows = yield* JobWindows

  const restored = Option.toArray(Option.map(yield* repositories.restored, restoredSentence))
  const unsigned = Option.toArray(yield* notAccepted).map((reason) => `${reason}.`)
  const commits = [...restored, ...unsigned]
  const changing = rows.flatMap(({ changed, hostname, result }) => (changed && !result.failed ? [hostname] : []))
  if (changing.length === 0 || !(yield* windows.areThere)) return commits
  const closed = yield* windows.closedAmong(yield* devices.byHostnames(changing)).pipe(
    // without settings nothing can be pushed either, and the job says so
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
  )
  return closed === null ? commits : [...commits, `${closed}.`]
})

const summary = Effect.fnUntraced(function* (job: SyncJob, guard: Guard, { skipped }: SyncMemo) {
  const jobs = yield* JobStore
  const outcomes = yield* SyncOutcome

  const { args } = job
  const devices = yield* jobs.devices(job.id)
  const scored = devices.map(({ result, score }) => ({ score, failed: result.failed }))
  const refused = yield* followDryRun(job, devices)
  const stop = guard.stop()
  const beside = args.urgent ? yield* jobs.syncsBeside(job.id, args.hostnames ?? []) : []
  const shared = beside.length === 0 ? {} : { beside }
  const rolledOut = stop === null ? {} : { rollout: { stopped: stop.message, ...(yield* outcomes.stopped(job.id)) } }
  const remarks = args.dry_run ? yield* dryRunRemarks(devices) : []
  const own = {
    ...(remarks.length === 0 ? {} : { remarks }),
    ...rolledOut,
    ...shared,
    ...skippedPart(skipped),
    ...(refused === null ? {} : { auto_push: refused })
  }
  return { result: devices.length === 0 ? { devices: {}, ...own } : own, change_score: jobScore(scored) }
})

const handler = Effect.fn("SyncDevices")(function* (job: JobRun<typeof SyncDevices>) {
  const memo = Option.getOrUndefined(yield* job.memo.read) ?? (yield* decide(job))
  const guard =
    memo.confirmingJob === undefined ? yield* rollOut(job, memo) : yield* resumeWaiting(job, memo, memo.confirmingJob)
  return yield* summary(job, guard, memo)
})

export const job = handle(SyncDevices, handler)
