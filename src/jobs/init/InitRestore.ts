/**
 * Putting back every row that step 1 has written when the switch does not move (docs/provisioning.md#when-step-1-fails), in the
 * caller's transaction.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Device, DeviceFields } from "../../domain/Device.ts"
import type { InitDecision, RowsBefore } from "../../domain/jobs/InitJobs.ts"
import type { Linknet } from "../../domain/Linknet.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import { LinknetStore, ReservationStore } from "../../store/NetworkStore.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const linknets = yield* LinknetStore
  const reservations = yield* ReservationStore
  const states = yield* DeviceStates

  /** A lease that another switch has got since is gone. */
  const leaseOf = Effect.fnUntraced(function* ({ dhcp_ip }: Device, own: ReadonlyArray<number>) {
    const others = yield* sql`select from identity_claim where kind = 'address' and value = address_value(${dhcp_ip})
      and (owner <> 'device' or owner_id <> all(${own}::integer[]))`
    return others.length === 0 ? dhcp_ip : null
  })

  const restoreReplaced = Effect.fnUntraced(function* (
    { old, unit }: NonNullable<RowsBefore["replaced"]>,
    cause: { readonly by: string; readonly jobId: number }
  ) {
    yield* states.apply(old.id, { type: "OPERATOR_SET", state: "UNMANAGED" }, cause)
    const { id: _id, last_seen: _seen, ...fields } = old
    const own = [old.id, unit.id]
    yield* devices.update(old.id, { ...fields, dhcp_ip: yield* leaseOf(old, own) })
    const { last_seen: _last, ...others } = unit
    const row = { ...others, dhcp_ip: yield* leaseOf(unit, own) }
    yield* sql`insert into device ${sql.insert({ ...row })}`
  })

  const restorePorts = Effect.fnUntraced(function* ({ deviceIds, ports }: RowsBefore) {
    for (const row of yield* interfaces.ofDevices(deviceIds)) {
      const before = ports.some((port) => port.device_id === row.device_id && port.name === row.name)
      if (!before) yield* interfaces.remove(row.device_id, [row.name])
    }
    for (const { configtype, data, device_id, name } of ports) yield* interfaces.put(device_id, name, configtype, data)
  })

  /** Links of others stay as they are `now`, whatever became of them since this job has written. */
  const restoreLinks = Effect.fnUntraced(function* ({ added, removed }: RowsBefore, now: ReadonlyArray<Linknet>) {
    for (const id of added) if (Option.isSome(yield* linknets.find(id))) yield* linknets.remove(id)
    for (const link of [...now.filter(({ id }) => !added.includes(id)), ...removed]) {
      if (Option.isNone(yield* linknets.find(link.id))) yield* sql`insert into linknet ${sql.insert({ ...link })}`
    }
  })

  const restoreSync = Effect.fnUntraced(function* (job: RunningJob, inSync: ReadonlyArray<number>) {
    yield* sql`delete from sync_event where job_id = ${job.id} and cause = 'linknet_created'`
    if (inSync.length === 0) return
    yield* sql`update device set synchronized = true where id in ${sql.in(inSync)}
      and not exists (select 1 from sync_event e where e.hostname = device.hostname)`
  })

  const restore = Effect.fn("InitRestore.restore")(function* (job: RunningJob, decided: InitDecision) {
    const { before, deviceId, previousHostname } = decided
    const cause = { by: job.user, jobId: job.id }
    const now = yield* linknets.ofDevices(before.deviceIds)
    yield* states.apply(deviceId, { type: "INIT_STEP1_FAILED", previousHostname }, cause)
    const fields: Partial<DeviceFields> = { infra_ip: before.infraIp }
    yield* devices.update(deviceId, fields)
    if (before.replaced !== null) yield* restoreReplaced(before.replaced, cause)
    yield* restorePorts(before)
    yield* restoreLinks(before, now)
    yield* restoreSync(job, before.inSync)
    yield* reservations.release(deviceId)
  })

  return {
    /** Everything that step 1 has written is as it was before; the switch is DISCOVERED under its previous name. */
    restore
  }
})

/** The way back of an initialisation. */
export class InitRestore extends Context.Service<InitRestore>()("switchyard/jobs/InitRestore", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
