/**
 * Whether devices may be changed at an instant, and at which time they may next (docs/windows.md#how-a-device-is-judged). A
 * device with windows may be changed while one of them is open, a device without windows at any time, and no device while a
 * freeze includes it. Pure.
 */
import type { AskedDevice } from "./PermissionRule.ts"
import {
  dayAt,
  type Freeze,
  instantOf,
  type Period,
  shownAt,
  weekdayOf,
  type Weekly,
  type Window,
  type WindowRules,
  type WindowScope
} from "./WindowFile.ts"
import { Schema } from "effect"

// Spans of time, and set operations on lists of them. Lists are sorted, and their spans do not touch. Pure.

/** From an instant until before another one, both in milliseconds since 1970. */
interface Span {
  readonly from: number
  readonly to: number
}

type Spans = ReadonlyArray<Span>

/** The union of spans in any order. */
const union = (spans: Spans): Spans => {
  const joined: Array<Span> = []
  for (const span of spans.filter(({ from, to }) => from < to).toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && span.from <= last.to) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    } else joined.push(span)
  }
  return joined
}

/** The intersection of both lists. */
const common = (a: Spans, b: Spans): Spans =>
  union(
    a.flatMap((one) => b.map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) })))
  )

/** The part of the span outside the list. */
export const outside = (spans: Spans, { from, to }: Span): Spans => {
  const starts = [from, ...spans.map((span) => span.to)]
  const ends = [...spans.map((span) => span.from), to]
  return common(
    starts.map((start, index) => ({ from: start, to: ends[index] ?? to })),
    [{ from, to }]
  )
}

/** The span that contains an instant. */
export const spanAt = (spans: Spans, instant: number): Span | undefined =>
  spans.find(({ from, to }) => from <= instant && instant < to)

const DAY = 86_400_000
/** Limits of the search for openings, in days: near ones first, because most are near. */
const HORIZONS = [14, 60, 400]
const LONGEST = 400
const DAY_MINUTES = 1440

/** The windows and freezes that decide about a device. */
export type JudgedDevice = Pick<AskedDevice, "hostname" | "groups" | "deviceType">

/** The answer for devices at an instant; times are milliseconds since 1970. */
export type Verdict =
  | { readonly isOpen: true; readonly until: number | null }
  | {
      readonly isOpen: false
      /** A device that may not be changed, and the number of these. */
      readonly hostname: string
      readonly closed: number
      /** The reason, as a sentence without its end. */
      readonly why: string
      /** The time at which all of the devices may be changed; null without such a time within 400 days. */
      readonly next: number | null
      /** `next` in the zone of the window or freeze that keeps the device closed. */
      readonly nextShown: string | null
    }

const isFor = ({ deviceTypes, groups }: WindowScope, device: JudgedDevice): boolean =>
  (groups === null || groups.some((group) => device.groups.includes(group))) &&
  (deviceTypes === null || deviceTypes.some((type) => type === device.deviceType))

/** The rules that apply to a device. */
const rulesFor = ({ freezes, windows }: WindowRules, device: JudgedDevice): WindowRules => ({
  windows: windows.filter((window) => isFor(window, device)),
  freezes: freezes.filter((freeze) => isFor(freeze, device))
})

const periods = ({ zone }: WindowScope, dates: ReadonlyArray<Period>): Spans =>
  dates.map(({ from, to }) => ({ from: instantOf(zone, from), to: instantOf(zone, to) }))

const recurring = ({ zone }: WindowScope, { days, from, to }: Weekly, within: Span): Spans => {
  const spans: Array<Span> = []
  for (let day = dayAt(zone, within.from) - 2; day <= dayAt(zone, within.to) + 1; day++) {
    if (!days.includes(weekdayOf(day))) continue
    const closing = { day: day + Math.floor(to / DAY_MINUTES), minute: to % DAY_MINUTES }
    spans.push({ from: instantOf(zone, { day, minute: from }), to: instantOf(zone, closing) })
  }
  return spans
}

/** The times at which a window is open, within a span. */
export const openings = (window: Window, within: Span): Spans =>
  common(
    union([...window.weekly.flatMap((weekly) => recurring(window, weekly, within)), ...periods(window, window.dates)]),
    [within]
  )

/** The times at which a freeze is in force. */
const frozen = (freeze: Freeze): Spans => union(periods(freeze, freeze.dates))

/** The times at which devices with these rules may be changed, within a span. */
const allowed = ({ freezes, windows }: WindowRules, within: Span): Spans => {
  const open = windows.length === 0 ? [within] : union(windows.flatMap((window) => openings(window, within)))
  return common(open, outside(union(freezes.flatMap(frozen)), within))
}

const keyOf = ({ freezes, windows }: WindowRules): string =>
  JSON.stringify([windows.map(({ name }) => name), freezes.map(({ name }) => name)])

/** The distinct rules of devices: thousands of devices have a few. */
const kindsOf = (rules: WindowRules, devices: ReadonlyArray<JudgedDevice>): ReadonlyArray<WindowRules> => {
  const kinds = new Map<string, WindowRules>()
  for (const device of devices) {
    const own = rulesFor(rules, device)
    if (own.windows.length + own.freezes.length > 0) kinds.set(keyOf(own), own)
  }
  return [...kinds.values()]
}

/** The first time from an instant at which all of these allow changes; null without one within 400 days. */
const firstCommon = (kinds: ReadonlyArray<WindowRules>, at: number): Span | null => {
  for (const days of HORIZONS) {
    const within = { from: at, to: at + days * DAY }
    let spans: Spans = [within]
    for (const kind of kinds) spans = common(spans, allowed(kind, within))
    const [first] = spans
    if (first !== undefined && (first.to < within.to || days === LONGEST)) return first
  }
  return null
}

/** The reason why a device is closed, and the window or freeze whose zone shows the end of that. */
const obstacle = ({ freezes, windows }: WindowRules, at: number): { why: string; by: WindowScope } | null => {
  const freeze = freezes.find((one) => spanAt(frozen(one), at) !== undefined)
  if (freeze !== undefined) {
    const until = spanAt(frozen(freeze), at)?.to ?? at
    const reason = freeze.reason === null ? "" : ` (${freeze.reason})`
    const time = `${shownAt(freeze.zone, until)} ${freeze.timezone}`
    return { why: `freeze ${freeze.name}${reason} is in force until ${time}`, by: freeze }
  }
  const [first] = windows
  const within = { from: at, to: at + 1 }
  if (first === undefined || windows.some((window) => openings(window, within).length > 0)) return null
  const names = windows.map(({ name }) => name).join(", ")
  return { why: windows.length === 1 ? `window ${names} is closed` : `windows ${names} are closed`, by: first }
}

/** Whether all of these devices may be changed at an instant (milliseconds since 1970). */
export const judgeWindows = (rules: WindowRules, devices: ReadonlyArray<JudgedDevice>, at: number): Verdict => {
  const kinds = kindsOf(rules, devices)
  if (kinds.length === 0) return { isOpen: true, until: null }
  const obstacles = new Map(kinds.map((kind) => [keyOf(kind), obstacle(kind, at)]))
  const closed = devices.flatMap((device) => {
    const found = obstacles.get(keyOf(rulesFor(rules, device)))
    return found === null || found === undefined ? [] : [{ ...found, hostname: device.hostname }]
  })
  const first = firstCommon(kinds, at)
  const [shown] = closed
  if (shown === undefined) {
    const isLong = first === null || first.to - at >= LONGEST * DAY
    return { isOpen: true, until: isLong ? null : first.to }
  }
  const { by, hostname, why } = shown
  const next = first?.from ?? null
  const nextShown = next === null ? null : `${shownAt(by.zone, next)} ${by.timezone}`
  return { isOpen: false, hostname, closed: closed.length, why, next, nextShown }
}

/** A verdict as a sentence without its end: the closed devices, and the time of the opening. */
export const closedSentence = ({ closed, hostname, nextShown, why }: Extract<Verdict, { isOpen: false }>): string => {
  const others = closed === 1 ? "" : ` (and ${closed - 1} more)`
  const when = nextShown === null ? `There is no opening within ${LONGEST} days` : `The next opening is ${nextShown}`
  return `${hostname}${others} must not be changed: ${why}. ${when}`
}

// Windows and freezes for display: their devices, whether they are open, and when that changes
// (docs/windows.md#looking-at-windows).

const names = Schema.NullOr(Schema.Array(Schema.String))
const scope = { name: Schema.String, groups: names, device_types: names, timezone: Schema.String }
/** ISO 8601 without a zone, UTC. */
const time = Schema.NullOr(Schema.String)

const spans = Schema.Array(
  Schema.Struct({ from: Schema.String, to: Schema.String }).annotate({ identifier: "WindowSpan" })
)

/** `opens_at` is the next opening, `closes_at` the end of the present one; null without one within 400 days. */
export const ShownWindow = Schema.Struct({
  ...scope,
  is_open: Schema.Boolean,
  opens_at: time,
  closes_at: time,
  /** When it is open, from a day ago until 15 days from now. */
  spans
}).annotate({ identifier: "Window" })
export type ShownWindow = typeof ShownWindow.Type

/** The present period of a freeze, or the next one. */
export const ShownFreeze = Schema.Struct({
  ...scope,
  reason: Schema.NullOr(Schema.String),
  is_in_force: Schema.Boolean,
  begins_at: time,
  ends_at: time,
  /** When it is in force, from a day ago until 15 days from now. */
  spans
}).annotate({ identifier: "Freeze" })
export type ShownFreeze = typeof ShownFreeze.Type

/** The windows' verdict on a device, or on all devices of a group. */
export const ShownVerdict = Schema.Struct({
  devices: Schema.Int,
  may_be_changed: Schema.Boolean,
  why_not: Schema.NullOr(Schema.String),
  opens_at: time,
  closes_at: time
}).annotate({ identifier: "WindowVerdict" })
export type ShownVerdict = typeof ShownVerdict.Type

/** The limit of the search for openings, in milliseconds. */
const HORIZON = 400 * 86_400_000

const shown = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : new Date(instant).toISOString().slice(0, 19)

const scopeOf = ({ deviceTypes, groups, name, timezone }: WindowScope) => ({
  name,
  groups,
  device_types: deviceTypes,
  timezone
})

/** For a calendar of two weeks, wherever its reader's midnight is. */
const calendarAt = (at: number): Span => ({ from: at - DAY, to: at + 15 * DAY })

const shownSpans = (found: Spans) =>
  found.map(({ from, to }) => ({
    from: new Date(from).toISOString().slice(0, 19),
    to: new Date(to).toISOString().slice(0, 19)
  }))

/** A window at an instant, in milliseconds since 1970. */
export const showWindow = (window: Window, at: number): ShownWindow => {
  const spans = openings(window, { from: at, to: at + HORIZON })
  const present = spanAt(spans, at)
  const next = spans.find(({ from }) => from > at)
  const closes = present === undefined || present.to === at + HORIZON ? null : present.to
  return {
    ...scopeOf(window),
    is_open: present !== undefined,
    opens_at: shown(next?.from),
    closes_at: shown(closes),
    spans: shownSpans(openings(window, calendarAt(at)))
  }
}

/** A freeze at an instant. */
export const showFreeze = (freeze: Freeze, at: number): ShownFreeze => {
  const spans = frozen(freeze)
  const present = spanAt(spans, at)
  const period = present ?? spans.find(({ from }) => from > at)
  return {
    ...scopeOf(freeze),
    reason: freeze.reason,
    is_in_force: present !== undefined,
    begins_at: shown(period?.from),
    ends_at: shown(period?.to),
    spans: shownSpans(common(spans, [calendarAt(at)]))
  }
}

/** A verdict on so many devices. */
export const showVerdict = (verdict: Verdict, devices: number): ShownVerdict =>
  verdict.isOpen
    ? { devices, may_be_changed: true, why_not: null, opens_at: null, closes_at: shown(verdict.until) }
    : {
        devices,
        may_be_changed: false,
        why_not: closedSentence(verdict),
        opens_at: shown(verdict.next),
        closes_at: null
      }
