/**
 * What jobs did on devices: a row per device, as the checkpoint of a job and as its result. The tasks are stored without secrets, and
 * sealed beside it when they have some.
 */
import type { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import type { DeviceResult } from "../domain/Job.ts"
import { cleanedValue, faultText, valueFaults } from "../domain/Text.ts"
import { type JobCounts, noDevices } from "../domain/JobOutcome.ts"
import type { DerivedSecrets } from "../templates/TemplateSecrets.ts"
import type { DerivedSecretStore } from "./DerivedSecretStore.ts"
import { type Grouping, lengthOfTexts, makeGroupedWrite } from "./GroupedStatement.ts"
import { deviceMemberOf, isLong, type SyncTaskName, textBytesOf } from "./JobColumns.ts"
import { readJson, type SecretTexts } from "./SecretTexts.ts"

/** What a job did on one device, as the checkpoint of a job that may be resumed. */
export interface JobDevice {
  readonly hostname: string
  readonly result: DeviceResult
  /** The main task ran to its end, whatever it found (docs/jobs.md#the-record). */
  readonly reachedEnd: boolean
  readonly changed: boolean
  readonly score: number | null
  /** Proved, but neither confirmed nor reverted yet: the row will be written again. Default false. */
  readonly waiting?: boolean
}

/** The same with its job. */
export interface JobDeviceRow extends JobDevice {
  readonly jobId: number
}

/** What a job did on a device, as a member of an object in JSON. */
export interface DeviceText {
  readonly hostname: string
  readonly text: string
}

/** The tasks as they are looked at, and sealed as they are when they have secrets. The result of some is a configuration. */
const stored = (
  { hide, hideIn, seal }: SecretTexts["Service"],
  tasks: DeviceResult["job_tasks"],
  derived?: DerivedSecrets
) => {
  const clear = JSON.stringify(tasks)
  const shown = tasks.map((task) =>
    isLong(task) && !task.failed && typeof task.result === "string"
      ? { ...task, result: hide(task.result, derived), diff: hide(task.diff, derived) }
      : hideIn(task, derived)
  )
  const isBrief = (place: number) => !tasks.slice(place, place + 1).some(isLong)
  return {
    job_tasks: shown,
    brief_tasks: tasks.some(isLong) ? shown.filter((_, place) => isBrief(place)) : null,
    sealed_tasks: JSON.stringify(shown) === clear ? null : seal(clear)
  }
}

/** What no column can hold would fail the job, and others whose rows go with it: it is taken out, and the log names device and key. */
const storable = Effect.fnUntraced(function* ({ hostname, jobId, result: { job_tasks } }: JobDeviceRow) {
  const faults = valueFaults(job_tasks, "result", () => "result")
  if (faults.length === 0) return job_tasks
  yield* Effect.logError(`Job ${jobId}: text from ${hostname} cannot be stored, so it was removed`, {
    found: faults.map((fault) => `job_tasks.${faultText(fault)}`)
  })
  return cleanedValue(job_tasks, "lines").value
})

/** What the rows are written and read with. */
export interface RowServices {
  readonly sql: PgClient.PgClient
  readonly grouped: Grouping
  readonly secrets: SecretTexts["Service"]
  readonly derivedSecrets: DerivedSecretStore["Service"]
}

/** The part of `JobStore` that is about devices. */
export const makeDeviceRows = ({ derivedSecrets, grouped, secrets, sql }: RowServices) => {
  const addDevices = Effect.fnUntraced(function* (rows: ReadonlyArray<JobDeviceRow>) {
    if (rows.length === 0) return
    const derived = yield* derivedSecrets.ofHosts(rows.map(({ hostname }) => hostname))
    const tasks = yield* Effect.forEach(rows, storable)
    const given = rows.map(({ changed, hostname, jobId, reachedEnd, result, score, waiting = false }, place) => ({
      job_id: jobId,
      hostname,
      failed: result.failed,
      ...stored(secrets, tasks[place] ?? [], derived.get(hostname)),
      reached_end: reachedEnd,
      score,
      changed,
      waiting
    }))
    const names = sql.literal(
      "job_id, hostname, failed, job_tasks, brief_tasks, sealed_tasks, reached_end, score, changed, waiting"
    )
    yield* sql`insert into job_device (${names})
      select ${names} from jsonb_to_recordset(${sql.json(given)}) as given (job_id integer, hostname text, failed boolean, job_tasks jsonb,
        brief_tasks jsonb, sealed_tasks text, reached_end boolean, score double precision, changed boolean, waiting boolean)
      on conflict (job_id, hostname) do update set failed = excluded.failed, job_tasks = excluded.job_tasks,
        brief_tasks = excluded.brief_tasks, sealed_tasks = excluded.sealed_tasks,
        reached_end = excluded.reached_end, score = excluded.score, changed = excluded.changed,
        waiting = excluded.waiting`
  })
  const addDevice = makeGroupedWrite(grouped, addDevices, ({ result }) =>
    lengthOfTexts(...result.job_tasks.flatMap(({ diff, result: text }) => [diff, typeof text === "string" ? text : ""]))
  )

  /** What was sealed under another key stays hidden. */
  const openedTasks = (sealed: string): unknown => Option.getOrNull(Option.flatMap(secrets.open(sealed), readJson))

  return {
    sealedTasks: Effect.fn("JobStore.sealedTasks")((id: number) =>
      Effect.map(
        sql<{
          hostname: string
          sealed_tasks: string
        }>`select hostname, whole_text(sealed_tasks) as sealed_tasks from job_device
          where job_id = ${id} and sealed_tasks is not null`,
        (rows) =>
          new Map(
            rows.flatMap(({ hostname, sealed_tasks }) => {
              const tasks = openedTasks(sealed_tasks)
              return tasks === null ? [] : [[hostname, tasks] as const]
            })
          )
      )
    ),
    deviceResults: Effect.fn("JobStore.deviceResults")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const rows = yield* sql<{ id: number; text: string }>`
        select job_id as id, string_agg(${sql.literal(deviceMemberOf(without))}, ',' order by d.hostname) as text from job_device d
          where job_id = any(${ids}::integer[]) group by job_id`
      return new Map(rows.map(({ id, text }) => [id, text]))
    }),
    textBytes: Effect.fn("JobStore.textBytes")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const rows = yield* sql<{ id: number; bytes: number }>`
        select job_id as id, sum(${sql.literal(textBytesOf(without))})::float8 as bytes from job_device d
          where job_id = any(${ids}::integer[]) group by job_id`
      return new Map(rows.map(({ bytes, id }) => [id, bytes]))
    }),
    resultsAfter: Effect.fn("JobStore.resultsAfter")(
      (jobId: number, after: string, count: number, without: ReadonlyArray<SyncTaskName>) =>
        sql<DeviceText>`select hostname, ${sql.literal(deviceMemberOf(without))} as text from job_device d
          where job_id = ${jobId} and hostname > ${after} order by hostname limit ${count}`
    ),
    addDevice: Effect.fn("JobStore.addDevice")((jobId: number, device: JobDevice) => addDevice({ ...device, jobId })),
    addDevices: Effect.fn("JobStore.addDevices")(addDevices),
    devices: Effect.fn("JobStore.devices")((jobId: number) =>
      Effect.map(
        sql<JobDevice & DeviceResult>`select hostname, failed, reached_end as "reachedEnd", changed, score, waiting,
          '[]'::jsonb as job_tasks from job_device where job_id = ${jobId} order by finished_at`,
        (rows) => rows.map(({ failed, job_tasks, ...row }) => ({ ...row, result: { failed, job_tasks } }))
      )
    ),
    refreshFinished: Effect.fn("JobStore.refreshFinished")((jobId: number) =>
      Effect.map(
        sql<{
          counts: JobCounts
        }>`update job set finished_devices = d.finished, failed_devices = d.failed, counts = d.counts
          from (select coalesce(jsonb_agg(hostname order by finished_at) filter (where reached_end), '[]') as finished,
              coalesce(jsonb_agg(hostname order by hostname) filter (where failed), '[]') as failed,
              jsonb_build_object('devices', count(*), 'succeeded', count(*) filter (where not failed),
                'failed', count(*) filter (where failed),
                'changed', count(*) filter (where changed and not failed)) as counts
            from job_device where job_id = ${jobId}) d
          where id = ${jobId} returning job.counts`,
        ([row]) => row?.counts ?? noDevices
      )
    )
  }
}
