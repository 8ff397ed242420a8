/** Handlers of discovery, initialisation, synchronization and previews. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makeDiscovery, makeInitCheck, makeInitialisation } from "./Initialisation.ts"
import { makePreview } from "./PreviewRequest.ts"
import { makeSynchronization } from "./Synchronization.ts"

/** Handlers of `ProvisioningGroup`. */
export const ProvisioningLive = HttpApiBuilder.group(Api, "provisioning", (handlers) =>
  Effect.gen(function* () {
    const discover = yield* makeDiscovery
    const initialise = yield* makeInitialisation
    const check = yield* makeInitCheck
    const synchronize = yield* makeSynchronization
    const preview = yield* makePreview
    return handlers
      .handle("discover", ({ payload }) => asCaller((user) => discover(payload, user)))
      .handle("discoverAlias", ({ payload }) => asCaller((user) => discover(payload, user)))
      .handle("init", ({ params, payload }) => asCaller((user) => initialise(params.id, payload, user)))
      .handle("initCheck", ({ params, payload }) => answered(check(params.id, payload)))
      .handle("syncto", ({ payload }) => asCaller((user) => synchronize(payload, user)))
      .handle("synctoHostname", ({ params, payload }) =>
        asCaller((user) => synchronize({ ...payload, hostname: params.hostname }, user))
      )
      .handle("generateConfig", ({ params, request }) =>
        answered(preview(params.hostname, request.headers["x-fields"]))
      )
  })
)
