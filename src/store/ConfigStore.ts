/**
 * Configurations of devices: earlier ones, the last proved one, and those shown by dry runs.
 *
 * The history lists the configurations that a device received, newest first (docs/changes.md#earlier-configurations). Live synchronization
 * jobs keep the rendered configuration; the change of an initialisation, a given configuration, a restore or an undo keeps its text. Only
 * jobs that have ended count.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { SecretTexts } from "./SecretStore.ts"
import { GENERATE_TASK } from "./DeviceTasks.ts"
import { devicesWithin, type Within } from "./Listing.ts"
import { textsOfStatement } from "./StoredTexts.ts"
import { newChange } from "../../machines/change/ChangeDecision.ts"
import type { CommitSignature } from "../domain/CommitSignature.ts"
import type { Device } from "../domain/Device.ts"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import { SIGNATURES } from "./JobResults.ts"
import { type LearnedLines, makeLearned } from "./LearnedLines.ts"
import { ChangeStore, REPLACE_PROVED } from "./ChangeStore.ts"
import { ApplyConfig, RevertJob, SyncDevices } from "../domain/jobs/ChangeJobs.ts"
import { InitStep2 } from "../domain/jobs/InitJobs.ts"

/** Selects a job: by id, the n-th before the newest, or the newest that ended before a time (ISO 8601). */
export type HistoryChoice =
  | { readonly _tag: "Job"; readonly id: number }
  | { readonly _tag: "Previous"; readonly count: number }
  | { readonly _tag: "Before"; readonly time: string }

/**
 * A job's entry for the device. `config` holds secrets; it is null if the job rendered none or it cannot be opened. `finish_time` has whole
 * seconds.
 */
interface HistoricConfig {
  readonly job_id: number
  readonly finish_time: string
  readonly failed: boolean
  readonly config: string | null
}

/** A job's entry without the rendered configuration. */
interface HistoryEntry {
  readonly job_id: number
  readonly finish_time: string
  readonly function_name: string
  readonly failed: boolean
  /** Whether a configuration was stored; it may be sealed under a lost key. */
  readonly has_config: boolean
  readonly by: string | null
  /** The user who started the job: the same as `by`. */
  readonly found_by: string | null
  /** The user who gave the configuration; null if unknown. */
  readonly made_by: string | null
  readonly comment: string | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly settings_signature: CommitSignature | null
  readonly templates_signature: CommitSignature | null
}

/** An entry with its configuration, which could be opened. */
interface StoredConfig extends HistoryEntry {
  readonly config: string
}

/** `is_sealed`: the configuration itself is sealed; else it is without secrets, and `sealed` has the tasks with them. */
type Sealed<Row> = Row & { readonly sealed: string | null; readonly is_sealed: boolean }

const Tasks = Schema.Array(
  Schema.Struct({ task_name: Schema.NullOr(Schema.String), failed: Schema.Boolean, result: Schema.Unknown })
)
const readTasks = Schema.decodeOption(Schema.fromJsonString(Tasks))

/** Jobs other than synchronizations that push a whole configuration; its text is stored with their change. */
const BY_CHANGE: ReadonlyArray<string> = [ApplyConfig.name, RevertJob.name, InitStep2.name]

/** Jobs whose configuration comes from the user who started them; all others push committed settings and templates. */
const GIVEN: ReadonlyArray<string> = [ApplyConfig.name]

const makeHistory = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const { open } = yield* SecretTexts

  /** Opens a row; a configuration that was sealed under another key becomes null. */
  const opened = <Row extends { readonly config: string | null }>({ is_sealed, sealed, ...row }: Sealed<Row>) => {
    if (is_sealed) return { ...row, config: Option.getOrNull(Option.flatMap(Option.fromNullishOr(row.config), open)) }
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
  const isSealed = sql`(${byChange} or d.config is not null)`
  const kept = sql`(case when ${byChange} then c.candidate when d.config is not null then d.config else
    (select task ->> 'result' from jsonb_array_elements(d.job_tasks) task
      where task ->> 'task_name' = ${GENERATE_TASK} and not (task ->> 'failed')::boolean limit 1) end)`
  const rendered = sql`whole_text(${kept})`
  const entry = sql`job.id as job_id, ${time}, job.function_name, d.failed, ${kept} is not null as has_config, job.scheduled_by as by,
    job.scheduled_by as found_by, case when job.function_name in ${sql.in(GIVEN)} then job.scheduled_by end as made_by, job.comment,
    job.settings_commit, job.templates_commit, ${sql.literal(SIGNATURES)}`
  const ofDevice = (hostname: string) => sql`from job_device d join job on job.id = d.job_id
    left join device on device.hostname = d.hostname
    left join config_change c on c.job_id = d.job_id and c.device_id = device.id and c.phase in ('confirmed', 'unchanged')
    where d.hostname = ${hostname} and job.finish_time is not null
      and (job.function_name = ${SyncDevices.name} or (${byChange} and c.id is not null and not d.failed))`

  const list = Effect.fn("ConfigStore.history.list")(
    (hostname: string, limit: number) =>
      sql<HistoryEntry>`select ${entry} ${ofDevice(hostname)} order by job.finish_time desc, job.id desc limit ${limit}`
  )

  const proved = Effect.fn("ConfigStore.history.proved")((hostname: string, limit: number) =>
    Effect.map(
      sql<Sealed<HistoryEntry & { readonly config: string | null }>>`select ${entry}, ${rendered} as config,
          whole_text(d.sealed_tasks) as sealed, ${isSealed} as is_sealed ${ofDevice(hostname)} and not d.failed and ${kept} is not null
        order by job.finish_time desc, job.id desc limit ${limit}`,
      (rows) =>
        rows.flatMap((row) => {
          const { config, ...others } = opened(row)
          return config === null ? [] : [{ ...others, config }]
        })
    )
  )

  const find = Effect.fn("ConfigStore.history.find")((hostname: string, choice: HistoryChoice) =>
    Effect.map(
      sql<Sealed<HistoricConfig>>`
        select job.id as job_id, ${time}, d.failed, whole_text(d.sealed_tasks) as sealed, ${rendered} as config,
          ${isSealed} as is_sealed
        ${ofDevice(hostname)} ${chosen(choice)}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), opened)
    )
  )

  return { find, list, proved } satisfies ConfigHistory
})

/** Earlier configurations of devices. */
interface ConfigHistory {
  readonly find: (
    hostname: string,
    choice: HistoryChoice
  ) => Effect.Effect<Option.Option<HistoricConfig>, SqlError.SqlError>
  /** The newest ended jobs of the device. */
  readonly list: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<HistoryEntry>, SqlError.SqlError>
  /** The newest configurations of jobs that did not fail on the device, with their secrets. */
  readonly proved: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<StoredConfig>, SqlError.SqlError>
}

// The configuration that each device was last proved to run. It is stored once: every proof writes it here, and the hash in the device's
// record, the drift check, the rules of `auto_push`, undo and the check before a change all read it. The claim that ends a change writes it
// in its own statement (`ChangeStore.ts`); all other writers use `prove`.

/** The last proved configuration of a device. */
interface ProvedConfig {
  readonly device_id: number
  readonly job_id: number | null
  readonly hash: string
  readonly config: string
}

/** A configuration that was just read from a device. */
export type SeenConfig = Pick<ProvedConfig, "hash" | "config">

/** A configuration that a job brought a device to, as a read has shown. */
interface NewProof extends SeenConfig {
  readonly device_id: number
  readonly job_id: number
}

/** Whether two configurations of a device are equal apart from lines that the device writes automatically. */
const isSameConfig = ({ platform }: Pick<Device, "platform">, one: string, other: string): boolean => {
  const notation = platformOf(platform)?.configuration
  return notation === undefined ? one === other : withoutOwnLines(notation, one) === withoutOwnLines(notation, other)
}

const makeProved = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const changes = yield* ChangeStore
  const replaceProved = sql.literal(REPLACE_PROVED)

  const of = Effect.fn("ConfigStore.proved.of")(function* (deviceId: number) {
    const [row] =
      yield* sql<ProvedConfig>`select device_id, job_id, hash, whole_text(config) as config from proved_config where device_id = ${deviceId}`
    return Option.flatMap(Option.fromUndefinedOr(row), (found) =>
      Option.map(secrets.open(found.config), (config) => ({ ...found, config }))
    )
  })

  const page = Effect.fn("ConfigStore.proved.page")(function* ({ after, limit, within }: ProvedPage) {
    const rows = yield* sql<KnownConfig>`select device.hostname, p.job_id, whole_text(p.config) as config,
        to_char(job.finish_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as finish_time
      from device left join proved_config p on p.device_id = device.id left join job on job.id = p.job_id
      where ${devicesWithin(sql, within)} and device.hostname > ${after} order by device.hostname limit ${limit}`
    return rows.map((row): KnownConfig => ({
      ...row,
      config: Option.getOrNull(Option.flatMap(Option.fromNullishOr(row.config), secrets.open))
    }))
  })

  const isRun = Effect.fn("ConfigStore.proved.isRun")(function* (
    device: Pick<Device, "id" | "platform">,
    expected: string | null,
    seen: SeenConfig
  ) {
    if (expected === null || seen.hash === expected) return true
    const proved = yield* of(device.id)
    return Option.exists(proved, ({ config, hash }) => hash === expected && isSameConfig(device, config, seen.config))
  })

  const prove = Effect.fn("ConfigStore.proved.prove")(function* ({ config, device_id, hash, job_id }: NewProof) {
    // the change ended without a session on the device
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
    const texts = textsOfStatement(sql, secrets)
    const reference = texts.refer(config)
    yield* sql`with ${texts.stored()}given as (select ${reference}::text as config)
      insert into proved_config (device_id, job_id, hash, config)
      select ${device_id}::integer, ${job_id}::integer, ${hash}, config from given ${replaceProved}`
  })

  return { of, page, isRun, prove } satisfies ProvedConfigs
})

/** A page of devices by name. */
interface ProvedPage {
  /** The last name of the page before; empty for the first page. */
  readonly after: string
  readonly limit: number
  readonly within: Within | undefined
}

/** The last proved configuration of a device; null if it has none, or if it was sealed under a lost key. */
interface KnownConfig {
  readonly hostname: string
  readonly job_id: number | null
  readonly finish_time: string | null
  readonly config: string | null
}

/** Proved configurations by device. */
interface ProvedConfigs {
  /** Also `None` if it was sealed under a lost key. */
  readonly of: (deviceId: number) => Effect.Effect<Option.Option<ProvedConfig>, SqlError.SqlError>
  /** The devices after a name, each with its last proved configuration. */
  readonly page: (page: ProvedPage) => Effect.Effect<ReadonlyArray<KnownConfig>, SqlError.SqlError>
  /**
   * Whether a device runs the configuration with the expected hash, apart from lines that it writes automatically, such as its boot
   * image; true if no hash is expected.
   */
  readonly isRun: (
    device: Pick<Device, "id" | "platform">,
    expected: string | null,
    seen: SeenConfig
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** Records that the job brought the device to this configuration without a change; in a transaction of the caller. */
  readonly prove: (proof: NewProof) => Effect.Effect<void, SqlError.SqlError>
}

// Changes that dry runs have shown. A fenced live run may push only these (docs/changes.md#fencing).

/** A device in the result of a dry run. */
interface ShownDevice {
  /** The rendered configuration; null if it was sealed under another key. */
  readonly candidate: string | null
  /** Hash of the running configuration, lower-case hexadecimal; null if it was not read. */
  readonly running: string | null
  readonly diff: string | null
  /** The dry run failed on the device. */
  readonly failed: boolean
}

/** The job of a dry run. */
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
  return {
    job: Effect.fn("ConfigStore.shown.job")((id: number) =>
      Effect.map(
        sql<ShownJob>`select function_name, status, settings_commit, templates_commit,
          coalesce(start_arguments ->> 'dry_run', 'true') = 'true' as dry_run from job where id = ${id}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    device: Effect.fn("ConfigStore.shown.device")((jobId: number, deviceId: number) =>
      Effect.map(
        sql<StoredDevice>`select whole_text(c.candidate) as candidate, c.protocol ->> 'oldHash' as running, whole_text(c.diff) as diff, r.failed
          from config_change c join device d on d.id = c.device_id
          join job_device r on r.job_id = c.job_id and r.hostname = d.hostname
          where c.job_id = ${jobId} and c.device_id = ${deviceId}`,
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), opened)
      )
    )
  } satisfies ShownChanges
})

/** Dry runs that fence live runs. */
interface ShownChanges {
  readonly job: (id: number) => Effect.Effect<Option.Option<ShownJob>, SqlError.SqlError>
  /** `None` if the dry run did not include the device or could not render its configuration. */
  readonly device: (jobId: number, deviceId: number) => Effect.Effect<Option.Option<ShownDevice>, SqlError.SqlError>
}

/** Configurations by device, and learnt spellings by platform and release. */
export class ConfigStore extends Context.Service<
  ConfigStore,
  {
    readonly history: ConfigHistory
    readonly proved: ProvedConfigs
    readonly shown: ShownChanges
    readonly learned: LearnedLines
  }
>()("switchyard/store/ConfigStore") {
  static readonly layer = Layer.effect(
    ConfigStore,
    Effect.all({ history: makeHistory, proved: makeProved, shown: makeShown, learned: makeLearned })
  )
}
