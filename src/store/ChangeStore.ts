/**
 * Rows of configuration changes. A phase is claimed with a conditional write: it finds no row if another process has taken the change over,
 * and then this process must send nothing more to the switch (promise 1).
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Struct } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { Claim } from "../../machines/change/ChangeDecision.ts"
import type { ChangePhase, ChangeRow } from "../../machines/change/ChangeRow.ts"
import { randomUUID } from "node:crypto"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, lengthOfTexts, makeGrouped, makeGroupedFind } from "./GroupedStatement.ts"
import type { Device } from "../domain/Device.ts"
import { DEVICE_RECORD } from "./DeviceStore.ts"
import { DerivedSecretStore, SecretTexts } from "./SecretStore.ts"
import { ANSWER_MARGIN_SECONDS, TIMER_END, UNFINISHED, UNHEARD } from "./StatusConditions.ts"
import type { DerivedSecrets } from "../templates/TemplateSecrets.ts"
import type { SeenConfig } from "./ConfigStore.ts"
import {
  type Beginning,
  type BeginRequest,
  type ChangeToRun,
  makeBeginnings,
  type NewStoredChange,
  TOLD
} from "./ChangeBeginning.ts"
import { type LiveChanges, makeLiveChanges } from "./UnfinishedChanges.ts"
import { lost, moved } from "../runtime/metrics/Metrics.ts"
import { type TextsOfStatement, textsOfStatement } from "./StoredTexts.ts"

// A claim of a change is a row of the statement that grants it, and that writes the event of its phase. A text that is used again is stored
// once and sealed; a text that is only shown is stored without its secrets.

/** Long texts that are stored with a claim. */
export interface ClaimTexts {
  /** The difference, if it is not the stored one. */
  readonly diff?: string | null
  /** The configuration before the change, if it was just read; kept for an undo. */
  readonly before?: string | null
  /** The configuration that the device was proved to run after the change. */
  readonly proved?: SeenConfig & { readonly secrets: SecretDigests | null }
}

/** A claim of one change. */
interface ClaimRequest {
  readonly id: number
  /** Identifies this claim: if its answer was lost and it is sent again, the row shows that it was granted. */
  readonly token: string
  readonly claim: Claim
  readonly failure: string | null
  readonly texts: ClaimTexts
}

/** Phases whose events are part of the audit; their triggers are of migration 28 (`TOLD`). */
const AUDITED = "('confirmed', 'reverted', 'unknown')"

/** Phases at whose event the checks that have ended the change are named. */
const CHECKED = "('confirmed', 'reverted', 'unknown', 'discarded')"
const OF_CHECKS = "('checkFailed', 'checkUnread', 'checkRefused')"

/** The results that decide a change against it; a jsonpath. */
const UNHELD = "$[*] ? (!exists(@.ignored) && @.held != true)"

/** The most failed checks that an event names, and the longest sentence about one. */
const MOST_SENTENCES = 20
const LONGEST_SENTENCE = 500

/** Phases after which nothing can be undone. */
const CAME_TO_NOTHING: ReadonlySet<ChangePhase> = new Set(["reverted", "unchanged", "discarded"])

type Texts = SecretTexts["Service"]

const mapped = (text: string | null | undefined, change: (text: string) => string): string | null =>
  text === null || text === undefined ? null : change(text)

/** The row for display, without secrets. Only the difference is used again; it has a column of its own. */
const storedProtocol = ({ hideIn }: Texts, row: ChangeRow, derived: DerivedSecrets | undefined) => ({
  ...Struct.omit(row, ["diff"]),
  ...(row.remarks === undefined ? {} : { remarks: hideIn(row.remarks, derived) }),
  ...(row.notes === undefined ? {} : { notes: hideIn(row.notes, derived) }),
  ...(row.checking?.results === undefined
    ? {}
    : { checking: { ...row.checking, results: hideIn(row.checking.results, derived) } })
})

const hasText = (lines: ReadonlyArray<unknown> | undefined): boolean => lines !== undefined && lines.length > 0

/** Whether a claim has texts for display that may quote the configuration. */
const quotes = ({ claim: { row }, failure }: ClaimRequest): boolean =>
  failure !== null ||
  hasText(row.checking?.results) ||
  hasText(row.remarks) ||
  hasText(row.notes?.said) ||
  hasText(row.notes?.not_shown)

/** A claim as a row of its statement; `derived` holds the secrets that templates derived for its device. */
const wantedOf = (
  secrets: Texts,
  { refer, referLong }: TextsOfStatement,
  { claim: { from, row }, failure, id, texts, token }: ClaimRequest,
  place: number,
  derived: DerivedSecrets | undefined
) => ({
  place,
  id,
  token,
  from_phase: from.phase,
  from_epoch: from.epoch,
  phase: row.phase,
  epoch: row.epoch,
  protocol: storedProtocol(secrets, row, derived),
  new_diff: texts.diff !== undefined,
  diff: mapped(texts.diff, referLong),
  failure: failure === null ? null : secrets.hideKnown(failure, derived),
  // after a late commit of an earlier round, our own candidate can look like the previous configuration: see the statement
  before: mapped(texts.before, refer),
  came_to_nothing: CAME_TO_NOTHING.has(row.phase),
  proved_hash: texts.proved?.hash ?? null,
  proved_config: mapped(texts.proved?.config, refer),
  proved_secrets: texts.proved?.secrets ?? null
})

/** The columns of such rows. */
const WANTED_COLUMNS = `place integer, id integer, token text, from_phase text, from_epoch integer, phase text, epoch integer, protocol jsonb,
  new_diff boolean, diff text, failure text, before text, came_to_nothing boolean, proved_hash text, proved_config text,
  proved_secrets jsonb`

/** The rest of a statement that inserts into `proved_config`, which has one row per device. */
export const REPLACE_PROVED = `on conflict (device_id) do update set job_id = excluded.job_id,
  hash = excluded.hash, config = excluded.config, secrets = excluded.secrets, proved_at = now()`

/** Keyed digests of values that mean the same secret, newest first, by line without its secret. */
export type SecretDigests = Readonly<Record<string, ReadonlyArray<string>>>

/** A change with its texts: `candidate` is the configuration to be loaded, `failure` the error text of a failed step. */
export interface StoredChange {
  readonly id: number
  readonly job_id: number
  readonly device_id: number
  readonly protocol: ChangeRow
  readonly candidate: string
  readonly load_mode: "replace" | "merge"
  readonly failure: string | null
  /** The digests of the secrets in the last proved configuration; null if the device salts none. */
  readonly known_secrets: SecretDigests | null
  /** Jobs whose change on this device has not ended: their sessions on the switch must stay. */
  readonly unfinished_jobs: ReadonlyArray<number>
}

/** A change, and its device as it is recorded now. */
export interface ChangeOnDevice {
  readonly change: StoredChange
  readonly device: Device
}

/** The progress of a job's change on a device, without its texts. `goal` is `old` once it must not be confirmed any more. */
export interface ChangeProgress {
  readonly id: number
  readonly device_id: number
  readonly phase: ChangePhase
  readonly goal: ChangeRow["goal"]
}

/** A change that waits only for the device's timer. */
export interface TimedChange {
  readonly id: number
  readonly hostname: string
  /** The latest end of the timer, in epoch seconds. */
  readonly timer_end: number
  readonly diff: string | null
  /** Error text of the last step that failed. */
  readonly failure: string | null
}

/** A confirmed change, which can be undone if the device was not changed since. */
export interface UndoableChange extends ChangeProgress {
  readonly hostname: string
  /** Hash of the configuration that the change left on the device. */
  readonly hash: string | null
  /** The newest job that changed the device after this one. */
  readonly later_job: number | null
}

const COLUMNS = `id, job_id, device_id, protocol || jsonb_build_object('diff', whole_text(diff)) as protocol, whole_text(candidate) as candidate, load_mode, failure,
  array(select o.job_id from config_change o where o.device_id = config_change.device_id and o.${UNFINISHED})
    as unfinished_jobs,
  (select p.secrets from proved_config p where p.device_id = config_change.device_id) as known_secrets`

/** A change that has just come to `expiring` may still withdraw its commit on the device. */
const ON_ITS_WAY = "3 seconds"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const secrets = yield* SecretTexts
  const derivedSecrets = yield* DerivedSecretStore
  const wantedColumns = sql.literal(WANTED_COLUMNS)
  const columns = sql.literal(COLUMNS)
  const deviceColumns = sql.literal(DEVICE_RECORD)
  const progress = sql.literal("c.id, c.device_id, c.phase, c.protocol ->> 'goal' as goal")
  const replaceProved = sql.literal(REPLACE_PROVED)
  const audited = sql.literal(AUDITED)
  const [checked, ofChecks] = [sql.literal(CHECKED), sql.literal(OF_CHECKS)]
  const beginnings = yield* makeBeginnings
  const readable = (text: string | null | undefined) => Option.flatMap(Option.fromNullishOr(text), secrets.open)

  const openedChange = ({ candidate, protocol, ...row }: StoredChange): StoredChange => ({
    ...row,
    candidate: beginnings.needed(candidate),
    protocol: { ...protocol, diff: Option.getOrNull(readable(protocol.diff)) }
  })

  const claimAll = Effect.fnUntraced(function* (claims: ReadonlyArray<ClaimRequest>) {
    const derived = yield* derivedSecrets.ofChanges(claims.filter(quotes).map(({ id }) => id))
    const texts = textsOfStatement(sql, secrets)
    const wanted = claims.map((claim, place) => wantedOf(secrets, texts, claim, place, derived.get(claim.id)))
    const rows = yield* sql<{ place: number }>`
      with ${texts.stored()}wanted as (select * from jsonb_to_recordset(${sql.json(wanted)}) as given (${wantedColumns})),
      claimed as (update config_change c set phase = wanted.phase, epoch = wanted.epoch, protocol = wanted.protocol,
          diff = case when wanted.new_diff then wanted.diff else c.diff end,
          failure = coalesce(wanted.failure, c.failure),
          old_config = case when wanted.came_to_nothing then null
            when wanted.before is null or c.protocol ->> 'candidateHash' = wanted.protocol ->> 'oldHash'
            then coalesce(c.old_config, wanted.before) else wanted.before end,
          claim_token = wanted.token, updated_at = case when c.claim_token = wanted.token then c.updated_at else now() end,
          sent_at = case when wanted.phase = 'committing' then now() else c.sent_at end
        from wanted where c.id = wanted.id
          and (c.phase = wanted.from_phase and c.epoch = wanted.from_epoch or c.claim_token = wanted.token)
        returning wanted.place, c.id, c.device_id, c.job_id, c.phase,
          c.phase <> wanted.from_phase and c.updated_at = now() as is_news, c.protocol ->> 'reason' as reason,
          c.protocol -> 'checking' -> 'results' as checks, wanted.proved_hash, wanted.proved_config, wanted.proved_secrets),
      kept as (insert into proved_config (device_id, job_id, hash, config, secrets)
        select device_id, job_id, proved_hash, proved_config, proved_secrets from claimed where proved_hash is not null
        order by device_id ${replaceProved}),
      told as (insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
        select 'change', moved.phase, coalesce(case when is_audit then acting('name') end, job.scheduled_by, 'server'),
          coalesce(case when is_audit then acting('way') end, job.scheduled_way, 'server'), moved.job_id, device.hostname,
          moved.device_id, is_audit, jsonb_build_object('function', job.function_name) || case when is_audit
            then jsonb_strip_nulls(jsonb_build_object('comment', job.comment, 'ticket_ref', job.ticket_ref,
              'settings_commit', job.settings_commit, 'templates_commit', job.templates_commit))
              || signatures_of_job(job.settings_commit, job.templates_commit) else '{}' end
          || case when moved.phase in ${checked} and moved.reason in ${ofChecks} then (select jsonb_strip_nulls(jsonb_build_object(
              'failed_checks', jsonb_agg(distinct one ->> 'name'), 'check_sentences',
              jsonb_agg(left((one ->> 'name') || coalesce(' on ' || (one ->> 'on'), '') || ': ' || (one ->> 'sentence'), ${LONGEST_SENTENCE}))))
            from (select one from jsonb_path_query(moved.checks, ${UNHELD}::jsonpath) one limit ${MOST_SENTENCES}) failed) else '{}' end
        from claimed moved join job on job.id = moved.job_id join device on device.id = moved.device_id
          cross join lateral (select moved.phase in ${audited} as is_audit) kind
        where moved.is_news order by moved.id)
      select place from claimed`
    // of two claims of one change, only one gets the row
    const won = new Set(rows.map(({ place }) => place))
    return claims.map((_, place) => won.has(place))
  })
  const timed = (ids: ReadonlyArray<number>, holds: Statement.Fragment) =>
    Effect.map(
      sql<TimedChange>`select c.id, d.hostname, whole_text(c.diff) as diff, ${sql.literal(TIMER_END)} as timer_end, c.failure
        from config_change c join device d on d.id = c.device_id where c.id = any(${ids}::integer[]) and ${holds}`,
      (rows) => rows.map((row) => ({ ...row, diff: Option.getOrNull(readable(row.diff)) }))
    )

  const claimGrouped = makeGrouped(grouped, claimAll, ({ texts }) =>
    lengthOfTexts(texts.diff, texts.before, texts.proved?.config)
  )

  return ChangeStore.of({
    live: yield* makeLiveChanges,
    begin: beginnings.begin,
    findOrInsert: beginnings.findOrInsert,
    get: Effect.fn("ChangeStore.get")(
      makeGroupedFind(
        grouped,
        (ids) =>
          Effect.map(
            sql<StoredChange>`select ${columns} from config_change where id = any(${ids}::integer[])`,
            (rows) => rows.map(openedChange)
          ),
        ({ id }) => id
      )
    ),
    onDevice: Effect.fn("ChangeStore.onDevice")(
      makeGroupedFind(
        grouped,
        (ids) =>
          Effect.map(
            sql<
              StoredChange & { device: Device }
            >`select ${columns}, (select to_jsonb(d) from (select ${deviceColumns} from device
                where device.id = config_change.device_id) d) as device
              from config_change where id = any(${ids}::integer[])`,
            (rows) => rows.map(({ device, ...row }) => ({ device, change: openedChange(row) }))
          ),
        ({ change }) => change.id
      )
    ),
    claim: Effect.fn("ChangeStore.claim")((id: number, claim: Claim, failure: string | null, texts: ClaimTexts = {}) =>
      Effect.tap(claimGrouped({ id, token: `${TOLD} ${randomUUID()}`, claim, failure, texts }), (isGranted) =>
        Effect.sync(() => (isGranted ? moved(id, claim.from.phase, claim.row.phase) : lost(id)))
      )
    ),
    unfinishedJobsOf: Effect.fn("ChangeStore.unfinishedJobsOf")((deviceId: number) =>
      Effect.map(
        sql<{ job_id: number }>`select job_id from config_change
          where device_id = ${deviceId} and ${sql.literal(UNFINISHED)}`,
        (rows) => rows.map((row) => row.job_id)
      )
    ),
    progressOfJob: Effect.fn("ChangeStore.progressOfJob")(
      (jobId: number) =>
        sql<ChangeProgress>`select ${progress} from config_change c where job_id = ${jobId} order by id`
    ),
    lostOfJob: Effect.fn("ChangeStore.lostOfJob")((jobId: number) =>
      Effect.map(
        sql<{ device_id: number }>`select device_id from config_change where job_id = ${jobId}
          and (protocol ->> 'goal' = 'old' or phase in ('discarded', 'reverted', 'unknown')) order by id`,
        (rows) => rows.map((row) => row.device_id)
      )
    ),
    expiring: Effect.fn("ChangeStore.expiring")((ids: ReadonlyArray<number>) =>
      timed(ids, sql`c.phase = 'expiring' and c.updated_at < now() - ${ON_ITS_WAY}::interval`)
    ),
    overdue: Effect.fn("ChangeStore.overdue")(function* (ids: ReadonlyArray<number>) {
      const now = (yield* Clock.currentTimeMillis) / 1000
      // each time is compared with the clock that it is of, because the database may have another one
      return yield* timed(
        ids,
        sql`${sql.literal(UNHEARD)} and c.protocol ->> 'timerSeconds' is not null
          and ${sql.literal(TIMER_END)} + ${ANSWER_MARGIN_SECONDS}
            < case when c.protocol ->> 'committedAt' is null then extract(epoch from now()) else ${now}::float8 end`
      )
    }),
    undoable: Effect.fn("ChangeStore.undoable")(
      (jobId: number, byJob: number) => sql<UndoableChange>`
        select ${progress}, device.hostname, c.protocol ->> 'candidateHash' as hash,
          (select max(l.job_id) from config_change l where l.device_id = c.device_id and l.id > c.id
            and l.phase = 'confirmed' and l.job_id <> ${byJob}) as later_job
        from config_change c join device on device.id = c.device_id
        where c.job_id = ${jobId} and c.phase = 'confirmed' order by device.hostname`
    ),
    oldConfig: Effect.fn("ChangeStore.oldConfig")((id: number) =>
      Effect.map(
        sql<{
          old_config: string | null
        }>`select whole_text(old_config) as old_config from config_change where id = ${id}`,
        (rows) => readable(rows[0]?.old_config)
      )
    ),
    candidateBefore: Effect.fn("ChangeStore.candidateBefore")((id: number) =>
      Effect.map(
        sql<{ candidate: string }>`select whole_text(b.candidate) as candidate from config_change c
          join config_change b on b.device_id = c.device_id and b.id < c.id
          where c.id = ${id} and b.load_mode = 'replace' and b.phase in ('confirmed', 'unchanged')
            and b.protocol ->> 'dryRun' is distinct from 'true'
          order by b.id desc limit 1`,
        (rows) => readable(rows[0]?.candidate)
      )
    )
  })
})

type Find<A> = Effect.Effect<Option.Option<A>, SqlError.SqlError>

/** Changes by job and device. */
export class ChangeStore extends Context.Service<
  ChangeStore,
  {
    readonly live: LiveChanges
    /** Stores the job's change on a device if its conditions hold, or yields the stored one, in whatever phase. Simultaneous calls share a statement. */
    readonly begin: (request: BeginRequest) => Effect.Effect<Beginning, SqlError.SqlError>
    /** The same without conditions. */
    readonly findOrInsert: (change: NewStoredChange) => Effect.Effect<ChangeToRun, SqlError.SqlError>
    readonly get: (id: number) => Find<StoredChange>
    /** A change with the record of its device. */
    readonly onDevice: (id: number) => Find<ChangeOnDevice>
    /**
     * Moves the change to its next phase and stores the texts, if the change is still in the phase of the claim; false if another
     * process has moved it.
     */
    readonly claim: (
      id: number,
      claim: Claim,
      failure: string | null,
      texts?: ClaimTexts
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Same as `unfinished_jobs` of a change. */
    readonly unfinishedJobsOf: (deviceId: number) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** The progress of the changes of a job. */
    readonly progressOfJob: (jobId: number) => Effect.Effect<ReadonlyArray<ChangeProgress>, SqlError.SqlError>
    /** Ids of the devices on which a change of the job has failed, or will fail because it must not be confirmed any more. */
    readonly lostOfJob: (jobId: number) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** The changes that have waited only for the timers of their devices for some seconds. */
    readonly expiring: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<TimedChange>, SqlError.SqlError>
    /** The changes whose devices have not answered since their commit, and whose timers ended some seconds ago. */
    readonly overdue: (ids: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<TimedChange>, SqlError.SqlError>
    /** The confirmed changes of a job, by hostname; changes of `byJob` itself do not count as later. */
    readonly undoable: (jobId: number, byJob: number) => Effect.Effect<ReadonlyArray<UndoableChange>, SqlError.SqlError>
    /** The configuration before the change; `None` if the change had no effect. */
    readonly oldConfig: (id: number) => Find<string>
    /** The rendered configuration of the last proved whole change before this one. */
    readonly candidateBefore: (id: number) => Find<string>
  }
>()("switchyard/store/ChangeStore") {
  static readonly layer = Layer.effect(ChangeStore, make).pipe(
    Layer.provide([BackgroundWork.layer, DerivedSecretStore.layer])
  )
}
