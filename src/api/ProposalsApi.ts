/** Proposals: branches that are checked before they are merged (docs/reviewing.md). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { SIGNED } from "../domain/CommitSignature.ts"
import { NO_EFFECTS } from "../domain/CommitEffects.ts"
import { Proposal, proposalStates, WholeProposal } from "../domain/Proposal.ts"
import { ViewedRequest } from "../domain/requests/OperationRequests.ts"
import { ProposalRequest } from "../domain/requests/ProposalRequests.ts"
import { PLANNED } from "./RepositoryApi.ts"
import { BadRequest, bodyFailures, Conflict, Enveloped, NotFound, ServiceUnavailable, Unauthorized } from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { Authorization, RequestBody, RequestParameters } from "./Requests.ts"

const proposal: Proposal = {
  id: 7,
  repository: "settings",
  branch: "guest-network",
  title: "Add the guest network",
  state: "open",
  opened_by: "sam",
  opened_there: false,
  opened_at: "2026-02-13T09:31:40",
  ended_at: null,
  ended_by: null,
  why: null,
  merged_commit: null,
  superseded_by: null,
  commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1",
  committer: "Sam Berg",
  committed_at: "2026-02-13T09:31:02",
  signature: SIGNED,
  earlier: [],
  check: "accepted",
  error: null,
  checked_at: "2026-02-13T09:31:55",
  in_force: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  devices: { concerned: 596, rendered: 596, changed: 595, failed: 1 },
  ways: 1,
  risk: { level: "low", reason: null, devices: 595 },
  needs_confirmation: false,
  forge: null
}

const whole: WholeProposal = {
  ...proposal,
  problems: [],
  warnings: [],
  effects: NO_EFFECTS,
  sentences: ["595 of 596 devices get another configuration: 0 lines removed and 595 added in those rendered"],
  groups: [
    {
      key: "6f1d2c3b4a596877",
      count: 595,
      hostnames: ["lhv-a1", "lhv-a2"],
      added: 1,
      removed: 0,
      diff: "@@ -41,3 +41,4 @@\n+vlan 1017",
      score: 1.2,
      risks: [],
      risk: { level: "low", reason: null },
      viewed: false
    }
  ],
  checks: [PLANNED],
  failures: [],
  truncated: false,
  approvals: [],
  approved_by: 0
}

const State = Schema.Literals(proposalStates)
const stateOf = Schema.decodeUnknownOption(State)
const Repository = Schema.Literals(["settings", "templates"])
const repositoryOf = Schema.decodeUnknownOption(Repository)

const query = {
  state: Schema.optionalKey(
    Parameter.parameter(
      State,
      (sent) => Result.fromOption(stateOf(sent), () => `state must be ${proposalStates.join(", ")}`),
      shown("those in this state", "open")
    )
  ),
  repository: Schema.optionalKey(
    Parameter.parameter(
      Repository,
      (sent) => Result.fromOption(repositoryOf(sent), () => "repository must be settings or templates"),
      shown("those of this repository", "settings")
    )
  )
}

const EventOutcome = Schema.Struct({
  /** Whether it changed anything. */
  taken: Schema.Boolean,
  /** What it did, or why it did nothing. */
  why: Schema.String,
  proposal: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "ForgeEventOutcome" })

const id = { id: Parameter.id }
const one = Enveloped(Schema.Struct({ proposal: Proposal }))

const reading = HttpApiGroup.make("proposals").add(
  HttpApiEndpoint.get("list", "/proposals", {
    query,
    success: Enveloped(Schema.Struct({ proposals: Schema.Array(Proposal) })),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listProposals",
        summary: "List proposals",
        description:
          "The newest 200 proposals: branches that are checked before they are merged, each with the result of its newest check in brief.",
        example: { response: { status: "success", data: { proposals: [proposal] } } }
      })
    ),
  HttpApiEndpoint.get("get", "/proposals/:id(^\\d+$)", {
    params: id,
    success: Enveloped(Schema.Struct({ proposal: WholeProposal })),
    error: NotFound
  }).annotateMerge(
    documented({
      name: "getProposal",
      summary: "Read a proposal",
      description:
        "A proposal with the result of its newest check: problems, effects in words, the differences of the switches in groups with their risk, the checks that a rollout would make, and what people said of it at the forge.",
      example: { response: { status: "success", data: { proposal: whole } } }
    })
  )
)

const endpoints = reading.add(
  HttpApiEndpoint.post("open", "/proposals", {
    payload: ProposalRequest.schema,
    success: one.pipe(HttpApiSchema.status(201)),
    error: [BadRequest, Conflict]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "openProposal",
        summary: "Propose a branch",
        description:
          "Records the branch (or tag, or commit) as a proposal and checks it in the background as a refresh would: every managed device that it concerns is rendered. It is checked again when the branch moves or another commit comes into force. A branch that is proposed already is looked at again. At most 50 are open, else 409.",
        example: {
          request: { repository: "settings", branch: "guest-network" },
          response: { status: "success", data: { proposal: { ...proposal, check: "waiting" } } }
        }
      })
    ),
  HttpApiEndpoint.delete("close", "/proposals/:id(^\\d+$)", { params: id, success: one, error: NotFound })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "closeProposal",
        summary: "Close a proposal",
        description: "Ends an open proposal; nothing happens to its branch. One that has ended stays as it is.",
        example: {
          response: { status: "success", data: { proposal: { ...proposal, state: "closed", why: "closed here" } } }
        }
      })
    ),
  HttpApiEndpoint.post("viewed", "/proposals/:id(^\\d+$)/viewed", {
    params: id,
    payload: ViewedRequest.schema,
    success: Enveloped(Schema.Struct({ groups: Schema.Array(Schema.String) })),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "markProposalViewed",
        summary: "Mark differences of a proposal as viewed",
        description: "Marks groups of differences for the caller, or takes the marks back; answers with all of them.",
        example: {
          request: { groups: ["6f1d2c3b4a596877"], viewed: true },
          response: { status: "success", data: { groups: ["6f1d2c3b4a596877"] } }
        }
      })
    )
)

/** Endpoints of proposals, all with a token. */
export class ProposalsGroup extends endpoints.middleware(Authorization) {}

/** The webhook of the forge: its signature is its token. */
export class ForgeGroup extends HttpApiGroup.make("forge").add(
  HttpApiEndpoint.post("event", "/forge/events", {
    payload: Schema.Record(Schema.String, Schema.Unknown),
    success: Enveloped(EventOutcome),
    error: [...bodyFailures, NotFound, Unauthorized, ServiceUnavailable]
  }).annotateMerge(
    documented({
      name: "reportForgeEvent",
      summary: "Report an event of the forge",
      description:
        "The webhook of GitHub, GitLab, Gitea or Forgejo, signed with FORGE_WEBHOOK_SECRET: pushes, requests to merge, and reviews. An event that is of no interest, or older than what is known, changes nothing and says so. Without FORGE and the secret it is 404.",
      example: {
        request: {
          ref: "refs/heads/guest-network",
          after: proposal.commit ?? "",
          repository: { full_name: "net/settings" }
        },
        response: {
          status: "success",
          data: { taken: true, why: "the branch is looked at again", proposal: 7 }
        }
      }
    })
  )
) {}
