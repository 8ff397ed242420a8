/** Jobs and the locks between them (docs/jobs.md and docs/api.md#locks). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Job, JobLock } from "../domain/Job.ts"
import { JobProgress } from "../domain/JobFailures.ts"
import {
  ClearLockRequest,
  DecisionRequest,
  JobActionRequest,
  ViewedRequest
} from "../domain/requests/OperationRequests.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"
import { jobFields } from "../domain/ListFields.ts"
import * as Documented from "./Documented.ts"
import { documented, limited, listQuery, type QueryParameter, shown, shownAs } from "./Documented.ts"
import { BadRequest, Conflict, Enveloped, NotFound, Page } from "./Answers.ts"
import * as Parameter from "../domain/fields/Parameter.ts"
import { JobChecks } from "../domain/checks/JobChecks.ts"
import { JobResult } from "../domain/jobs/JobResults.ts"
import { JobDiffs } from "../domain/DiffGroups.ts"
import { JobApproval, JobScope } from "../domain/JobScope.ts"

/** A job with its result as the document describes it; any stored result passes. */
const JobRecord = Schema.Struct({
  ...Job.fields,
  result: shownAs(Schema.Unknown, Schema.NullOr(JobResult))
}).annotate({ identifier: "Job" })

const Jobs = Schema.Struct({ jobs: Schema.Array(JobRecord) })
const one = { status: "success", data: { jobs: [Documented.job] } }
const aborted = { ...Documented.job, status: "ABORTED", result: { message: "wrong image (aborted by admin)" } }
const lock = { job_id: 812, name: "devices", start_time: "2026-03-02 09:12:07.788892", abort: false }

const progressExample = {
  devices: [
    {
      hostname: "lhv-a1",
      phase: "proved",
      reason: null,
      failed: null,
      changed: false,
      score: null,
      timer_until: "2026-03-02T09:16:27.512",
      silent_since: null,
      certain_until: null,
      stage: 1,
      not_begun: false,
      step: null,
      why: null,
      said: null
    }
  ],
  unpausable: null,
  failures: [
    {
      class: "CommandTimeout",
      step: "push_sync_device",
      sentence: "2 switches did not answer SSH within 30 s: all on lhv-e-dist1",
      did: "Nothing was changed on them.",
      advice: "It may be busy, or the line to it full. Retry later.",
      count: 2,
      devices: ["lhv-a2", "lhv-a10"],
      uplinks: ["lhv-e-dist1"],
      said: 'CommandTimeout: no answer to "login" in 30 s'
    }
  ],
  totals: { devices: 9, done: 6, failed: 2, working: 1, waiting: 0, not_begun: 0 },
  seconds_left: 40,
  undoable: 0,
  undone_by: []
}

const groupKeyRule = (sent: string) =>
  /^[0-9a-f]{16}$/.test(sent)
    ? Result.succeed(sent)
    : Result.fail("group must be the key of a group, 16 hexadecimal digits")

/** All groups of the job that the caller has marked. */
const ViewedGroups = Schema.Struct({ groups: Schema.Array(Schema.String) }).annotate({ identifier: "ViewedGroups" })

const diffsExample = {
  groups: [
    {
      key: "5f0c1a2b91d3e4f0",
      count: 596,
      hostnames: ["lhv-a1", "lhv-a2"],
      diff: "@@ -3,2 +3,3 @@\n hostname lhv-a1\n+ntp server 10.255.0.2\n",
      added: 1,
      removed: 0,
      score: 1.2,
      risks: [],
      risk: { level: "low" as const, reason: null },
      viewed: false
    }
  ],
  changed: 596,
  unchanged: 3,
  failed: 1,
  left_out: 0
}

const checksExample: JobChecks = {
  checks: [
    {
      name: "bgp-sessions",
      sentence: "failed on 1 switch, holds on 2 switches",
      held: 2,
      failed: 1,
      unread: 0,
      undecided: 0,
      planned: [],
      rule: null,
      results: [
        {
          hostname: "lhv-e-dist1",
          name: "bgp-sessions",
          held: false,
          before: "2 BGP sessions",
          now: "1 BGP session (gone: default 10.0.0.3)",
          sentence: "before 2 BGP sessions, now 1 BGP session (gone: default 10.0.0.3), but none may be gone",
          tried: 31,
          seconds: 71
        }
      ],
      left_out: 2
    }
  ],
  skipped: null
}

const approvalExample: JobApproval = {
  job_id: 26,
  function_name: "sync_devices",
  title: "Guest network; own NTP south",
  ticket_ref: "CHG-1042",
  status: "SCHEDULED",
  outcome: null,
  reason: "the change score of lhv-s-acc100 is 131.0, above 20",
  dry_run_job: 19,
  asked_by: "otto",
  asked_at: "2026-03-02T09:12:07.512",
  expires_at: "2026-03-03T09:12:07.512",
  decision: null,
  decided_by: null,
  decided_at: null,
  comment: null,
  is_yours: false,
  may_decide: true,
  why_not: null,
  approvers: ["anna", "maria"],
  devices: 100,
  risk: { level: "high", reason: "+spanning-tree mode mstp", devices: 1 }
}

const scopeExample: JobScope = {
  devices: 102,
  hostnames: ["lhv-s-acc1", "lhv-s-acc2"],
  would_change: 100,
  not_compared: 2,
  outdated: [],
  device_types: [
    { name: "ACCESS", count: 100 },
    { name: "DIST", count: 2 }
  ],
  groups: [{ name: "SOUTH", count: 102, of: 102 }],
  sites: [],
  machines: 3900,
  uplinks: [{ hostname: "lhv-s-dist1", ports: ["Ethernet49"] }],
  rollout: {
    stages: [{ is_canary: true, count: 2, hostnames: ["lhv-s-acc1", "lhv-s-acc2"] }],
    at_once: 20,
    confirm_mode: 1,
    timer_seconds: 300,
    stops_at: 10,
    takes_back: false,
    urgent: false,
    emergency: null,
    waits_for_window: false,
    seconds: 840
  },
  window: null,
  approval: approvalExample
}

const leaveOut: Readonly<Record<string, QueryParameter>> = {
  filter_jobresult: {
    description: "parts of sync results to leave out, separated by commas: `config`, `diff`",
    example: "config"
  },
  show_secrets: {
    description: "`true` shows secrets in results to callers who may see them (docs/security.md#who-sees-secrets)",
    example: "false"
  }
}

const decision = (name: "approve" | "reject", summary: string, description: string) =>
  HttpApiEndpoint.post(name, `/job/:id(^\\d+$)/${name}`, {
    params: { id: Parameter.id },
    payload: DecisionRequest.schema,
    success: Enveloped(Jobs),
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: `${name}Job`,
        summary,
        description,
        example: { request: { comment: "as agreed in CHG-7" }, response: one }
      })
    )

const endpoints = HttpApiGroup.make("jobs").add(
  HttpApiEndpoint.get("list", "/jobs", { success: Page(Jobs), error: BadRequest }).annotateMerge(
    documented({
      name: "listJobs",
      summary: "List jobs",
      description:
        "One page of the jobs that match; `X-Total-Count` is their number. `filter[outcome]=failed` lists jobs that failed as a whole, `partial` those with some failed devices, `filter[failed_today]=true` both of the last day, `filter[routine]=false` leaves out what the server did by itself with success, `filter[changes]=true` lists jobs that put configurations on devices, `filter[dry_run_job]=12` those that push the differences of dry run 12; also `filter[counts.failed]` and `filter[failed_devices][contains]`.",
      list: jobFields,
      query: { ...listQuery(["filter[function_name][contains]", "sync"]), ...limited, ...leaveOut },
      example: { response: one }
    })
  ),
  HttpApiEndpoint.get("get", "/job/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Enveloped(Jobs),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getJob",
      summary: "Read one job",
      description:
        "The list has one record. `status` FINISHED means that the work has ended, `outcome` is its result: `success`, `partial`, `failed` or `aborted`, null before the end; `failed_devices` and `counts` describe the devices.",
      query: leaveOut,
      example: { response: one }
    })
  ),
  HttpApiEndpoint.get("progress", "/job/:id(^\\d+$)/progress", {
    params: { id: Parameter.id },
    query: {
      brief: Schema.optionalKey(
        Parameter.flag(shown("`true` leaves the list of devices empty: totals and failures only", "false"))
      )
    },
    success: Enveloped(JobProgress),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getJobProgress",
      summary: "Read the progress of a job by device",
      description:
        "The devices of a job by name: the phase of each change, whether the device is done or has failed and why, and the end of the switch's own timer. The list contains all selected devices of a sync from its beginning. `failures` are groups of devices that failed alike, with what happened, what it did and what helps; `totals` count each device once, those that were not begun apart from failed ones; `seconds_left` is an estimate. `silent_since` and `certain_until` tell of a switch that does not answer after its commit. `stage` is the number of a device's stage in a rollout of several, 0 for the canary. `undoable` devices would be restored by an undo; `undone_by` are the jobs that undo this one. `unpausable` says why the job can never be paused. Events of the kinds `change` and `job` report each change.",
      example: { response: { status: "success", data: progressExample } }
    })
  ),
  HttpApiEndpoint.get("diffs", "/job/:id(^\\d+$)/diffs", {
    params: { id: Parameter.id },
    query: {
      search: Schema.optionalKey(
        Parameter.text(shown("only groups with all of these words in their difference or in a name", "vlan 42"))
      ),
      group: Schema.optionalKey(
        Parameter.parameter(
          Schema.String,
          groupKeyRule,
          shown("only the group with this key, with all names", "5f0c1a2b91d3e4f0")
        )
      )
    },
    success: Enveloped(JobDiffs),
    error: NotFound
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getJobDiffs",
        summary: "Read the differences of a job, in groups",
        description:
          "The differences of a synchronization, an undo, a given configuration, or a drift check. Devices that change the same lines below the same sections are one group, shown by the difference of one of them; the riskiest groups come first, then the smallest. `risks` are the changed lines behind the score, `risk` is it in a word with its reason.",
        example: { response: { status: "success", data: diffsExample } }
      })
    ),
  HttpApiEndpoint.get("checks", "/job/:id(^\\d+$)/checks", {
    params: { id: Parameter.id },
    success: Enveloped(JobChecks),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getJobChecks",
      summary: "Read the checks of a job, in groups",
      description:
        "The checks of a job by name, those that failed on most devices first: on how many devices each holds, failed, could not be read or did not decide, with what was before and what is now; also while the job runs. Of a dry run, `planned` are the devices on which a live run would make the check. `skipped` says why the job leaves its checks out.",
      example: { response: { status: "success", data: checksExample } }
    })
  ),
  HttpApiEndpoint.get("scope", "/job/:id(^\\d+$)/scope", {
    params: { id: Parameter.id },
    success: Enveloped(JobScope),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getJobScope",
      summary: "Read what a job is about",
      description:
        "For the person who decides over a waiting job: its devices as they would be chosen now, where they are, the machines on them, the uplinks that its differences touch, its plan with the time that it is likely to take, its windows, and its approval with the people who may give it. Also for previews: `outdated` names the devices that have changed since.",
      example: { response: { status: "success", data: scopeExample } }
    })
  ),
  HttpApiEndpoint.post("viewed", "/job/:id(^\\d+$)/viewed", {
    params: { id: Parameter.id },
    payload: ViewedRequest.schema,
    success: Enveloped(ViewedGroups),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "markViewed",
        summary: "Mark differences as viewed",
        description:
          "Marks groups of equal differences as viewed by the caller, or takes the marks back with `viewed: false`. A mark is for the caller alone, and `viewed` of `GET /job/:id/diffs` shows it. Everybody who may read the differences may mark them.",
        example: {
          request: { groups: ["5f0c1a2b91d3e4f0"], viewed: true },
          response: { status: "success", data: { groups: ["5f0c1a2b91d3e4f0"] } }
        }
      })
    ),
  HttpApiEndpoint.get("approvals", "/approvals/jobs", {
    success: Enveloped(Schema.Struct({ approvals: Schema.Array(JobApproval) }))
  }).annotateMerge(
    documented({
      name: "listJobApprovals",
      summary: "List approvals of jobs",
      description:
        "Jobs that wait, or have waited, for the approval of another person, the newest first, at most 200. `may_decide` says whether the caller may approve or reject it, `is_yours` whether the caller has asked for it. Requests that wait are in `GET /approvals`.",
      example: { response: { status: "success", data: { approvals: [approvalExample] } } }
    })
  ),
  HttpApiEndpoint.put("abort", "/job/:id(^\\d+$)", {
    params: { id: Parameter.id },
    payload: JobActionRequest.schema,
    success: Enveloped(Jobs),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "updateJob",
        summary: "Abort, pause or resume a job",
        description:
          "ABORT: a waiting job becomes ABORTED immediately; a running one becomes ABORTING and starts nothing new until it has ended. PAUSE, with `pause_reason`: a running sync finishes the devices that it has begun and begins no further one until RESUME; `waiting_for` shows the pause.",
        example: {
          request: { action: "ABORT", abort_reason: "wrong image" },
          response: { status: "success", data: { jobs: [aborted] } }
        }
      })
    ),
  decision(
    "approve",
    "Approve a job",
    "Lets a job begin that waits for an approval. The approver must be another person than the one who started it, and must be allowed to start such a job without approval."
  ),
  decision("reject", "Reject a job", "A job that waits for an approval is ABORTED, with the comment as its reason."),
  HttpApiEndpoint.get("locks", "/joblocks", {
    success: Enveloped(Schema.Struct({ locks: Schema.Array(JobLock) }))
  }).annotateMerge(
    documented({
      name: "listLocks",
      summary: "List locks",
      description: "Locks that jobs hold now.",
      example: { response: { status: "success", data: { locks: [lock] } } }
    })
  ),
  HttpApiEndpoint.delete("clearLock", "/joblocks", {
    payload: ClearLockRequest.schema,
    success: Enveloped(Schema.Struct({ name: Schema.String, status: Schema.Literal("deleted") })),
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "clearLock",
        summary: "Clear a lock",
        description: "Refused while a job is running.",
        example: {
          request: { name: "devices" },
          response: { status: "success", data: { name: "devices", status: "deleted" } }
        }
      })
    )
)

/** Endpoints of jobs and locks, all with a token. */
export class JobsGroup extends endpoints.middleware(Authorization) {}
