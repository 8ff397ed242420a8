/** PUT /device/<id> (contract api-devices.md §3.4). */
import { Effect } from "effect"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import type { Device } from "../../domain/Device.ts"
import { isHostname } from "../../domain/Hostname.ts"
import { DeviceStates } from "../../jobs/engine/DeviceStates.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { transaction } from "../core/Unavailable.ts"
import { own } from "../../domain/fields/Values.ts"
import { parseFields } from "./DeviceFields.ts"
import { makeDeviceRename } from "./DeviceRename.ts"
import { withSite } from "./SiteRule.ts"

const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })

/** Changes a device by a request body, in one transaction. Yields the device after the change. */
export const makeDeviceChange = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const states = yield* DeviceStates
  const events = yield* SyncEventStore
  const rename = yield* makeDeviceRename
  const complete = yield* withSite
  const inTransaction = yield* transaction

  const change = Effect.fnUntraced(function* (before: Device, body: JsonObject, by: string) {
    const wanted = own(body, "hostname")
    if (isHostname(wanted) && wanted !== before.hostname) yield* rename.allow(before, wanted)
    const { errors, fields } = yield* complete(parseFields(body, "change"))
    if (errors.length > 0) return yield* refuse(...errors)
    const { state, ...others } = fields
    const after = yield* devices.update(before.id, others)
    if (others.synchronized === true) yield* events.clear([before.hostname])
    if (after.hostname !== before.hostname) yield* rename.follow(before, after.hostname, by)
    if (state === undefined) return yield* devices.get(before.id)
    const { device } = yield* states.apply(before.id, { type: "OPERATOR_SET", state }, { by, jobId: null })
    return device
  })

  return Effect.fn("DeviceChange.change")((id: number, body: JsonObject, by: string) =>
    inTransaction(Effect.flatMap(devices.lock(id), (before) => change(before, body, by))).pipe(
      Effect.catchTags({
        DeviceNotFound: () => Effect.fail(new NotFound({ message: `No device with id ${id}` })),
        HostnameTaken: () => Effect.fail(refuse("Device already exists")),
        DeviceStateError: ({ message }) => Effect.fail(refuse(message))
      })
    )
  )
})
