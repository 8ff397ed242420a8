/**
 * The checks of jobs that no commit timer takes back (docs/checks.md#other-jobs): a firmware upgrade and the last step of an
 * initialisation. A check that fails, or cannot be read until its time is over, is the job's own failure. There is no difference of
 * configurations, so a check for certain lines of one is left out.
 */
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import {
  type CheckedRow,
  type CheckOfChange,
  type CheckResult,
  decisive,
  endAt,
  resultEnd,
  resultSentence,
  untilReading,
  withResults
} from "../../machines/change/ChangeChecks.ts"
import { type Check, checkOf, comparesBefore } from "../domain/checks/Check.ts"
import type { KeptChecks } from "../domain/checks/KeptChecks.ts"
import type { Device } from "../domain/Device.ts"
import { checkEnded } from "../runtime/metrics/Metrics.ts"
import { checksInForce } from "../templates/DeviceChecks.ts"
import * as ChangeChecks from "./ChangeChecks.ts"
import * as CheckReadings from "./CheckReadings.ts"

/** The longest time between two looks at an abort, in milliseconds. */
const POLL = 1_000

const contextOf = Effect.fnUntraced(function* ({ hostname, id }: Device) {
  const { ask, askOutside, neighbours, portsOf } = yield* CheckReadings.make
  return { deviceId: id, hostname, connection: null, neighbours: neighbours(id), portsOf, ask, askOutside }
})

const rowOf = ({ checking, list, since }: KeptChecks): CheckedRow => ({
  timerSeconds: null,
  committedAt: since ?? null,
  checks: list,
  checking
})

/** The checks of a device that need no difference of configurations. */
const checksOf = Effect.fnUntraced(function* (device: Device) {
  const inForce = yield* checksInForce(device)
  const names = new Set(ChangeChecks.namesFor(inForce, ""))
  return inForce.filter(({ name }) => names.has(name))
})

const namesOf = (list: ReadonlyArray<CheckOfChange>): ReadonlyArray<string> => list.map(({ name }) => name)

const definedBy = (check: CheckOfChange, test: (definition: Check) => boolean): boolean =>
  Option.match(checkOf(check), { onNone: () => true, onSome: test })

/** A message stays in the log, and a counter does not shrink: another reading does not help. */
const canRecover = ({ condition, question }: Check): boolean =>
  question.reads !== "log" && condition.must !== "grows_at_most"

/** What was read before the work: `checks` is null for a device without checks. Or why the work must not begin. */
export type Before =
  | { readonly _tag: "Read"; readonly checks: KeptChecks | null }
  | { readonly _tag: "Refused"; readonly why: string }

/** Reads the state before the work. Checks that can hold later are tried for at least so many seconds after it. */
export const readBefore = Effect.fn("JobChecks.before")(function* (device: Device, seconds: number) {
  const list = (yield* checksOf(device)).map((check) =>
    definedBy(check, canRecover) ? { ...check, within: Math.max(check.within, seconds) } : check
  )
  if (list.length === 0) return { _tag: "Read", checks: null } satisfies Before
  const read = yield* ChangeChecks.readBefore(
    yield* contextOf(device),
    rowOf({ list, checking: { names: namesOf(list) } })
  )
  if (read.type === "LOST")
    return { _tag: "Refused", why: `its state could not be read: ${(read.failure ?? "").trim()}` } satisfies Before
  const { checking, isRefused } = read
  if (!isRefused) return { _tag: "Read", checks: { list, checking } } satisfies Before
  const found = decisive(checking)
  return { _tag: "Refused", why: found === undefined ? "a check failed" : resultSentence(found) } satisfies Before
})

/**
 * The checks that need no earlier reading of the device. Its neighbours are left out: without an earlier reading, a bad state of theirs
 * says nothing about the work.
 */
export const withoutBefore = Effect.fn("JobChecks.withoutBefore")(function* (device: Device) {
  const list = (yield* checksOf(device)).filter((check) =>
    definedBy(check, ({ condition, question }) => question.reads === "log" || !comparesBefore(condition))
  )
  const names = namesOf(list)
  const checks: KeptChecks = { list, checking: { names, before: ChangeChecks.nothingBefore(device.id, names) } }
  return list.length === 0 ? null : checks
})

/** The end of the checks. `failure` is an error name with the check that failed or could not be read; null if all hold. */
export type After =
  | {
      readonly _tag: "Ended"
      readonly failure: { readonly type: "CheckFailed" | "CheckUnread"; readonly message: string } | null
      readonly results: ReadonlyArray<CheckResult>
    }
  | { readonly _tag: "Aborted" }

const endOf = ({ checking }: KeptChecks, isHeld: boolean): After => {
  const results = checking.results ?? []
  for (const result of results) checkEnded(result.name, resultEnd(result), result.seconds)
  if (isHeld) return { _tag: "Ended", failure: null, results }
  const found = decisive(checking)
  const which = found === undefined ? "" : `: ${resultSentence(found)}`
  return found?.held === false
    ? { _tag: "Ended", failure: { type: "CheckFailed", message: `A check failed${which}` }, results }
    : { _tag: "Ended", failure: { type: "CheckUnread", message: `A check could not be read${which}` }, results }
}

/** Sleeps until then; true if the job is aborted. */
const pausedUntil = Effect.fnUntraced(function* (until: number, aborting: Effect.Effect<boolean>) {
  for (;;) {
    if (yield* aborting) return true
    const rest = until - (yield* Clock.currentTimeMillis)
    if (rest <= 0) return false
    yield* Effect.sleep(Math.min(rest, POLL))
  }
})

/** Reads the state after the work, until all checks hold or the time of one is over. `save` keeps what is known for a restart. */
export const readAfter = Effect.fn("JobChecks.after")(function* (
  device: Device,
  stored: KeptChecks,
  aborting: Effect.Effect<boolean>,
  save: (checks: KeptChecks) => Effect.Effect<void, SqlError.SqlError> = () => Effect.void
) {
  const context = yield* contextOf(device)
  const since = stored.since ?? (yield* Clock.currentTimeMillis)
  let checks: KeptChecks = { ...stored, since }
  if (stored.since === undefined) yield* save(checks)
  for (;;) {
    const now = yield* Clock.currentTimeMillis
    const end = endAt(rowOf(checks), since, now)
    if (end !== null) return endOf(checks, end === "held")
    const next = now + untilReading(rowOf(checks), since, now)
    if (yield* pausedUntil(next, aborting)) return { _tag: "Aborted" } satisfies After
    const { results } = yield* ChangeChecks.readAfter(context, rowOf(checks), since)
    const { checking } = checks
    checks = { ...checks, checking: { ...checking, results: withResults(checking.results ?? [], results) } }
    yield* save(checks)
  }
})
