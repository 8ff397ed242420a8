/** Handlers of configurations from elsewhere, undoing and drift. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makeApplyConfig, makeDrift, makeRevert } from "./ChangeRequests.ts"
import { makePreviousConfig } from "./PreviousConfig.ts"
import { makeStoredConfigs } from "./StoredConfigs.ts"

/** Handlers of `ChangesGroup`. */
export const ChangesLive = HttpApiBuilder.group(Api, "changes", (handlers) =>
  Effect.gen(function* () {
    const previous = yield* makePreviousConfig
    const stored = yield* makeStoredConfigs
    const apply = yield* makeApplyConfig
    const revert = yield* makeRevert
    const drift = yield* makeDrift
    return handlers
      .handle("previousConfig", ({ params }) => answered(previous.read(params.hostname)))
      .handle("restoreConfig", ({ params, payload }) =>
        asCaller((user) => previous.restore(params.hostname, payload, user))
      )
      .handle("listConfigs", ({ params }) => answered(stored.list(params.hostname)))
      .handle("configDiff", ({ params, query }) => answered(stored.compare(params.hostname, query)))
      .handle("configBlame", ({ params }) => answered(stored.origins(params.hostname)))
      .handle("applyConfig", ({ params, payload }) => asCaller((user) => apply(params.hostname, payload, user)))
      .handle("revertJob", ({ params, payload }) => asCaller((user) => revert(params.id, payload, user)))
      .handle("drift", ({ payload }) => asCaller((user) => drift(payload, user)))
  })
)
