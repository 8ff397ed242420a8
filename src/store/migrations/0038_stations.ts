/**
 * Machines that switches have learnt (docs/api.md#find): by port, and by address. Each is written with the first and the last reading
 * that had it; rows are bounded by age and by number for each device.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table tables_read (
      device_id integer primary key references device on delete cascade,
      read_at timestamptz not null default now(),
      macs integer not null, arps integer not null
    )`
  yield* sql`comment on column tables_read.macs is 'entries that the device had, also where fewer are kept'`
  yield* sql`
    create table mac_entry (
      device_id integer not null references device on delete cascade,
      port text not null,
      vlan integer,
      mac char(12) not null,
      first_seen timestamptz not null default now(),
      last_seen timestamptz not null default now(),
      unique nulls not distinct (device_id, mac, vlan, port)
    )`
  yield* sql`create index mac_entry_mac on mac_entry (mac bpchar_pattern_ops)`
  yield* sql`create index mac_entry_vlan on mac_entry (vlan)`
  yield* sql`create index mac_entry_last_seen on mac_entry (last_seen)`
  yield* sql`
    create table arp_entry (
      device_id integer not null references device on delete cascade,
      ip inet not null,
      mac char(12) not null,
      interface text not null,
      first_seen timestamptz not null default now(),
      last_seen timestamptz not null default now(),
      primary key (device_id, ip, mac, interface)
    )`
  yield* sql`create index arp_entry_ip on arp_entry (ip)`
  yield* sql`create index arp_entry_mac on arp_entry (mac bpchar_pattern_ops)`
  yield* sql`create index arp_entry_last_seen on arp_entry (last_seen)`
  yield* sql`
    create table station_port (
      device_id integer not null references device on delete cascade,
      port text not null,
      members text[] not null,
      neighbours text[] not null,
      is_tunnel boolean not null,
      primary key (device_id, port)
    )`
  yield* sql`comment on table station_port is 'ports of mac_entry as they were last read: the cables of a bundle, and names heard over LLDP'`
})
