/** What a request for events asks for, as far as the request alone says it (docs/events.md#pages). Pure. */
import { Result } from "effect"
import { eventKinds } from "../../domain/events/Event.ts"

/** Names and numbers as they were sent. */
export interface EventRequest {
  /** Null for all that are kept. */
  readonly kinds: ReadonlySet<string> | null
  /** Hostnames or ids. */
  readonly devices: ReadonlyArray<string>
  readonly groups: ReadonlyArray<string>
  readonly job: number | null
  /** The number after which events are wanted; null when nothing is said of it. */
  readonly since: number | null
  readonly limit: number
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
const MAX_DEVICES = 1000
const MAX_JOB = 2 ** 31 - 1

type Parameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A parameter may be repeated, and each may be a list with commas. A name counts once, however often it is written. */
const listOf = (sent: Parameters[string]): ReadonlyArray<string> => [
  ...new Set(
    [sent ?? []]
      .flat()
      .flatMap((text) => text.split(","))
      .map((text) => text.trim())
      .filter((text) => text !== "")
  )
]

const lastOf = (sent: Parameters[string]): string | undefined => [sent ?? []].flat().at(-1)

const kindsIn = (sent: Parameters[string]): Result.Result<EventRequest["kinds"], string> => {
  const kinds = listOf(sent)
  const unknown = kinds.find((kind) => !eventKinds.has(kind))
  if (unknown !== undefined)
    return Result.fail(`kind: there are no events of kind ${unknown}; there are ${[...eventKinds].join(", ")}`)
  return Result.succeed(kinds.length === 0 ? null : new Set(kinds))
}

const numberIn = (
  field: string,
  sent: string | undefined,
  { max, min }: { readonly min: number; readonly max: number }
): Result.Result<number | null, string> => {
  if (sent === undefined || sent === "") return Result.succeed(null)
  const number = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  return number >= min && number <= max
    ? Result.succeed(number)
    : Result.fail(`${field}: must be a whole number from ${min} to ${max}`)
}

/**
 * Reads the parameters of a request, and the number that its header `Last-Event-ID` names, which counts before `since`. The failure is the
 * sentence for the client, which begins with the name of the field.
 */
export const readEventRequest = (
  parameters: Parameters,
  lastEventId: string | undefined
): Result.Result<EventRequest, string> =>
  Result.gen(function* () {
    const numbers = { min: 0, max: Number.MAX_SAFE_INTEGER }
    const resumed = yield* numberIn("Last-Event-ID", lastEventId, numbers)
    const since = yield* numberIn("since", lastOf(parameters["since"]), numbers)
    const devices = listOf(parameters["device"])
    if (devices.length > MAX_DEVICES) return yield* Result.fail(`device: at most ${MAX_DEVICES} can be named`)
    return {
      kinds: yield* kindsIn(parameters["kind"]),
      devices,
      groups: listOf(parameters["group"]),
      job: yield* numberIn("job", lastOf(parameters["job"]), { min: 1, max: MAX_JOB }),
      since: resumed ?? since,
      limit: (yield* numberIn("limit", lastOf(parameters["limit"]), { min: 1, max: MAX_LIMIT })) ?? DEFAULT_LIMIT
    }
  })
