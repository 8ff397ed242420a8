/** Cookies of signing on, which no page can read, and the lifetime of sessions (docs/sign-on.md#cookies). */
import { Option, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { decodeJwt } from "jose"
import type { Held } from "../../access/PageSessions.ts"
import { createHash } from "node:crypto"
import { BASE } from "../../api/Api.ts"
import { LIFETIME } from "./SignOn.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The provider's refresh token, for POST /auth/refresh; existing clients know it by this name. */
export const REFRESH = "REFRESH_TOKEN"
/** The same, for POST /auth/logout. */
export const LOGOUT = "LOGOUT_TOKEN"

const TWO_WEEKS = 14 * 24 * 60 * 60

/** Also sent by pages of other origins in ALLOWED_ORIGINS. */
const session = { httpOnly: true, secure: true, sameSite: "none" } as const
const places = [
  [REFRESH, `${BASE}/auth/refresh`],
  [LOGOUT, `${BASE}/auth/logout`]
] as const

/** Sets the refresh token. */
export const withSession = (response: Response, token: string): Response =>
  places.reduce(
    (dressed, [name, path]) =>
      HttpServerResponse.setCookieUnsafe(dressed, name, token, { ...session, path, maxAge: TWO_WEEKS * 1000 }),
    response
  )

/** Removes it. */
export const withoutSession = (response: Response): Response =>
  places.reduce(
    (dressed, [name, path]) => HttpServerResponse.setCookieUnsafe(dressed, name, "", { ...session, path, maxAge: 0 }),
    response
  )

/** Open logins of one browser: each tab has its own, and a header holds some kilobytes. */
const MAX_LOGINS = 5

/** Browsers accept this prefix from this very host only, and over TLS: no other host can plant a login. */
const loginPrefix = (isEncrypted: boolean): string => (isEncrypted ? "__Host-switchyard-login-" : "switchyard-login-")

/** Each login has its own cookie, so that a failed login does not spoil another. */
const loginName = (isEncrypted: boolean, state: string): string =>
  loginPrefix(isEncrypted) + createHash("sha256").update(state).digest("base64url").slice(0, 16)

const login = (isEncrypted: boolean) => ({ httpOnly: true, secure: isEncrypted, sameSite: "lax", path: "/" }) as const

type Cookies = Readonly<Record<string, string>>

const removed = (response: Response, name: string, isEncrypted: boolean): Response =>
  HttpServerResponse.setCookieUnsafe(response, name, "", { ...login(isEncrypted), maxAge: 0 })

/** Sets the state of a login, and removes the oldest ones beyond the limit. */
export const withLogin = (
  response: Response,
  { sealed, state }: { readonly sealed: string; readonly state: string },
  isEncrypted: boolean,
  sent: Cookies
): Response => {
  const prefix = loginPrefix(isEncrypted)
  // browsers send the oldest first
  const old = Object.keys(sent).filter((name) => name.startsWith(prefix))
  const many = old.slice(0, Math.max(0, old.length - MAX_LOGINS + 1))
  return HttpServerResponse.setCookieUnsafe(
    many.reduce((dressed, name) => removed(dressed, name, isEncrypted), response),
    loginName(isEncrypted, state),
    sealed,
    { ...login(isEncrypted), maxAge: LIFETIME * 1000 }
  )
}

/** Removes the login with this state. */
export const withoutLogin = (response: Response, state: string): Response =>
  [true, false].reduce((dressed, isEncrypted) => removed(dressed, loginName(isEncrypted, state), isEncrypted), response)

/** The logins with this state among the cookies; `isEncrypted` says which of the two names it has. */
export const loginsIn = (cookies: Cookies, state: string) =>
  [true, false].flatMap((isEncrypted) => {
    const sealed = cookies[loginName(isEncrypted, state)]
    return sealed === undefined ? [] : [{ sealed, isEncrypted }]
  })

/** The only path that receives the cookie of the page's session. */
const PAGE_PATH = `${BASE}/auth/session`

const pageName = (isEncrypted: boolean): string => (isEncrypted ? "__Secure-switchyard-page" : "switchyard-page")

const pageCookie = (isEncrypted: boolean) =>
  ({ httpOnly: true, secure: isEncrypted, sameSite: "strict", path: PAGE_PATH }) as const

/** Sets the session of the page. */
export const withPage = (response: Response, cookie: string, seconds: number, isEncrypted: boolean): Response =>
  HttpServerResponse.setCookieUnsafe(response, pageName(isEncrypted), cookie, {
    ...pageCookie(isEncrypted),
    maxAge: seconds * 1000
  })

/** Removes it. */
export const withoutPage = (response: Response): Response =>
  [true, false].reduce(
    (dressed, isEncrypted) =>
      HttpServerResponse.setCookieUnsafe(dressed, pageName(isEncrypted), "", { ...pageCookie(isEncrypted), maxAge: 0 }),
    response
  )

/** The session of the page among the cookies. The one over TLS takes precedence, because it cannot be set without TLS. */
export const pageIn = (cookies: Cookies): string | undefined => cookies[pageName(true)] ?? cookies[pageName(false)]

/** Lifetimes of sessions in seconds: one that cannot be renewed at the provider, and one that can. */
const HALF_A_DAY = 12 * 60 * 60

const Ends = Schema.Struct({ exp: Schema.Finite })
const readEnds = Schema.decodeUnknownOption(Ends)

/** When a token expires, in epoch seconds, if it says so. */
export const endOf = (token: string): number | null =>
  Result.try(() => decodeJwt(token)).pipe(
    Result.getSuccess,
    Option.flatMap(readEnds),
    Option.match({ onNone: () => null, onSome: ({ exp }) => exp })
  )

/** The content of a session from the provider's answer. */
export const heldOf = (
  answer: Readonly<Record<string, unknown>> & { readonly access_token: string },
  refresh: string | null,
  now: number
): Held => {
  const { access_token, expires_in } = answer
  const stated = typeof expires_in === "number" && Number.isFinite(expires_in) ? now + expires_in : null
  return { token: access_token, refresh, until: endOf(access_token) ?? stated }
}

/** The lifetime of a session in seconds. */
export const sessionSeconds = ({ refresh, until }: Held, now: number): number => {
  if (refresh !== null) return TWO_WEEKS
  return until === null ? HALF_A_DAY : Math.max(1, Math.min(HALF_A_DAY, Math.floor(until - now)))
}
