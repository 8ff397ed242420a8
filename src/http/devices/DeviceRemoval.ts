/** DELETE /device/<id> (docs/api.md#deleting-a-device). */
import { Effect } from "effect"
import { DeviceDeletion } from "../../jobs/upkeep/DeviceDeletion.ts"
import { DeviceErase } from "../../domain/jobs/DeviceErase.ts"
import type { DeviceDeletion as DeletionRequest } from "../../domain/DeviceFields.ts"
import { windowArguments } from "../../domain/requests/RequestFields.ts"
import { JobRequests } from "../../jobs/requests/JobRequests.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { UniqueFieldStore } from "../../store/UniqueFieldStore.ts"
import { transaction } from "../core/Unavailable.ts"

/** Deletes devices, or lets a job erase them first. Both fail with DeviceNotFound. */
export const makeDeviceRemoval = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const requests = yield* JobRequests
  const deletion = yield* DeviceDeletion
  const plugins = yield* PluginActions
  const identities = yield* UniqueFieldStore
  const inTransaction = yield* transaction

  return {
    /** Deletes the row with what belongs to it; its neighbours become unsynchronized. Fails with DeviceInUse as well. */
    remove: Effect.fn("DeviceRemoval.remove")((id: number, by: string) =>
      Effect.tap(inTransaction(deletion.remove(id, { by, jobId: null })), () => plugins.begin)
    ),
    /** Starts the job that erases the switch and then deletes the row. Yields its id. */
    erase: Effect.fn("DeviceRemoval.erase")(function* (id: number, request: DeletionRequest, user: string) {
      yield* identities.requireIdle(yield* devices.get(id))
      return yield* requests.start(DeviceErase, { device_id: id, ...windowArguments(request) }, { user })
    })
  }
})
