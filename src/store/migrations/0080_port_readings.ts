/**
 * The last good reading of the ports of each device (docs/api.md#ports-as-last-read): a device that is busy or silent still shows it, with its
 * age.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table port_reading (
      device_id integer primary key references device (id) on delete cascade,
      read_at timestamptz not null,
      ports jsonb not null
    )`
  yield* sql`comment on column port_reading.ports is 'a PortReading of api/PortReadingsApi.ts by the name of the port'`
})
