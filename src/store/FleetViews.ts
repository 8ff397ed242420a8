/**
 * Views of the whole network for the page: the search with one field (docs/api.md#find), which finds machines, devices and ports, edge ports
 * first; the counts of the overview; and the devices of the topology.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { devicesWithin, keyOfWithin, type Within } from "./Listing.ts"
import { jobsWithin } from "./JobStore.ts"
import { makeSharedRead } from "./GroupedStatement.ts"
import type { TopologyNode, WaitingDevice } from "../domain/Topology.ts"
import { JOB_UNFINISHED, UNFINISHED } from "./StatusConditions.ts"
import type { Overview } from "../domain/Device.ts"
import type { CountedDevices } from "../domain/OverviewHistory.ts"

/** A search result; a field is null if its kind has no such value. */
export interface FoundRow {
  readonly kind: "mac" | "arp" | "device" | "port" | "vlan"
  readonly hostname: string
  readonly port: string | null
  readonly vlan: number | null
  /** Twelve digits. */
  readonly mac: string | null
  readonly ip: string | null
  readonly description: string | null
  readonly first_seen: string | null
  readonly last_seen: string | null
  readonly on_uplink: boolean | null
}

/** How many devices had their tables read. */
interface TablesRead {
  readonly devices: number
  readonly read: number
  readonly oldest: string | null
  readonly newest: string | null
}

/** VLANs that select ports. */
export interface VlansAsked {
  readonly ids: ReadonlyArray<number>
  readonly names: ReadonlyArray<string>
}

/** A port by its name on a switch: letters and hyphens at the beginning of the name, and the number at its end. */
interface PortNamed {
  readonly host: string
  readonly prefix: string
  readonly number: string
}

/** The limits of the caller, and the number of rows. */
export interface Bounds {
  readonly within: Within | undefined
  readonly most: number
}

/** A machine on a port. `mac`: twelve digits. */
interface LearnedMachine {
  readonly port: string
  readonly mac: string
  readonly vlan: number | null
  readonly ip: string | null
  readonly first_seen: string
  readonly last_seen: string
}

/** The largest number of machines that are shown of one port. */
const OF_ONE_PORT = 10

/** The largest number of entries that are read for the first digits of a MAC address. */
const LOOKED_AT = 5000

/** Whether the port of a row `m` of `mac_entry`, with its `p` of `station_port`, is a tunnel, has another device as neighbour, or is an end of a link, also a planned one. */
export const ON_UPLINK = `(
  coalesce(p.is_tunnel, false)
  or exists (select 1 from device other where other.hostname = any(p.neighbours) and other.id <> m.device_id)
  or exists (select 1 from linknet l where
    (l.device_a_id = m.device_id and (l.device_a_port = m.port or l.device_a_port = any(p.members)))
    or (l.device_b_id = m.device_id and (l.device_b_port = m.port or l.device_b_port = any(p.members))))
  or exists (select 1 from interface i where i.device_id = m.device_id and (i.name = m.port or i.name = any(p.members))
    and i.configtype in ('ACCESS_UPLINK', 'ACCESS_DOWNLINK', 'MLAG_PEER')))`

/** Queries of the search field. */
export const makeFindQueries = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const sees = ({ within }: Pick<Bounds, "within">) => devicesWithin(sql, within)

  /** A pattern for texts that contain this one; wildcards in it are escaped. */
  const like = (text: string) => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`

  const isUplink = sql.literal(ON_UPLINK)
  const ofPort = sql.literal(`left join station_port p on p.device_id = m.device_id and p.port = m.port`)

  const machines = (condition: Statement.Fragment, bounds: Bounds) => sql<FoundRow>`
    with m as materialized (
      select m.*, device.hostname from mac_entry m join device on device.id = m.device_id
      where ${condition} and ${sees(bounds)} limit ${LOOKED_AT}),
    found as materialized (
      select m.*, ${isUplink} as on_uplink from m ${ofPort}
      order by on_uplink, m.last_seen desc, m.mac, m.hostname, m.port limit ${bounds.most})
    select 'mac' as kind, hostname, port, vlan, mac, iso_time(first_seen) as first_seen, iso_time(last_seen) as last_seen, on_uplink,
      (select host(a.ip) from arp_entry a join device on device.id = a.device_id
        where a.mac = found.mac and ${sees(bounds)} order by a.last_seen desc, a.ip limit 1) as ip,
      (select i.data ->> 'description' from interface i where i.device_id = found.device_id and i.name = found.port) as description
    from found order by on_uplink, found.last_seen desc, mac, hostname, port`

  const addresses = (condition: Statement.Fragment, bounds: Bounds) => sql<FoundRow>`
    select 'arp' as kind, device.hostname, a.interface as port, null::integer as vlan, a.mac, host(a.ip) as ip,
      null as description, iso_time(a.first_seen) as first_seen, iso_time(a.last_seen) as last_seen, null::boolean as on_uplink
    from arp_entry a join device on device.id = a.device_id where ${condition} and ${sees(bounds)}
    order by a.last_seen desc, a.ip, device.hostname limit ${bounds.most}`

  const devices = (condition: Statement.Fragment, bounds: Bounds) => sql<FoundRow>`
    select 'device' as kind, device.hostname, null as port, null::integer as vlan, device.ztp_mac as mac,
      coalesce(device.management_ip, device.dhcp_ip) as ip,
      nullif(concat_ws(', ', nullif(device.description, ''), device.model, 'serial number ' || device.serial), '') as description,
      null as first_seen, iso_time(device.last_seen) as last_seen, null::boolean as on_uplink
    from device where ${condition} and ${sees(bounds)} order by device.hostname limit ${bounds.most}`

  return {
    /** By the first digits of a MAC address. */
    byMac: Effect.fn("FindStore.byMac")(function* (digits: string, bounds: Bounds) {
      const begins = `${digits}%`
      return [
        ...(yield* machines(sql`m.mac like ${begins}`, bounds)),
        ...(yield* addresses(sql`a.mac like ${begins}`, bounds)),
        ...(yield* devices(sql`device.ztp_mac like ${begins}`, bounds))
      ]
    }),
    /** The device with this address, and the ports where its machine was learnt. */
    byIp: Effect.fn("FindStore.byIp")(function* (ip: string, bounds: Bounds) {
      const heard = yield* addresses(sql`a.ip = ${ip}::inet`, bounds)
      const macs = heard.flatMap(({ mac }) => (mac === null ? [] : [mac]))
      const own = sql.or(
        ["management_ip", "secondary_management_ip", "dhcp_ip", "infra_ip", "oob_ip"].map(
          (column) => sql`device.${sql.literal(column)} in (${ip}, host(${ip}::inet))`
        )
      )
      return [
        ...(macs.length === 0 ? [] : yield* machines(sql`m.mac = any(${macs}::bpchar[])`, bounds)),
        ...heard,
        ...(yield* devices(own, bounds))
      ]
    }),
    /** Devices by hostname, description, model and serial numbers, and those with one of these hostnames. */
    byText: Effect.fn("FindStore.byText")(function* (text: string, placed: ReadonlyArray<string>, bounds: Bounds) {
      const part = like(text)
      const fields = sql`(device.hostname = any(${placed}::text[]) or device.hostname ilike ${part} or device.description ilike ${part} or device.serial ilike ${part}
        or device.model ilike ${part}
        or exists (select 1 from stackmember s where s.device_id = device.id and s.hardware_id ilike ${part}))`
      return yield* devices(fields, bounds)
    }),
    /** Ports by a part of the hostname, and their name or the beginning of it with the number. */
    byPort: Effect.fn("FindStore.byPort")(function* ({ host, number, prefix }: PortNamed, bounds: Bounds) {
      const name = `^${prefix}[a-z-]*${number}$`
      return yield* sql<FoundRow>`
        select 'port' as kind, device.hostname, i.name as port, null::integer as vlan, null as mac, null as ip,
          i.data ->> 'description' as description, null as first_seen, null as last_seen,
          i.configtype in ('ACCESS_UPLINK', 'ACCESS_DOWNLINK', 'MLAG_PEER') as on_uplink
        from interface i join device on device.id = i.device_id
        where ${sees(bounds)} and device.hostname ilike ${like(host)} and i.name ~* ${name}
        order by device.hostname, i.name limit ${bounds.most}`
    }),
    /** Ports by description or VLAN, and ends of links by description. */
    ports: Effect.fn("FindStore.ports")(function* (text: string, { ids, names }: VlansAsked, bounds: Bounds) {
      const part = like(text)
      const vlans = [...names, ...ids.map(String)]
      return yield* sql<FoundRow>`
        select 'port' as kind, hostname, port, null::integer as vlan, null as mac, null as ip, description,
          null as first_seen, null as last_seen, on_uplink
        from (
          select device.hostname, i.name as port, i.data ->> 'description' as description,
            i.configtype in ('ACCESS_UPLINK', 'ACCESS_DOWNLINK', 'MLAG_PEER') as on_uplink
          from interface i join device on device.id = i.device_id
          where ${sees(bounds)} and (i.data ->> 'description' ilike ${part} or i.data ->> 'untagged_vlan' = any(${vlans}::text[])
            or i.data ->> 'vxlan' = any(${vlans}::text[])
            or (jsonb_typeof(i.data -> 'tagged_vlan_list') = 'array' and exists (
              select 1 from jsonb_array_elements_text(i.data -> 'tagged_vlan_list') listed where listed = any(${vlans}::text[]))))
          union all
          select device.hostname, case when device.id = l.device_a_id then l.device_a_port else l.device_b_port end,
            l.description, true
          from linknet l join device on device.id in (l.device_a_id, l.device_b_id)
          where ${sees(bounds)} and l.description ilike ${part}
        ) found order by on_uplink, hostname, port limit ${bounds.most}`
    }),
    /** Ports on which machines were learnt in a VLAN. */
    vlans: Effect.fn("FindStore.vlans")(function* (ids: ReadonlyArray<number>, bounds: Bounds) {
      if (ids.length === 0) return []
      return yield* sql<FoundRow>`
        with m as materialized (
          select m.device_id, device.hostname, m.port, m.vlan, count(distinct m.mac) as machines,
            min(m.first_seen) as first_seen, max(m.last_seen) as last_seen
          from mac_entry m join device on device.id = m.device_id
          where m.vlan = any(${ids}::integer[]) and ${sees(bounds)} group by m.device_id, device.hostname, m.port, m.vlan)
        select 'vlan' as kind, m.hostname, m.port, m.vlan, null as mac, null as ip,
          m.machines || case m.machines when 1 then ' MAC address' else ' MAC addresses' end as description,
          iso_time(m.first_seen) as first_seen, iso_time(m.last_seen) as last_seen, ${isUplink} as on_uplink
        from m ${ofPort} order by on_uplink, hostname, port limit ${bounds.most}`
    }),
    /** Machines that a device has learnt, by port, the newest first; at most ten of a port. */
    onPorts: Effect.fn("FindStore.onPorts")(function* (deviceId: number, within: Within | undefined) {
      return yield* sql<LearnedMachine>`
        select port, mac, vlan, iso_time(first_seen) as first_seen, iso_time(last_seen) as last_seen,
          (select host(a.ip) from arp_entry a join device on device.id = a.device_id
            where a.mac = m.mac and ${sees({ within })} order by a.last_seen desc, a.ip limit 1) as ip
        from (select e.*, row_number() over (partition by e.port order by e.last_seen desc, e.mac) as place
          from mac_entry e where e.device_id = ${deviceId}) m
        where place <= ${OF_ONE_PORT} order by port, place`
    }),
    read: Effect.fn("FindStore.read")(function* (within: Within | undefined) {
      const [found] = yield* sql<TablesRead>`
        select count(*)::integer as devices, count(r.read_at)::integer as read, iso_time(min(r.read_at)) as oldest,
          iso_time(max(r.read_at)) as newest
        from device left join tables_read r on r.device_id = device.id where device.state = 'MANAGED' and ${sees({ within })}`
      return found ?? { devices: 0, read: 0, oldest: null, newest: null }
    })
  }
})

// Counts of devices and jobs for the overview: two statements, which read only devices and recent jobs.

interface Row {
  readonly state: string
  readonly cause: string | null
  readonly drifted: boolean
  readonly unreachable: boolean
  readonly in_change: boolean
  readonly count: number
}

const sumOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { count }) => sum + count, 0)

const countsBy = (rows: ReadonlyArray<Row>, of: (row: Row) => string | null): Readonly<Record<string, number>> => {
  const named = rows.flatMap((row) => {
    const name = of(row)
    return name === null ? [] : [{ name, row }]
  })
  const groups = Map.groupBy(named, ({ name }) => name)
  return Object.fromEntries([...groups].map(([name, all]) => [name, sumOf(all.map(({ row }) => row))]))
}

const devicesOf = (rows: ReadonlyArray<Row>): Overview["devices"] => ({
  total: sumOf(rows),
  by_state: countsBy(rows, ({ state }) => state),
  unsynchronized: sumOf(rows.filter(({ cause }) => cause !== null)),
  unsynchronized_by: countsBy(rows, ({ cause }) => cause),
  drifted: sumOf(rows.filter(({ drifted }) => drifted)),
  unreachable: sumOf(rows.filter(({ unreachable }) => unreachable)),
  in_change: sumOf(rows.filter(({ in_change }) => in_change))
})

export const makeDeviceCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = makeSharedRead<Overview, SqlError.SqlError>()
  const failedToday = sql.literal(FAILED_TODAY)
  const standing = sql.literal(
    `device.state, ${STANDINGS.unsynchronized_by} as cause, ${STANDINGS.drifted} as drifted,
    ${STANDINGS.unreachable} as unreachable, ${STANDINGS.in_change} as in_change`
  )
  const count = Effect.fnUntraced(function* (within: Within | undefined) {
    const devices = devicesWithin(sql, within)
    const jobs = within === undefined ? sql`true` : jobsWithin(sql, within)
    const rows = yield* sql<Row>`select state, cause, drifted, unreachable, in_change, count(*)::integer as count
      from (select ${standing} from device where ${devices}) each group by 1, 2, 3, 4, 5`
    const [found = { running: 0, waiting: 0, failed_today: 0 }] = yield* sql<Overview["jobs"]>`select
        count(*) filter (where status in ('RUNNING', 'ABORTING'))::integer as running,
        count(*) filter (where status = 'SCHEDULED')::integer as waiting,
        count(*) filter (where ${failedToday})::integer as failed_today
      from job where (status in ('SCHEDULED', 'RUNNING', 'ABORTING') or finish_time > now() - interval '1 day') and ${jobs}`
    const [news = { waiting: 0, ignored: 0 }] = yield* sql<Overview["new_devices"]>`select
        count(*) filter (where ignored.device_id is null)::integer as waiting,
        count(ignored.device_id)::integer as ignored
      from device left join ignored_device ignored on ignored.device_id = device.id
      where device.state = 'DISCOVERED' and ${devices}`
    return { devices: devicesOf(rows), jobs: found, new_devices: news }
  })
  return {
    /** Counts for a caller; simultaneous equal calls share the answer. */
    count: Effect.fn("OverviewStore.count")((within: Within | undefined) => shared(keyOfWithin(within), count(within)))
  }
})

// The counts of devices over time, one for an hour.

/** Days for which they are kept. */
const HISTORY_DAYS = 90

export const makeOverviewHistory = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { count } = yield* makeDeviceCounts
  return {
    /** Counts all devices, unless that was done in this hour, and removes old counts. */
    add: Effect.gen(function* () {
      const known = yield* sql`select from overview_history where at > now() - interval '59 minutes'`
      if (known.length > 0) return
      const { devices } = yield* count(undefined)
      yield* sql`insert into overview_history (at, counts) values (now(), ${sql.json(devices)}) on conflict do nothing`
      yield* sql`delete from overview_history where at < now() - make_interval(days => ${HISTORY_DAYS})`
    }).pipe(Effect.withSpan("OverviewHistory.add")),
    /** The counts of the last hours, the oldest first; the last one is of now. */
    last: Effect.fn("OverviewHistory.last")(function* (hours: number) {
      const stored = yield* sql<CountedDevices>`select (extract(epoch from at) * 1000)::float8 as at, counts as devices
        from overview_history where at > now() - make_interval(hours => ${hours}) order by overview_history.at`
      const { devices } = yield* count(undefined)
      return [...stored, { at: yield* Clock.currentTimeMillis, devices }]
    })
  }
})

// Devices on the pages of new switches and of the topology: their status, and the job that works on them.

/** A node without its group, which comes from the settings; `platform` decides the spelling of port names. */
type NodeRow = Omit<TopologyNode, "primary_group"> & { readonly platform: string | null }
/** A new switch without computed fields. */
export type WaitingRow = Omit<WaitingDevice, "places" | "replaces" | "problems">

/** Jobs that discover or initialise a switch. */
const INITIALISATIONS =
  "('discover_device', 'init_access_device_step1', 'init_fabric_device_step1', 'init_device_step2')"

/** Who ignores a device, as a record; null for others. */
const IGNORED = `(select jsonb_build_object('by', i.by, 'at', iso_time(i.at), 'comment', i.comment)
  from ignored_device i where i.device_id = device.id)`

/** New switches, and devices of the topology. */
export const makePlaceRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unfinished = sql.literal(JOB_UNFINISHED)
  const jobOfDevice = sql`(select max(job.id) from job where job.status in ${unfinished}
    and (job.start_arguments ->> 'device_id' = device.id::text or job.start_arguments ->> 'ztp_mac' = device.ztp_mac))`
  // each new switch with its newest ended discovery or initialisation
  const newest = sql`with attempt as materialized (
      select job.id, job.start_arguments ->> 'device_id' as device_id, job.start_arguments ->> 'ztp_mac' as ztp_mac from job
      where job.finish_time > now() - interval '7 days' and job.function_name in ${sql.literal(INITIALISATIONS)}),
    newest as (
      select device.id as device_id, max(attempt.id) as id from device join attempt
        on attempt.device_id = device.id::text or attempt.ztp_mac = device.ztp_mac
      where device.state in ('DHCP_BOOT', 'DISCOVERED', 'INIT') group by device.id)`
  const failed = sql.literal("last.outcome in ('failed', 'partial', 'aborted')")
  const read = sql.literal(
    "(select iso_time(heard_at) from heard where heard.device_id = device.id) as neighbours_read"
  )
  return {
    nodes: Effect.fn("PlaceStore.nodes")(
      (within: Within | undefined) => sql<NodeRow>`select device.id, device.hostname, device.device_type, device.state,
        device.synchronized, device.os_version, device.model, device.platform,
        ${sql.literal(STANDINGS.unreachable)} as unreachable, ${read},
        coalesce((select max(c.job_id) from config_change c where c.device_id = device.id and c.${sql.literal(UNFINISHED)}),
          ${jobOfDevice}) as job_id
        from device where ${devicesWithin(sql, within)} order by device.id`
    ),
    waiting: Effect.fn("PlaceStore.waiting")(
      (
        within: Within | undefined
      ) => sql<WaitingRow>`${newest} select device.id, device.hostname, device.state, device.ztp_mac,
        device.serial, device.platform, device.vendor, device.model, device.os_version, device.dhcp_ip, ${read},
        ${sql.literal(SINCE_STATE)} as since,
        ${jobOfDevice} as job_id, ${sql.literal(IGNORED)} as ignored,
        (select case when ${failed} then last.id end from job last where last.id = newest.id) as failed_job_id
        from device left join newest on newest.device_id = device.id
        where device.state in ('DHCP_BOOT', 'DISCOVERED', 'INIT') and ${devicesWithin(sql, within)} order by device.id`
    ),
    /** Notes that this user does not want to set the switch up. */
    ignore: Effect.fn("PlaceStore.ignore")((deviceId: number, by: string, comment: string | null) =>
      Effect.asVoid(sql`insert into ignored_device (device_id, by, comment) values (${deviceId}, ${by}, ${comment})
        on conflict (device_id) do update set by = excluded.by, comment = excluded.comment, at = now()`)
    ),
    /** Ends that. Yields whether the switch was ignored. */
    unignore: Effect.fn("PlaceStore.unignore")((deviceId: number) =>
      Effect.map(
        sql`delete from ignored_device where device_id = ${deviceId} returning device_id`,
        (rows) => rows.length > 0
      )
    )
  }
})

// Statuses that are no column of the record, as SQL over a row, for filters of lists and for counts.

/** When the device was created or last changed its state; null when no event says so. */
export const SINCE_STATE = `(select iso_time(e.at) from event e where e.device_id = device.id and e.kind = 'device'
          and e.action in ('created', 'state') order by e.id desc limit 1)`

/** A managed device that is not synchronized. */
export const UNSYNCHRONIZED = "device.state = 'MANAGED' and not device.synchronized"

/** Fields of the list of devices. `unsynchronized_by` is the newest cause, null for a device that is synchronized or not managed. */
export const STANDINGS = {
  unsynchronized_by: `(case when ${UNSYNCHRONIZED} then coalesce((select e.cause from sync_event e where e.hostname = device.hostname
      order by e.id desc limit 1), 'unknown') end)`,
  drifted: `(exists (select from sync_event e where e.hostname = device.hostname and e.cause = 'drift'))`,
  unreachable: "(exists (select from device_unreachable u where u.device_id = device.id))",
  in_change: `(exists (select from config_change c where c.device_id = device.id and c.${UNFINISHED}))`
} as const

/** Jobs that have ended within a day without success. */
export const FAILED_TODAY =
  "(coalesce(job.outcome in ('failed', 'partial'), false) and job.finish_time > now() - interval '1 day')"
