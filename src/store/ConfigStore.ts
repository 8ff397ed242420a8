/**
 * What devices were brought to, newest first (docs/changes.md#earlier-configurations): what live synchronizations have rendered, as their jobs
 * keep it, and what an initialisation, a given configuration, a restore or an undo has left, as their changes keep it. Only jobs
 * that have ended count.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ApplyConfig, RevertJob, SyncDevices } from "../domain/jobs/ChangeJobs.ts"
import { InitStep2 } from "../domain/jobs/InitJobs.ts"
import { SecretTexts } from "./SecretStore.ts"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import type { Device } from "../domain/Device.ts"
import { filled, learnt, placed, shapeOf, withoutOwnLines } from "../domain/ConfigLines.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import { ChangeStore, REPLACE_PROVED } from "./ChangeStore.ts"

/** Which of the jobs; the n-th before the newest, or the newest that ended before a time (ISO 8601). */
export type HistoryChoice =
  | { readonly _tag: "Job"; readonly id: number }
  | { readonly _tag: "Previous"; readonly count: number }
  | { readonly _tag: "Before"; readonly time: string }

/** A job's entry for the device; `config`, with its secrets, is null when the job rendered none or it cannot be opened any more. `finish_time` has whole seconds. */
export interface HistoricConfig {
  readonly job_id: number
  readonly finish_time: string
  readonly failed: boolean
  readonly config: string | null
}

/** What a job was about, beside the configuration that it rendered. */
export interface HistoryEntry {
  readonly job_id: number
  readonly finish_time: string
  readonly failed: boolean
  /** Whether a configuration was stored; it may be sealed under a key that is gone. */
  readonly has_config: boolean
  readonly by: string | null
  /** Who started the job: the same as `by`. */
  readonly found_by: string | null
  /** Who gave the configuration; null when nobody knows. */
  readonly made_by: string | null
  readonly comment: string | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** An entry with its configuration, which could be opened. */
export interface StoredConfig extends HistoryEntry {
  readonly config: string
}

type Sealed<Row> = Row & { readonly sealed: string | null; readonly by_change: boolean }

/** Name of the task whose result is the configuration. */
const GENERATE_TASK = "Generate device config"

const Tasks = Schema.Array(
  Schema.Struct({ task_name: Schema.NullOr(Schema.String), failed: Schema.Boolean, result: Schema.Unknown })
)
const readTasks = Schema.decodeOption(Schema.fromJsonString(Tasks))

/** Other jobs than a synchronization that bring a device to a configuration; its text is that of their change. */
const BY_CHANGE: ReadonlyArray<string> = [ApplyConfig.name, RevertJob.name, InitStep2.name]

/** Jobs whose configuration is given by who started them; all others bring what others have committed. */
const GIVEN: ReadonlyArray<string> = [ApplyConfig.name]

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const { open } = yield* SecretTexts

  /** What was sealed under another key is gone. */
  const opened = <Row extends { readonly config: string | null }>({ by_change, sealed, ...row }: Sealed<Row>) => {
    if (by_change) return { ...row, config: Option.getOrNull(Option.flatMap(Option.fromNullishOr(row.config), open)) }
    if (sealed === null || row.config === null) return row
    const task = Option.flatMap(Option.flatMap(open(sealed), readTasks), (tasks) =>
      Option.fromUndefinedOr(tasks.find(({ failed, task_name }) => task_name === GENERATE_TASK && !failed))
    )
    const config = Option.getOrNull(task)?.result
    return { ...row, config: typeof config === "string" ? config : null }
  }

  const chosen = (choice: HistoryChoice) => {
    switch (choice._tag) {
      case "Job":
        return sql`and job.id = ${choice.id} limit 1`
      case "Before":
        return sql`and job.finish_time < ${choice.time}::timestamptz order by job.finish_time desc, job.id desc limit 1`
      default:
        return sql`order by job.finish_time desc, job.id desc offset ${choice.count} limit 1`
    }
  }

  const time = sql`to_char(job.finish_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as finish_time`
  const byChange = sql`job.function_name in ${sql.in(BY_CHANGE)}`
  const rendered = sql`(case when ${byChange} then whole_text(c.candidate) else
    (select task ->> 'result' from jsonb_array_elements(d.job_tasks) task
      where task ->> 'task_name' = ${GENERATE_TASK} and not (task ->> 'failed')::boolean limit 1) end)`
  const entry = sql`job.id as job_id, ${time}, d.failed, ${rendered} is not null as has_config, job.scheduled_by as by,
    job.scheduled_by as found_by, case when job.function_name in ${sql.in(GIVEN)} then job.scheduled_by end as made_by, job.comment,
    job.settings_commit, job.templates_commit`
  const ofDevice = (hostname: string) => sql`from job_device d join job on job.id = d.job_id
    left join device on device.hostname = d.hostname
    left join config_change c on c.job_id = d.job_id and c.device_id = device.id and c.phase in ('confirmed', 'unchanged')
    where d.hostname = ${hostname} and job.finish_time is not null
      and (job.function_name = ${SyncDevices.name} or (${byChange} and c.id is not null and not d.failed))`

  const list = Effect.fn("ConfigHistoryStore.list")(
    (hostname: string, limit: number) =>
      sql<HistoryEntry>`select ${entry} ${ofDevice(hostname)} order by job.finish_time desc, job.id desc limit ${limit}`
  )

  const proved = Effect.fn("ConfigHistoryStore.proved")((hostname: string, limit: number) =>
    Effect.map(
      sql<Sealed<HistoryEntry & { readonly config: string | null }>>`select ${entry}, ${rendered} as config,
          whole_text(d.sealed_tasks) as sealed, ${byChange} as by_change ${ofDevice(hostname)} and not d.failed and ${rendered} is not null
        order by job.finish_time desc, job.id desc limit ${limit}`,
      (rows) =>
        rows.flatMap((row) => {
          const { config, ...others } = opened(row)
          return config === null ? [] : [{ ...others, config }]
        })
    )
  )

  const find = Effect.fn("ConfigHistoryStore.find")((hostname: string, choice: HistoryChoice) =>
    Effect.map(
      sql<Sealed<HistoricConfig>>`
        select job.id as job_id, ${time}, d.failed, whole_text(d.sealed_tasks) as sealed, ${rendered} as config,
          ${byChange} as by_change
        ${ofDevice(hostname)} ${chosen(choice)}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), opened)
    )
  )

  return ConfigHistoryStore.of({ find, list, proved })
})

/** Earlier configurations of devices. */
export class ConfigHistoryStore extends Context.Service<
  ConfigHistoryStore,
  {
    readonly find: (
      hostname: string,
      choice: HistoryChoice
    ) => Effect.Effect<Option.Option<HistoricConfig>, SqlError.SqlError>
    /** The newest jobs that ended for the device. */
    readonly list: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<HistoryEntry>, SqlError.SqlError>
    /** The newest configurations of jobs that did not fail on the device, with their secrets. */
    readonly proved: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<StoredConfig>, SqlError.SqlError>
  }
>()("switchyard/store/ConfigHistoryStore") {
  static readonly layer = Layer.effect(ConfigHistoryStore, make)
}

// What each device was proved to run last. There is one notion of it: whatever proves a device writes it here, and the hash in the
// device's record, the look for drift, the rules of `auto_push`, undoing and the check before a change all read it. The claim that ends
// a change writes it in its own statement (`ChangeStore.ts`), everything else by `prove`.

/** What a device was last proved to run. */
export interface ProvedConfig {
  readonly device_id: number
  readonly job_id: number | null
  readonly hash: string
  readonly config: string
}

/** What was just read of a device. */
export type SeenConfig = Pick<ProvedConfig, "hash" | "config">

/** A device that a job was seen to have brought to this configuration. */
export interface NewProof extends SeenConfig {
  readonly device_id: number
  readonly job_id: number
}

/** Whether two configurations of a device are one but for lines that it writes by itself. */
export const isSameConfig = ({ platform }: Pick<Device, "platform">, one: string, other: string): boolean => {
  const notation = platformOf(platform)?.configuration
  return notation === undefined ? one === other : withoutOwnLines(notation, one) === withoutOwnLines(notation, other)
}

const makeProved = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const changes = yield* ChangeStore
  const replaceProved = sql.literal(REPLACE_PROVED)

  const of = Effect.fn("ProvedConfigStore.of")(function* (deviceId: number) {
    const [row] =
      yield* sql<ProvedConfig>`select device_id, job_id, hash, config from proved_config where device_id = ${deviceId}`
    return Option.flatMap(Option.fromUndefinedOr(row), (found) =>
      Option.map(secrets.open(found.config), (config) => ({ ...found, config }))
    )
  })

  const isRun = Effect.fn("ProvedConfigStore.isRun")(function* (
    device: Pick<Device, "id" | "platform">,
    expected: string | null,
    seen: SeenConfig
  ) {
    if (expected === null || seen.hash === expected) return true
    const proved = yield* of(device.id)
    return Option.exists(proved, ({ config, hash }) => hash === expected && isSameConfig(device, config, seen.config))
  })

  const prove = Effect.fn("ProvedConfigStore.prove")(function* ({ config, device_id, hash, job_id }: NewProof) {
    // it ended without a session on the device
    const options = {
      mode: 0,
      dryRun: false,
      force: true,
      sessionName: "",
      expectedHash: null,
      timerSeconds: null
    } as const
    const protocol = {
      ...newChange(options),
      phase: "unchanged",
      candidateHash: hash,
      reason: "unchanged"
    } as const
    yield* changes.findOrInsert({ job_id, device_id, protocol, candidate: config, load_mode: "replace" })
    yield* sql`insert into proved_config (device_id, job_id, hash, config)
      values (${device_id}, ${job_id}, ${hash}, ${secrets.seal(config)}) ${replaceProved}`
  })

  return ProvedConfigStore.of({ of, isRun, prove })
})

/** Proved configurations by device. */
export class ProvedConfigStore extends Context.Service<
  ProvedConfigStore,
  {
    /** None as well when it was sealed under a key that is gone. */
    readonly of: (deviceId: number) => Effect.Effect<Option.Option<ProvedConfig>, SqlError.SqlError>
    /**
     * Whether a device runs what is expected of it by this hash, but for lines that the device writes by itself, such as the image that it
     * boots; true when nothing is expected.
     */
    readonly isRun: (
      device: Pick<Device, "id" | "platform">,
      expected: string | null,
      seen: SeenConfig
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** The job has brought the device to this configuration otherwise than by a change; in a transaction of the caller's. */
    readonly prove: (proof: NewProof) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/ProvedConfigStore") {
  static readonly layer = Layer.effect(ProvedConfigStore, makeProved)
}

// What dry runs have shown, for live runs that may push nothing else (docs/changes.md#fencing).

/** What a dry run has shown of a device. */
export interface ShownDevice {
  /** What was rendered; null when it was sealed under another key. */
  readonly candidate: string | null
  /** Hash of what ran, lower-case hexadecimal; null when it was not read. */
  readonly running: string | null
  readonly diff: string | null
  /** The dry run failed on the device. */
  readonly failed: boolean
}

/** A job as the dry run of a live one. */
export interface ShownJob {
  readonly function_name: string
  readonly status: string
  readonly dry_run: boolean
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

interface StoredDevice extends ShownDevice {
  readonly candidate: string
}

const makeShown = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretTexts
  const readable = (sealed: string | null) => (sealed === null ? null : Option.getOrNull(secrets.open(sealed)))
  const opened = ({ candidate, diff, ...row }: StoredDevice): ShownDevice => ({
    ...row,
    candidate: readable(candidate),
    diff: readable(diff)
  })
  return ShownChangeStore.of({
    job: Effect.fn("ShownChangeStore.job")((id: number) =>
      Effect.map(
        sql<ShownJob>`select function_name, status, settings_commit, templates_commit,
          coalesce(start_arguments ->> 'dry_run', 'true') = 'true' as dry_run from job where id = ${id}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    device: Effect.fn("ShownChangeStore.device")((jobId: number, deviceId: number) =>
      Effect.map(
        sql<StoredDevice>`select whole_text(c.candidate) as candidate, c.protocol ->> 'oldHash' as running, whole_text(c.diff) as diff, r.failed
          from config_change c join device d on d.id = c.device_id
          join job_device r on r.job_id = c.job_id and r.hostname = d.hostname
          where c.job_id = ${jobId} and c.device_id = ${deviceId}`,
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), opened)
      )
    )
  })
})

/** Dry runs, as live runs are pinned to them. */
export class ShownChangeStore extends Context.Service<
  ShownChangeStore,
  {
    readonly job: (id: number) => Effect.Effect<Option.Option<ShownJob>, SqlError.SqlError>
    /** None for a device that the dry run was not about, or could not render. */
    readonly device: (jobId: number, deviceId: number) => Effect.Effect<Option.Option<ShownDevice>, SqlError.SqlError>
  }
>()("switchyard/store/ShownChangeStore") {
  static readonly layer = Layer.effect(ShownChangeStore, makeShown)
}

// How releases show lines that nobody knew them to spell otherwise, as it was learnt by loading such a line alone
// (docs/changes.md#lines-that-are-not-shown). Kept in memory too, because it is asked for with every change.

/** Switches of one platform and release, which spell alike. */
export interface Kin {
  readonly platform: string
  readonly release: string
}

/** What is known of a line: the lines by which it is shown, none for a default; or that it is not taken. */
export type Learned = ReadonlyArray<string> | "not taken"

/** What is known of a line below these headings; undefined when nothing is. */
export type Lookup = (sections: ReadonlyArray<string>, line: string) => Learned | undefined

type Rows = Map<string, string | null>

/** No line for a default. */
const linesOf = (shown: string): ReadonlyArray<string> => (shown === "" ? [] : shown.split("\n"))

const lookupIn =
  (rows: Rows): Lookup =>
  (sections, line) => {
    if (rows.size === 0) return undefined
    const own = rows.get(placed(sections, line))
    if (own !== undefined) return own === null ? "not taken" : linesOf(own)
    const shape = rows.get(placed(sections, shapeOf(line)))
    return shape === undefined || shape === null ? undefined : filled(line, shape)
  }

const makeLearned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const memory = new Map<string, Rows>()
  const keyOf = ({ platform, release }: Kin) => `${platform} ${release}`

  const refresh = Effect.fn("LearnedLineStore.refresh")(function* (kin: Kin) {
    const rows = yield* sql<{ shape: string; shown: string | null }>`select shape, shown from learned_line
      where platform = ${kin.platform} and release = ${kin.release}`
    const known: Rows = new Map(rows.map(({ shape, shown }) => [shape, shown]))
    memory.set(keyOf(kin), known)
    return lookupIn(known)
  })

  const learn = Effect.fn("LearnedLineStore.learn")(function* (
    kin: Kin,
    sections: ReadonlyArray<string>,
    line: string,
    found: Learned
  ) {
    const row = found === "not taken" ? { line, shown: null } : learnt(line, found)
    const shape = placed(sections, row.line)
    yield* sql`insert into learned_line (platform, release, shape, shown)
      values (${kin.platform}, ${kin.release}, ${shape}, ${row.shown})
      on conflict (platform, release, shape) do update set shown = excluded.shown, learned_at = now()`
    memory.get(keyOf(kin))?.set(shape, row.shown)
  })

  return LearnedLineStore.of({
    lookup: (kin) => lookupIn(memory.get(keyOf(kin)) ?? new Map()),
    refresh,
    learn
  })
})

/** Learnt spellings. */
export class LearnedLineStore extends Context.Service<
  LearnedLineStore,
  {
    /** What this process has learnt or read last. */
    readonly lookup: (kin: Kin) => Lookup
    /** Reads anew what all have learnt. */
    readonly refresh: (kin: Kin) => Effect.Effect<Lookup, SqlError.SqlError>
    /** Remembers how a line is shown. It must hold no secret. */
    readonly learn: (
      kin: Kin,
      sections: ReadonlyArray<string>,
      line: string,
      found: Learned
    ) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/LearnedLineStore") {
  static readonly layer = Layer.effect(LearnedLineStore, makeLearned)
}
