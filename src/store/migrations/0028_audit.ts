/**
 * The audit (docs/security.md#audit): changed rows write their events automatically by triggers, in the transaction of the change. The visible
 * columns are listed here, so a new column with a secret is not shown by mistake. If one statement changes several rows without an actor, as
 * actors of devices do, the actor follows from the job.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The audited columns of a table; `always`: part of the audit for every actor. For rows that are deleted with their device, the device's
 * event counts.
 */
interface AuditedTable {
  readonly table: string
  readonly always: boolean
  readonly columns: ReadonlyArray<string>
  /** The kind of its events, if it differs from the table's name; these events also hold the name of the row. */
  readonly kind?: string
}

const audited: ReadonlyArray<AuditedTable> = [
  {
    table: "device",
    always: false,
    columns:
      "hostname site_id description management_ip secondary_management_ip dhcp_ip infra_ip oob_ip serial ztp_mac platform vendor model os_version synchronized state device_type port".split(
        " "
      )
  },
  { table: "interface", always: false, columns: ["name", "configtype", "data"] },
  { table: "stackmember", always: false, columns: ["member_no", "hardware_id", "priority"] },
  { table: "host_key", always: true, columns: ["fingerprint", "refused_fingerprint"] },
  { table: "site", always: false, columns: ["id", "description"] },
  {
    table: "linknet",
    always: false,
    columns:
      "id ipv4_network device_a_id device_a_ip device_a_port device_b_id device_b_ip device_b_port site_id description".split(
        " "
      )
  },
  {
    table: "mgmtdomain",
    always: false,
    columns:
      "id ipv4_gw ipv6_gw device_a_id device_a_ip device_b_id device_b_ip site_id vlan description esi_mac".split(" ")
  },
  // the event of a changed digest shows only the fact of the change
  { table: "local_user", kind: "user", always: true, columns: ["name", "roles", "break_glass", "hash"] },
  {
    table: "api_token",
    kind: "token",
    always: true,
    columns: ["name", "roles", "created_by", "expires_at", "revoked_at", "hash"]
  }
]

const functions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function without_secrets(value jsonb) returns jsonb language sql immutable as $$
      select case jsonb_typeof(value)
        when 'object' then (select coalesce(jsonb_object_agg(key, case
          when key ~* '(pass|secret|token|community|credential|private|config$|configuration$)' and jsonb_typeof(part) in ('string', 'object', 'array')
            then to_jsonb('<hidden>'::text) else part end), '{}') from jsonb_each(value) as parts (key, part))
        else value end
    $$`
  yield* sql`
    create function shown_value(field text, value jsonb) returns jsonb language sql immutable as $$
      select case when field = 'hash' and value is not null then '"<hidden>"' else without_secrets(coalesce(value, 'null')) end
    $$`
  yield* sql`
    create function audit_row() returns trigger language plpgsql as $$
      declare
        old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
        new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
        one jsonb := coalesce(new_row, old_row);
        before jsonb;
        after jsonb;
      begin
        select jsonb_object_agg(k, shown_value(k, old_row -> k)), jsonb_object_agg(k, shown_value(k, new_row -> k))
          into before, after from unnest(tg_argv[0]::text[]) k
          where coalesce(old_row -> k, 'null') is distinct from coalesce(new_row -> k, 'null');
        if after is null then return null; end if;
        insert into event (kind, action, device_id, hostname, is_audit, data)
          select coalesce(tg_argv[2], tg_table_name), case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
              when after ? 'revoked_at' then 'revoked' else 'updated' end, about.id,
            coalesce((select hostname from device where device.id = about.id), one ->> 'hostname'),
            coalesce(acting('way'), 'server') <> 'server' or tg_argv[1]::boolean
              or (tg_table_name = 'device' and (tg_op <> 'UPDATE' or after ? 'state' or after ? 'hostname')),
            jsonb_strip_nulls(jsonb_build_object('key', coalesce(one -> 'id', one -> 'name'),
              'name', case when tg_argv[2] is not null then one -> 'name' end))
              || case when old_row is null then '{}' else jsonb_build_object('before', before) end
              || case when new_row is null then '{}' else jsonb_build_object('after', after) end
          from (select (case tg_table_name when 'device' then one ->> 'id' else one ->> 'device_id' end)::integer
              where tg_table_name not in ('linknet', 'mgmtdomain')
            union select (one ->> end_of)::integer from unnest(array['device_a_id', 'device_b_id']) end_of
              where tg_table_name in ('linknet', 'mgmtdomain')) as about (id);
        return null;
      end
    $$`
})

/** Jobs: their start, with its user and reason; their abort; their end. Their results are not events. */
const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column aborted_by text, add column scheduled_way text default acting('way')`
  yield* sql`
    create function audit_job() returns trigger language plpgsql as $$
      declare
        what text := case when tg_op = 'INSERT' then 'started' when new.status = 'ABORTING' or (new.status = 'ABORTED' and old.status = 'SCHEDULED')
          then 'aborted' else 'ended' end;
      begin
        insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
          select 'job', what,
            coalesce(acting('name'), case when what = 'aborted' then new.aborted_by end, new.scheduled_by, 'server'),
            coalesce(acting('way'), new.scheduled_way, 'server'), new.id, named.hostname, (select id from device where device.hostname = named.hostname),
            true, jsonb_strip_nulls(jsonb_build_object('function', new.function_name, 'comment', new.comment, 'ticket_ref', new.ticket_ref)
              || case what
                when 'started' then jsonb_build_object('arguments',
                  case when length(new.start_arguments::text) < 4000 then without_secrets(new.start_arguments) end)
                when 'aborted' then jsonb_build_object('reason', new.abort_reason, 'aborted_by', new.aborted_by)
                else jsonb_build_object('status', new.status, 'outcome', new.outcome, 'settings_commit', new.settings_commit,
                  'templates_commit', new.templates_commit, 'counts', new.counts, 'abort_reason', new.abort_reason, 'aborted_by', new.aborted_by)
                end)
          from (select case jsonb_typeof(new.start_arguments) when 'object' then new.start_arguments ->> 'hostname' end) as named (hostname);
        return null;
      end
    $$`
  yield* sql`create trigger audit_started after insert on job for each row execute function audit_job()`
  yield* sql`create trigger audit_status after update of status on job for each row
    when (old.status is distinct from new.status and new.status not in ('SCHEDULED', 'RUNNING')) execute function audit_job()`
})

/** A device's history: why it must be synchronized, and the result of each change, with job and commits. */
const history = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function audit_sync_events() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, hostname, device_id, job_id, is_audit, data)
          select 'sync', 'needed', coalesce(acting('name'), added.by), added.hostname, device.id, coalesce(added.job_id, acting('job')::integer), true,
            jsonb_build_object('cause', added.cause, 'by', added.by,
              'commit', (select commit from repository where name = 'settings' and ref = ''))
          from added left join device on device.hostname = added.hostname order by added.id;
        return null;
      end
    $$`
  yield* sql`create trigger audit_sync_events after insert on sync_event referencing new table as added
    for each statement execute function audit_sync_events()`
  yield* sql`
    create function audit_change() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, way, device_id, hostname, job_id, is_audit, data)
          select 'change', new.phase, coalesce(acting('name'), job.scheduled_by, 'server'), coalesce(acting('way'), job.scheduled_way, 'server'),
            new.device_id, device.hostname, new.job_id, true,
            jsonb_strip_nulls(jsonb_build_object('function', job.function_name, 'comment', job.comment, 'ticket_ref', job.ticket_ref,
              'settings_commit', job.settings_commit, 'templates_commit', job.templates_commit))
          from job, device where job.id = new.job_id and device.id = new.device_id;
        return null;
      end
    $$`
  yield* sql`create trigger audit_change after update of phase on config_change for each row
    when (old.phase is distinct from new.phase and new.phase in ('confirmed', 'reverted', 'unknown')) execute function audit_change()`
})

/** Commits that come into force, and locks that a person removes. */
const others = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function audit_commit() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, is_audit, data) values ('commit', 'in force', true, jsonb_build_object(
          'repository', new.name, 'ref', new.ref, 'before', case when tg_op = 'UPDATE' then old.commit end, 'after', new.commit));
        return null;
      end
    $$`
  yield* sql`create trigger audit_first_commit after insert on repository for each row execute function audit_commit()`
  yield* sql`create trigger audit_commit after update of commit on repository for each row
    when (old.commit is distinct from new.commit) execute function audit_commit()`
  yield* sql`
    create function audit_lock() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, job_id, is_audit, data) values ('joblock', 'deleted', old.job_id, true, jsonb_build_object('name', old.name));
        return null;
      end
    $$`
  yield* sql`create trigger audit_lock after delete on joblock for each row
    when (acting('name') is not null and acting('job') is null) execute function audit_lock()`
})

const chain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table event_seal (number bigint primary key, event_id bigint not null unique, hash text not null)`
  yield* sql`comment on table event_seal is 'the chain of the audit: number by number, each hash over the one before it and the event'`
  yield* sql`create table event_anchor (one boolean primary key default true check (one), number bigint not null,
    event_id bigint not null, hash text not null)`
  yield* sql`comment on table event_anchor is 'the last link of the chain that was removed because of its age'`
  yield* sql`create table event_export (receiver text primary key, number bigint not null)`
})

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* functions
  for (const { always, columns, kind, table } of audited) {
    const row = (which: string) => `(${columns.map((name) => `${which}.${name}`).join(", ")})`
    const named = kind === undefined ? "" : `, '${kind}'`
    const execute = `execute function audit_row('{${columns.join(",")}}', '${always}'${named})`
    // the event of a deleted device covers its rows; a link also belongs to another device
    const direct = ["interface", "stackmember", "host_key"].includes(table) ? "when (pg_trigger_depth() = 0)" : ""
    yield* sql`${sql.literal(`create trigger audit_insert after insert on ${table} for each row ${execute}`)}`
    yield* sql`${sql.literal(`create trigger audit_update after update on ${table} for each row
      when (${row("old")} is distinct from ${row("new")}) ${execute}`)}`
    yield* sql`${sql.literal(`create trigger audit_delete after delete on ${table} for each row ${direct} ${execute}`)}`
  }
  yield* jobs
  yield* history
  yield* others
  yield* chain
})
