/** Which ways in this server has, for whoever has not come in yet (docs/sign-on.md). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { documented } from "./Documented.ts"
import { Enveloped } from "./Envelope.ts"

const Provider = Schema.Struct({
  /** Host of the provider, as people know it. */
  name: Schema.String,
  /** Where a browser goes to sign on there. */
  path: Schema.String
})

const Ways = Schema.Struct({
  /** False where everybody may call everything: there is nothing to sign on to. */
  needed: Schema.Boolean,
  password: Schema.Boolean,
  provider: Schema.NullOr(Provider),
  token: Schema.Boolean
})

export const ways = HttpApiEndpoint.get("ways", "/auth/ways", { success: Enveloped(Ways) }).annotateMerge(
  documented({
    summary: "Ask how to sign on",
    description:
      "Without a token. `needed` is false where JWT_ENABLED is; `password` is LOCAL_USERS, `provider` is there with OIDC_ENABLED.",
    example: {
      response: {
        status: "success",
        data: {
          needed: true,
          password: true,
          provider: { name: "login.example.org", path: "/api/v1.0/auth/login" },
          token: true
        }
      }
    }
  })
)
