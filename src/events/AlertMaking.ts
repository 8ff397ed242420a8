/**
 * Creates alerts from the log of events (docs/alerts.md#how-alerts-are-made), and holds the rules in force. One server at a time reads new
 * events. The place in the log moves in the transaction that stores the alerts, so each event counts once, even if the server is killed.
 */
import { Context, Effect, Layer, Option, Result, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { AlertRules, AlertRules as Rules } from "../domain/events/alerts/AlertFile.ts"
import { eventOf } from "../domain/events/alerts/AlertMessage.ts"
import {
  type AlertRule,
  concernedBy,
  type ConcernedDevice,
  hasName,
  isFor,
  isMuted,
  keyOf,
  knowsEnd,
  reachesLevel,
  subjectOf,
  troubleOf
} from "../domain/events/alerts/AlertRule.ts"
import { isObject } from "../domain/fields/Values.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { AlertStore, type FoundAlert, MAX_EVENTS, type TimedMute } from "../store/AlertStore.ts"
import { waitingForDatabase } from "../store/DatabaseClient.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { makeFileInForce } from "../access/FileInForce.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { readAlertsText } from "../settings/SettingsFile.ts"
import { ALERTS_FILE } from "../settings/RepositoryPaths.ts"
import type { LiveEvent } from "../domain/events/Event.ts"
import { placeText, type Remark } from "../domain/Repository.ts"
import { CallerDevices } from "../access/CallerDevices.ts"

// The alert rules in force (docs/alerts.md#the-file): those of the settings' commit in force, else of `alerts.yml` in DATA_DIR. All
// servers of a site share the settings, but each may have a folder of its own, so the settings win if both exist.

/** The rules in force; `rules` is null without a file. */
interface AlertsInForce {
  /** False while the settings in force cannot be read: until then no alerts are created or dropped. */
  readonly isKnown: boolean
  readonly rules: Rules | null
  readonly source: "settings" | "DATA_DIR" | null
  /** A problem of the files, as a sentence, if any. */
  readonly problem: string | null
}

const UNREADABLE = "The settings in force cannot be read: alerts wait until a refresh brings others into force"

const sentence = (found: Remark): string =>
  [placeText(found), found.path ?? "", found.message].filter((part) => part !== "").join(": ")

const makeRulesInForce = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const { inForce: fileInForce, path } = yield* makeFileInForce({
    name: ALERTS_FILE,
    what: "rules of alerts",
    read: (_data, text) => Result.mapError(readAlertsText(ALERTS_FILE, text), sentence)
  })
  /** The last rules that could be read; undefined before the first read. */
  let known: Rules | null | undefined

  const ofSettings = settings.snapshot.pipe(
    Effect.map(({ alerts }) => (known = alerts)),
    Effect.catch((error) => {
      if (SqlError.isSqlError(error)) return Effect.fail(error)
      return Effect.succeed(error._tag === "NoSettings" ? (known ?? null) : known)
    })
  )

  return AlertRulesInForce.of({
    inForce: Effect.gen(function* () {
      const file = yield* fileInForce
      const rules = yield* ofSettings
      if (rules === undefined) return { isKnown: false, rules: null, source: null, problem: UNREADABLE } as const
      if (rules === null) {
        const source = file.rules === null ? null : "DATA_DIR"
        return { isKnown: true, rules: file.rules, source, problem: file.problem } as const
      }
      const both = file.rules === null ? null : `${path} does not count: the settings repository has ${ALERTS_FILE}`
      return { isKnown: true, rules, source: "settings", problem: both } as const
    })
  })
})

/** The alert rules in force. */
export class AlertRulesInForce extends Context.Service<
  AlertRulesInForce,
  { readonly inForce: Effect.Effect<AlertsInForce, SqlError.SqlError> }
>()("switchyard/events/AlertRulesInForce") {
  /** Fails with RulesUnusable. */
  static readonly layer = Layer.effect(AlertRulesInForce, makeRulesInForce)
}

const INTERVAL = "1 second"
const CAUSES_INTERVAL = "3 seconds"
const PAGE = 500

type Known = ReadonlyMap<string, ConcernedDevice>

/** The devices of an event; of a deleted device only the name is known. */
const devicesOf = (event: LiveEvent, known: Known): ReadonlyArray<ConcernedDevice> =>
  concernedBy(event).map((hostname) => known.get(hostname) ?? { hostname, deviceType: null, groups: [] })

const mutesAt = (mutes: ReadonlyArray<TimedMute>, { at }: LiveEvent): ReadonlyArray<TimedMute> => {
  const time = Date.parse(`${at}Z`)
  return mutes.filter(({ from, until }) => from <= time && time < until)
}

const hasSign = (glob: string): boolean => /[*?[{]/.test(glob)

/** Whether a device was deleted, so its open alerts end. */
const isGone = ({ action, kind }: LiveEvent): boolean => kind === "device" && action === "deleted"

/** The previous name of a device that this event renamed. */
const nameBefore = ({ data, hostname, kind }: LiveEvent): string | null => {
  const { before } = data
  const name = kind === "device" && isObject(before) ? before["hostname"] : undefined
  return typeof name === "string" && hostname !== null && name !== hostname ? name : null
}

/** The kinds of events that rules select; null if a glob does not name them. */
const kindsOf = (rules: ReadonlyArray<AlertRule>): ReadonlyArray<string> | null => {
  const kinds = [...new Set(rules.flatMap(({ kinds, resolvedBy }) => [...kinds, ...(resolvedBy?.kinds ?? [])]))]
  return kinds.some(hasSign) ? null : kinds
}

const receiversOf = ({ level, to }: AlertRule, { receivers }: AlertRules): ReadonlyArray<string> =>
  to.filter((name) => receivers.some((receiver) => receiver.name === name && reachesLevel(level, receiver.level)))

const foundOf = (rule: AlertRule, rules: AlertRules, event: LiveEvent, page: string): FoundAlert => ({
  rule: rule.name,
  key: keyOf(rule.groupBy, event),
  level: rule.level,
  title: rule.title,
  receivers: receiversOf(rule, rules),
  events: [eventOf(event, page)],
  count: 1,
  subjects: rule.endsWithCause ? [troubleOf(event)] : rule.resolvedBy === null ? [] : [subjectOf(event)],
  wait: rule.wait,
  quiet: rule.quiet
})

const together = (one: FoundAlert, other: FoundAlert): FoundAlert => ({
  ...one,
  events: [...one.events, ...other.events].slice(0, MAX_EVENTS),
  count: one.count + other.count,
  subjects: [...one.subjects, ...other.subjects]
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { log } = yield* EventStore
  const alerts = yield* AlertStore
  const { mutes } = alerts
  const inForce = yield* AlertRulesInForce
  const devices = yield* DeviceStore
  const asked = yield* CallerDevices
  const page = Option.getOrElse((yield* ServerConfig).PAGE_URL, () => "")
  let seen = -1

  /** Devices of events by name, with their groups if the settings are readable. */
  const concerned = Effect.fnUntraced(function* (events: ReadonlyArray<LiveEvent>) {
    const rows = yield* devices.byHostnames([...new Set(events.flatMap(concernedBy))])
    const found = yield* asked
      .of(rows)
      .pipe(
        Effect.catch((error) =>
          SqlError.isSqlError(error)
            ? Effect.fail(error)
            : Effect.succeed(
                rows.map(({ device_type, hostname }) => ({ hostname, deviceType: device_type, groups: [] as const }))
              )
        )
      )
    return new Map(found.map((device): readonly [string, ConcernedDevice] => [device.hostname, device]))
  })

  /** Stores the alerts that rules find in events, in order. */
  const keep = Effect.fnUntraced(function* (events: ReadonlyArray<LiveEvent>, rules: AlertRules) {
    const wanted = events.filter((event) => rules.rules.some((rule) => hasName(event, rule)))
    const known: Known = wanted.length === 0 ? new Map() : yield* concerned(wanted)
    const muted = wanted[0] === undefined ? [] : yield* mutes.since(wanted[0].at)
    const open = new Map<string, FoundAlert>()
    const addAll = Effect.suspend(() => {
      const all = [...open.values()]
      open.clear()
      return Effect.forEach(all, alerts.add, { discard: true })
    })
    for (const event of events) {
      const about = devicesOf(event, known)
      const formerly = nameBefore(event)
      if (formerly !== null) yield* Effect.andThen(addAll, alerts.rename(formerly, subjectOf(event)))
      for (const rule of rules.rules) {
        if (rule.resolvedBy !== null && hasName(event, rule.resolvedBy)) {
          yield* addAll
          yield* alerts.end(rule.name, subjectOf(event))
        } else if (isFor(rule, event, about) && !isMuted(mutesAt(muted, event), rule.name, about)) {
          const found = foundOf(rule, rules, event, page)
          const key = `${found.rule} ${found.key}`
          const before = open.get(key)
          if (found.receivers.length > 0) open.set(key, before === undefined ? found : together(before, found))
        } else if (knowsEnd(rule) && isGone(event)) {
          yield* Effect.andThen(addAll, alerts.end(rule.name, subjectOf(event)))
        }
      }
    }
    yield* addAll
  })

  /** Reads one page; yields whether more follows, another replica reads, or the log cannot be read now. */
  const lookOn = Effect.fnUntraced(function* (complete: number) {
    const position = yield* alerts.position
    if (position === null) return "busy" as const
    const { isKnown, rules } = yield* inForce.inForce
    if (!isKnown) return "busy" as const
    // the number may be lower than the previous one; only a number that was never assigned shows a restored database
    if (position > complete && position <= (yield* log.newest)) return "done" as const
    if (rules === null || rules.rules.length === 0 || position > complete) {
      yield* alerts.move(complete)
      return "done" as const
    }
    const kinds = kindsOf(rules.rules)
    const isAsked = kinds === null ? sql`true` : sql`event.kind = any(${kinds}::text[])`
    // for events that no rule selects, only deletions and new names of devices matter
    const isOther = rules.rules.some(knowsEnd)
      ? sql`event.kind = 'device' and (event.action = 'deleted' or event.data -> 'before' ->> 'hostname' is not null)`
      : sql`false`
    const where = sql`event.kind <> 'alert' and (${isAsked} or ${isOther})`
    const events = yield* log.read({ after: position, through: complete, limit: PAGE, where })
    yield* keep(events, rules)
    const isLast = events.length < PAGE
    yield* alerts.move(isLast ? complete : (events.at(-1)?.id ?? complete))
    return isLast ? ("done" as const) : ("more" as const)
  }, sql.withTransaction)

  const look = Effect.gen(function* () {
    const complete = yield* log.complete
    if (complete !== seen) {
      const end = yield* Effect.repeat(lookOn(complete), { while: (end) => end === "more" })
      // the other replica may be killed before it stores anything
      if (end === "done") seen = complete
    }
    if (!(yield* alerts.isDue)) return
    while ((yield* sql.withTransaction(alerts.createMessages)) > 0) yield* Effect.yieldNow
  })

  yield* waitingForDatabase(look).pipe(
    Effect.catchCause((cause) => Effect.logWarning("New events could not be looked through for alerts", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
  yield* waitingForDatabase(sql.withTransaction(alerts.endOver)).pipe(
    Effect.catchCause((cause) => Effect.logWarning("Alerts could not be compared with their causes", cause)),
    Effect.repeat(Schedule.spaced(CAUSES_INTERVAL)),
    Effect.forkScoped
  )
})

/** Works until the server stops. */
export const layer = Layer.effectDiscard(make)
