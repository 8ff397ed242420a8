/** Reading and adding sync events (contract api-devices.md §10). */
import { Clock, Effect } from "effect"
import { BadRequest } from "../../api/Failures.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { settingError } from "../../domain/fields/SettingErrors.ts"
import { has, own } from "../../domain/fields/Values.ts"

const STRINGS = ["hostname", "cause", "by"] as const
const MAX_CAUSE = 255

const stringErrors = (body: JsonObject): ReadonlyArray<string> =>
  STRINGS.flatMap((key) => {
    if (!has(body, key)) return settingError(key, null, "Field required")
    const value = body[key]
    if (typeof value !== "string") return settingError(key, value, "Input should be a valid string")
    return value.length > MAX_CAUSE
      ? settingError(key, value, `String should have at most ${MAX_CAUSE} characters`)
      : []
  })

const NUMERIC = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** Epoch seconds in a body: a number, a numeric text, null, or absent; else undefined. */
const timestampOf = (body: JsonObject): { readonly value: number | null } | undefined => {
  const given = own(body, "timestamp") ?? null
  if (given === null) return { value: null }
  const number = typeof given === "string" && NUMERIC.test(given) ? Number(given) : given
  return typeof number === "number" && Number.isFinite(number) ? { value: number } : undefined
}

const textOf = (body: JsonObject, key: string): string => {
  const value = body[key]
  return typeof value === "string" ? value : ""
}

/** Adds an event to a known device and yields what was added. `synchronized` is not touched. */
export const makeAddSyncEvent = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  return Effect.fn("SyncHistory.add")(function* (body: JsonObject) {
    const timestamp = timestampOf(body)
    const rule = "Input should be a valid number, unable to parse string as a number"
    const wrong = timestamp === undefined ? settingError("timestamp", body["timestamp"], rule) : []
    const message = [...stringErrors(body), ...wrong]
    if (message.length > 0) return yield* new BadRequest({ message })
    const [hostname, cause, by] = [textOf(body, "hostname"), textOf(body, "cause"), textOf(body, "by")]
    yield* devices
      .getByHostname(hostname)
      .pipe(Effect.catchTag("DeviceNotFound", () => Effect.fail(new BadRequest({ message: "Device not found" }))))
    const happened = timestamp?.value ?? (yield* Clock.currentTimeMillis) / 1000
    yield* events.append([hostname], { cause, by, job_id: null }, happened)
    return { hostname, cause, timestamp: has(body, "timestamp") ? (timestamp?.value ?? null) : happened, by }
  })
})
