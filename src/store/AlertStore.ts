/**
 * Alerts as they are found in the log of events (docs/alerts.md): the place up to which it has been looked through, alerts that still wait
 * for more of their group, and the messages that are made of them. Everything that writes is part of the transaction of whoever looks.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { AlertEvent } from "../domain/events/alerts/AlertMessage.ts"
import type { AlertLevel } from "../domain/events/alerts/AlertRule.ts"

/** Events of one group that were found. */
export interface FoundAlert {
  readonly rule: string
  readonly key: string
  readonly level: AlertLevel
  readonly title: string | null
  readonly receivers: ReadonlyArray<string>
  /** The first ones; `count` are all. */
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
  /** What an end is waited for of. */
  readonly subjects: ReadonlyArray<string>
  /** Milliseconds. */
  readonly wait: number
  readonly quiet: number
}

/** An alert; times are ISO 8601 without a zone, UTC. */
export interface StoredAlert {
  readonly id: number
  readonly rule: string
  readonly level: AlertLevel
  readonly title: string | null
  readonly receivers: ReadonlyArray<string>
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
  readonly opened_at: string
  readonly send_at: string
  readonly sent_at: string | null
  readonly resolved_at: string | null
}

interface OpenAlert {
  readonly id: number
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
  readonly subjects: ReadonlyArray<string>
  readonly is_sent: boolean
}

/** Events that an alert lists. */
export const MAX_EVENTS = 50
const DUE_AT_ONCE = 200

const isAbout = ({ data, hostname }: AlertEvent, subject: string): boolean => (hostname ?? data?.["server"]) === subject

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const add = Effect.fn("AlertStore.add")((found: FoundAlert) => {
    const { count, events, key, level, quiet, receivers, rule, subjects, title, wait } = found
    return Effect.asVoid(sql`insert into alert (rule, key, level, title, receivers, events, count, subjects, send_at)
      values (${rule}, ${key}, ${level}, ${title}, ${receivers}::text[], ${JSON.stringify(events)}::jsonb, ${count}, ${subjects}::text[],
        greatest(now() + make_interval(secs => ${wait / 1000}),
          (select least(max(sent_at), now()) from alert before where before.rule = ${rule} and before.key = ${key}
            having max(sent_at) is not null) + make_interval(secs => ${quiet / 1000})))
      on conflict (rule, key) where sent_at is null do update set count = alert.count + excluded.count,
        subjects = alert.subjects || excluded.subjects, receivers = excluded.receivers,
        events = jsonb_path_query_array(alert.events || excluded.events, ${`$[0 to ${MAX_EVENTS - 1}]`}::jsonpath)`)
  })

  const messages = (alerts: ReadonlyArray<number>, action: "trigger" | "resolve") =>
    sql`insert into alert_delivery (alert_id, receiver, action)
      select alert.id, receiver, ${action} from alert cross join unnest(receivers) receiver
      where alert.id = any(${alerts}::bigint[]) order by alert.id`

  /** What has not been told yet is forgotten; what was told ends when nothing of it is left. */
  const endOne = Effect.fnUntraced(function* (alert: OpenAlert, subject: string) {
    const subjects = alert.subjects.filter((one) => one !== subject)
    const isOver = subjects.length === 0
    if (alert.is_sent) {
      yield* sql`update alert set subjects = ${subjects}::text[],
        resolved_at = case when ${isOver} then now() end where id = ${alert.id}`
      if (isOver) yield* messages([alert.id], "resolve")
    } else if (isOver) {
      yield* sql`delete from alert where id = ${alert.id}`
    } else {
      const events = alert.events.filter((event) => !isAbout(event, subject))
      const count = Math.max(alert.count - Math.max(alert.events.length - events.length, 1), subjects.length)
      yield* sql`update alert set subjects = ${subjects}::text[], events = ${JSON.stringify(events)}::jsonb,
        count = ${count} where id = ${alert.id}`
    }
  })

  return AlertStore.of({
    /** Held until the transaction ends. */
    position: Effect.gen(function* () {
      yield* sql`insert into alert_position (event_id) select events_complete() where not exists (select from alert_position)
        on conflict do nothing`
      const [row] = yield* sql<{ event_id: number }>`select event_id::float8 as event_id from alert_position
        for update skip locked`
      return row?.event_id ?? null
    }).pipe(Effect.withSpan("AlertStore.position")),
    move: Effect.fn("AlertStore.move")((eventId: number) =>
      Effect.asVoid(sql`update alert_position set event_id = ${eventId}::bigint where event_id <> ${eventId}::bigint`)
    ),
    isDue: Effect.map(
      sql<{ due: boolean }>`select exists (select from alert where sent_at is null and send_at <= now()) as due`,
      ([row]) => row?.due === true
    ),
    add,
    end: Effect.fn("AlertStore.end")(function* (rule: string, subject: string) {
      const alerts =
        yield* sql<OpenAlert>`select id::float8 as id, events, count, subjects, sent_at is not null as is_sent
        from alert where rule = ${rule} and ${subject} = any(subjects) and resolved_at is null for update`
      yield* Effect.forEach(alerts, (alert) => endOne(alert, subject), { discard: true })
    }),
    rename: Effect.fn("AlertStore.rename")((from: string, to: string) =>
      Effect.asVoid(sql`update alert set subjects = array_replace(subjects, ${from}, ${to}),
        events = case when sent_at is not null then events else (select jsonb_agg(case event ->> 'hostname'
          when ${from} then event || jsonb_build_object('hostname', ${to}::text) else event end order by place)
          from jsonb_array_elements(events) with ordinality as listed (event, place)) end
        where ${from} = any(subjects) and resolved_at is null`)
    ),
    tell: Effect.gen(function* () {
      const due = yield* sql<{
        id: number
      }>`select id::float8 as id from alert where sent_at is null and send_at <= now()
        order by send_at, id limit ${DUE_AT_ONCE} for update skip locked`
      if (due.length === 0) return 0
      const ids = due.map(({ id }) => id)
      yield* messages(ids, "trigger")
      yield* sql`update alert set sent_at = now() where id = any(${ids}::bigint[])`
      return due.length
    }).pipe(Effect.withSpan("AlertStore.tell")),
    list: Effect.fn("AlertStore.list")(
      (limit: number) =>
        sql<StoredAlert>`select id::float8 as id, rule, level, title, receivers, events, count, iso_time(opened_at) as opened_at,
          iso_time(send_at) as send_at, iso_time(sent_at) as sent_at, iso_time(resolved_at) as resolved_at
        from alert order by alert.id desc limit ${limit}`
    ),
    forget: Effect.fn("AlertStore.forget")((days: number) =>
      Effect.asVoid(sql`delete from alert where sent_at < now() - make_interval(days => ${days})
        and not exists (select from alert_delivery where alert_id = alert.id and state = 'waiting')`)
    )
  })
})

/** Alerts and the place in the log. */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    /** The number of the event up to which the log was looked through; null while somebody else looks. Begins with now. */
    readonly position: Effect.Effect<number | null, SqlError.SqlError>
    readonly move: (eventId: number) => Effect.Effect<void, SqlError.SqlError>
    /** Whether an alert has waited long enough. */
    readonly isDue: Effect.Effect<boolean, SqlError.SqlError>
    /** Adds events to the alert of their group that waits, or opens one. */
    readonly add: (found: FoundAlert) => Effect.Effect<void, SqlError.SqlError>
    /** What a rule told of a subject has ended. */
    readonly end: (rule: string, subject: string) => Effect.Effect<void, SqlError.SqlError>
    /** A device has another name now: what was told of it ends under that one. What was sent already stays as it was. */
    readonly rename: (from: string, to: string) => Effect.Effect<void, SqlError.SqlError>
    /** Makes messages of alerts that have waited long enough, at most 200; yields of how many. */
    readonly tell: Effect.Effect<number, SqlError.SqlError>
    /** The newest first. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<StoredAlert>, SqlError.SqlError>
    /** Removes alerts that were told so many days ago, with their deliveries, unless one is still on its way. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/AlertStore") {
  static readonly layer = Layer.effect(AlertStore, make)
}
