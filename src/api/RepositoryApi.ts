/** The repositories for those who write them: commits and what became of them (docs/settings-repository.md#commits). */
import { Option, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { CommitsOfRepository } from "../domain/RepositoryCommit.ts"
import { Authorization } from "./Authorization.ts"
import { documented, shown } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"
import { BadRequest } from "./Failures.ts"
import { RequestParameters } from "./Requests.ts"

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
      refusal: null
    }
  ]
}

const endpoints = HttpApiGroup.make("repository").add(
  HttpApiEndpoint.get("commits", "/repository/:name/commits", {
    params: repository,
    query: {
      limit: Schema.optionalKey(
        Parameter.parameter(Schema.Int, limitRule, shown(`how many at most, 1 to ${MOST_COMMITS}; 20 when absent`, "5"))
      )
    },
    success: Enveloped(CommitsOfRepository),
    error: BadRequest
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        summary: "List a repository's commits",
        description:
          "The newest commits of `settings` or `templates` as of the last refresh, the newest first, and what became of each: `in_force`, `refused` with every problem's file and line, `not_applied` (newer than what is in force, not looked at by itself), or `replaced`.",
        example: { response: { status: "success", data: exampleCommits } }
      })
    )
)

/** Endpoints for authors of settings and templates, all with a token. */
export class RepositoryGroup extends endpoints.middleware(Authorization) {}
