/** DELETE /device/<id> (contract api-devices.md §3.5). */
import { Effect } from "effect"
import { Conflict } from "../../api/Failures.ts"
import { JobEngine } from "../../jobs/JobEngine.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { MgmtDomainStore } from "../../store/MgmtDomainStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { deviceNotFound } from "./DeviceLookup.ts"
import { makeNeighbours } from "./Neighbours.ts"

/** Deletes devices, or lets a job erase them first. */
export const makeDeviceRemoval = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const domains = yield* MgmtDomainStore
  const events = yield* SyncEventStore
  const engine = yield* JobEngine
  const { linkedTo, unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const remove = Effect.fnUntraced(function* (id: number, by: string) {
    const device = yield* devices.lock(id)
    const using = yield* domains.ofDevice(id)
    if (using.length > 0) {
      const list = using.map((domain) => domain.id).join(", ")
      const message = `Could not remove device because existing references: management domain ${list}`
      return yield* new Conflict({ message })
    }
    yield* events.clear([device.hostname])
    yield* unsynchronize(yield* linkedTo(device), "neighbor_deleted", by)
    return yield* devices.remove(id)
  })

  return {
    /** Deletes the row with what belongs to it; its neighbours become unsynchronized. */
    remove: Effect.fn("DeviceRemoval.remove")((id: number, by: string) =>
      Effect.catchTag(inTransaction(remove(id, by)), "DeviceNotFound", deviceNotFound)
    ),
    /** Starts the job that erases the switch and then deletes the row. Yields its id. */
    erase: Effect.fn("DeviceRemoval.erase")(function* (id: number, user: string) {
      yield* Effect.catchTag(devices.get(id), "DeviceNotFound", deviceNotFound)
      return yield* engine.start({ function: "device_erase", args: { device_id: id }, user })
    })
  }
})
