/**
 * What checks say of a device now (docs/checks.md#trying-a-check), from readings that are no part of a change: a condition that stands for
 * itself holds or fails, one that compares says what it would compare with. Pure.
 */
import { Result, Schema } from "effect"
import { type Check, comparesBefore } from "./Check.ts"
import { judge, type ReadItems, sampleOf } from "./Conditions.ts"
import { conditionSentence } from "./CheckSentences.ts"
import type { StateProblem } from "./Readings.ts"

/** What a check says without a change; `compares`: only a change decides, `unread`: the device could not be read. */
export const tryEnds = ["holds", "fails", "compares", "unread"] as const
export type TryEnd = (typeof tryEnds)[number]

export const TriedCheck = Schema.Struct({
  name: Schema.String,
  /** The neighbour that was read; absent for the device itself. */
  on: Schema.optionalKey(Schema.String),
  /** What it reads and what must hold. */
  sentence: Schema.String,
  end: Schema.Literals(tryEnds),
  /** What is there now; null if it could not be read. */
  now: Schema.NullOr(Schema.String),
  /** Why it holds, fails, is not decided or could not be read. */
  why: Schema.String
}).annotate({ identifier: "TriedCheck" })
export type TriedCheck = typeof TriedCheck.Type

const COMPARES = "only a change decides, because it compares with what was before"
const OF_LOG = "only a change decides, because the log is read from the commit on"

const entry = (check: Check, end: TryEnd, now: string | null, why: string): TriedCheck => ({
  name: check.name,
  sentence: conditionSentence(check),
  end,
  now,
  why
})

/** A check of the log, which has nothing to read without a commit. */
export const withoutCommit = (check: Check): TriedCheck => entry(check, "compares", null, OF_LOG)

/** What a check says of a reading, or of the problem why there is none. `ports` are those of its role, null without a role. */
export const tried = (
  check: Check,
  answer: Result.Result<ReadItems, StateProblem>,
  ports: ReadonlySet<string> | null
): TriedCheck => {
  const sample = Result.flatMap(answer, (reading) =>
    Result.mapError(sampleOf(check, reading, ports), (message) => ({ type: "UnexpectedAnswer", message }))
  )
  if (Result.isFailure(sample)) {
    const { message, type } = sample.failure
    return entry(check, "unread", null, `could not be read: ${type}: ${message.trim()}`)
  }
  if (comparesBefore(check.condition)) {
    return entry(check, "compares", judge(check, sample.success, sample.success).before, COMPARES)
  }
  const judged = judge(check, null, sample.success)
  const end = judged.held === null ? "unread" : judged.held ? "holds" : "fails"
  return entry(check, end, judged.now, judged.sentence)
}
