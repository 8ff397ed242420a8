/**
 * What became of the last lease that DHCP servers reported of each switch: for those that were refused or have to wait, and so that a
 * repeated report has no second effect.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table dhcp_lease (
      ztp_mac varchar(12) primary key,
      dhcp_ip varchar(50) not null,
      platform varchar(64) not null,
      report varchar(64),
      outcome varchar(16) not null,
      step varchar(16) not null,
      message text not null,
      host varchar(253) not null,
      waiting integer not null,
      since timestamptz not null default now(),
      reported_at timestamptz not null default now()
    )`
  yield* sql`comment on column dhcp_lease.report is 'the name that the reporter gave this lease; the same again is a repetition'`
  yield* sql`comment on column dhcp_lease.waiting is 'leases that waited at the reporter when it sent this one'`
  yield* sql`create index dhcp_lease_reported_at on dhcp_lease (reported_at)`
})
