/** Handlers of configurations from elsewhere, undoing and drift. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { type JsonObject, readBody } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { makeApplyConfig, makeDrift, makeRevert } from "./ChangeRequests.ts"
import { makePreviousConfig } from "./PreviousConfig.ts"

/** Reads the body and runs `start` with it and the caller's name. */
const withBody = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  start: (body: JsonObject, user: string) => Effect.Effect<A, E, R>
) =>
  answered(
    Effect.gen(function* () {
      const { name } = yield* Caller
      return yield* start(yield* readBody(request), name)
    })
  )

/** Handlers of `ChangesGroup`. */
export const ChangesLive = HttpApiBuilder.group(Api, "changes", (handlers) =>
  Effect.gen(function* () {
    const previous = yield* makePreviousConfig
    const apply = yield* makeApplyConfig
    const revert = yield* makeRevert
    const drift = yield* makeDrift
    return handlers
      .handle("previousConfig", ({ params }) => answered(previous.read(params.hostname)))
      .handleRaw("restoreConfig", ({ params, request }) =>
        withBody(request, (body, user) => previous.restore(params.hostname, body, user))
      )
      .handleRaw("applyConfig", ({ params, request }) =>
        withBody(request, (body, user) => apply(params.hostname, body, user))
      )
      .handleRaw("revertJob", ({ params, request }) => withBody(request, (body, user) => revert(params.id, body, user)))
      .handleRaw("drift", ({ request }) => withBody(request, drift))
  })
)
