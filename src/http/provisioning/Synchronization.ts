/** Starts jobs that synchronize devices (docs/changes.md#synchronize). */
import { Effect } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { targetOf } from "../../domain/requests/DeviceSelector.ts"
import { syncArguments, type SyncRequest } from "../../domain/requests/SyncRequest.ts"
import { JobRequests } from "../../jobs/engine/JobRequests.ts"
import { DeviceTargets } from "./DeviceTargets.ts"
import { makeUrgentCheck } from "./UrgentSync.ts"

/** Starts the job of a request for this user, and answers with the number of selected devices. */
export const makeSynchronization = Effect.gen(function* () {
  const requests = yield* JobRequests
  const targets = yield* DeviceTargets
  const checkUrgent = yield* makeUrgentCheck
  return Effect.fn("Synchronization.start")(function* (request: SyncRequest, user: string) {
    const selected = yield* targets.select(targetOf(request), !request.resync)
    if (request.urgent === true) yield* checkUrgent(selected.args.hostnames ?? [])
    const job = yield* requests.start(
      SyncDevices,
      { ...syncArguments(request), ...selected.args },
      { user, comment: request.comment, ticketRef: request.ticket_ref }
    )
    return jobStartedOnDevices(`Scheduled job to synchronize ${selected.what}`, job, selected.count)
  })
})
