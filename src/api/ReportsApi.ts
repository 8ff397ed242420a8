/** Reports of changes for auditors (docs/reviewing.md#reports). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SIGNED } from "../domain/CommitSignature.ts"
import { ChangeReport } from "../domain/jobs/ChangeReport.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { BadRequest, Enveloped, NotFound } from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { Authorization, RequestParameters } from "./Requests.ts"

const Format = Schema.Literals(["json", "html"])
const isFormat = Schema.is(Format)

const format = Schema.optionalKey(
  Parameter.parameter(
    Format,
    (sent) => (isFormat(sent) ? Result.succeed(sent) : Result.fail("format must be json or html")),
    shown("`json` when absent, or one page to keep", "html")
  )
)

const SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const digest = Parameter.parameter(
  Schema.String,
  (sent) =>
    /^[0-9a-fA-F]{64}$/.test(sent)
      ? Result.succeed(sent.toLowerCase())
      : Result.fail("sha256 must have 64 hexadecimal digits"),
  shown("the digest of the kept file", SHA256)
)

const report: ChangeReport = {
  change: 101,
  url: "https://switchyard.example.org/ui/change/101",
  title: "new VLAN for students",
  ticket_ref: "NET-412",
  state: "done",
  proposals: [],
  jobs: [
    {
      id: 102,
      part: "rollout",
      function_name: "sync_devices",
      status: "FINISHED",
      outcome: "success",
      by: "anna",
      comment: "new VLAN for students",
      ticket_ref: "NET-412",
      requested_at: "2026-04-07T12:02:00",
      began_at: "2026-04-07T12:02:01",
      ended_at: "2026-04-07T12:03:05",
      settings_commit: "8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f",
      templates_commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
      settings_signature: SIGNED,
      templates_signature: SIGNED,
      change_score: 3,
      aborted_by: null,
      abort_reason: null,
      emergency: null,
      waited_for_window: false,
      canary: null,
      batch_size: null
    }
  ],
  approvals: [],
  approved_by: [],
  groups: [],
  devices: [
    {
      job_id: 102,
      hostname: "lhv-a1",
      phase: "confirmed",
      reason: null,
      failed: false,
      changed: true,
      proof: "loaded-again",
      began_at: "2026-04-07T12:02:03",
      ended_at: "2026-04-07T12:02:41",
      why: null
    }
  ],
  checks: [],
  events: [],
  left_out: []
}

const Verified = Schema.Struct({
  /** The change that the report is about. */
  change: Schema.Int,
  format: Schema.String,
  /** The entry of the audit that has its digest, who took it, and when (UTC). */
  event_id: Schema.Int,
  by: Schema.String,
  at: Schema.String,
  /** Whether the entry has a seal already; it gets one within seconds. */
  sealed: Schema.Boolean,
  /** Why the chain of the audit is broken; null if it is whole. */
  problem: Schema.NullOr(Schema.String)
}).annotate({ identifier: "VerifiedReport" })

const endpoints = HttpApiGroup.make("reports").add(
  HttpApiEndpoint.get("report", "/changes/:id(^\\d+$)/report", {
    params: { id: Parameter.id },
    query: { format },
    success: Enveloped(Schema.Struct({ report: ChangeReport })),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getChangeReport",
        summary: "Read the report of a change",
        description:
          "Everything about a change as one record to keep: proposals and their approvals at the forge, preview, approvals, windows, rollouts with their stages, differences, what proves the result on each switch, checks, undo, and the audit of its jobs. The id is that of the preview; that of a rollout leads to it. With `format=html` it is one page without scripts. An entry of the audit holds the SHA-256 of the answer, and `X-Report-SHA256` too, so that a kept file can be verified. Secrets are masked.",
        example: { response: { status: "success", data: { report } } }
      })
    ),
  HttpApiEndpoint.get("verify", "/changes/reports/:sha256", {
    params: { sha256: digest },
    success: Enveloped(Schema.Struct({ verified_report: Verified })),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "verifyChangeReport",
        summary: "Verify a kept report",
        description:
          "Finds the entry of the audit about the report with this SHA-256, and walks the chain of the audit. 404: no such report was given, or the file was altered.",
        example: {
          response: {
            status: "success",
            data: {
              verified_report: {
                change: 101,
                format: "html",
                event_id: 48_211,
                by: "maria",
                at: "2026-04-08T08:00:12",
                sealed: true,
                problem: null
              }
            }
          }
        }
      })
    )
)

/** Endpoints of reports, all with a token. */
export class ReportsGroup extends endpoints.middleware(Authorization) {}
