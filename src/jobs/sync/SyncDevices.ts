/**
 * Job `sync_devices`: renders the configuration of every selected device and, per device, shows the difference or pushes,
 * proves and confirms it (docs/changes.md#synchronize, docs/changes.md#hash-check, docs/concepts.md#how-data-flows and
 * docs/jobs.md#what-a-restart-does). A restart goes on with the devices that have no result yet; a change that was under way is
 * resumed by looking at its device.
 */
import { Effect, Option } from "effect"
import { jobScore } from "../../domain/ChangeRisk.ts"
import { JobFailure } from "../../domain/Job.ts"
import { SyncDevices, type SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import { olderRefusal, type RestoredCommits, restoredSentence } from "../../domain/Repository.ts"
import { JobStore } from "../../store/JobStore.ts"
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { handle, type JobHandler } from "../engine/JobHandler.ts"
import { AutoPush } from "./AutoPush.ts"
import { DeviceSelection, manageableOf, skippedPart } from "./DeviceSelection.ts"
import { HashCheck } from "./HashCheck.ts"
import { type Guard, unknownCanaries } from "./Rollout.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import { SyncStages } from "./SyncStages.ts"
import type { SyncJob } from "./SyncWork.ts"
import { JobCommitStore } from "../../store/JobResults.ts"
import { LiveChangeStore } from "../../store/UnfinishedChanges.ts"

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const commits = yield* JobCommitStore
  const liveChanges = yield* LiveChangeStore
  const selection = yield* DeviceSelection
  const hashes = yield* HashCheck
  const stages = yield* SyncStages
  const outcomes = yield* SyncOutcome
  const autoPush = yield* AutoPush
  const repositories = yield* RepositoryStore

  /** Decides what a later run of the same job goes on with. */
  const decide = Effect.fnUntraced(function* (job: SyncJob) {
    const { args } = job
    // one that waited for its time, or follows a dry run, meets a restore that came meanwhile
    const restored = yield* repositories.restored
    if (Option.isSome(restored) && args.force && !args.dry_run && !args.confirm_older)
      return yield* new JobFailure({ type: "OlderCommits", message: olderRefusal(restored.value) })
    const { eventsSeen } = yield* commits.pin(job.id)
    const changesSeen = yield* liveChanges.newestId
    const selected = yield* Effect.mapError(selection.select(args), (error) =>
      error._tag === "SqlError" ? error : invalid(error)
    )
    const { devices, skipped } = manageableOf(args, selected)
    const hostnames = devices.map((device) => device.hostname)
    const unknown = unknownCanaries(hostnames, args.canary)
    if (unknown.length > 0) {
      return yield* invalid({ message: `canary names devices that are not selected: ${unknown.join(", ")}` })
    }
    if (args.abort_on_failure && !args.force) yield* hashes.check(job, devices)
    const decided: SyncMemo = { hostnames, eventsSeen, changesSeen, skipped }
    yield* job.memo.write(decided)
    return decided
  })

  const summary = Effect.fnUntraced(function* (job: SyncJob, guard: Guard, { skipped }: SyncMemo) {
    const { args } = job
    const devices = yield* jobs.devices(job.id)
    const scored = devices.map(({ result, score }) => ({ score, failed: result.failed }))
    const refused = yield* autoPush.follow(job, devices)
    const stop = guard.stop()
    const beside = args.urgent ? yield* jobs.syncsBeside(job.id, args.hostnames ?? []) : []
    const shared = beside.length === 0 ? {} : { beside }
    const rolledOut = stop === null ? {} : { rollout: { stopped: stop.message, ...(yield* outcomes.stopped(job.id)) } }
    const restored = args.dry_run ? yield* repositories.restored : Option.none<RestoredCommits>()
    const own = {
      ...Option.match(restored, { onNone: () => ({}), onSome: (older) => ({ remarks: [restoredSentence(older)] }) }),
      ...rolledOut,
      ...shared,
      ...skippedPart(skipped),
      ...(refused === null ? {} : { auto_push: refused })
    }
    return { result: devices.length === 0 ? { devices: {}, ...own } : own, change_score: jobScore(scored) }
  })

  const handler: JobHandler<typeof SyncDevices> = Effect.fn("SyncDevices")(function* (job) {
    const memo = Option.getOrUndefined(yield* job.memo.read) ?? (yield* decide(job))
    const guard =
      memo.confirmingJob === undefined
        ? yield* stages.run(job, memo)
        : yield* stages.resumeWaiting(job, memo, memo.confirmingJob)
    return yield* summary(job, guard, memo)
  })
  return handler
})

export const job = handle(SyncDevices, make)
