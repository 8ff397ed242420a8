/** Cookies of signing on (docs/sign-on.md#cookies). No page can read one. */
import { HttpServerResponse } from "effect/http"
import { BASE } from "../../api/Api.ts"
import { LIFETIME } from "./LoginState.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The provider's refresh token, for POST /auth/refresh; existing clients know it by this name. */
export const REFRESH = "REFRESH_TOKEN"
/** The same, for POST /auth/logout. */
export const LOGOUT = "LOGOUT_TOKEN"

const TWO_WEEKS = 14 * 24 * 60 * 60

/** A page of another origin, which ALLOWED_ORIGINS names, sends them as well. */
const session = { httpOnly: true, secure: true, sameSite: "none" } as const
const places = [
  [REFRESH, `${BASE}/auth/refresh`],
  [LOGOUT, `${BASE}/auth/logout`]
] as const

/** Keeps a refresh token in the browser. */
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

/** A name that browsers take from this very host alone, and over TLS: nobody slips somebody else's login in. */
const loginName = (isEncrypted: boolean): string => (isEncrypted ? "__Host-switchyard-login" : "switchyard-login")

const login = (isEncrypted: boolean) => ({ httpOnly: true, secure: isEncrypted, sameSite: "lax", path: "/" }) as const

/** Keeps the state of a login. */
export const withLogin = (response: Response, sealed: string, isEncrypted: boolean): Response =>
  HttpServerResponse.setCookieUnsafe(response, loginName(isEncrypted), sealed, {
    ...login(isEncrypted),
    maxAge: LIFETIME * 1000
  })

/** Removes it. */
export const withoutLogin = (response: Response): Response =>
  [true, false].reduce(
    (dressed, isEncrypted) =>
      HttpServerResponse.setCookieUnsafe(dressed, loginName(isEncrypted), "", { ...login(isEncrypted), maxAge: 0 }),
    response
  )

/** The states in what a browser has sent; `isEncrypted` says which of the two names each has. */
export const loginsIn = (cookies: Readonly<Record<string, string>>) =>
  [true, false].flatMap((isEncrypted) => {
    const sealed = cookies[loginName(isEncrypted)]
    return sealed === undefined ? [] : [{ sealed, isEncrypted }]
  })
