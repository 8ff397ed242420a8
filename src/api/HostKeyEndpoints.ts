/** Routes for the host keys and the identities of devices (docs/security.md); endpoints of the group of operations. */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import {
  ApprovalRequest,
  ApprovalsRequest,
  HostKeyRequest,
  TrustRequest
} from "../domain/requests/OperationRequests.ts"
import { BadRequest, Conflict, Enveloped, InternalError, NotFound } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { hostname, RequestBody, RequestParameters } from "./Requests.ts"

const HostKey = Schema.Struct({
  host_key: Schema.Struct({
    hostname: Schema.String,
    fingerprint: Schema.NullOr(Schema.String),
    refused_fingerprint: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "HostKey" })
})
const PINNED = "SHA256:3Gyh7Xo0Qm0bH1d2M4c6z9wJ5vJxkQw1kq0Yz8b1s3E"
const REFUSED = "SHA256:9ZbU0t4b1sYk8Vv2Jr6Fh3Lq5Xc7Nw0MdKpTgEyHaIo"

export const hostKey = HttpApiEndpoint.get("hostKey", "/device/:hostname/host_key", {
  params: hostname,
  success: Enveloped(HostKey),
  error: [BadRequest, NotFound]
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "getHostKey",
      summary: "Show the pinned host key",
      description:
        "The fingerprint of the SSH key to which the device has been pinned since it became managed, and of a key that was refused later. A device with a refused key is blocked.",
      example: {
        response: {
          status: "success",
          data: { host_key: { hostname: "lhv-a1", fingerprint: PINNED, refused_fingerprint: REFUSED } }
        }
      }
    })
  )

export const pinHostKey = HttpApiEndpoint.put("pinHostKey", "/device/:hostname/host_key", {
  params: hostname,
  payload: HostKeyRequest.schema,
  success: Enveloped(HostKey),
  error: [BadRequest, NotFound, Conflict]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "pinHostKey",
      summary: "Pin another host key",
      description:
        "`PIN` trusts the refused key, which the request must name. `FORGET` lets the next login pin any key that the device shows.",
      example: {
        request: { action: "PIN", fingerprint: REFUSED },
        response: {
          status: "success",
          data: { host_key: { hostname: "lhv-a1", fingerprint: REFUSED, refused_fingerprint: null } }
        }
      }
    })
  )

export const approveHostKey = HttpApiEndpoint.post("approveHostKey", "/device/:hostname/hostkey/approve", {
  params: hostname,
  payload: ApprovalRequest.schema,
  success: Enveloped(HostKey),
  error: [BadRequest, NotFound, Conflict]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "approveHostKey",
      summary: "Approve the host key of a device",
      description:
        "With HOST_KEY_POLICY=approve the server logs in to a device from elsewhere only after a user has approved its key. The first attempt only shows the key (`refused_fingerprint`); this call pins it. Any other key is refused with 409.",
      example: {
        request: { fingerprint: REFUSED },
        response: {
          status: "success",
          data: { host_key: { hostname: "lhv-a1", fingerprint: REFUSED, refused_fingerprint: null } }
        }
      }
    })
  )

const WaitingKey = Schema.Struct({
  hostname: Schema.String,
  state: Schema.String,
  address: Schema.NullOr(Schema.String),
  fingerprint: Schema.NullOr(Schema.String),
  refused_fingerprint: Schema.String,
  since: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WaitingHostKey" })

const ApprovedKey = Schema.Struct({
  hostname: Schema.String,
  approved: Schema.Boolean,
  /** Why it was not approved; null after an approval. */
  message: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApprovedHostKey" })

export const waitingHostKeys = HttpApiEndpoint.get("waitingHostKeys", "/device_hostkeys", {
  success: Enveloped(Schema.Struct({ host_keys: Schema.Array(WaitingKey) }))
}).annotateMerge(
  documented({
    name: "listWaitingHostKeys",
    summary: "List host keys that need an approval",
    description:
      "The keys that devices have shown and that wait for an approval: `fingerprint` is null for an unknown device, else the pinned key.",
    example: {
      response: {
        status: "success",
        data: {
          host_keys: [
            {
              hostname: "lhv-a1",
              state: "MANAGED",
              address: "10.199.3.21",
              fingerprint: null,
              refused_fingerprint: REFUSED,
              since: "2026-03-02T08:15:00"
            }
          ]
        }
      }
    }
  })
)

export const approveHostKeys = HttpApiEndpoint.post("approveHostKeys", "/device_hostkeys/approve", {
  payload: ApprovalsRequest.schema,
  success: Enveloped(
    Schema.Struct({ approved: Schema.Int, refused: Schema.Int, host_keys: Schema.Array(ApprovedKey) }).annotate({
      identifier: "HostKeyApprovals"
    })
  ),
  error: [BadRequest]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "approveHostKeys",
      summary: "Approve the host keys of several devices",
      description:
        "For the first login to a fleet from elsewhere: up to 1000 devices with the key that each has shown, after a user has compared it. Each is approved or refused separately. A pinned device has changed its key, and is refused here: approve it alone.",
      example: {
        request: { host_keys: [{ hostname: "lhv-a1", fingerprint: REFUSED }] },
        response: {
          status: "success",
          data: { approved: 1, refused: 0, host_keys: [{ hostname: "lhv-a1", approved: true, message: null }] }
        }
      }
    })
  )

const Trusted = Schema.Struct({
  trusted: Schema.Struct({
    hostname: Schema.String,
    fingerprint: Schema.String,
    serial: Schema.NullOr(Schema.String),
    model: Schema.NullOr(Schema.String),
    shown_hostname: Schema.NullOr(Schema.String)
  }).annotate({ identifier: "TrustedIdentity" })
})

export const trustDevice = HttpApiEndpoint.post("trustDevice", "/device/:hostname/trust", {
  params: hostname,
  payload: TrustRequest.schema,
  success: Enveloped(Trusted),
  error: [BadRequest, NotFound, Conflict, InternalError]
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "trustDevice",
      summary: "Accept the identity of a device",
      description:
        "For a device that is blocked by `WrongDevice`, or that was replaced by hand. Reads the facts of the switch at its address, pins its host key, and writes its serial number and model into the record. Refused with 409 while a change is open, and when the key or the serial number belongs to another record. Needs the right `trust`, which of the ready roles only `administrator` has.",
      example: {
        request: { comment: "chassis was replaced, RMA 4711" },
        response: {
          status: "success",
          data: {
            trusted: {
              hostname: "lhv-a1",
              fingerprint: REFUSED,
              serial: "JPE21370001",
              model: "CCS-720XP-24ZY4-F",
              shown_hostname: "lhv-a1"
            }
          }
        }
      }
    })
  )
