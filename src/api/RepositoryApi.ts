/** The repositories for their authors: commits and their fate (docs/settings-repository.md#commits). */
import { Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { SIGNED } from "../domain/CommitSignature.ts"
import { type BranchCheck, CheckedBranch, NO_EFFECTS } from "../domain/CommitEffects.ts"
import { blamedConfig, LinesFromSource, LinesOf } from "../domain/LineOrigin.ts"
import { Entry } from "./ChangesApi.ts"
import { CommitsOfRepository, DeviceVariable, Remark, RepositoryBranch } from "../domain/Repository.ts"
import { BranchRequest, TrialRequest } from "../domain/requests/ChangeRequests.ts"
import { Authorization, hostname, RequestBody, RequestParameters } from "./Requests.ts"
import { counted, documented, shown } from "./Documented.ts"
import { BadRequest, Enveloped, InternalError, NotFound, ServiceUnavailable } from "./Answers.ts"

const RepositoryName = Schema.Literals(["settings", "templates"])
const repositoryOf = Schema.decodeUnknownOption(RepositoryName)

/** The repository of a path. */
export const repository = {
  name: Parameter.parameter(
    RepositoryName,
    (sent) => Result.fromOption(repositoryOf(sent.toLowerCase()), () => "Invalid repository type"),
    RepositoryName
  )
}

const MOST_COMMITS = 100

const limitRule = (sent: string) => {
  const limit = /^\d{1,3}$/.test(sent) ? Number(sent) : 0
  return Result.fromOption(
    Option.liftPredicate(limit, (count) => count >= 1 && count <= MOST_COMMITS),
    () => `limit must be an integer from 1 to ${MOST_COMMITS}`
  )
}

const exampleCommits: CommitsOfRepository = {
  in_force: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  commits: [
    {
      commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1",
      author: "Sam Berg",
      committer: "Sam Berg",
      at: "2026-02-13T09:31:02",
      subject: "Add the guest network",
      message: "Add the guest network",
      state: "refused",
      signature: { state: "unsigned", signer: null, key: null, why: null },
      refusal: {
        job_id: 812,
        at: "2026-02-13T09:32:11.402113",
        by: "indy",
        message: "Validation error for setting vxlans->guest->vlan_id, bad value: 5000",
        problems: [
          {
            file: "global/vxlans.yml",
            line: 12,
            column: 14,
            path: "vxlans->guest->vlan_id",
            message: "Input should be less than or equal to 4094"
          }
        ]
      }
    },
    {
      commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
      author: "Jane Doe",
      committer: "Jane Doe",
      at: "2026-02-13T09:07:32",
      subject: "Set the time servers",
      message: "Set the time servers",
      state: "in_force",
      refusal: null,
      signature: SIGNED
    }
  ]
}

const exampleBranches: ReadonlyArray<RepositoryBranch> = [
  {
    branch: "guest-network",
    commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1",
    author: "Sam Berg",
    at: "2026-02-13T09:31:02",
    subject: "Add the guest network",
    in_force: false,
    signature: SIGNED
  }
]

const branch = Schema.optionalKey(Parameter.text(shown("the templates of this branch, which a group uses", "next")))
const commit = Schema.optionalKey(
  Parameter.text(
    shown(
      "the file as this commit has it, such as a refused one of the list",
      "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1"
    )
  )
)
const VLANS = "global/vxlans.yml"

const files = {
  commit: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  files: [
    { path: "eos/access.j2", size: 2048 },
    { path: "eos/mapping.yml", size: 211 }
  ]
}

const variables = {
  hostname: "lhv-a1",
  group: "EAST_WING",
  branch: null,
  platform: "eos",
  template: "eos/access.j2",
  variables: [
    { name: "device_model", value: "DCS-7010T-48", source: "database", level: null, places: [] },
    {
      name: "ntp_servers",
      value: [{ host: "ntp1.example.org" }],
      source: "settings",
      level: "global",
      places: [{ file: "global/base_system.yml", line: 3 }]
    },
    { name: "TEMPLATE_SECRET_RADIUS", value: "<hidden>", source: "secret", level: null, places: [] }
  ]
}

/** A check that a rollout of a branch would make; also the example of a proposal. */
export const PLANNED: BranchCheck = {
  name: "access-uplinks",
  sentence: "reads interfaces of the role uplink 10 s after the commit, and for 30 s more: none may be gone",
  devices: 595,
  hostnames: ["lhv-a1", "lhv-a2"]
}

const checked: CheckedBranch = {
  repository: "settings",
  branch: "guest-network",
  commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1",
  committer: "Sam Berg",
  at: "2026-02-13T09:31:02",
  signature: SIGNED,
  in_force: "cdf978245c3782ec391ffa2bda3ca540577ad36f",
  accepted: true,
  problems: [],
  effects: NO_EFFECTS,
  warnings: [{ file: VLANS, line: 12, column: 5, path: "vxlans->guest->mtuu", message: "no setting has this name" }],
  ignored: ["global/.vxlans.yml.swp"],
  devices: { concerned: 596, rendered: 596, changed: 595, failed: 1 },
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
      risk: { level: "low", reason: null }
    }
  ],
  checks: [PLANNED],
  failures: [
    {
      hostname: "lhv-a9",
      message: "UndefinedError: 'uplink' is undefined (eos/access.j2, line 41, column 3)",
      by_the_branch: true
    }
  ],
  truncated: false
}

const commitsGroup = HttpApiGroup.make("repository").add(
  HttpApiEndpoint.get("commits", "/repository/:name/commits", {
    params: repository,
    query: {
      limit: Schema.optionalKey(
        Parameter.parameter(Schema.Int, limitRule, counted("most commits; 20 when absent", 5, [1, MOST_COMMITS]))
      )
    },
    success: Enveloped(CommitsOfRepository),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listCommits",
        summary: "List a repository's commits",
        description:
          "The newest commits of `settings` or `templates` as of the last refresh, the newest first, and the fate of each: `in_force`, `refused` with every problem's file and line, `not_applied` (newer than the commit in force, not checked separately), or `replaced`. `signature` says who signed it, where [signatures](settings-repository.md#signed-commits) are verified.",
        example: { response: { status: "success", data: exampleCommits } }
      })
    ),
  HttpApiEndpoint.get("branches", "/repository/:name/branches", {
    params: repository,
    query: {
      limit: Schema.optionalKey(
        Parameter.parameter(Schema.Int, limitRule, counted("most branches; 50 when absent", 5, [1, MOST_COMMITS]))
      )
    },
    success: Enveloped(
      Schema.Struct({ branches: Schema.Array(RepositoryBranch) }).annotate({ identifier: "RepositoryBranches" })
    ),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listBranches",
        summary: "List a repository's branches",
        description:
          "The branches of the remote as of the last refresh or check, each with its newest commit; the branch with the newest commit is first. `in_force` is true if that commit is the one in force.",
        example: { response: { status: "success", data: { branches: exampleBranches } } }
      })
    )
)

const withFiles = commitsGroup.add(
  HttpApiEndpoint.get("files", "/repository/:name/files", {
    params: repository,
    query: { branch },
    success: Enveloped(
      Schema.Struct({
        commit: Schema.NullOr(Schema.String),
        files: Schema.Array(
          Schema.Struct({ path: Schema.String, size: Schema.Int }).annotate({ identifier: "RepositoryFile" })
        )
      }).annotate({ identifier: "RepositoryFiles" })
    ),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listRepositoryFiles",
        summary: "List the files in force",
        description: "Paths and sizes (bytes) of the files of the commit in force, without `alerts.yml`.",
        example: { response: { status: "success", data: files } }
      })
    ),
  HttpApiEndpoint.get("file", "/repository/:name/file", {
    params: repository,
    query: { path: Parameter.text(shown("path in the repository", "eos/access.j2")), branch, commit },
    success: Enveloped(
      Schema.Struct({ path: Schema.String, text: Schema.String }).annotate({ identifier: "RepositoryFileText" })
    ),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getRepositoryFile",
        summary: "Read a file in force",
        description:
          "The text of one file in force, or with `commit` of a commit of the list that was not replaced, such as a refused one. A secret is shown as `<hidden>`, unless a template inserts it.",
        example: { response: { status: "success", data: { path: "eos/access.j2", text: "hostname {{ hostname }}\n" } } }
      })
    ),
  HttpApiEndpoint.post("check", "/repository/:name/check", {
    params: repository,
    payload: BranchRequest.schema,
    success: Enveloped(CheckedBranch),
    error: [BadRequest, InternalError, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "checkBranch",
        summary: "Check a branch before it is merged",
        description:
          "Fetches a branch (or tag, or commit), or takes the `files` of a working copy by their paths, and checks it as a refresh does: `problems` would refuse it, `effects` are its effects, and `effects.confirm` why it would have to be confirmed. Managed devices that it concerns are rendered from the commit in force and from the branch, for at most a minute; devices with the same difference are one group, small groups first. Nothing comes into force. One check at a time, else 503.",
        example: { request: { branch: "guest-network" }, response: { status: "success", data: checked } }
      })
    )
)

const endpoints = withFiles.add(
  HttpApiEndpoint.get("variables", "/device/:hostname/variables", {
    params: hostname,
    success: Enveloped(
      Schema.Struct({
        hostname: Schema.String,
        group: Schema.String,
        branch: Schema.NullOr(Schema.String),
        platform: Schema.NullOr(Schema.String),
        template: Schema.NullOr(Schema.String),
        variables: Schema.Array(DeviceVariable)
      }).annotate({ identifier: "TemplateVariables" })
    ),
    error: [BadRequest, NotFound]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "getTemplateVariables",
        summary: "Read the template variables of a device",
        description:
          "Every variable that the templates of this device get, by name, with its origin: `settings` with file and line, `computed` from a setting and the database, `database`, `secret` (hidden) or `override`. Nothing is rendered.",
        example: { response: { status: "success", data: variables } }
      })
    ),
  HttpApiEndpoint.post("render", "/device/:hostname/render", {
    params: hostname,
    payload: TrialRequest.schema,
    success: Enveloped(
      Schema.Struct({
        template: Schema.NullOr(Schema.String),
        text: Schema.String,
        log: Schema.Array(
          Schema.Struct({ level: Schema.String, text: Schema.String }).annotate({ identifier: "TemplateLogLine" })
        ),
        warnings: Schema.Array(Remark)
      }).annotate({ identifier: "RenderedTemplate" })
    ),
    error: [BadRequest, NotFound, ServiceUnavailable]
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "renderTemplate",
        summary: "Try a template",
        description:
          "Renders `text` with the variables of the device: alone, or instead of `template` (a path in the directory of the platform), or with `whole` the device's whole configuration with it. The template itself already gets secrets as `<hidden>`. A mistake is 400 with `problems` that have file, line and column; those of a single text have no file. Nothing is stored.",
        example: {
          request: { text: "hostname {{ hostname }}" },
          response: { status: "success", data: { template: null, text: "hostname lhv-a1", log: [], warnings: [] } }
        }
      })
    )
)

const wholeNumber = (sent: string) => {
  const number = /^\d{1,7}$/.test(sent) ? Number(sent) : 0
  return Result.fromOption(
    Option.liftPredicate(number, (count) => count >= 1),
    () => "line must be a line, counted from 1"
  )
}

const lineNumber = Parameter.parameter(Schema.Int, wholeNumber, counted("a line, counted from 1", 4, [1, 9_999_999]))

const isLinesOf = Schema.is(LinesOf)

const linesOf = Parameter.parameter(
  LinesOf,
  (sent) => (isLinesOf(sent) ? Result.succeed(sent) : Result.fail("of must be given or running")),
  shown("`given` when absent: the lines that the newest job gave; or those that the last proof has seen", "running")
)

const blamed = {
  hostname: "lhv-a1",
  lines: [
    {
      line: 12,
      text: "ntp server 10.20.0.5",
      job_id: 101,
      template: { file: "eos/ntp.j2", line: 2, commit: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d" },
      settings: [
        {
          name: "ntp_servers",
          file: "global/base_system.yml",
          line: 4,
          commit: "8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f"
        }
      ],
      port: null
    }
  ],
  commits: [
    {
      repository: "settings" as const,
      commit: "8c1f0f6d2b7a4e1f9a3d5c6b7e8f9a0b1c2d3e4f",
      author: "Jane Doe",
      at: "2026-02-13T09:07:32",
      subject: "Set the time servers",
      signature: SIGNED
    }
  ],
  jobs: [],
  has_older: false
}

const withLines = endpoints.add(
  HttpApiEndpoint.get("blame", "/device/:hostname/blame", {
    params: hostname,
    query: { line: Schema.optionalKey(lineNumber), of: Schema.optionalKey(linesOf) },
    success: Enveloped(blamedConfig(Entry)),
    error: [BadRequest, NotFound, ServiceUnavailable]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "blameLines",
        summary: "Show where lines come from",
        description:
          "Each line of the newest configuration of the device, of what the last proof has seen with `of=running`, or one line: the line of the template in force that writes it, the lines of settings whose values it has, the commits that wrote them with author and signer, the port whose data it has, and the job that brought it to the switch. `template` is null for a line that no template writes now: it was on the switch before, or the switch adds it. Without a stored configuration the lines are those that would be generated, without jobs.",
        example: { response: { status: "success", data: blamed } }
      })
    ),
  HttpApiEndpoint.get("lines", "/repository/:name/lines", {
    params: repository,
    query: {
      path: Parameter.text(shown("path in the repository", "global/base_system.yml")),
      line: lineNumber,
      after: Schema.optionalKey(Parameter.text(shown("continue after this device", "lhv-a40")))
    },
    success: Enveloped(LinesFromSource),
    error: [BadRequest, ServiceUnavailable]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "listLinesFromSource",
        summary: "List the lines that a setting gives",
        description:
          "The lines of generated configurations that come from a line of a settings file or a template in force. Managed devices are rendered by name, 40 for each request; `next` continues after the last one.",
        example: {
          response: {
            status: "success",
            data: {
              searched: 40,
              lines: [{ hostname: "lhv-a1", line: 12, text: "ntp server 10.20.0.5" }],
              next: "lhv-a40"
            }
          }
        }
      })
    )
)

/** Endpoints for authors of settings and templates, all with a token. */
export class RepositoryGroup extends withLines.middleware(Authorization) {}
