/** Ten thousand managed access switches in the database below one pair of distribution switches; some may be of the lab. */
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "./BenchLab.ts"

/** Devices that are in the database. */
export const DEVICES = 10_000

const PORTS = 4
const BATCH = 500
const PART = 5_000

/** Access switches of a platform: their model and release, and the name of their ports before the number of the first. */
const KINDS = {
  eos: { model: "CCS-720XP-48Y6-F", os_version: "4.31.4M", ports: "Ethernet", first: 1 },
  junos: { model: "EX3400-48P", os_version: "21.4R3-S5.4", ports: "ge-0/0/", first: 0 }
} as const

/** Ports of a switch of the lab: about 300 lines of configuration on EOS. */
const LAB_PORTS = 18

/** The switches of a lab as managed access switches of this platform. */
export const seedLab = Effect.fnUntraced(function* (
  switches: ReadonlyArray<LabSwitch>,
  platform: keyof typeof KINDS = "eos"
) {
  const sql = yield* SqlClient.SqlClient
  const { first, model, os_version, ports } = KINDS[platform]
  for (const batch of Arr.chunksOf(switches, BATCH)) {
    const rows = Arr.map(batch, ({ address, name }) => ({
      hostname: name,
      state: "MANAGED",
      device_type: "ACCESS",
      platform,
      model,
      os_version,
      management_ip: address,
      synchronized: false
    }))
    yield* sql`insert into device ${sql.insert(rows)}`
  }
  yield* sql`insert into interface (device_id, name, configtype)
    select id, ${ports}::text || number, 'ACCESS_AUTO'
    from device, generate_series(${first}::int, ${first + LAB_PORTS - 1}::int) number
    where device_type = 'ACCESS' and platform = ${platform}`
})

/**
 * The switches of the lab and so many more as make `total` access switches. The first of the others is `far1`; they are
 * synchronized.
 */
export const seed = Effect.fnUntraced(function* (switches: ReadonlyArray<LabSwitch> = [], total = DEVICES) {
  const sql = yield* SqlClient.SqlClient
  const distribution = yield* sql<{ id: number }>`
    insert into device (hostname, state, device_type, platform, synchronized)
    values ('dist1', 'UNMANAGED', 'DIST', 'eos', false), ('dist2', 'UNMANAGED', 'DIST', 'eos', false) returning id`
  const [one, other] = distribution.map(({ id }) => id)
  yield* sql`insert into mgmtdomain (ipv4_gw, device_a_id, device_b_id, vlan, description)
    values ('10.33.255.254/15', ${one ?? 0}, ${other ?? 0}, 3016, 'bench')`
  yield* seedLab(switches)
  const others = total - switches.length
  // in parts, each within the minute that a statement may take
  for (let first = 1; first <= others; first += PART) {
    const last = Math.min(others, first + PART - 1)
    yield* sql`
      with far as (
        insert into device (hostname, state, device_type, platform, model, management_ip, synchronized)
          select 'far' || n, 'MANAGED', 'ACCESS', 'eos', 'CCS-720XP-48Y6-F',
            '10.' || 33 + n / 65025 || '.' || (n / 255) % 255 || '.' || n % 255, true
          from generate_series(${first}::int, ${last}::int) n
          returning id)
      insert into interface (device_id, name, configtype)
        select id, 'Ethernet' || number, 'ACCESS_AUTO' from far, generate_series(1, ${PORTS}::int) number`
  }
  // as PostgreSQL does on its own within a minute
  yield* sql`vacuum analyze`
})
