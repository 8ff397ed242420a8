/** A site whose people sign on at a provider of the test, with roles by what it says of them. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer } from "effect"
import { ApiServer } from "./ApiServer.ts"
import { AUDIENCE, CLIENT, IdentityProvider, REDIRECT } from "./IdentityProvider.ts"

const ROLES = `group_mappings:
  email: { alice@example.org: [administrator] }
  groups: { campus-netops: [operator] }
  client_id: { dhcp: [dhcp-hook] }
roles: {}
`

/** The variables of a server that uses this provider. */
export const variablesFor = (issuer: string): Readonly<Record<string, string>> => ({
  JWT_ENABLED: "true",
  OIDC_ENABLED: "true",
  OIDC_CONF_WELL_KNOWN_URL: `${issuer}/.well-known/openid-configuration`,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_CLIENT_SCOPE: "openid email groups",
  OIDC_REDIRECT_URL: REDIRECT,
  FRONTEND_CALLBACK_URL: "https://nms.example.org/callback",
  AUDIENCE,
  FAILED_LOGINS: "0"
})

/** The server, and the provider. */
export const SignOnSite = (variables: Readonly<Record<string, string>> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const DATA_DIR = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, ROLES)
      const { issuer } = yield* IdentityProvider
      return ApiServer({ ...variablesFor(issuer), DATA_DIR, ...variables })
    })
  ).pipe(Layer.provideMerge(IdentityProvider.layer), Layer.provide(NodeServices.layer))
