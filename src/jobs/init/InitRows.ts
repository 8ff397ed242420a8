/**
 * Writing the links and ports of a new switch (docs/provisioning.md#links-from-lldp and
 * docs/provisioning.md#ports-of-an-access-switch), in the caller's transaction. `InitRestore` takes them back.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { Interface } from "../../domain/Interface.ts"
import { JobFailure } from "../../domain/Job.ts"
import { cableOf, type Linknet, type NewLinknet } from "../../domain/Linknet.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { JOB_BEGUN } from "../../store/StatusConditions.ts"
import { LinknetStore, ReservationStore } from "../../store/NetworkStore.ts"
import type { RunningJob } from "../engine/JobHandler.ts"

/** Without repeats: a cable between the two switches of a pair is in the plans of both. */
export const distinctLinks = <A extends NewLinknet>(links: ReadonlyArray<A>): ReadonlyArray<A> => {
  const byEnds = new Map<string, A>()
  for (const link of links) if (!byEnds.has(cableOf(link))) byEnds.set(cableOf(link), link)
  return [...byEnds.values()]
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const identities = yield* UniqueFieldStore
  const linknets = yield* LinknetStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore

  /** A job that may still take back what it has written. */
  const underWay = sql.literal(`j.status in ${JOB_BEGUN}`)

  /**
   * No other initialisation of these devices is under way, which would take the rows of this one for those of before. Ask
   * under the lock of allocations. Fails with a DeviceStateError, with DeviceBusy when another job works on one of them, and with
   * DisputedRecord when it is not known which switch one of them is.
   */
  const aloneOn = Effect.fnUntraced(function* (job: RunningJob, own: ReadonlyArray<Pick<Device, "id" | "hostname">>) {
    for (const device of own) {
      const { hostname, id } = device
      const [other] = yield* sql<{ id: number }>`select j.id from job j where j.id <> ${job.id}
        and ${underWay} and j.memo ->> 'stage' <> 'done'
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
  const snapshot = Effect.fnUntraced(function* (deviceIds: ReadonlyArray<number>, links: ReadonlyArray<Linknet>) {
    const removed = [...new Map(links.map((link) => [link.id, link])).values()]
    return { deviceIds, removed, ports: yield* interfaces.ofDevices(deviceIds) }
  })

  /**
   * Of these devices the ones that are synchronized, or would be but for the links of other initialisations that run now:
   * when all of them fail, the last one finds nothing that speaks against the device.
   */
  const synchronizedBut = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
    if (ids.length === 0) return []
    const found = yield* sql<{
      id: number
    }>`select d.id from device d where d.id in ${sql.in(ids)} and (d.synchronized or (
      exists (select 1 from job j where ${underWay} and j.memo -> 'before' -> 'inSync' @> to_jsonb(d.id))
      and not exists (select 1 from sync_event e left join job j on j.id = e.job_id
        where e.hostname = d.hostname and (e.cause <> 'linknet_created' or (${underWay}) is not true))))`
    return found.map(({ id }) => id)
  })

  /**
   * Moved cables lose their old link; both ends of a new one have to be configured anew. `own` are the new switches
   * themselves. Yields the ids of the new links and the neighbours that are to be synchronized again when they are taken back.
   */
  const writeLinks = Effect.fn("InitRows.writeLinks")(function* (
    job: RunningJob,
    own: ReadonlyArray<number>,
    plan: { readonly add: ReadonlyArray<NewLinknet>; readonly remove: ReadonlyArray<Linknet> }
  ) {
    for (const { id } of new Set(plan.remove)) yield* linknets.remove(id)
    const added = yield* Effect.forEach(plan.add, (link) => linknets.insert(link))
    const ends = new Set(plan.add.flatMap((link) => [link.device_a_id, link.device_b_id]))
    const touched = (yield* devices.byIds([...ends])).filter(({ id }) => !own.includes(id))
    const inSync = yield* synchronizedBut(touched.map(({ id }) => id))
    yield* events.unsynchronize(touched, { cause: "linknet_created", by: job.user, job_id: job.id })
    yield* devices.markUnsynchronized(own.filter((id) => ends.has(id)))
    return { inSync, added: added.map(({ id }) => id) }
  })

  const writePorts = Effect.fn("InitRows.writePorts")(function* (
    deviceId: number,
    write: ReadonlyArray<Interface>,
    remove: ReadonlyArray<string>
  ) {
    for (const row of write) yield* interfaces.put(deviceId, row.name, row.configtype, row.data)
    yield* interfaces.remove(deviceId, remove)
  })

  /** Moves a reservation-free switch onto its addresses: each is kept for it until it answers there. */
  const reserve = Effect.fnUntraced(function* (
    device: Pick<Device, "id">,
    addresses: ReadonlyArray<{ readonly ip_version: 4 | 6; readonly ip: string }>
  ) {
    for (const { ip, ip_version } of addresses) yield* reservations.reserve({ device_id: device.id, ip_version, ip })
  })

  return { aloneOn, snapshot, writeLinks, writePorts, reserve }
})

/** The rows that an initialisation writes. */
export class InitRows extends Context.Service<InitRows>()("switchyard/jobs/InitRows", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
