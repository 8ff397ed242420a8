/** Counts of devices and jobs for people who look at the whole network: two statements, none of which reads more than devices and recent jobs. */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Overview } from "../domain/Device.ts"
import { FAILED_TODAY, STANDINGS } from "./Standings.ts"
import { jobsWithin } from "./JobsWithin.ts"
import { keyOfWithin, type Within } from "./Listing.ts"
import { makeSharedRead } from "./SharedRead.ts"

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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shared = makeSharedRead<Overview, SqlError.SqlError>()
  const failedToday = sql.literal(FAILED_TODAY)
  const standing = sql.literal(
    `device.state, ${STANDINGS.unsynchronized_by.sql} as cause, ${STANDINGS.drifted.sql} as drifted,
    ${STANDINGS.unreachable.sql} as unreachable, ${STANDINGS.in_change.sql} as in_change`
  )
  const count = Effect.fnUntraced(function* (within: Within | undefined) {
    const devices = within === undefined ? sql`true` : sql`device.hostname = any(${within.hostnames}::text[])`
    const jobs = within === undefined ? sql`true` : jobsWithin(sql, within)
    const rows = yield* sql<Row>`select state, cause, drifted, unreachable, in_change, count(*)::integer as count
      from (select ${standing} from device where ${devices}) each group by 1, 2, 3, 4, 5`
    const [found = { running: 0, waiting: 0, failed_today: 0 }] = yield* sql<Overview["jobs"]>`select
        count(*) filter (where status in ('RUNNING', 'ABORTING'))::integer as running,
        count(*) filter (where status = 'SCHEDULED')::integer as waiting,
        count(*) filter (where ${failedToday})::integer as failed_today
      from job where (status in ('SCHEDULED', 'RUNNING', 'ABORTING') or finish_time > now() - interval '1 day') and ${jobs}`
    return { devices: devicesOf(rows), jobs: found }
  })
  return OverviewStore.of({
    count: Effect.fn("OverviewStore.count")((within: Within | undefined) => shared(keyOfWithin(within), count(within)))
  })
})

interface OverviewShape {
  /** What a caller may see; who asks the same at the same time shares the answer. */
  readonly count: (within: Within | undefined) => Effect.Effect<Overview, SqlError.SqlError>
}

export class OverviewStore extends Context.Service<OverviewStore, OverviewShape>()("switchyard/store/OverviewStore") {
  static readonly layer = Layer.effect(OverviewStore, make)
}
