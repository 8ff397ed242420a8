/** A site with `permissions.yml` and tokens: its server, and requests in the name of any claimed user. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, FileSystem, Layer } from "effect"
import { ApiClient, type Sending, SiteServer } from "./ApiServer.ts"
import { keyFile, makeIssuer, sign } from "./TokenKeys.ts"

const issuer = makeIssuer("ES256")

/** The server of a site with these roles, and windows if there are any; roles of callers come from the claim `roles`. */
export const SiteWithRoles = (roles: string, variables: Readonly<Record<string, string>> = {}, windows?: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/permissions.yml`, roles)
      if (windows !== undefined) yield* files.writeFileString(`${folder}/windows.yml`, windows)
      const JWT_CERT = yield* keyFile(issuer)
      return SiteServer({ JWT_ENABLED: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles", ...variables })
    })
  ).pipe(Layer.provide(NodeServices.layer))

const soon = () => Math.floor(Date.now() / 1000) + 600

/** A token of these claims. */
export const tokenOf = (claims: Readonly<Record<string, unknown>>) =>
  sign(issuer, { sub: "indy", exp: soon(), ...claims })

/** Sends requests with a token of these claims; paths are behind `/api/v1.0`, but `/metrics`. Yields the whole answer. */
export const caller = Effect.fnUntraced(function* (claims: Readonly<Record<string, unknown>>) {
  const api = yield* ApiClient
  const authorization = `Bearer ${yield* tokenOf(claims)}`
  return (method: string, path: string, sending: Sending = {}) =>
    api.send(method, path === "/metrics" ? path : `/api/v1.0${path}`, {
      ...sending,
      headers: { ...sending.headers, authorization }
    })
})
