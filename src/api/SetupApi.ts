/** The first run: how far a new installation is, and the settings that it lacks (docs/installing.md#first-run). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { FirstSettings } from "../domain/requests/SetupRequests.ts"
import { BadRequest, Conflict, Enveloped, Forbidden } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization, RequestBody } from "./Requests.ts"

const Source = Schema.Struct({
  /** Without credentials; null if it is not set. */
  address: Schema.NullOr(Schema.String),
  /** The commit in force; null before the first. */
  commit: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SetupSource" })

const Progress = Schema.Struct({
  settings: Source,
  templates: Source,
  /** MANAGEMENT_NETWORKS; null if it is not set. */
  networks: Schema.NullOr(Schema.String),
  devices: Schema.Int,
  /** A dry run of a sync has ended. */
  previewed: Schema.Boolean,
  /** A sync has changed a device. */
  pushed: Schema.Boolean,
  /** The server can start anew by itself to take settings over. */
  can_restart: Schema.Boolean
}).annotate({ identifier: "SetupProgress" })

const Finding = Schema.Struct({
  of: Schema.Literals(["settings", "templates", "networks"]),
  is_good: Schema.Boolean,
  /** What was found, as a sentence. */
  message: Schema.String,
  /** The newest commit of the branch, for a repository that answers. */
  commit: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SetupFinding" })
export type SetupFinding = typeof Finding.Type

const request = {
  settings: "https://git.example.org/network/settings.git#main",
  templates: "https://git.example.org/network/templates.git#main"
}
const found = {
  of: "settings",
  is_good: true,
  message: "main answers",
  commit: "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1"
}

/** Endpoints of the first run. */
export const SetupGroup = HttpApiGroup.make("setup")
  .add(
    HttpApiEndpoint.get("progress", "/setup", { success: Enveloped(Progress) }).annotateMerge(
      documented({
        name: "readSetup",
        summary: "Read how far the installation is",
        description: "What the first run asks for, and whether it is there.",
        example: {
          response: {
            status: "success",
            data: {
              settings: { address: "https://git.example.org/network/settings.git", commit: found.commit },
              templates: { address: null, commit: null },
              networks: null,
              devices: 0,
              previewed: false,
              pushed: false,
              can_restart: true
            }
          }
        }
      })
    ),
    HttpApiEndpoint.post("try", "/setup/try", {
      payload: FirstSettings.schema,
      success: Enveloped(Schema.Struct({ findings: Schema.Array(Finding) })),
      error: [BadRequest, Forbidden]
    })
      .middleware(RequestBody)
      .annotateMerge(
        documented({
          name: "trySetup",
          summary: "Try settings before they are set",
          description:
            "Asks each repository for its branch and newest commit, for at most 20 seconds, and reads the networks. Nothing is stored. Needs the right `trust`.",
          example: { request, response: { status: "success", data: { findings: [found] } } }
        })
      ),
    HttpApiEndpoint.put("set", "/setup", {
      payload: FirstSettings.schema,
      success: Enveloped(Schema.Struct({ set: Schema.Array(Schema.String), restarts: Schema.Boolean })),
      error: [BadRequest, Forbidden, Conflict]
    })
      .middleware(RequestBody)
      .annotateMerge(
        documented({
          name: "setUp",
          summary: "Set what is not set yet",
          description:
            "Tries the values as above, writes them to `switchyard.env` in DATA_DIR, and starts the server anew if it can (`restarts`); else they are in force after its next start. 409 for a setting that has a value: that is changed on the machine of the server. Needs the right `trust`.",
          example: {
            request,
            response: { status: "success", data: { set: ["GITREPO_SETTINGS", "GITREPO_TEMPLATES"], restarts: true } }
          }
        })
      )
  )
  .middleware(Authorization)
