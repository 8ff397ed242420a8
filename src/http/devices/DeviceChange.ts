/** PUT /device/<id> (docs/api.md#changing-a-device). */
import { Effect } from "effect"
import { ManagementAccess, type Reachable } from "../../devices/ManagementAccess.ts"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { permitted } from "../../access/Permit.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceChange, withoutImpossible } from "../../domain/DeviceFields.ts"
import { isOtherDevice } from "../../domain/DeviceIdentity.ts"
import { DeviceStates } from "../../jobs/engine/DeviceStates.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { UniqueFieldStore } from "../../store/UniqueFieldStore.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { transaction } from "../core/Unavailable.ts"
import { mayLogIn, mayTake } from "./FleetLogin.ts"
import { makeDeviceRename } from "./DeviceRename.ts"
import { makeSiteRule } from "./SiteRule.ts"

type Change = typeof DeviceChange.checked.Type

/** A record that is where it was may be changed in all else: it is refused at its next login. */
const isMoved = (before: Reachable, after: Reachable): boolean =>
  before.state !== after.state || before.management_ip !== after.management_ip || before.dhcp_ip !== after.dhcp_ip

/** Which switch a record stands for: with another one the caller would work on somebody else's. */
const IDENTITY = [
  "management_ip",
  "secondary_management_ip",
  "infra_ip",
  "dhcp_ip",
  "port",
  "ztp_mac",
  "serial",
  "model"
] as const

/** Asked of what was sent, whatever else is wrong with it; a value that no rule takes counts as another one. */
const saysWhichSwitch = (before: Device, { fields, refusals }: Change): boolean =>
  IDENTITY.some(
    (field) => refusals.has(field) || (fields[field] !== undefined && (fields[field] ?? null) !== before[field])
  )

/**
 * Changes a device by a request body, in one transaction. Yields the device after the change, and the addresses that it took from other
 * records. Fails with DeviceNotFound, with IdentityTaken, and with DeviceBusy when an open change relies on what is changed.
 */
export const makeDeviceChange = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const states = yield* DeviceStates
  const events = yield* SyncEventStore
  const { permit } = yield* AskedDevices
  const rename = yield* makeDeviceRename
  const withSite = yield* makeSiteRule
  const access = yield* ManagementAccess
  const identities = yield* UniqueFieldStore
  const inTransaction = yield* transaction

  const permitHere = (rows: ReadonlyArray<Device>) =>
    Effect.catchTag(permit(rows, { whole: true }), ["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.fail(new SettingsUnavailable({ message }))
    )

  const change = Effect.fnUntraced(function* (before: Device, sent: Change, by: string) {
    const { hostname } = sent.fields
    yield* permitHere([before])
    yield* mayLogIn(before, sent.fields)
    if (saysWhichSwitch(before, sent)) yield* permitted({ beyond: true })
    // whether the name may change is asked before the other fields are
    if (hostname !== undefined && hostname !== before.hostname) yield* rename.allow(before, hostname)
    const { state, ...others } = yield* withSite(withoutImpossible(sent, before))
    const asked = { ...before, ...others, state: state ?? before.state }
    if (isOtherDevice(before, asked)) yield* identities.requireIdle(before)
    const taken = yield* identities.takeOver({ id: before.id, state: asked.state, fields: others })
    yield* mayTake(taken)
    const after = yield* devices.update(before.id, others)
    const wanted = { ...after, state: asked.state }
    if (isMoved(before, wanted)) yield* access.allow(wanted)
    // a new name or type can put a device among other people's
    yield* permitHere([{ ...after, state: before.state }])
    if (others.synchronized === true) yield* events.clear([before.hostname])
    if (after.hostname !== before.hostname) yield* rename.follow(before, after.hostname, by)
    if (state === undefined) return { device: yield* devices.get(before.id), taken }
    const { device } = yield* states.apply(before.id, { type: "OPERATOR_SET", state }, { by, jobId: null })
    return { device, taken }
  })

  return Effect.fn("DeviceChange.change")((id: number, sent: Change, by: string) =>
    inTransaction(Effect.flatMap(devices.lock(id), (before) => change(before, sent, by)))
  )
})
