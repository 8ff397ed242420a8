/** Ten thousand managed access switches in the database below one pair of distribution switches; some may be of the lab. */
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "./BenchLab.ts"

/** Devices that are in the database. */
export const DEVICES = 10_000

const PORTS = 4
const BATCH = 500
const PART = 5_000

const insertLab = Effect.fnUntraced(function* (switches: ReadonlyArray<LabSwitch>, ports: number) {
  const sql = yield* SqlClient.SqlClient
  for (const batch of Arr.chunksOf(switches, BATCH)) {
    const rows = Arr.map(batch, ({ address, name }) => ({
      hostname: name,
      state: "MANAGED",
      device_type: "ACCESS",
      platform: "eos",
      model: "CCS-720XP-48Y6-F",
      os_version: "4.31.4M",
      management_ip: address,
      synchronized: false
    }))
    yield* sql`insert into device ${sql.insert(rows)}`
  }
  yield* sql`insert into interface (device_id, name, configtype)
    select id, 'Ethernet' || number, 'ACCESS_AUTO' from device, generate_series(1, ${ports}::int) number
    where device_type = 'ACCESS'`
})

/**
 * The switches of the lab (with 18 ports, for about 300 lines of configuration) and so many more as make `total` access
 * switches. The first of the others is `far1`; they are synchronized.
 */
export const seed = Effect.fnUntraced(function* (switches: ReadonlyArray<LabSwitch> = [], total = DEVICES) {
  const sql = yield* SqlClient.SqlClient
  const distribution = yield* sql<{ id: number }>`
    insert into device (hostname, state, device_type, platform, synchronized)
    values ('dist1', 'UNMANAGED', 'DIST', 'eos', false), ('dist2', 'UNMANAGED', 'DIST', 'eos', false) returning id`
  const [one, other] = distribution.map(({ id }) => id)
  yield* sql`insert into mgmtdomain (ipv4_gw, device_a_id, device_b_id, vlan, description)
    values ('10.33.255.254/15', ${one ?? 0}, ${other ?? 0}, 3016, 'bench')`
  yield* insertLab(switches, 18)
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
