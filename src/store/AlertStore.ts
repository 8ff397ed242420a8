/**
 * Alerts, mutes, and messages to receivers (docs/alerts.md). An alert is found in the log of events: this file stores the place up to which the
 * log was read, the alerts that wait for more events of their group, and the messages that are sent for them. All writes belong to the
 * caller's transaction.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { AlertEvent } from "../domain/events/alerts/AlertMessage.ts"
import { type AlertLevel, type Mute, troubleOf } from "../domain/events/alerts/AlertRule.ts"
import { OVER } from "./AlertCauses.ts"

/** Events of one group that were found. */
export interface FoundAlert {
  readonly rule: string
  readonly key: string
  readonly level: AlertLevel
  readonly title: string | null
  readonly receivers: ReadonlyArray<string>
  /** The first events; `count` is the number of all. */
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
  /** The subjects whose recovery the alert waits for. */
  readonly subjects: ReadonlyArray<string>
  /** Milliseconds. */
  readonly wait: number
  readonly quiet: number
}

/** An alert; times are ISO 8601 without a zone, UTC. */
interface StoredAlert {
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
  readonly is_open: boolean
  readonly acknowledged_at: string | null
  readonly acknowledged_by: string | null
  readonly acknowledged_comment: string | null
}

/** No alert with this id was sent. */
export class AlertNotFound extends Schema.TaggedError<AlertNotFound>()("AlertNotFound", {}) {
  override get message() {
    return "Alert not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

/**
 * Alerts that somebody has to look at: whose cause lasts, and of the last day those whose rule knows no end, until somebody has
 * acknowledged them.
 */
export const OPEN = `(sent_at is not null and resolved_at is null and (cardinality(subjects) > 0
  or (opened_at > now() - interval '1 day' and acknowledged_at is null)))`

interface OpenAlert {
  readonly id: number
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
  readonly subjects: ReadonlyArray<string>
  readonly is_sent: boolean
}

/** The largest number of events that an alert lists. */
export const MAX_EVENTS = 50
const DUE_AT_ONCE = 200

const isAbout = (event: AlertEvent, subject: string): boolean =>
  (event.hostname ?? event.data?.["server"]) === subject || troubleOf(event) === subject

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

  /** Removes the subject from an alert. With its last subject, a sent alert is resolved and an unsent one deleted. */
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

  const shown =
    sql.literal(`id::float8 as id, rule, level, title, receivers, events, count, iso_time(opened_at) as opened_at,
    iso_time(send_at) as send_at, iso_time(sent_at) as sent_at, iso_time(resolved_at) as resolved_at, ${OPEN} as is_open,
    iso_time(acknowledged_at) as acknowledged_at, acknowledged_by, acknowledged_comment`)

  return AlertStore.of({
    mutes: yield* makeMutes,
    deliveries: yield* makeDeliveries,
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
    endOver: Effect.gen(function* () {
      const over = yield* sql<{ id: number; subject: string }>`${sql.literal(OVER)} for update of alert skip locked`
      yield* Effect.forEach(
        over,
        Effect.fnUntraced(function* ({ id, subject }) {
          const [alert] =
            yield* sql<OpenAlert>`select id::float8 as id, events, count, subjects, sent_at is not null as is_sent
            from alert where id = ${id}::bigint and ${subject} = any(subjects)`
          if (alert !== undefined) yield* endOne(alert, subject)
        }),
        { discard: true }
      )
    }).pipe(Effect.withSpan("AlertStore.endOver")),
    acknowledge: Effect.fn("AlertStore.acknowledge")(function* (id: number, by: string, comment: string | null) {
      const [alert] = yield* sql<StoredAlert>`update alert set acknowledged_at = now(), acknowledged_by = ${by},
        acknowledged_comment = ${comment} where id = ${id}::bigint and sent_at is not null returning ${shown}`
      return alert ?? (yield* new AlertNotFound())
    }),
    rename: Effect.fn("AlertStore.rename")((from: string, to: string) =>
      Effect.asVoid(sql`update alert set subjects = array_replace(subjects, ${from}, ${to}),
        events = case when sent_at is not null then events else (select jsonb_agg(case event ->> 'hostname'
          when ${from} then event || jsonb_build_object('hostname', ${to}::text) else event end order by place)
          from jsonb_array_elements(events) with ordinality as listed (event, place)) end
        where ${from} = any(subjects) and resolved_at is null`)
    ),
    createMessages: Effect.gen(function* () {
      const due = yield* sql<{
        id: number
      }>`select id::float8 as id from alert where sent_at is null and send_at <= now()
        order by send_at, id limit ${DUE_AT_ONCE} for update skip locked`
      if (due.length === 0) return 0
      const ids = due.map(({ id }) => id)
      yield* messages(ids, "trigger")
      yield* sql`update alert set sent_at = now() where id = any(${ids}::bigint[])`
      return due.length
    }).pipe(Effect.withSpan("AlertStore.createMessages")),
    list: Effect.fn("AlertStore.list")(
      (limit: number) =>
        sql<StoredAlert>`select ${shown} from alert
          where ${sql.literal(OPEN)} or id in (select id from alert order by id desc limit ${limit}) order by alert.id desc`
    ),
    forget: Effect.fn("AlertStore.forget")((days: number) =>
      Effect.asVoid(sql`delete from alert where sent_at < now() - make_interval(days => ${days})
        and not exists (select from alert_delivery where alert_id = alert.id and state = 'waiting')`)
    )
  })
})

/** Alerts, their mutes and deliveries, and the place in the log. */
export class AlertStore extends Context.Service<
  AlertStore,
  {
    readonly mutes: AlertMutes
    readonly deliveries: AlertDeliveries
    /** The number of the last event that was read; null while another replica reads. The first call begins at the current event. */
    readonly position: Effect.Effect<number | null, SqlError.SqlError>
    readonly move: (eventId: number) => Effect.Effect<void, SqlError.SqlError>
    /** Whether an alert has waited long enough. */
    readonly isDue: Effect.Effect<boolean, SqlError.SqlError>
    /** Adds events to the alert of their group that waits, or opens one. */
    readonly add: (found: FoundAlert) => Effect.Effect<void, SqlError.SqlError>
    /** The condition that a rule reported about a subject has ended. */
    readonly end: (rule: string, subject: string) => Effect.Effect<void, SqlError.SqlError>
    /** Ends what the server's own records show to be over. */
    readonly endOver: Effect.Effect<void, SqlError.SqlError>
    /** Somebody has taken an alert on; the newest such word stays. An alert that knows no end is no longer open. */
    readonly acknowledge: (
      id: number,
      by: string,
      comment: string | null
    ) => Effect.Effect<StoredAlert, AlertNotFound | SqlError.SqlError>
    /** A device was renamed: its open alerts continue under the new name. Sent events stay unchanged. */
    readonly rename: (from: string, to: string) => Effect.Effect<void, SqlError.SqlError>
    /** Creates messages for alerts that have waited long enough, at most 200; yields their number. */
    readonly createMessages: Effect.Effect<number, SqlError.SqlError>
    /** Those that are open, and the newest of all; the newest first. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<StoredAlert>, SqlError.SqlError>
    /** Removes alerts that were sent this number of days ago, with their deliveries, unless a delivery still waits. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/AlertStore") {
  static readonly layer = Layer.effect(AlertStore, make)
}

// Mutes: devices, groups or rules for which no alerts are created for some time (docs/alerts.md#mutes).

/** No mute with this id exists. */
export class MuteNotFound extends Schema.TaggedError<MuteNotFound>()("MuteNotFound", {}) {
  override get message() {
    return "Mute not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** A mute to be created; times are epoch milliseconds. */
interface NewMute {
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
  readonly reason: string
  readonly from: number
  readonly until: number
  readonly createdBy: string
}

/** A mute in API responses; times are ISO 8601 without a zone, UTC. */
interface ListedMute {
  readonly id: number
  readonly hostname: string | null
  readonly group: string | null
  readonly rule: string | null
  readonly reason: string
  readonly begins_at: string
  readonly ends_at: string
  readonly created_by: string
  readonly is_in_force: boolean
}

/** A mute with its period in epoch milliseconds. */
export interface TimedMute extends Mute {
  readonly from: number
  readonly until: number
}

const makeMutes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shown = sql.literal(`id, hostname, group_name as "group", rule, reason, iso_time(begins_at) as begins_at,
    iso_time(ends_at) as ends_at, created_by, begins_at <= now() and ends_at > now() as is_in_force`)
  return {
    since: Effect.fn("AlertStore.mutes.since")(
      (at: string) => sql<TimedMute>`select id, hostname, group_name as "group", rule,
          (extract(epoch from begins_at) * 1000)::float8 as "from", (extract(epoch from ends_at) * 1000)::float8 as until
        from alert_mute where ends_at > ${`${at}Z`}::timestamptz`
    ),
    list: sql<ListedMute>`select ${shown} from alert_mute where ends_at > now() order by alert_mute.begins_at, id`,
    add: Effect.fn("AlertStore.mutes.add")(function* (mute: NewMute) {
      const { createdBy, from, group, hostname, reason, rule, until } = mute
      const rows =
        yield* sql<ListedMute>`insert into alert_mute (hostname, group_name, rule, reason, begins_at, ends_at, created_by)
        values (${hostname}, ${group}, ${rule}, ${reason}, to_timestamp(${from / 1000}), to_timestamp(${until / 1000}), ${createdBy})
        returning ${shown}`
      return yield* Effect.orDie(Effect.fromNullishOr(rows[0]))
    }),
    remove: Effect.fn("AlertStore.mutes.remove")(function* (id: number) {
      const [row] = yield* sql<ListedMute>`delete from alert_mute where id = ${id} returning ${shown}`
      return row ?? (yield* new MuteNotFound())
    }),
    forget: Effect.fn("AlertStore.mutes.forget")((days: number) =>
      Effect.asVoid(sql`delete from alert_mute where ends_at < now() - make_interval(days => ${days})`)
    )
  } satisfies AlertMutes
})

/** Mutes by id. */
interface AlertMutes {
  /** Mutes that end after this time (ISO 8601 without a zone, UTC). */
  readonly since: (at: string) => Effect.Effect<ReadonlyArray<TimedMute>, SqlError.SqlError>
  /** Mutes that have not ended. */
  readonly list: Effect.Effect<ReadonlyArray<ListedMute>, SqlError.SqlError>
  readonly add: (mute: NewMute) => Effect.Effect<ListedMute, SqlError.SqlError>
  readonly remove: (id: number) => Effect.Effect<ListedMute, MuteNotFound | SqlError.SqlError>
  /** Removes mutes that ended this number of days ago. */
  readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
}

// Messages on their way to receivers of alerts (docs/alerts.md#delivery). A claim sets the time of the next attempt after the longest time that
// this attempt can take, so a server that is killed in between leaves no lock that must be freed.

const deliveryStates = ["waiting", "sent", "dead"] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** No delivery with this id exists, or it is not dead. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {
  override get message() {
    return "There is no dead delivery of that id"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** A claimed message with its alert. */
export interface ClaimedDelivery {
  readonly id: string
  readonly receiver: string
  readonly action: "trigger" | "resolve"
  readonly attempts: number
  /** Milliseconds since the first attempt, or since the replay. */
  readonly age: number
  readonly created_at: string
  readonly alert_id: number
  readonly rule: string
  readonly level: AlertLevel
  readonly title: string | null
  readonly events: ReadonlyArray<AlertEvent>
  readonly count: number
}

/** Columns and source of the list of messages. */
export const DELIVERY_COLUMNS = `delivery.id, delivery.alert_id::float8 as alert_id, delivery.rule, delivery.receiver, delivery.action,
  delivery.state, delivery.attempts, iso_time(delivery.created_at) as created_at,
  case when delivery.state = 'waiting' then iso_time(delivery.next_at) end as next_at, iso_time(delivery.ended_at) as ended_at, delivery.answer`
export const DELIVERY_ROWS =
  "(select d.*, alert.rule from alert_delivery d join alert on alert.id = d.alert_id) delivery"

/** A message in lists; times are ISO 8601 without a zone, UTC. */
export interface ListedDelivery {
  readonly id: string
  readonly alert_id: number
  readonly rule: string
  readonly receiver: string
  readonly action: "trigger" | "resolve"
  readonly state: DeliveryState
  readonly attempts: number
  readonly created_at: string
  readonly next_at: string | null
  readonly ended_at: string | null
  /** The receiver's last answer, or why it was not reached. */
  readonly answer: string | null
}

/** Numbers of waiting and dead messages, and the seconds that the oldest one has waited. */
interface DeliveryCounts {
  readonly waiting: number
  readonly dead: number
  readonly oldest_seconds: number
}

const makeDeliveries = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return {
    due: Effect.map(
      sql<{
        receiver: string
      }>`select distinct receiver from alert_delivery where state = 'waiting' and next_at <= now()`,
      (rows) => rows.map(({ receiver }) => receiver)
    ),
    claim: Effect.fn("AlertStore.deliveries.claim")(
      (receiver: string, limit: number, lease: number) => sql<ClaimedDelivery>`
        with due as (select id from alert_delivery one where state = 'waiting' and receiver = ${receiver} and next_at <= now()
            and (action = 'trigger' or not exists (select from alert_delivery begin where begin.alert_id = one.alert_id
              and begin.receiver = one.receiver and begin.action = 'trigger' and begin.state = 'waiting'))
          order by next_at limit ${limit} for update skip locked)
        update alert_delivery d set attempts = attempts + 1, next_at = now() + make_interval(secs => ${lease / 1000})
          from due, alert where d.id = due.id and alert.id = d.alert_id
        returning d.id, d.receiver, d.action, d.attempts, extract(epoch from now() - d.retry_from)::float8 * 1000 as age,
          iso_time(d.created_at) as created_at, alert.id::float8 as alert_id, alert.rule, alert.level, alert.title,
          alert.events, alert.count`
    ),
    sent: Effect.fn("AlertStore.deliveries.sent")((id: string, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set state = 'sent', ended_at = now(), answer = ${answer}
        where id = ${id} and state = 'waiting'`)
    ),
    // a later attempt decides instead
    again: Effect.fn("AlertStore.deliveries.again")((id: string, attempt: number, pause: number, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set next_at = now() + make_interval(secs => ${pause / 1000}), answer = ${answer}
        where id = ${id} and state = 'waiting' and attempts = ${attempt}`)
    ),
    dead: Effect.fn("AlertStore.deliveries.dead")((id: string, attempt: number, answer: string) =>
      Effect.asVoid(sql`update alert_delivery set state = 'dead', ended_at = now(), answer = ${answer}
        where id = ${id} and state = 'waiting' and attempts = ${attempt}`)
    ),
    replay: Effect.fn("AlertStore.deliveries.replay")(function* (id: string) {
      const again =
        yield* sql`update alert_delivery set state = 'waiting', next_at = now(), retry_from = now(), ended_at = null
        where id = ${id} and state = 'dead' returning id`
      if (again.length === 0) return yield* new DeliveryNotFound()
    }),
    replayAll: Effect.fn("AlertStore.deliveries.replayAll")((receiver: string | null) =>
      Effect.map(
        sql`update alert_delivery set state = 'waiting', next_at = now(), retry_from = now(), ended_at = null
          where state = 'dead' and receiver = coalesce(${receiver}, receiver) returning id`,
        (rows) => rows.length
      )
    ),
    counts: Effect.map(
      sql<DeliveryCounts>`select count(*) filter (where state = 'waiting')::integer as waiting,
          count(*) filter (where state = 'dead')::integer as dead,
          coalesce(extract(epoch from now() - min(created_at) filter (where state = 'waiting')), 0)::float8 as oldest_seconds
        from alert_delivery where state in ('waiting', 'dead')`,
      ([row]) => row ?? { waiting: 0, dead: 0, oldest_seconds: 0 }
    )
  } satisfies AlertDeliveries
})

type Write = Effect.Effect<void, SqlError.SqlError>

/** Deliveries by state. */
interface AlertDeliveries {
  /** Receivers with due messages. */
  readonly due: Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /** Claims due messages of a receiver for `lease` milliseconds. A `resolve` waits until its `trigger` has arrived or is dead. */
  readonly claim: (
    receiver: string,
    limit: number,
    lease: number
  ) => Effect.Effect<ReadonlyArray<ClaimedDelivery>, SqlError.SqlError>
  readonly sent: (id: string, answer: string) => Write
  /** The next attempt follows after `pause` milliseconds. */
  readonly again: (id: string, attempt: number, pause: number, answer: string) => Write
  readonly dead: (id: string, attempt: number, answer: string) => Write
  /** Tries a dead message again, under the same id. */
  readonly replay: (id: string) => Effect.Effect<void, DeliveryNotFound | SqlError.SqlError>
  /** Tries all dead messages again, or those of a receiver; yields their number. */
  readonly replayAll: (receiver: string | null) => Effect.Effect<number, SqlError.SqlError>
  /** Figures for metrics. */
  readonly counts: Effect.Effect<DeliveryCounts, SqlError.SqlError>
}
