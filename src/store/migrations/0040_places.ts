/** The LLDP neighbours of switches at the last read: replaced as a whole per device, so missing neighbours disappear. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table heard (
      device_id integer primary key references device on delete cascade,
      heard_at timestamptz not null
    )`
  yield* sql`
    create table heard_neighbour (
      device_id integer not null references heard (device_id) on delete cascade,
      port text not null,
      name text not null,
      peer_port text not null,
      primary key (device_id, port, name, peer_port)
    )`
  yield* sql`comment on column heard_neighbour.name is 'as it was announced: short or fully qualified, also of switches that nobody knows'`
  yield* sql`create index heard_neighbour_name on heard_neighbour (lower(split_part(name, '.', 1)))`
})
