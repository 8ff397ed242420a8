/** Handlers of work on devices beside their configuration. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { withBody } from "../core/BodyRequest.ts"
import { answered } from "../core/Unavailable.ts"
import { makeBouncing } from "./Bouncing.ts"
import { makeAuthority, makeRenewal } from "./CertificateRequests.ts"
import { makeDeviceReads } from "./DeviceReads.ts"
import { makeHostKeys } from "./HostKeys.ts"
import { makeUpdates } from "./Updates.ts"

/** Handlers of `OperationsGroup`. */
export const OperationsLive = HttpApiBuilder.group(Api, "operations", (handlers) =>
  Effect.gen(function* () {
    const reads = yield* makeDeviceReads
    const bounce = yield* makeBouncing
    const updates = yield* makeUpdates
    const hostKeys = yield* makeHostKeys
    const renew = yield* makeRenewal
    const authority = yield* makeAuthority
    return handlers
      .handle("runningConfig", ({ params }) => answered(reads.runningConfig(params.hostname)))
      .handle("neighbours", ({ params }) => answered(reads.neighbours(params.hostname)))
      .handle("neighbourDetails", ({ params }) => answered(reads.neighbourDetails(params.hostname)))
      .handle("interfaceStatus", ({ params }) => answered(reads.interfaceStatus(params.hostname)))
      .handleRaw("bounce", ({ params, request }) => withBody(request, (body) => bounce(params.hostname, body)))
      .handleRaw("updateFacts", ({ request }) => withBody(request, updates.facts))
      .handleRaw("updateInterfaces", ({ request }) => withBody(request, updates.interfaces))
      .handle("hostKey", ({ params }) => answered(hostKeys.get(params.hostname)))
      .handleRaw("pinHostKey", ({ params, request }) =>
        withBody(request, (body, user) => hostKeys.put(params.hostname, body, user))
      )
      .handleRaw("renewCertificates", ({ request }) => withBody(request, renew))
      .handle("authority", () => answered(authority.show))
      .handleRaw("createAuthority", ({ request }) => withBody(request, authority.create))
  })
)
