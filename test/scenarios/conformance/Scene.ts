/** The little network in which every conformance case plays, and how it is put back between two cases. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Rows with known ids. Everything that a case needs beyond this is in its `given`. */
const ROWS: ReadonlyArray<string> = [
  `insert into site (description) values ('Lecture hall'), ('Twin'), ('Twin')`,
  `insert into device (hostname, state, device_type, platform, synchronized, management_ip, infra_ip, os_version, ztp_mac, dhcp_ip, last_seen) values
    ('core1', 'MANAGED', 'CORE', 'eos', true, '10.100.3.0', '10.199.0.0', '4.31.5M', null, null, '2026-02-27T10:30:23.338681Z'),
    ('dist1', 'MANAGED', 'DIST', 'eos', true, '10.100.3.1', '10.199.0.1', '4.31.5M', null, null, '2026-02-27T10:30:23Z'),
    ('dist2', 'MANAGED', 'DIST', 'eos', true, '10.100.3.2', '10.199.0.2', null, null, null, '2026-02-27T10:30:23Z'),
    ('east-a1', 'MANAGED', 'ACCESS', 'eos', true, '10.0.6.6', null, '4.31.5M', '08002708A8BE', null, '2026-02-27T10:30:23Z'),
    ('east-a2', 'UNMANAGED', 'ACCESS', 'eos', false, '10.0.6.7', null, '4.28.0F', '08002708A8BF', null, '2026-02-27T10:30:23Z'),
    ('mac-080027000006', 'DISCOVERED', 'UNKNOWN', 'eos', false, null, null, null, '080027000006', '10.0.0.20', '2026-02-27T10:30:23Z'),
    ('init-a7', 'INIT', 'ACCESS', 'eos', false, '10.0.6.8', null, null, '080027000007', '10.0.0.21', '2026-02-27T10:30:23Z'),
    ('special-a8', 'MANAGED', 'ACCESS', 'eos', false, '10.0.6.9', null, null, null, null, '2026-02-27T10:30:23Z'),
    ('broken-a9', 'MANAGED', 'ACCESS', 'eos', false, '10.0.6.10', null, null, null, null, '2026-02-27T10:30:23Z')`,
  `insert into interface (device_id, name, configtype, data) values
    (4, 'Ethernet1', 'ACCESS_AUTO', null),
    (4, 'Ethernet2', 'ACCESS_UNTAGGED', '{"untagged_vlan": "STUDENT", "description": "room 5"}'),
    (4, 'Ethernet10', 'ACCESS_DOWNLINK', '{}'),
    (4, 'Ethernet48', 'ACCESS_UPLINK', '{"neighbor": "dist1"}'),
    (9, 'Ethernet1', 'ACCESS_AUTO', null)`,
  `insert into linknet (ipv4_network, device_a_id, device_a_ip, device_a_port, device_b_id, device_b_ip, device_b_port) values
    ('10.198.0.0/31', 1, '10.198.0.0', 'Ethernet1', 2, '10.198.0.1', 'Ethernet49'),
    (null, 4, null, 'Ethernet48', 2, null, 'Ethernet1')`,
  `insert into mgmtdomain (device_a_id, device_b_id, ipv4_gw, vlan) values (2, 3, '10.0.6.1/24', 600)`,
  `insert into stackmember (device_id, member_no, hardware_id, priority) values (4, 1, 'CD5555', 99), (4, 0, 'AB1234', null)`,
  `insert into job (status, function_name, scheduled_by, comment, ticket_ref, scheduled_time, start_time, finish_time, result, finished_devices, change_score, start_arguments) values
    ('FINISHED', 'sync_devices (dry_run)', 'admin', 'ticket work', 'CHG-1', '2026-03-02T09:11:26.319761Z', '2026-03-02T09:11:27Z', '2026-03-02T09:11:35.775562Z',
      '{"devices": {"east-a1": {"failed": false, "job_tasks": [
        {"task_name": "push_sync_device", "result": null, "diff": "", "failed": false},
        {"task_name": "Generate device config", "result": "hostname east-a1", "diff": "", "failed": false},
        {"task_name": "Sync device config", "result": null, "diff": "+x", "failed": false}]}}}', '["east-a1"]', 21, '{"dry_run": true, "hostnames": ["east-a1"]}'),
    ('EXCEPTION', 'discover_device', 'dhcp', null, null, '2026-03-02T09:12:00Z', '2026-03-02T09:12:00Z', '2026-03-02T09:12:01Z', null, '[]', null, '{"ztp_mac": "080027000006"}'),
    ('SCHEDULED', 'update_facts', 'admin', null, null, '2126-03-02T09:13:00Z', null, null, null, null, null, '{"hostname": "east-a1"}')`,
  `update job set exception = '{"message": "Device gone", "type": "ValueError", "args": ["Device gone"], "traceback": "ValueError: Device gone\\n"}' where id = 2`,
  `insert into joblock (job_id, name, start_time) values (1, 'devices', '2026-03-02T09:12:07.788892Z')`,
  `insert into sync_event (hostname, cause, happened_at, by, job_id) values ('special-a8', 'refresh_settings', 1688458956.684019, 'indy', 123)`
]

/** The commits in force at the server's start are restored with every scene. */
const IN_FORCE = `if to_regclass('repository_of_scene') is not null then
  delete from repository;
  insert into repository select * from repository_of_scene;
end if`

/** Remembers what is in force now as a part of the scene. */
export const keepRepositories = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql`create table repository_of_scene as table repository`
)

/** Tables before those that they refer to. */
const CLEARING = [
  "dhcp_lease",
  "device_action",
  "joblock",
  "job_device",
  "job",
  "reserved_ip",
  "mgmtdomain",
  "linknet",
  "interface",
  "stackmember",
  "sync_event",
  "certificate",
  "api_token",
  "local_user",
  "alert_delivery",
  "alert",
  "alert_mute",
  "device",
  "site"
]
const COUNTED = [
  "job",
  "mgmtdomain",
  "linknet",
  "stackmember",
  "sync_event",
  "device",
  "site",
  "api_token",
  "alert",
  "alert_mute"
]

/** Empties all tables and writes the scene, then what the case adds; in one round trip. */
export const setScene = Effect.fnUntraced(function* (given: ReadonlyArray<string> = []) {
  const sql = yield* SqlClient.SqlClient
  const statements = [
    ...CLEARING.map((table) => `delete from ${table}`),
    ...COUNTED.map((table) => `perform setval(pg_get_serial_sequence('${table}', 'id'), 1, false)`),
    IN_FORCE,
    ...ROWS,
    ...given
  ]
  yield* sql.unsafe(`do $scene$ begin ${statements.join("; ")}; end $scene$`)
})

/** A text that changes when any row of any table does. */
export const fingerprint = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const parts = [...CLEARING, "repository"].map(
    (table) =>
      // a plugin that was notified of an earlier request writes its note at any later moment
      `select '${table}' as name, md5(coalesce(string_agg(shown, '|' order by shown), '')) as sum
        from ${table} t cross join lateral (select (to_jsonb(t) - 'done_at')::text as shown) row`
  )
  const rows = yield* sql.unsafe<{ name: string; sum: string }>(parts.join(" union all "))
  return rows.map(({ name, sum }) => `${name} ${sum}`).join("\n")
})
