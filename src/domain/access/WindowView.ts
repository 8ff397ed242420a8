/** Windows and freezes as they are shown: with what they are for, whether they are open, and when that changes (docs/windows.md#looking-at-windows). */
import { Schema } from "effect"
import { spanAt } from "./Spans.ts"
import type { Freeze, Window, WindowScope } from "./WindowFile.ts"
import { closedSentence, frozen, openings, type Verdict } from "./Windows.ts"

const names = Schema.NullOr(Schema.Array(Schema.String))
const scope = { name: Schema.String, groups: names, device_types: names, timezone: Schema.String }
/** ISO 8601 without a zone, UTC. */
const time = Schema.NullOr(Schema.String)

/** `opens_at` is the next opening, `closes_at` the end of the present one; null when there is none within 400 days. */
export const ShownWindow = Schema.Struct({ ...scope, is_open: Schema.Boolean, opens_at: time, closes_at: time })
export type ShownWindow = typeof ShownWindow.Type

/** The present period of a freeze, or the next one. */
export const ShownFreeze = Schema.Struct({
  ...scope,
  reason: Schema.NullOr(Schema.String),
  is_in_force: Schema.Boolean,
  begins_at: time,
  ends_at: time
})
export type ShownFreeze = typeof ShownFreeze.Type

/** What the windows say of a device, or of all devices of a group. */
export const ShownVerdict = Schema.Struct({
  devices: Schema.Int,
  may_be_changed: Schema.Boolean,
  why_not: Schema.NullOr(Schema.String),
  opens_at: time,
  closes_at: time
})
export type ShownVerdict = typeof ShownVerdict.Type

/** How far openings are looked for, in milliseconds. */
const HORIZON = 400 * 86_400_000

const shown = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : new Date(instant).toISOString().slice(0, 19)

const scopeOf = ({ deviceTypes, groups, name, timezone }: WindowScope) => ({
  name,
  groups,
  device_types: deviceTypes,
  timezone
})

/** A window at an instant, in milliseconds since 1970. */
export const showWindow = (window: Window, at: number): ShownWindow => {
  const spans = openings(window, { from: at, to: at + HORIZON })
  const present = spanAt(spans, at)
  const next = spans.find(({ from }) => from > at)
  const closes = present === undefined || present.to === at + HORIZON ? null : present.to
  return { ...scopeOf(window), is_open: present !== undefined, opens_at: shown(next?.from), closes_at: shown(closes) }
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
    ends_at: shown(period?.to)
  }
}

/** A verdict over so many devices. */
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
