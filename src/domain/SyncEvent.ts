/** Why a device became unsynchronized (docs/api.md#sync-history). */
import { Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, required, type Rule } from "./fields/Field.ts"
import { orNull } from "./fields/Rules.ts"
import { settingError } from "./fields/SettingErrors.ts"

/** One event; `timestamp` is epoch seconds (UTC) with a fraction. */
export const SyncEvent = Schema.Struct({
  cause: Schema.String,
  timestamp: Schema.Finite,
  /** Who noted it, as clients know it. */
  by: Schema.String,
  /** Who noticed it: the same as `by`. */
  found_by: Schema.String,
  /** Who made the change that it is about; null when nobody knows. */
  made_by: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int)
})
export type SyncEvent = typeof SyncEvent.Type

const MAX_TEXT = 255

const text: Rule<string> = (sent) => {
  if (typeof sent !== "string") return Result.fail("Input should be a valid string")
  return sent.length > MAX_TEXT
    ? Result.fail(`String should have at most ${MAX_TEXT} characters`)
    : Result.succeed(sent)
}

const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

const number: Rule<number> = (sent) => {
  const value = typeof sent === "string" && NUMERIC.test(sent) ? Number(sent) : sent
  return typeof value === "number" && Number.isFinite(value)
    ? Result.succeed(value)
    : Result.fail("Input should be a valid number, unable to parse string as a number")
}

const given = required(Schema.String, () => "Field required", text)

/** The body of POST /device_synchistory; `timestamp` in epoch seconds (docs/api.md#sync-history). */
export const NewSyncEvent = Body.make(
  { hostname: given, cause: given, by: given, timestamp: optional(Schema.NullOr(Schema.Finite), orNull(number)) },
  { sentencesOf: settingError }
)
