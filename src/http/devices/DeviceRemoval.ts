/** DELETE /device/<id> (contract api-devices.md §3.5). */
import { Effect } from "effect"
import { Conflict } from "../../api/Failures.ts"
import { DeviceDeletion } from "../../jobs/upkeep/DeviceDeletion.ts"
import { DeviceErase } from "../../domain/jobs/DeviceErase.ts"
import { JobEngine } from "../../jobs/engine/JobEngine.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { deviceNotFound } from "./DeviceLookup.ts"

/** Deletes devices, or lets a job erase them first. */
export const makeDeviceRemoval = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const deletion = yield* DeviceDeletion
  const inTransaction = yield* transaction

  return {
    /** Deletes the row with what belongs to it; its neighbours become unsynchronized. */
    remove: Effect.fn("DeviceRemoval.remove")((id: number, by: string) =>
      Effect.catchTags(inTransaction(deletion.remove(id, { by, jobId: null })), {
        DeviceNotFound: deviceNotFound,
        DeviceInUse: ({ message }) => Effect.fail(new Conflict({ message }))
      })
    ),
    /** Starts the job that erases the switch and then deletes the row. Yields its id. */
    erase: Effect.fn("DeviceRemoval.erase")(function* (id: number, user: string) {
      yield* Effect.catchTag(devices.get(id), "DeviceNotFound", deviceNotFound)
      return yield* engine.start(DeviceErase, { device_id: id }, { user })
    })
  }
})
