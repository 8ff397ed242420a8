/** The checks of changes for people and programs (docs/checks.md): which there are, where they are written, and for which devices. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Check } from "../domain/checks/Check.ts"
import { TriedCheck } from "../domain/checks/TriedChecks.ts"
import { BadRequest, Conflict, Enveloped, NotFound } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization, hostname, RequestParameters } from "./Requests.ts"

/** A check in force. `line` is null for a check of a ready set; `branch` is that of a group, null for the repository's own. */
const ShownCheck = Schema.Struct({
  ...Check.fields,
  /** What it reads and what must hold, in one sentence. */
  sentence: Schema.String,
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int),
  branch: Schema.NullOr(Schema.String),
  /** The managed devices that it is for, whatever their next difference is; the caller's only. */
  devices: Schema.Array(Schema.String)
}).annotate({ identifier: "ShownCheck" })
export type ShownCheck = typeof ShownCheck.Type

const Checks = Schema.Struct({
  /** The commit of the templates repository that they are from; null if none is in force. */
  commit: Schema.NullOr(Schema.String),
  checks: Schema.Array(ShownCheck)
}).annotate({ identifier: "ChecksInForce" })

const listing = HttpApiGroup.make("checks").add(
  HttpApiEndpoint.get("list", "/checks", { success: Enveloped(Checks) }).annotateMerge(
    documented({
      name: "getChecks",
      summary: "Show the checks of changes",
      description:
        "The checks of `checks.yml` in the templates repository, with those of the ready sets that it includes, and the devices that each is for. A check is read before a change and after its proof, inside the commit timer; one that fails takes the change back.",
      example: {
        response: {
          status: "success",
          data: {
            commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1",
            checks: [
              {
                name: "bgp-sessions",
                description: null,
                for: { groups: null, device_types: ["DIST", "CORE"], platforms: null },
                when_diff: "router bgp|neighbor",
                question: { reads: "bgp" },
                only: null,
                where: { is_established: true },
                condition: { must: "no_lost" },
                settle: 10,
                within: 60,
                before: "warn",
                also_neighbours: true,
                set: null,
                sentence:
                  "reads BGP sessions, also of the neighbours, 10 s after the commit, and for 60 s more: none may be gone",
                file: "checks.yml",
                line: 3,
                branch: null,
                devices: ["lhv-e-dist1", "lhv-e-dist2"]
              }
            ]
          }
        }
      }
    })
  )
)

const checkEndpoints = listing.add(
  HttpApiEndpoint.get("tried", "/device/:hostname/checks", {
    params: hostname,
    success: Enveloped(Schema.Struct({ checks: Schema.Array(TriedCheck) })),
    error: [BadRequest, NotFound, Conflict]
  })
    .middleware(RequestParameters)
    .annotateMerge(
      documented({
        name: "tryChecks",
        summary: "Try the checks of a device",
        description:
          "Reads what the checks in force for a device read, over one login, and says what each finds now, whatever its next difference is. Nothing is changed. A condition that compares with what was before a change is `compares`; `unread` says in `why` what the device answered. A check with `also: neighbours` is tried on the neighbours, too, as a change would make it: `on` names the neighbour. Neighbours that the caller may not see are left out.",
        example: {
          response: {
            status: "success",
            data: {
              checks: [
                {
                  name: "access-ntp",
                  sentence: "reads sources of time 10 s after the commit, and for 30 s more: there must be at least 1",
                  end: "holds",
                  now: "1 source of time with is_selected true",
                  why: "now 1 source of time with is_selected true"
                },
                {
                  name: "bgp-sessions",
                  on: "lhv-e-dist2",
                  sentence:
                    "reads BGP sessions, also of the neighbours, 10 s after the commit, and for 60 s more: none may be gone",
                  end: "unread",
                  now: null,
                  why: "could not be read: ConnectionException: 10.196.0.2 does not answer"
                }
              ]
            }
          }
        }
      })
    )
)

/** Endpoints of checks, all with a token. */
export class ChecksGroup extends checkEndpoints.middleware(Authorization) {}
