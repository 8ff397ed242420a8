/** What most writing routes begin with: who asks, and the body of the request. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Caller } from "../../api/Authorization.ts"
import { type JsonObject, readBody } from "./JsonBody.ts"
import { answered } from "./Unavailable.ts"

/**
 * Reads the body and runs `start` with it and the caller's name. Fails as `readBody` and `start` do, and with 503 when the
 * database is away.
 */
export const withBody = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  start: (body: JsonObject, user: string) => Effect.Effect<A, E, R>
) =>
  answered(
    Effect.gen(function* () {
      const { name } = yield* Caller
      return yield* start(yield* readBody(request), name)
    })
  )
