/** Handlers of work on devices beside their configuration. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makeBouncing } from "./Bouncing.ts"
import { makeAuthority, makeCertificates, makeRenewal } from "./CertificateRequests.ts"
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
    const certificates = yield* makeCertificates
    return handlers
      .handle("runningConfig", ({ params, query }) => answered(reads.runningConfig(params.hostname, query.interface)))
      .handle("neighbours", ({ params }) => answered(reads.neighbours(params.hostname)))
      .handle("neighbourDetails", ({ params }) => answered(reads.neighbourDetails(params.hostname)))
      .handle("interfaceStatus", ({ params }) => answered(reads.interfaceStatus(params.hostname)))
      .handle("optics", ({ params }) => answered(reads.optics(params.hostname)))
      .handle("bounce", ({ params, payload }) => answered(bounce(params.hostname, payload.bounce_interfaces)))
      .handle("updateFacts", ({ payload }) => asCaller((user) => updates.facts(payload.hostname, user)))
      .handle("updateInterfaces", ({ payload }) => asCaller((user) => updates.interfaces(payload, user)))
      .handle("hostKey", ({ params }) => answered(hostKeys.get(params.hostname)))
      .handle("pinHostKey", ({ params, payload }) => asCaller((user) => hostKeys.put(params.hostname, payload, user)))
      .handle("approveHostKey", ({ params, payload }) =>
        asCaller((user) => hostKeys.approve(params.hostname, payload.fingerprint, user))
      )
      .handle("waitingHostKeys", () => answered(hostKeys.waiting))
      .handle("approveHostKeys", ({ payload }) => asCaller((user) => hostKeys.approveAll(payload.host_keys, user)))
      .handle("trustDevice", ({ params, payload }) =>
        asCaller((user) => hostKeys.accept(params.hostname, payload, user))
      )
      .handle("renewCertificates", ({ payload }) => asCaller((user) => renew(payload, user)))
      .handle("authority", () => answered(authority.show))
      .handle("certificates", ({ query }) => answered(certificates.list(query.hostname)))
      .handle("revokeCertificate", ({ params, payload }) =>
        asCaller((user) => certificates.revoke(params.serial, payload.reason, user))
      )
      .handle("createAuthority", ({ payload }) => asCaller((user) => authority.create(payload.common_name, user)))
  })
)
