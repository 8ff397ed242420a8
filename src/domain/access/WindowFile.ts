/**
 * `windows.yml`: the times at which devices may be changed (docs/windows.md). Unreadable parts are refused, with the field and
 * the rule. Pure.
 */
import { DateTime, Option, Result, Schema } from "effect"
import { type DeviceType, deviceTypes } from "../Device.ts"

const words = Schema.Array(Schema.String)

/** The devices, and the time zone. */
const scope = {
  all: Schema.optionalKey(Schema.Literal(true)),
  groups: Schema.optionalKey(words),
  device_types: Schema.optionalKey(words),
  timezone: Schema.String
}
const FromTo = Schema.Struct({ from: Schema.String, to: Schema.String })

const FileSchema = Schema.Struct({
  windows: Schema.optionalKey(
    Schema.NullOr(
      Schema.Record(
        Schema.String,
        Schema.Struct({
          ...scope,
          weekly: Schema.optionalKey(
            Schema.Array(Schema.Struct({ days: Schema.optionalKey(words), ...FromTo.fields }))
          ),
          dates: Schema.optionalKey(Schema.Array(FromTo))
        })
      )
    )
  ),
  freezes: Schema.optionalKey(
    Schema.NullOr(
      Schema.Record(
        Schema.String,
        Schema.Struct({ ...scope, reason: Schema.optionalKey(Schema.String), dates: Schema.Array(FromTo) })
      )
    )
  )
})
type FileScope = {
  readonly all?: true
  readonly groups?: ReadonlyArray<string>
  readonly device_types?: ReadonlyArray<string>
  readonly timezone: string
}

/** Devices of a window or a freeze: those of one of the groups and of one of the types; null for any. */
export interface WindowScope {
  readonly name: string
  readonly groups: ReadonlyArray<string> | null
  readonly deviceTypes: ReadonlyArray<DeviceType> | null
  readonly zone: DateTime.TimeZone
  readonly timezone: string
}

/** A single period, by the clocks of its zone. */
export interface Period {
  readonly from: LocalTime
  readonly to: LocalTime
}

/** Minutes of these days of the week (0 for Sunday) at which it opens and closes; `to` may be of the next day, above 1440. */
export interface Weekly {
  readonly days: ReadonlyArray<number>
  readonly from: number
  readonly to: number
}

/** The times at which its devices may be changed. */
export interface Window extends WindowScope {
  readonly weekly: ReadonlyArray<Weekly>
  readonly dates: ReadonlyArray<Period>
}

/** The times at which its devices must not be changed, whatever windows allow. */
export interface Freeze extends WindowScope {
  readonly reason: string | null
  readonly dates: ReadonlyArray<Period>
}

/** The contents of the file. */
export interface WindowRules {
  readonly windows: ReadonlyArray<Window>
  readonly freezes: ReadonlyArray<Freeze>
}

type Read<A> = Result.Result<A, string>

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
const DAY_MINUTES = 1440
const MILLISECONDS_PER_DAY = 86_400_000

const decode = Schema.decodeUnknownResult(FileSchema, { onExcessProperty: "error" })

const fail = (field: string, rule: string) => Result.fail(`${field}: ${rule}`)

const readTime = (field: string, text: string): Read<number> => {
  const [, hours, minutes] = /^(\d\d):([0-5]\d)$/.exec(text) ?? []
  const minute = Number(hours) * 60 + Number(minutes)
  return minute <= DAY_MINUTES ? Result.succeed(minute) : fail(field, `${text} is no time from "00:00" to "24:00"`)
}

const DATE = "a day such as 2026-12-24, or a time such as 2026-12-24 18:00"

/** A day alone means its begin, or its end when it ends a period. */
const readLocal = (field: string, text: string, isEnd: boolean): Read<LocalTime> => {
  const [, date = "", time = isEnd ? "24:00" : "00:00"] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?$/.exec(text) ?? []
  const instant = Date.parse(`${date}T00:00:00Z`)
  const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(date) && date !== ""
  if (!isReal) return fail(field, `${text} is not ${DATE}`)
  return Result.map(readTime(field, time), (minute) => ({ day: instant / MILLISECONDS_PER_DAY, minute }))
}

const minutesOf = ({ day, minute }: LocalTime): number => day * DAY_MINUTES + minute

const readPeriod = (field: string, { from, to }: typeof FromTo.Type): Read<Period> =>
  Result.gen(function* () {
    const period = {
      from: yield* readLocal(`${field}.from`, from, false),
      to: yield* readLocal(`${field}.to`, to, true)
    }
    if (minutesOf(period.to) <= minutesOf(period.from)) return yield* fail(`${field}.to`, `${to} is not after ${from}`)
    return period
  })

const readWeekly = (
  field: string,
  { days = DAYS, from, to }: { readonly days?: ReadonlyArray<string>; readonly from: string; readonly to: string }
): Read<Weekly> =>
  Result.gen(function* () {
    const unknown = days.find((day) => !DAYS.includes(day))
    if (unknown !== undefined) return yield* fail(`${field}.days`, `${unknown} is not one of ${DAYS.join(", ")}`)
    if (days.length === 0) return yield* fail(`${field}.days`, "names no day; left out it means every day")
    const opens = yield* readTime(`${field}.from`, from)
    const closes = yield* readTime(`${field}.to`, to)
    if (opens === closes) return yield* fail(`${field}.to`, `is ${from} too; a whole day is from "00:00" to "24:00"`)
    if (opens === DAY_MINUTES) return yield* fail(`${field}.from`, `"24:00" is "00:00" of the next day`)
    const nextDay = closes < opens ? DAY_MINUTES : 0
    return { days: days.map((day) => DAYS.indexOf(day)), from: opens, to: closes + nextDay }
  })

const isDeviceType = (name: string): name is DeviceType => deviceTypes.some((type) => type === name)

const readScope = (
  field: string,
  name: string,
  { all, device_types, groups, timezone }: FileScope
): Read<WindowScope> =>
  Result.gen(function* () {
    if ((all === true) === (groups !== undefined || device_types !== undefined)) {
      return yield* fail(
        field,
        "is for which devices? Either all: true, or groups, or device_types, or these two together"
      )
    }
    if (groups?.length === 0 || device_types?.length === 0) return yield* fail(field, "an empty list names no devices")
    const unknown = device_types?.find((type) => !isDeviceType(type))
    if (unknown !== undefined) {
      return yield* fail(`${field}.device_types`, `${unknown} is not one of ${deviceTypes.join(", ")}`)
    }
    const zone = Option.getOrUndefined(DateTime.zoneMakeNamed(timezone))
    if (zone === undefined) {
      return yield* fail(`${field}.timezone`, `${timezone} is no time zone such as Europe/Stockholm`)
    }
    return { name, groups: groups ?? null, deviceTypes: device_types?.filter(isDeviceType) ?? null, zone, timezone }
  })

const each = <A, B>(items: ReadonlyArray<A>, field: string, read: (field: string, item: A) => Read<B>) =>
  Result.all(items.map((item, index) => read(`${field}[${index}]`, item)))

const compile = ({ freezes, windows }: typeof FileSchema.Type): Read<WindowRules> =>
  Result.gen(function* () {
    const found: { windows: Array<Window>; freezes: Array<Freeze> } = { windows: [], freezes: [] }
    for (const [name, { dates = [], weekly = [], ...of }] of Object.entries(windows ?? {})) {
      const field = `windows.${name}`
      if (dates.length + weekly.length === 0) {
        return yield* fail(field, "never opens; it needs weekly or dates, and a time without changes is one of freezes")
      }
      found.windows.push({
        ...(yield* readScope(field, name, of)),
        weekly: yield* each(weekly, `${field}.weekly`, readWeekly),
        dates: yield* each(dates, `${field}.dates`, readPeriod)
      })
    }
    for (const [name, { dates, reason = null, ...of }] of Object.entries(freezes ?? {})) {
      const field = `freezes.${name}`
      if (dates.length === 0) return yield* fail(`${field}.dates`, "names no period")
      found.freezes.push({
        ...(yield* readScope(field, name, of)),
        reason,
        dates: yield* each(dates, `${field}.dates`, readPeriod)
      })
    }
    return found
  })

/** The contents of a file, given as plain data; or its first mistake, with the field. */
export const readWindows = (data: unknown): Read<WindowRules> =>
  Result.flatMap(
    Result.mapError(decode(data), (error) => error.message),
    compile
  )

// Local times of a zone as instants, over every change of its offset (docs/windows.md#summer-time). A time that the clock shows
// twice is the first of the two; a time that it skips is the moment of the skip. Pure.

const MINUTE = 60_000
const DAY = 86_400_000

/** A time on a clock without a zone: days since 1970-01-01, and minutes of that day, 0 to 1440. */
interface LocalTime {
  readonly day: number
  readonly minute: number
}

/** Milliseconds by which the clocks of the zone are ahead of UTC at an instant (milliseconds since 1970). */
const offsetAt = (zone: DateTime.TimeZone, instant: number): number =>
  DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone: zone }))

/** The instant at which the offset changes, after `before` and not after `after`. */
const changeBetween = (zone: DateTime.TimeZone, before: number, after: number): number => {
  const offset = offsetAt(zone, before)
  let [low, high] = [before, after]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle) === offset) low = middle
    else high = middle
  }
  return high
}

/** The instant at which the clocks of a zone show this time for the first time, in milliseconds since 1970. */
export const instantOf = (zone: DateTime.TimeZone, { day, minute }: LocalTime): number => {
  const shown = day * DAY + minute * MINUTE
  const offsets = [offsetAt(zone, shown - DAY), offsetAt(zone, shown + DAY)]
  const fitting = offsets.map((offset) => ({ offset, instant: shown - offset }))
  const real = fitting.filter(({ instant, offset }) => offsetAt(zone, instant) === offset)
  const instants = fitting.map(({ instant }) => instant)
  return real.length > 0
    ? Math.min(...real.map(({ instant }) => instant))
    : changeBetween(zone, Math.min(...instants) - 1, Math.max(...instants))
}

/** The day that the clocks of a zone show at an instant, in days since 1970-01-01. */
export const dayAt = (zone: DateTime.TimeZone, instant: number): number =>
  Math.floor((instant + offsetAt(zone, instant)) / DAY)

/** Day of the week, 0 for Sunday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7

/** The local time of a zone at an instant, `2026-11-23 22:00`. */
export const shownAt = (zone: DateTime.TimeZone, instant: number): string =>
  new Date(instant + offsetAt(zone, instant)).toISOString().slice(0, 16).replace("T", " ")
