/** Adding sync events (docs/api.md#sync-history). */
import { Clock, Effect } from "effect"
import { BadRequest } from "../../api/Answers.ts"
import type { NewSyncEvent } from "../../domain/DeviceFields.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"

/** Adds an event to a known device and yields what was added. `synchronized` is not touched. Fails with 400 for an unknown one. */
export const makeAddSyncEvent = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  return Effect.fn("SyncHistory.add")(function* ({ by, cause, hostname, timestamp }: typeof NewSyncEvent.schema.Type) {
    yield* Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", ({ refusal }) =>
      Effect.fail(new BadRequest({ message: refusal }))
    )
    const happened = timestamp ?? (yield* Clock.currentTimeMillis) / 1000
    yield* events.append([hostname], { cause, by, job_id: null }, happened)
    // null says now, and is told as it was sent
    return { hostname, cause, timestamp: timestamp === undefined ? happened : timestamp, by }
  })
})
