/** Requests that wait for another person because they would undermine approvals (docs/security.md#four-eyes). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { DecisionRequest } from "../domain/requests/ActionRequests.ts"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest, Conflict, Forbidden, NotFound } from "./Failures.ts"
import { RequestBody } from "./Requests.ts"

const RequestApproval = Schema.Struct({
  id: Schema.Int,
  operation: Schema.String,
  method: Schema.String,
  path: Schema.String,
  /** The body, with secrets masked. */
  body: Schema.NullOr(Schema.Unknown),
  asked_by: Schema.String,
  asked_at: Schema.String,
  expires_at: Schema.String,
  /** `approved`, `rejected`, `expired`; null while it waits. */
  decision: Schema.NullOr(Schema.String),
  decided_by: Schema.NullOr(Schema.String),
  decided_at: Schema.NullOr(Schema.String),
  comment: Schema.NullOr(Schema.String),
  /** How the request was answered when it was carried out. */
  answer: Schema.NullOr(Schema.Struct({ status: Schema.Int, message: Schema.NullOr(Schema.Unknown) }))
})

const waiting = {
  id: 4,
  operation: "the SSH host key of a device",
  method: "POST",
  path: "/device/lhv-acc1/hostkey/approve",
  body: { fingerprint: "SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c" },
  asked_by: "maria",
  asked_at: "2026-11-22T13:59:05Z",
  expires_at: "2026-11-23T13:59:05Z",
  decision: null,
  decided_by: null,
  decided_at: null,
  comment: null,
  answer: null
}
const decided = { decided_by: "kim", decided_at: "2026-11-22T14:10:00Z", comment: "as agreed in CHG-7" }

export const listApprovals = HttpApiEndpoint.get("approvals", "/approvals", {
  success: Enveloped(Schema.Struct({ approvals: Schema.Array(RequestApproval) }))
}).annotateMerge(
  documented({
    summary: "List requests that wait for another person",
    description:
      "With `approval: {security: true}` in permissions.yml: yours, and those that you could have made yourself; the newest first, with those that were decided, at most 200.",
    example: { response: { status: "success", data: { approvals: [waiting] } } }
  })
)

const decision = (
  name: "approveRequest" | "rejectRequest",
  verb: "approve" | "reject",
  [summary, description]: readonly [summary: string, description: string],
  after: Readonly<Record<string, unknown>>
) =>
  HttpApiEndpoint.post(name, `/approvals/:id(^\\d+$)/${verb}`, {
    params: { id: Schema.String },
    payload: DecisionRequest.schema,
    success: Enveloped(Schema.Struct({ approval: RequestApproval })),
    error: [BadRequest, Forbidden, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        summary,
        description,
        example: {
          request: { comment: decided.comment },
          response: { status: "success", data: { approval: { ...waiting, ...decided, ...after } } }
        }
      })
    )

export const approveRequest = decision(
  "approveRequest",
  "approve",
  [
    "Approve a request",
    "Carries it out exactly as it was asked, in the name of who asked, with all checks made again. It takes another person, who could make the request themselves. 409 when it cannot be carried out any more."
  ],
  { decision: "approved", answer: { status: 200, message: null } }
)

export const rejectRequest = decision(
  "rejectRequest",
  "reject",
  ["Reject a request", "Nothing is done. Who has asked may take a request back in the same way."],
  { decision: "rejected" }
)
