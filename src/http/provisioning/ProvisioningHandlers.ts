/** Handlers of discovery, initialisation, synchronization and previews. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { withBody } from "../core/BodyRequest.ts"
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
      .handleRaw("discover", ({ request }) => withBody(request, discover))
      .handleRaw("discoverAlias", ({ request }) => withBody(request, discover))
      .handleRaw("init", ({ params, request }) => withBody(request, (body, user) => initialise(params.id, body, user)))
      .handleRaw("initCheck", ({ params, request }) => withBody(request, (body) => check(params.id, body)))
      .handleRaw("syncto", ({ request }) => withBody(request, synchronize))
      .handleRaw("synctoHostname", ({ params, request }) =>
        withBody(request, (body, user) => synchronize({ ...body, hostname: params.hostname }, user))
      )
      .handle("generateConfig", ({ params, request }) =>
        answered(preview(params.hostname, request.headers["x-fields"]))
      )
  })
)
