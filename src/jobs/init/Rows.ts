/**
 * Writing the links and ports of a new switch (docs/provisioning.md#links-from-lldp and
 * docs/provisioning.md#ports-of-an-access-switch), in the caller's transaction. `restoreRows` takes them back.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Device, DeviceFields } from "../../domain/Device.ts"
import type { Interface } from "../../domain/Interface.ts"
import { JobFailure } from "../../domain/Job.ts"
import { cableOf, type Linknet, type NewLinknet } from "../../domain/Linknet.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { JOB_BEGUN } from "../../store/StatusConditions.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import type { InitDecision, RowsBefore } from "../../domain/jobs/InitJobs.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

/** Without repeats: a cable between the two switches of a pair is in the plans of both. */
export const distinctLinks = <A extends NewLinknet>(links: ReadonlyArray<A>): ReadonlyArray<A> => {
  const byEnds = new Map<string, A>()
  for (const link of links) if (!byEnds.has(cableOf(link))) byEnds.set(cableOf(link), link)
  return [...byEnds.values()]
}

/** A job that may still take back what it has written. */
const UNDER_WAY = `j.status in ${JOB_BEGUN}`

/**
 * Checks that no other initialisation of these devices runs, which would mistake the rows of this one for the previous rows. Call
 * it under the lock of allocations. Fails with a DeviceStateError, with DeviceBusy if another job works on one of them, and with
 * DisputedRecord if it is unclear which switch one of them is.
 */
export const aloneOn = Effect.fnUntraced(function* (
  job: RunningJob,
  own: ReadonlyArray<Pick<Device, "id" | "hostname">>
) {
  const sql = yield* SqlClient.SqlClient
  const identities = yield* UniqueFieldStore

  for (const device of own) {
    const { hostname, id } = device
    const [other] = yield* sql<{ id: number }>`select j.id from job j where j.id <> ${job.id}
        and ${sql.literal(UNDER_WAY)} and j.memo ->> 'stage' <> 'done'
        and j.memo -> 'before' -> 'deviceIds' @> to_jsonb(${id}::int)`
    if (other !== undefined) {
      const message = `Device ${hostname} is being initialised by job ${other.id}`
      return yield* new JobFailure({ type: "DeviceStateError", message })
    }
    yield* identities.requireIdle(device, job.id)
    yield* identities.requireUndisputed(device.id)
  }
})

/** The ports of these devices, and the links that are about to be removed. */
export const snapshotRows = Effect.fnUntraced(function* (
  deviceIds: ReadonlyArray<number>,
  links: ReadonlyArray<Linknet>
) {
  const interfaces = yield* InterfaceStore

  const removed = [...new Map(links.map((link) => [link.id, link])).values()]
  return { deviceIds, removed, ports: yield* interfaces.ofDevices(deviceIds) }
})

/**
 * Those of these devices that are synchronized, or would be without the links of other running initialisations: if all of these
 * fail, the last one finds the device unchanged.
 */
const synchronizedBut = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient

  if (ids.length === 0) return []
  const found = yield* sql<{
    id: number
  }>`select d.id from device d where d.id in ${sql.in(ids)} and (d.synchronized or (
      exists (select 1 from job j where ${sql.literal(UNDER_WAY)} and j.memo -> 'before' -> 'inSync' @> to_jsonb(d.id))
      and not exists (select 1 from sync_event e left join job j on j.id = e.job_id
        where e.hostname = d.hostname and (e.cause <> 'linknet_created' or (${sql.literal(UNDER_WAY)}) is not true))))`
  return found.map(({ id }) => id)
})

/**
 * Moved cables lose their old link; both ends of a new one must be configured again. `own` are the new switches themselves. Yields
 * the ids of the new links and the neighbours that become synchronized again if the links are taken back.
 */
export const writeLinks = Effect.fn("InitRows.writeLinks")(function* (
  job: RunningJob,
  own: ReadonlyArray<number>,
  plan: { readonly add: ReadonlyArray<NewLinknet>; readonly remove: ReadonlyArray<Linknet> }
) {
  const devices = yield* DeviceStore
  const { links: linknets } = yield* NetworkStore
  const events = yield* SyncEventStore

  for (const { id } of new Set(plan.remove)) yield* linknets.remove(id)
  const added = yield* Effect.forEach(plan.add, (link) => linknets.insert(link))
  const ends = new Set(plan.add.flatMap((link) => [link.device_a_id, link.device_b_id]))
  const touched = (yield* devices.byIds([...ends])).filter(({ id }) => !own.includes(id))
  const inSync = yield* synchronizedBut(touched.map(({ id }) => id))
  yield* events.unsynchronize(touched, { cause: "linknet_created", by: job.user, job_id: job.id })
  yield* devices.markUnsynchronized(own.filter((id) => ends.has(id)))
  return { inSync, added: added.map(({ id }) => id) }
})

export const writePorts = Effect.fn("InitRows.writePorts")(function* (
  deviceId: number,
  write: ReadonlyArray<Interface>,
  remove: ReadonlyArray<string>
) {
  const interfaces = yield* InterfaceStore

  for (const row of write) yield* interfaces.put(deviceId, row.name, row.configtype, row.data)
  yield* interfaces.remove(deviceId, remove)
})

/** Reserves its addresses for a switch until it answers there. */
export const reserveAddresses = Effect.fnUntraced(function* (
  device: Pick<Device, "id">,
  addresses: ReadonlyArray<{ readonly ip_version: 4 | 6; readonly ip: string }>
) {
  const { reservations } = yield* NetworkStore

  for (const { ip, ip_version } of addresses) yield* reservations.reserve({ device_id: device.id, ip_version, ip })
})

// Restores every row that step 1 has written if the switch does not move (docs/provisioning.md#when-step-1-fails), in the caller's
// transaction.

/** The device's lease, or null if another switch has its address now. */
const leaseOf = Effect.fnUntraced(function* ({ dhcp_ip }: Device, own: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient

  const others = yield* sql`select from identity_claim where kind = 'address' and value = address_value(${dhcp_ip})
      and (owner <> 'device' or owner_id <> all(${own}::integer[]))`
  return others.length === 0 ? dhcp_ip : null
})

const restoreReplaced = Effect.fnUntraced(function* (
  { old, unit }: NonNullable<RowsBefore["replaced"]>,
  cause: { readonly by: string; readonly jobId: number }
) {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const states = yield* DeviceStates

  yield* states.apply(old.id, { type: "OPERATOR_SET", state: "UNMANAGED" }, cause)
  const { id: _id, last_seen: _seen, ...fields } = old
  const own = [old.id, unit.id]
  yield* devices.update(old.id, { ...fields, dhcp_ip: yield* leaseOf(old, own) })
  const { last_seen: _last, ...others } = unit
  const row = { ...others, dhcp_ip: yield* leaseOf(unit, own) }
  yield* sql`insert into device ${sql.insert({ ...row })}`
})

const restorePorts = Effect.fnUntraced(function* ({ deviceIds, ports }: RowsBefore) {
  const interfaces = yield* InterfaceStore

  for (const row of yield* interfaces.ofDevices(deviceIds)) {
    const before = ports.some((port) => port.device_id === row.device_id && port.name === row.name)
    if (!before) yield* interfaces.remove(row.device_id, [row.name])
  }
  for (const { configtype, data, device_id, name } of ports) yield* interfaces.put(device_id, name, configtype, data)
})

/** Links of other devices keep their state of `now`, even if they changed since this job wrote. */
const restoreLinks = Effect.fnUntraced(function* ({ added, removed }: RowsBefore, now: ReadonlyArray<Linknet>) {
  const sql = yield* SqlClient.SqlClient
  const { links: linknets } = yield* NetworkStore

  for (const id of added) if (Option.isSome(yield* linknets.find(id))) yield* linknets.remove(id)
  for (const link of [...now.filter(({ id }) => !added.includes(id)), ...removed]) {
    if (Option.isNone(yield* linknets.find(link.id))) yield* sql`insert into linknet ${sql.insert({ ...link })}`
  }
})

const restoreSync = Effect.fnUntraced(function* (job: RunningJob, inSync: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient

  yield* sql`delete from sync_event where job_id = ${job.id} and cause = 'linknet_created'`
  if (inSync.length === 0) return
  yield* sql`update device set synchronized = true where id in ${sql.in(inSync)}
      and not exists (select 1 from sync_event e where e.hostname = device.hostname)`
})

/** Restores everything that step 1 has written; the switch is DISCOVERED under its previous name. */
export const restoreRows = Effect.fn("InitRestore.restore")(function* (job: RunningJob, decided: InitDecision) {
  const devices = yield* DeviceStore
  const { links: linknets, reservations } = yield* NetworkStore
  const states = yield* DeviceStates

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
