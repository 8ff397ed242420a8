/**
 * What a restored database must not claim. It is a memory of the moment of the backup: what switches run, what became of the jobs that ran
 * then and who is signed on is not known any more, and is not to be taken up again as if nothing had happened
 * (docs/operations.md#what-happens-afterwards). All of it in the transaction of the restore.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { release } from "../../domain/Release.ts"
import { JOB_BEGUN } from "../JobStatusSql.ts"
import { UNFINISHED } from "../UnfinishedChange.ts"
import { RESTORED } from "../UnseenDeviceStore.ts"

/** The backup that was put back; `backupOf` is the time of its snapshot, ISO 8601, UTC. */
export interface Restored {
  readonly backupOf: string
  /** Id that the installation is to have; null when the database has the right one. */
  readonly installation: string | null
}

const BY = "server"

/** What is said of everything that was under way. */
const sentenceOf = ({ backupOf }: Restored): string =>
  `The database was restored from a backup of ${backupOf}: nobody knows what this job did after that`

/** Devices that somebody relies on, and those with which something was being done. */
const devices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unseen = sql.literal(`state = 'MANAGED'
    or id in (select device_id from config_change where ${UNFINISHED})
    or id in (select device_id from device_operation where phase <> 'done')`)
  // the cause before the row, as elsewhere; by it the look knows which of them were synchronized
  yield* sql`insert into sync_event (hostname, cause, happened_at, by, job_id)
    select hostname, ${RESTORED}, extract(epoch from now()), ${BY}, null from device where synchronized and (${unseen}) order by id`
  yield* sql`update device set unseen_since = now(), synchronized = false where ${unseen}`
})

/** Nothing of them may be sent to a switch again: days may lie between. */
const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update config_change set phase = 'unknown', epoch = epoch + 1, updated_at = now(),
    protocol = protocol || jsonb_build_object('phase', 'unknown', 'epoch', epoch + 1) where ${sql.literal(UNFINISHED)}`
  yield* sql`update device_operation set phase = 'done', epoch = epoch + 1, updated_at = now() where phase <> 'done'`
})

/** Those that had begun have failed, and those that waited are aborted. Records of single devices say what was known. */
const jobs = Effect.fnUntraced(function* (restored: Restored) {
  const sql = yield* SqlClient.SqlClient
  const message = sentenceOf(restored)
  const exception = JSON.stringify({ message, type: "DatabaseRestored", args: [message], traceback: "" })
  yield* sql`update job_approval set decision = 'expired', decided_by = ${BY}, decided_at = now(), comment = ${message}
    where decision is null`
  yield* sql`update job set status = 'ABORTED', outcome = 'aborted', finish_time = now(), abort_reason = ${message}, aborted_by = ${BY}
    where status = 'SCHEDULED'`
  yield* sql`
    update job set status = 'EXCEPTION', finish_time = now(), exception = ${exception}::jsonb, finished_devices = d.finished,
      failed_devices = d.failed, counts = d.counts,
      outcome = case when (d.counts ->> 'succeeded')::integer > 0 then 'partial' else 'failed' end
    from (select j.id, coalesce(jsonb_agg(r.hostname order by r.finished_at) filter (where r.reached_end), '[]') as finished,
        coalesce(jsonb_agg(r.hostname order by r.hostname) filter (where r.failed), '[]') as failed,
        jsonb_build_object('devices', count(r), 'succeeded', count(r) filter (where not r.failed),
          'failed', count(r) filter (where r.failed), 'changed', count(r) filter (where r.changed and not r.failed)) as counts
      from job j left join job_device r on r.job_id = j.id where j.status in ${sql.literal(JOB_BEGUN)} group by j.id) d
    where job.id = d.id`
  yield* sql`delete from joblock`
})

/** Who was signed on then signs on again. */
const sessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update local_user set session = gen_random_uuid()`
})

/** How far numbers leap: further than any site comes between two backups. */
const LEAP = 10_000
const EVENTS_LEAP = 10_000_000

/**
 * Numbers that were given out after the backup are on switches (as names of candidates), in other systems and with clients that go on
 * reading events after a number: they are not given out again.
 */
const numbers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select setval(format('%I.%I', schemaname, sequencename)::regclass, (coalesce(last_value, 0) / leap + 2) * leap)
    from pg_sequences cross join lateral (
      select case when sequencename like 'event%' then ${EVENTS_LEAP}::bigint else ${LEAP}::bigint end as leap) by_table
    where schemaname = current_schema()`
})

/** Makes a database that was just restored say only what is known; inside the transaction of the restore, at the newest schema. */
export const afterRestore = Effect.fn("AfterRestore.afterRestore")(function* (restored: Restored) {
  const sql = yield* SqlClient.SqlClient
  // first, because what follows makes events
  yield* numbers
  yield* devices
  yield* changes
  yield* jobs(restored)
  yield* sessions
  if (restored.installation !== null) yield* sql`update installation set id = ${restored.installation}::uuid`
  yield* sql`insert into restore (backup_of, release) values (${restored.backupOf}::timestamptz, ${release})`
})
