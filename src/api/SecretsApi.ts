/** Secrets by name (docs/security.md#where-secrets-are-used). No call shows or takes a value. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ListedSecret } from "../domain/SecretUse.ts"
import { Enveloped, ServiceUnavailable } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization } from "./Requests.ts"

const secret: ListedSecret = {
  name: "TEMPLATE_SECRET_RADIUS",
  kind: "template",
  standing: "used",
  source: "database",
  set_at: "2026-03-02T09:12:07Z",
  set_by: "root",
  uses: [{ of: "templates", file: "eos/managed-full.j2", line: 12, scope: { by: "platform", name: "eos" } }],
  devices: 2,
  hostnames: ["lhv-a1", "lhv-a2"]
}

const Place = Schema.Struct({ file: Schema.String, line: Schema.Int }).annotate({ identifier: "ComputedSecretUse" })

const endpoints = HttpApiGroup.make("secrets").add(
  HttpApiEndpoint.get("list", "/secrets", {
    success: Enveloped(Schema.Struct({ secrets: Schema.Array(ListedSecret), computed: Schema.Array(Place) })),
    error: ServiceUnavailable
  }).annotateMerge(
    documented({
      name: "listSecrets",
      summary: "List the secrets by name",
      description:
        "Secrets that are set or needed, never their values: where each comes from, and the lines of templates, settings and rules that name it. `standing` is `missing` (needed and not set), `optional` (not set, and templates ask whether it is), `waiting` (in the database, read at the next start), `unused` (set, and nothing names it) or `used`. `computed` has the lines of templates that compute the name of a secret.",
      example: { response: { status: "success", data: { secrets: [secret], computed: [] } } }
    })
  )
)

/** What secrets there are. */
export class SecretsGroup extends endpoints.middleware(Authorization) {}
