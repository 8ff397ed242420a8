/** Handlers of configurations from elsewhere, undoing and drift. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { asCaller } from "../core/AsCaller.ts"
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
      .handle("restoreConfig", ({ params, payload }) =>
        asCaller((user) => previous.restore(params.hostname, payload, user))
      )
      .handle("applyConfig", ({ params, payload }) => asCaller((user) => apply(params.hostname, payload, user)))
      .handle("revertJob", ({ params, payload }) => asCaller((user) => revert(params.id, payload, user)))
      .handle("drift", ({ payload }) => asCaller((user) => drift(payload, user)))
  })
)
