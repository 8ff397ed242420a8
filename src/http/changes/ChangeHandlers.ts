/** Handlers of configurations from elsewhere, undoing and drift. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { withBody } from "../core/BodyRequest.ts"
import { answered } from "../core/Unavailable.ts"
import { makeApplyConfig, makeDrift, makeRevert } from "./ChangeRequests.ts"
import { makePreviousConfig } from "./PreviousConfig.ts"

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
