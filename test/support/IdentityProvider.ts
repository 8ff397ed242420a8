/**
 * A real OpenID provider on loopback, with people and clients of a site. It can change its keys, stop to answer, and say that it cannot just
 * now. Tokens for an audience are JSON Web Tokens, others are known to it alone.
 */
import { Effect, Layer, Context } from "effect"
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose"
import * as http from "node:http"
import { Provider } from "oidc-provider"

/** The address to which the provider sends browsers back; nothing listens there. */
export const REDIRECT = "https://nms.example.org/api/v1.0/auth/auth"
export const AUDIENCE = "https://nms.example.org"
export const CLIENT = { id: "switchyard", secret: "secret-of-the-client-4711" }
/** Another client of the same provider, whose tokens are for something else. */
export const OTHER = { id: "wiki", secret: "secret-of-the-wiki-4711" }
/** A program. */
export const PROGRAM = { id: "dhcp", secret: "secret-of-the-hook-4711" }

/** How the provider behaves. */
export type Mood = "answers" | "hangs" | "fails"

/** The provider's data about people, by their login. */
const PEOPLE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alice: { email: "alice@example.org", email_verified: true, groups: ["campus-netops"] },
  rita: { email: "rita@example.org", email_verified: true, groups: [] },
  mallory: { email: "alice@example.org", email_verified: false, groups: [] }
}

const makeKey = async (kid: string): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" }
}

const client = ({ id, secret }: typeof CLIENT, more: Readonly<Record<string, unknown>>) => ({
  client_id: id,
  client_secret: secret,
  redirect_uris: [REDIRECT],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  id_token_signed_response_alg: "ES256",
  ...more
})

interface Behaviour {
  mood: Mood
  /** Whether tokens are JSON Web Tokens. */
  isJwt: boolean
  /** Whether these say themselves what is known of their people. */
  isTelling: boolean
  /** How long codes count. */
  codeSeconds: number
  /** How long tokens count. */
  tokenSeconds: number
}

const audienceOf = ({ isJwt }: Behaviour, id: string): string | undefined => {
  if (!isJwt) return undefined
  return id === OTHER.id ? "https://wiki.example.org" : AUDIENCE
}

const configuration = (keys: ReadonlyArray<JWK>, behaviour: Behaviour, redirect: string) => ({
  jwks: { keys },
  clients: [
    client(CLIENT, { redirect_uris: [redirect] }),
    client(OTHER, { grant_types: ["authorization_code", "refresh_token", "client_credentials"] }),
    client(PROGRAM, { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] })
  ],
  cookies: { keys: ["a key of this test"] },
  claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => Promise.resolve({ sub: accountId, ...PEOPLE[accountId] })
  }),
  ttl: { AuthorizationCode: () => behaviour.codeSeconds },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: () => Promise.resolve(true),
  extraTokenClaims: (_: unknown, { accountId }: { readonly accountId?: string }) =>
    behaviour.isJwt && behaviour.isTelling ? PEOPLE[accountId ?? ""] : undefined,
  features: {
    devInteractions: { enabled: true },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_: unknown, { clientId }: { readonly clientId: string }) => audienceOf(behaviour, clientId),
      useGrantedResource: () => behaviour.isJwt,
      getResourceServerInfo: (_: unknown, audience: string) => ({
        scope: "",
        audience,
        accessTokenTTL: behaviour.tokenSeconds,
        accessTokenFormat: "jwt",
        jwt: { sign: { alg: "ES256" } }
      })
    }
  }
})

const listen = Effect.acquireRelease(
  Effect.callback<http.Server>((resume) => {
    const server = http.createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const make = Effect.fnUntraced(function* (redirect: string) {
  const server = yield* listen
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const behaviour: Behaviour = { mood: "answers", isJwt: true, isTelling: true, codeSeconds: 600, tokenSeconds: 600 }
  let keys = [yield* Effect.promise(() => makeKey("first"))]
  const serve = () => new Provider(issuer, configuration(keys, behaviour, redirect)).callback()
  let handle = serve()
  const asked: Array<string> = []
  server.on("request", (request, response) => {
    asked.push(`${request.method} ${request.url?.split("?")[0]}`)
    if (behaviour.mood === "hangs") return
    if (behaviour.mood === "fails") response.writeHead(503).end()
    else handle(request, response)
  })

  return {
    issuer,
    behaviour,
    /** Method and path of what it was asked, without queries. */
    asked,
    /** From now on new tokens have another signature, and the former keys are removed. */
    rotate: Effect.fnUntraced(function* (kid: string) {
      keys = [yield* Effect.promise(() => makeKey(kid))]
      handle = serve()
    }),
    /** A token with a signature of the provider, and the given claims and header. */
    sign: (claims: Readonly<Record<string, unknown>>, header: Readonly<Record<string, unknown>> = {}) =>
      Effect.promise(() => {
        const [key = {}] = keys
        const now = Math.floor(Date.now() / 1000)
        return new SignJWT({
          iss: issuer,
          aud: AUDIENCE,
          sub: "alice",
          iat: now,
          exp: now + 600,
          ...PEOPLE["alice"],
          ...claims
        })
          .setProtectedHeader({
            alg: "ES256",
            typ: "at+jwt",
            ...(key.kid === undefined ? {} : { kid: key.kid }),
            ...header
          })
          .sign(key)
      })
  }
})

/** The provider. */
export class IdentityProvider extends Context.Service<IdentityProvider, Effect.Success<ReturnType<typeof make>>>()(
  "test/IdentityProvider"
) {
  static readonly layer = Layer.effect(IdentityProvider, make(REDIRECT))
  /** One that sends browsers back to a listening server. */
  static readonly make = make
}
