/**
 * The beginning of a change: one statement reads what must hold, of the job and of the device, and stores the change if it holds. Nothing
 * can come between the check and the change: the device's row is locked, and a pause or an abort counts until the change is stored.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Struct } from "effect"
import type { ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { Device } from "../domain/Device.ts"
import { DISPUTES } from "./DeviceIdentifiers.ts"
import { grouping, lengthOfTexts, makeGrouped } from "./GroupedStatement.ts"
import { SecretTexts } from "./SecretStore.ts"
import { textsOfStatement } from "./StoredTexts.ts"
import { LIVE_CHANGE, LIVE_CHANGES, type LiveChange } from "./UnfinishedChanges.ts"

/** A change to be stored; one per job and device. */
export interface NewStoredChange {
  readonly job_id: number
  readonly device_id: number
  readonly protocol: ChangeRow
  readonly candidate: string
  readonly load_mode: "replace" | "merge"
}

/** The candidate of a job's change on a device. */
export interface ChangeToRun {
  readonly id: number
  readonly candidate: string
}

/** What must hold before the change is stored. */
export interface BeginConditions {
  /** The fields of the device's record on which the change relies, with their values. */
  readonly held: Partial<Device>
  /** The device was read since a restore, and its record shares no value with another one. */
  readonly isCertain: boolean
  /** No abort of the job was requested. */
  readonly notAborting: boolean
  readonly notPaused: boolean
  /**
   * The newest live change of another job on the device has ended, and has at most this number; null if others do not count. It is beyond
   * the numbers of changes, and of their column's type, for a job of release 0.1.0, which did not remember one.
   */
  readonly newestSeen: number | null
}

/** A change and its conditions. */
export interface BeginRequest {
  readonly change: NewStoredChange
  readonly conditions: BeginConditions
}

/** Why no change was stored, or the change. */
export type Beginning =
  | ({ readonly _tag: "Stored" } & ChangeToRun)
  | { readonly _tag: "Aborting" }
  | { readonly _tag: "Paused" }
  /** Another job has a change on the device that this one has not seen, or that is under way. */
  | { readonly _tag: "Taken"; readonly newest: LiveChange }
  /** `backupOf`: the time of the restored backup, ISO 8601. */
  | { readonly _tag: "Unseen"; readonly backupOf: string }
  | { readonly _tag: "Disputed"; readonly role: string; readonly value: string; readonly other: string }
  /** The record has changed, or was deleted. */
  | { readonly _tag: "Changed" }

/** The claim token of a change whose statement has written the event of its phase itself: then no trigger does (migration 72). */
export const TOLD = "told"

/** No conditions: the caller has its own. */
const UNCONDITIONAL: BeginConditions = {
  held: {},
  isCertain: false,
  notAborting: false,
  notPaused: false,
  newestSeen: null
}

interface AnswerRow {
  readonly place: number
  /** The new change; null if it was not stored, or was stored before. */
  readonly id: number | null
  readonly may_begin: boolean
  readonly is_aborting: boolean
  readonly is_paused: boolean
  readonly newest: LiveChange | null
  readonly is_taken: boolean
  readonly backup_of: string | null
  readonly dispute: { readonly role: string; readonly value: string; readonly other: string } | null
}

const reasonOf = ({ backup_of, dispute, is_aborting, is_paused, is_taken, newest }: AnswerRow): Beginning => {
  if (is_aborting) return { _tag: "Aborting" }
  if (is_taken && newest !== null) return { _tag: "Taken", newest }
  if (is_paused) return { _tag: "Paused" }
  if (backup_of !== null) return { _tag: "Unseen", backupOf: backup_of }
  return dispute === null ? { _tag: "Changed" } : { _tag: "Disputed", ...dispute }
}

/** Stores changes. */
export const makeBeginnings = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const secrets = yield* SecretTexts
  const columns = sql.literal("job_id, device_id, phase, epoch, protocol, candidate, load_mode")
  const disputes = sql.literal(DISPUTES)
  const liveChange = sql.literal(LIVE_CHANGE)
  const liveChanges = sql.literal(LIVE_CHANGES)

  /** Opens a candidate, or dies: a switch must not receive anything else. */
  const needed = (text: string): string =>
    Option.getOrThrowWith(secrets.open(text), () => new Error("A change was sealed under another SECRET_KEY"))

  const earlier = Effect.fnUntraced(function* ({ device_id, job_id }: NewStoredChange) {
    const [found] = yield* sql<ChangeToRun>`select id, whole_text(candidate) as candidate from config_change
      where job_id = ${job_id} and device_id = ${device_id}`
    const { candidate, id } = yield* Effect.orDie(Effect.fromNullishOr(found))
    return { id, candidate: needed(candidate) }
  })

  const givenOf = ({ change: { protocol, ...rest }, conditions }: BeginRequest, place: number, candidate: string) => ({
    ...rest,
    place,
    candidate,
    phase: protocol.phase,
    epoch: protocol.epoch,
    protocol: Struct.omit(protocol, ["diff"]),
    held: conditions.held,
    is_certain: conditions.isCertain,
    not_aborting: conditions.notAborting,
    not_paused: conditions.notPaused,
    newest_seen: conditions.newestSeen
  })

  const beginAll = Effect.fnUntraced(function* (requests: ReadonlyArray<BeginRequest>) {
    const texts = textsOfStatement(sql, secrets)
    const given = requests.map((request, place) => givenOf(request, place, texts.refer(request.change.candidate)))
    const rows = yield* sql<AnswerRow>`
      with ${texts.stored()}given as materialized (select * from jsonb_to_recordset(${sql.json(given)}) as given (place integer, job_id integer,
          device_id integer, phase text, epoch integer, protocol jsonb, candidate text, load_mode text, held jsonb, is_certain boolean,
          not_aborting boolean, not_paused boolean, newest_seen bigint)),
      target as materialized (select d.id, d.hostname, to_jsonb(d) as fields from device d
        where d.id in (select device_id from given) order by d.id for key share),
      looked as materialized (select g.place, target.hostname,
          coalesce(g.not_aborting and job.status = 'ABORTING', false) as is_aborting,
          coalesce(g.not_paused and job.pause is not null and job.status = 'RUNNING', false) as is_paused,
          to_jsonb(newest) as newest, coalesce(newest.job_id <> g.job_id and (newest."underWay" or newest.id > g.newest_seen), false) as is_taken,
          case when g.is_certain and target.fields ->> 'state' = 'MANAGED' and target.fields -> 'unseen_since' <> 'null'
            then (select iso_time(backup_of) from restore order by id desc limit 1) end as backup_of,
          to_jsonb(dispute) as dispute, coalesce(target.fields @> g.held, false) as is_same
        from given g left join job on job.id = g.job_id left join target on target.id = g.device_id
        left join lateral (select ${liveChange} from ${liveChanges} and c.device_id = g.device_id and g.newest_seen is not null
          order by c.id desc limit 1) newest on true
        left join lateral (select found.role, found.value, found.other from (${disputes} and d.id = g.device_id and g.is_certain) found)
          dispute on true),
      judged as materialized (select *, not is_aborting and not is_paused and not is_taken and backup_of is null and dispute is null
        and is_same as may_begin from looked),
      made as (insert into config_change (${columns}, claim_token)
        select ${columns}, ${TOLD} from given join judged using (place) where may_begin order by place
        on conflict on constraint config_change_once do nothing returning id, job_id, device_id, phase),
      told as (insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
        select 'change', made.phase, coalesce(job.scheduled_by, 'server'), coalesce(job.scheduled_way, 'server'), made.job_id,
          target.hostname, made.device_id, false, jsonb_build_object('function', job.function_name)
        from made join job on job.id = made.job_id join target on target.id = made.device_id order by made.id)
      select judged.*, made.id from judged join given using (place)
        left join made on made.job_id = given.job_id and made.device_id = given.device_id order by place`
    return yield* Effect.forEach(requests, ({ change }, place) => {
      const row = rows[place]
      if (row === undefined) return Effect.die(new Error("A beginning got no answer"))
      if (!row.may_begin) return Effect.succeed(reasonOf(row))
      const stored = row.id === null ? earlier(change) : Effect.succeed({ id: row.id, candidate: change.candidate })
      return Effect.map(stored, (found): Beginning => ({ _tag: "Stored", ...found }))
    })
  })

  const begin = makeGrouped(yield* grouping, beginAll, ({ change }) => lengthOfTexts(change.candidate))

  return {
    begin: Effect.fn("ChangeStore.begin")(begin),
    /** The job's change on this device: the stored one, in whatever phase, or else the given one. */
    findOrInsert: Effect.fn("ChangeStore.findOrInsert")(function* (change: NewStoredChange) {
      const found = yield* begin({ change, conditions: UNCONDITIONAL })
      if (found._tag !== "Stored") return yield* Effect.die(new Error(`There is no device ${change.device_id}`))
      return { id: found.id, candidate: found.candidate } satisfies ChangeToRun
    }),
    needed
  }
})
