/** Starts jobs that synchronize devices (docs/changes.md#synchronize). */
import { Effect, Option, Result } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest, Conflict } from "../../api/Failures.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { olderRefusal } from "../../domain/RestoredCommits.ts"
import { targetOf } from "../../domain/requests/DeviceSelector.ts"
import { syncArguments, type SyncRequest } from "../../domain/requests/SyncRequest.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { Fence } from "../../jobs/requests/DryRun.ts"
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { DeviceTargets } from "./DeviceTargets.ts"
import { delayUntil } from "./StartTime.ts"
import { makeUrgentCheck } from "./UrgentSync.ts"

/** Starts the job of a request for this user, and answers with the number of selected devices. */
export const makeSynchronization = Effect.gen(function* () {
  const requests = yield* JobRequests
  const targets = yield* DeviceTargets
  const fence = yield* Fence
  const checkUrgent = yield* makeUrgentCheck
  const repositories = yield* RepositoryStore

  const checkDryRun = Effect.fnUntraced(function* (id: number | undefined) {
    const found = id === undefined ? null : yield* fence.dryRun(id)
    if (found === null || Result.isSuccess(found)) return
    return yield* new BadRequest({ message: `dry_run_job must be a dry run that has ended: ${found.failure}` })
  })

  /** With force nothing else keeps what is older from being pushed over what is newer. */
  const checkOlder = Effect.fnUntraced(function* ({ auto_push, confirm_older, dry_run, force }: SyncRequest) {
    if (!force || confirm_older === true || (dry_run && !auto_push)) return
    const restored = yield* repositories.restored
    if (Option.isSome(restored)) return yield* new Conflict({ message: olderRefusal(restored.value) })
  })

  return Effect.fn("Synchronization.start")(function* (request: SyncRequest, user: string) {
    const selected = yield* targets.select(targetOf(request), !request.resync)
    if (request.urgent === true) yield* checkUrgent(selected.args.hostnames ?? [])
    const delay = yield* delayUntil(request.start_at)
    yield* checkDryRun(request.dry_run_job)
    yield* checkOlder(request)
    const job = yield* requests.start(
      SyncDevices,
      { ...syncArguments(request), ...selected.args },
      { user, comment: request.comment, ticketRef: request.ticket_ref, ...delay }
    )
    return jobStartedOnDevices(`Scheduled job to synchronize ${selected.what}`, job, selected.count)
  })
})
