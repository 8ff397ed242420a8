/** Starts jobs that synchronize devices (docs/changes.md#synchronize). */
import { Effect, Result } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { targetOf } from "../../domain/requests/DeviceSelector.ts"
import { syncArguments, type SyncRequest } from "../../domain/requests/SyncRequest.ts"
import { JobRequests } from "../../jobs/engine/JobRequests.ts"
import { Fence } from "../../jobs/sync/Fence.ts"
import { DeviceTargets } from "./DeviceTargets.ts"
import { delayUntil } from "./StartTime.ts"
import { makeUrgentCheck } from "./UrgentSync.ts"

/** Starts the job of a request for this user, and answers with the number of selected devices. */
export const makeSynchronization = Effect.gen(function* () {
  const requests = yield* JobRequests
  const targets = yield* DeviceTargets
  const fence = yield* Fence
  const checkUrgent = yield* makeUrgentCheck

  const checkDryRun = Effect.fnUntraced(function* (id: number | undefined) {
    const found = id === undefined ? null : yield* fence.dryRun(id)
    if (found === null || Result.isSuccess(found)) return
    return yield* new BadRequest({ message: `dry_run_job must be a dry run that has ended: ${found.failure}` })
  })

  return Effect.fn("Synchronization.start")(function* (request: SyncRequest, user: string) {
    const selected = yield* targets.select(targetOf(request), !request.resync)
    if (request.urgent === true) yield* checkUrgent(selected.args.hostnames ?? [])
    const delay = yield* delayUntil(request.start_at)
    yield* checkDryRun(request.dry_run_job)
    const job = yield* requests.start(
      SyncDevices,
      { ...syncArguments(request), ...selected.args },
      { user, comment: request.comment, ticketRef: request.ticket_ref, ...delay }
    )
    return jobStartedOnDevices(`Scheduled job to synchronize ${selected.what}`, job, selected.count)
  })
})
