/** New switches that somebody does not want to set up (docs/provisioning.md#ignoring-a-switch). A row ends with its device. It only adds objects. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table ignored_device (
      device_id integer primary key references device on delete cascade,
      by text not null,
      comment text,
      at timestamptz not null default now()
    )`
})
