/**
 * The login that a device accepted last, while logins are changed: `slot` names the login of the settings, `current` or `next`. No
 * names or passwords are stored. `accepted_at` is in epoch milliseconds, of the server's clock.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table accepted_login (
    device_id integer primary key references device (id) on delete cascade,
    state text not null,
    slot text not null check (slot in ('current', 'next')),
    accepted_at bigint not null
  )`
})
