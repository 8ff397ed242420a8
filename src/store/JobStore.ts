/**
 * Rows of the job table and of the results of jobs on devices. Status changes go through `jobs/JobEngine.ts`, which consults the
 * machine first; this store only reads and writes.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Way } from "../domain/access/Identity.ts"
import type { Within } from "./Listing.ts"
import {
  type Job,
  type JobCounts,
  type JobException,
  JobNotFound,
  type JobStatus,
  noDevices,
  type Outcome
} from "../domain/Job.ts"
import type { ServiceClass } from "../domain/jobs/ServiceClasses.ts"
import { DerivedSecretStore, readJson, SecretTexts } from "./SecretStore.ts"
import {
  COLUMNS,
  type DeviceText,
  HEAD,
  type JobDevice,
  type JobDeviceRow,
  makeDeviceRows,
  OWN_COLUMNS
} from "./JobResults.ts"
import type { SyncTaskName } from "./DeviceTasks.ts"
import { isObject } from "../domain/fields/Values.ts"
import { JOB_BEGUN } from "./StatusConditions.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind } from "./GroupedStatement.ts"

// The jobs that a caller with rights on some devices may see (docs/roles.md#callers-of-some-devices).

/**
 * A condition on `job`: jobs that the caller started, and jobs for these devices only. The latter have worked on one of them and on no
 * other, name no other in arguments such as `hostname` and `hostnames`, and either name their devices or have ended.
 */
export const jobsWithin = (
  sql: SqlClient.SqlClient,
  { caller, hostnames, isProgram }: Within
) => sql`((job.scheduled_by = ${caller}
    and (coalesce(job.scheduled_way, '') = 'token') = ${isProgram})
  or (exists (select from job_device d where d.job_id = job.id)
    and not exists (select from job_device d where d.job_id = job.id and d.hostname <> all(${hostnames}::text[]))
    and (job.finish_time is not null or coalesce(job.start_arguments ?| array['hostname', 'hostnames'], false))
    and not exists (select from jsonb_path_query(job.start_arguments, 'lax $.keyvalue() ? (@.key like_regex "hostname").value[*]') n
      where jsonb_typeof(n) = 'string' and n #>> '{}' <> all(${hostnames}::text[]))))`

/** A new job; it is due in `delaySeconds`. */
interface NewJob {
  readonly function_name: string
  readonly scheduled_by: string
  readonly comment: string | null
  readonly ticket_ref: string | null
  /** Plain JSON; null for a job whose record shows no arguments. */
  readonly start_arguments: unknown
  readonly delaySeconds: number
  /** Seconds until its windows open, if it must wait for them. */
  readonly opensInSeconds?: number | undefined
  /** Default: person. */
  readonly service_class?: ServiceClass
  /** The parent of its work in a trace (W3C `traceparent`); a job without it begins a trace. */
  readonly trace?: string | null
}

/** A job's record without its result. */
export interface JobHead extends Pick<
  Job,
  "id" | "status" | "function_name" | "scheduled_by" | "start_arguments" | "next_job_id"
> {
  /** The kind of login of the user who started it; null for the server. */
  readonly scheduled_way: Way | null
  readonly service_class: ServiceClass
  /** The key of the person who requested it; null for the server's own jobs, and for jobs of earlier releases. */
  readonly scheduled_person: string | null
  /** It must not begin before another person has approved it. */
  readonly awaits_approval: boolean
  /** The value at its creation. */
  readonly trace: string | null
}

/** A job that has begun and not ended; `since` is ISO 8601 without a zone, UTC. */
interface RunningSince extends Pick<Job, "id" | "function_name"> {
  readonly since: string
}

/** A running synchronization, and the selected devices that it shares with another job. */
interface SyncBeside {
  readonly job_id: number
  readonly hostnames: ReadonlyArray<string>
}

/** Changes of a job's row; a flag sets its time to now. */
export interface JobPatch {
  readonly status?: JobStatus
  readonly started?: true
  readonly finished?: true
  readonly result?: unknown
  readonly exception?: JobException
  readonly next_job_id?: number | null
  readonly change_score?: number | null
  readonly outcome?: Outcome
  readonly abort_reason?: string
  readonly aborted_by?: string
}

export type { DeviceText, JobDevice, JobDeviceRow } from "./JobResults.ts"

type StoredHead = JobHead & { readonly sealed_arguments: string | null }

/** The only device of a job; undefined for a job with several devices. */
export const hostOf = (start_arguments: unknown): string | undefined => {
  const host = isObject(start_arguments) ? start_arguments["hostname"] : undefined
  return typeof host === "string" ? host : undefined
}

const argumentsIn = (opened: Option.Option<string>) => Option.filter(Option.flatMap(opened, readJson), isObject)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const secrets = yield* SecretTexts
  const derivedSecrets = yield* DerivedSecretStore
  const columns = sql.literal(COLUMNS)
  const begun = sql.literal(JOB_BEGUN)
  const missing = (id: number) =>
    Effect.flatMap(
      sql<{ given: boolean }>`select is_called and last_value >= ${id}::bigint as given from job_id_seq`,
      ([row]) => Effect.fail(new JobNotFound(row?.given === true ? { id, was_given: true } : { id }))
    )
  const one = (id: number) => (rows: ReadonlyArray<Job>) =>
    rows[0] === undefined ? missing(id) : Effect.succeed(rows[0])

  const update = Effect.fn("JobStore.update")(function* (id: number, patch: JobPatch) {
    const { exception, finished, result, started, ...fields } = patch
    const assignments = [
      ...Object.entries(fields).map(([name, value]) => sql`${sql(name)} = ${value}`),
      ...(started === true
        ? [sql`start_time = now(), finished_devices = '[]', failed_devices = '[]', counts = ${sql.json(noDevices)}`]
        : []),
      ...(finished === true ? [sql`finish_time = now()`] : []),
      ...(result === undefined || result === null ? [] : [sql`result = ${sql.json(secrets.hideIn(result))}`]),
      ...(exception === undefined ? [] : [sql`exception = ${sql.json(secrets.hideIn(exception))}`])
    ]
    if (assignments.length > 0) yield* sql`update job set ${sql.csv(assignments)} where id = ${id}`
  })

  const findStatus = makeGroupedFind(
    grouped,
    (ids) => sql<{ id: number; status: JobStatus }>`select id, status from job where id = any(${ids}::integer[])`,
    ({ id }) => id
  )

  return JobStore.of({
    ...makeDeviceRows({ sql, grouped, secrets, derivedSecrets }),
    ownColumns: OWN_COLUMNS,
    own: Effect.fn("JobStore.own")((id: number) =>
      Effect.flatMap(sql<Job>`select ${sql.literal(OWN_COLUMNS)} from job where id = ${id}`, one(id))
    ),
    insert: Effect.fn("JobStore.insert")(function* (job: NewJob) {
      const { delaySeconds, opensInSeconds = null, start_arguments, ...fields } = job
      const clear = JSON.stringify(start_arguments)
      const host = hostOf(start_arguments)
      const derived = host === undefined ? undefined : (yield* derivedSecrets.ofHosts([host])).get(host)
      const hidden = secrets.hideIn(start_arguments, derived)
      const [row] = yield* sql<{ id: number }>`
        insert into job (function_name, scheduled_by, comment, ticket_ref, start_arguments, sealed_arguments, scheduled_time, wanted_time, service_class, trace)
        values (${fields.function_name}, ${fields.scheduled_by}, ${fields.comment}, ${fields.ticket_ref},
          ${start_arguments === null ? null : sql.json(hidden)},
          ${JSON.stringify(hidden) === clear ? null : secrets.seal(clear)}, 
          now() + make_interval(secs => ${opensInSeconds ?? delaySeconds}),
          case when ${opensInSeconds}::float8 is not null then now() + make_interval(secs => ${delaySeconds}) end,
          ${fields.service_class ?? "person"}, ${fields.trace ?? null})
        returning id`
      return yield* Effect.orDie(Effect.fromNullishOr(row?.id))
    }),
    get: Effect.fn("JobStore.get")((id: number) =>
      Effect.flatMap(sql<Job>`select ${columns} from job where id = ${id}`, one(id))
    ),
    isWithin: Effect.fn("JobStore.isWithin")(function* (id: number, within: Within) {
      const found = yield* sql`select from job where id = ${id} and ${jobsWithin(sql, within)}`
      return found.length > 0
    }),
    head: Effect.fn("JobStore.head")(function* (id: number) {
      const [found] = yield* sql<StoredHead>`select ${sql.literal(HEAD)}, sealed_arguments from job where id = ${id}`
      if (found === undefined) return yield* missing(id)
      const { sealed_arguments: sealed, ...row } = found
      // a mark must never be used as the secret that it hides: a job whose arguments cannot be opened has none, and is refused
      return sealed === null ? row : { ...row, start_arguments: Option.getOrNull(argumentsIn(secrets.open(sealed))) }
    }),
    lockStatus: Effect.fn("JobStore.lockStatus")(function* (id: number) {
      const [row] = yield* sql<{ status: JobStatus }>`select status from job where id = ${id} for update`
      return row === undefined ? yield* missing(id) : row.status
    }),
    status: Effect.fn("JobStore.status")(function* (id: number) {
      const found = yield* findStatus(id)
      return Option.isSome(found) ? found.value.status : yield* missing(id)
    }),
    millisUntilDue: Effect.fn("JobStore.millisUntilDue")(function* (id: number) {
      const [row] = yield* sql<{ millis: number }>`
        select greatest(0, ceil(extract(epoch from scheduled_time - now()) * 1000))::float8 as millis from job where id = ${id}`
      return row === undefined ? yield* missing(id) : row.millis
    }),
    update,
    syncsBeside: Effect.fn("JobStore.syncsBeside")(
      (id: number, hostnames: ReadonlyArray<string>) => sql<SyncBeside>`select job.id as job_id,
          array(select name from jsonb_array_elements_text(job.memo -> 'hostnames') name
            where name = any(${hostnames}::text[]) order by name) as hostnames
        from job where status in ${begun} and function_name = 'sync_devices' and id <> ${id}
          and (job.memo -> 'hostnames') ?| ${hostnames}::text[] order by id`
    ),
    memo: Effect.fn("JobStore.memo")(function* (id: number) {
      const [row] = yield* sql<{ memo: unknown }>`select memo from job where id = ${id}`
      return Option.fromNullishOr(row?.memo)
    }),
    remember: Effect.fn("JobStore.remember")((id: number, memo: unknown) =>
      Effect.asVoid(sql`update job set memo = ${sql.json(memo)} where id = ${id}`)
    ),
    running: Effect.withSpan(
      sql<RunningSince>`select id, function_name, iso_time(start_time) as since from job
        where status in ${begun} order by id`,
      "JobStore.running"
    ),
    scheduledDiscovery: Effect.fn("JobStore.scheduledDiscovery")(function* (dhcpIp: string, otherThan: number) {
      const rows = yield* sql`select 1 from job where function_name = 'discover_device' and status = 'SCHEDULED'
        and start_arguments ->> 'dhcp_ip' = ${dhcpIp} and id <> ${otherThan} limit 1`
      return rows.length > 0
    })
  })
})

type Write = Effect.Effect<void, SqlError.SqlError>
type Read<A> = Effect.Effect<A, SqlError.SqlError | JobNotFound>

/** Jobs by id. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /** The select list that turns a row of `job` into a `Job` with only the result that the job itself stored. */
    readonly ownColumns: string
    /** The record with `ownColumns`. */
    readonly own: (id: number) => Read<Job>
    /**
     * The results of these jobs on each device, as the members of a JSON object, which can be many megabytes. Tasks with
     * names in `without` are omitted.
     */
    readonly deviceResults: (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) => Effect.Effect<ReadonlyMap<number, string>, SqlError.SqlError>
    /** Estimates the bytes of text in the results of these jobs on devices, without tasks of these names. */
    readonly textBytes: (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) => Effect.Effect<ReadonlyMap<number, number>, SqlError.SqlError>
    /** The results of a job on the next devices after this name, by name. */
    readonly resultsAfter: (
      jobId: number,
      after: string,
      count: number,
      without: ReadonlyArray<SyncTaskName>
    ) => Effect.Effect<ReadonlyArray<DeviceText>, SqlError.SqlError>
    /** The tasks with their secrets, for devices whose results hold secrets. */
    readonly sealedTasks: (id: number) => Effect.Effect<ReadonlyMap<string, unknown>, SqlError.SqlError>
    readonly insert: (job: NewJob) => Effect.Effect<number, SqlError.SqlError>
    /** The record; its result has no configurations, which `deviceResults` has. */
    readonly get: (id: number) => Read<Job>
    /** Whether a caller with these limits may see the job. */
    readonly isWithin: (id: number, within: Within) => Effect.Effect<boolean, SqlError.SqlError>
    /** The fields that the engine needs; small for any number of devices. */
    readonly head: (id: number) => Read<JobHead>
    readonly status: (id: number) => Read<JobStatus>
    /** The status, with the row locked until the transaction ends. */
    readonly lockStatus: (id: number) => Read<JobStatus>
    /** Milliseconds until the job is due by the database's clock; 0 if it is due. */
    readonly millisUntilDue: (id: number) => Read<number>
    readonly update: (id: number, patch: JobPatch) => Write
    /** Writes the result of one device, or replaces it. */
    readonly addDevice: (jobId: number, device: JobDevice) => Write
    /** The same for many devices in one statement, which must not name a device of a job twice. */
    readonly addDevices: (rows: ReadonlyArray<JobDeviceRow>) => Write
    /** Finished devices, without their task texts. */
    readonly devices: (jobId: number) => Effect.Effect<ReadonlyArray<JobDevice>, SqlError.SqlError>
    /** Writes the names and numbers of devices into the row of a job that ends, and yields the numbers. */
    readonly writeFinished: (jobId: number) => Effect.Effect<JobCounts, SqlError.SqlError>
    /** Other running live synchronizations that include some of these devices. */
    readonly syncsBeside: (
      id: number,
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SyncBeside>, SqlError.SqlError>
    /** The data that the job's function stored for a restart. */
    readonly memo: (id: number) => Effect.Effect<Option.Option<unknown>, SqlError.SqlError>
    readonly remember: (id: number, memo: unknown) => Write
    /** Jobs that have begun and not ended. */
    readonly running: Effect.Effect<ReadonlyArray<RunningSince>, SqlError.SqlError>
    /** Another discovery of this address is waiting (docs/provisioning.md#discovery). */
    readonly scheduledDiscovery: (dhcpIp: string, otherThan: number) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/JobStore") {
  static readonly layer = Layer.effect(JobStore, make).pipe(
    Layer.provide([BackgroundWork.layer, DerivedSecretStore.layer])
  )
}
