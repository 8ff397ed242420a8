/** Starts jobs that synchronize devices (contract api-devices.md §6.1). */
import { Effect } from "effect"
import { jobStartedOnDevices } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import type { StartArguments } from "../../domain/Job.ts"
import { SyncDevices } from "../../domain/jobs/SyncDevices.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { DeviceStore, type Selection } from "../../store/DeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { makeGroupLookup } from "../settings/GroupLookup.ts"
import { parseOptions, parseTarget, type SyncTarget } from "./SyncRequest.ts"
import { makeUrgentCheck } from "./UrgentSync.ts"

const refuse = (message: string) => new BadRequest({ message })

/** What a target selects, how the job names it, and how the answer does. */
interface Selected {
  readonly selection: Selection
  readonly args: StartArguments
  readonly what: string
}

/** Resolves a target to the devices that it selects. */
export const makeSelect = Effect.gen(function* () {
  const groupNamed = yield* makeGroupLookup
  return Effect.fnUntraced(function* (target: SyncTarget, unsynchronizedOnly: boolean) {
    switch (target._tag) {
      case "Hostname": {
        const hostnames = [target.hostname]
        return { selection: { hostnames }, args: { hostnames }, what: target.hostname } satisfies Selected
      }
      case "Hostnames": {
        const { hostnames } = target
        return { selection: { hostnames }, args: { hostnames }, what: `${hostnames.length} devices` } satisfies Selected
      }
      case "DeviceType": {
        const { device_type, sent } = target
        const selection = { device_type, unsynchronizedOnly }
        return { selection, args: { device_type }, what: `${sent} devices` } satisfies Selected
      }
      case "Group": {
        const group = yield* groupNamed(target.group)
        const selection = { hostnames: group.hostnames, unsynchronizedOnly }
        return { selection, args: { group: group.name }, what: `group ${group.name}` } satisfies Selected
      }
      default:
        return { selection: { unsynchronizedOnly }, args: {}, what: "all devices" } satisfies Selected
    }
  })
})

/** Starts the job of a request body for this user, and answers with the number of selected devices. */
export const makeSynchronization = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const select = yield* makeSelect
  const checkUrgent = yield* makeUrgentCheck
  return Effect.fn("Synchronization.start")(function* (body: JsonObject, user: string) {
    const target = yield* Effect.mapError(Effect.fromResult(parseTarget(body)), refuse)
    const options = yield* Effect.mapError(Effect.fromResult(parseOptions(body)), refuse)
    const selected = yield* select(target, !options.resync)
    const count = yield* devices.countManaged(selected.selection)
    if (target._tag === "Hostname" && count === 0) {
      return yield* refuse(`Hostname '${target.hostname}' not found or is not a managed device`)
    }
    const args: StartArguments = { ...options.args, ...selected.args }
    if (args["urgent"] === true) {
      yield* checkUrgent(args, "hostnames" in selected.args ? selected.args.hostnames : null)
    }
    const job = yield* engine.start(SyncDevices, args, {
      user,
      comment: options.comment,
      ticketRef: options.ticketRef
    })
    return jobStartedOnDevices(`Scheduled job to synchronize ${selected.what}`, job, count)
  })
})
