/** When a job of a request begins: `start_at`, decoded to milliseconds since 1970. */
import { Clock, Effect } from "effect"
import { BadRequest } from "../../api/Answers.ts"

/** The options of a start at this time; none without a time. Fails with BadRequest for one that has passed. */
export const delayUntil = Effect.fnUntraced(function* (start: number | undefined) {
  if (start === undefined) return {}
  const now = yield* Clock.currentTimeMillis
  if (start <= now) return yield* new BadRequest({ message: "start_at must be in the future" })
  return { delaySeconds: Math.ceil((start - now) / 1000), serviceClass: "schedule" as const }
})
