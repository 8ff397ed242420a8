/**
 * The session of the page (docs/sign-on.md#the-page): it begins with a password or a token, resumes with the cookie that the browser keeps,
 * and ends at the server. Tabs that need a token at the same time ask one after the other, because a cookie is valid once. Tabs notify each
 * other when a session begins or ends, without passing a token.
 */
import { forget, keep, token } from "./token.ts"

const ADDRESS = "/api/v1.0/auth/session"
const channel = new BroadcastChannel("switchyard.session")

/** Keys of the storage that earlier releases used. */
const FORMER = ["switchyard.token", "switchyard.renewable"] as const

/** The result of a request for a session. */
export interface Asked {
  readonly status: number
  readonly body: unknown
}

// browsers give locks to encrypted pages and to localhost; elsewhere the server accepts two requests at once
const alone = <A>(work: () => Promise<A>): Promise<A> =>
  "locks" in navigator ? navigator.locks.request("switchyard.session", work) : work()

/** A text in the data of an answer; null where there is none. */
const textIn = (body: unknown, name: "access_token" | "end_session_url"): string | null => {
  const data: unknown = typeof body === "object" && body !== null && "data" in body ? body.data : null
  const text: unknown = typeof data === "object" && data !== null ? Reflect.get(data, name) : null
  return typeof text === "string" ? text : null
}

const ask = async (authorization?: string): Promise<Asked> => {
  const response = await fetch(ADDRESS, {
    method: "POST",
    headers: authorization === undefined ? {} : { authorization }
  }).catch(() => null)
  const body: unknown = (await response?.json().catch(() => null)) ?? null
  const found = response?.ok === true ? textIn(body, "access_token") : null
  if (found !== null) {
    isLeft = false
    keep(found)
    if (localStorage.getItem(BEGAN) === null) localStorage.setItem(BEGAN, String(Date.now()))
  }
  return { status: response?.status ?? 0, body }
}

/** Begins a session with a name and a password (`Basic …`) or a token (`Bearer …`). Returns the reason for a refusal, or null. */
export const begin = async (authorization: string): Promise<Asked | null> => {
  const asked = await alone(() => ask(authorization))
  if (asked.status !== 200 || token() === null) return asked
  localStorage.setItem(BEGAN, String(Date.now()))
  channel.postMessage("begun")
  return null
}

// The end of a session: by the user, or by itself, which keeps what is shown under the sign-in.

/** When the session of this browser began, in milliseconds since 1970; no secret. */
const BEGAN = "switchyard.began"
const HOUR = 3_600_000

let isLeft = false

/** What became of the session that the user has ended in this tab. */
export interface EndedSession {
  /** The server has ended it; otherwise it could not be asked, and the session counts there until it ends by itself. */
  readonly isConfirmed: boolean
  /** The page that ends the session at the site's provider too. */
  readonly providerPage: string | null
}

let left: EndedSession | null = null

/** Null before the user has signed out in this tab. */
export const endedSession = (): EndedSession | null => (isLeft ? left : null)

/** Whether the user has signed out, here or in another tab; not when a session has ended by itself. */
export const hasLeft = (): boolean => isLeft

/** How many hours the session lasted that has ended by itself; null if there was none. */
export const hoursOfEnded = (): number | null => {
  const began = Number(localStorage.getItem(BEGAN) ?? Number.NaN)
  return isLeft || Number.isNaN(began) ? null : Math.round((Date.now() - began) / HOUR)
}

const leave = () => {
  isLeft = true
  localStorage.removeItem(BEGAN)
  forget()
}

let underWay: Promise<boolean> | null = null

/** Tries to replace a token that was refused; returns whether there is a new one. */
export const renew = (refused: string | null): Promise<boolean> => {
  if (refused === null) return Promise.resolve(false)
  if (token() !== null && token() !== refused) return Promise.resolve(true)
  underWay ??= alone(async () => (await ask()).status === 200).finally(() => (underWay = null))
  return underWay
}

/** Resumes the session of this browser, if it has one. */
export const takeUp = async (): Promise<void> => {
  for (const key of FORMER) localStorage.removeItem(key)
  await alone(() => ask())
}

/** Ends the session, at the server first. */
export const end = async (): Promise<void> => {
  const response = await alone(() => fetch(ADDRESS, { method: "DELETE" }).catch(() => null))
  const body: unknown = (await response?.json().catch(() => null)) ?? null
  left = { isConfirmed: response !== null && response.status < 500, providerPage: textIn(body, "end_session_url") }
  leave()
  channel.postMessage("ended")
}

/** Follows the sessions that other tabs of this browser begin and end. */
export const followOthers = (): void =>
  channel.addEventListener("message", ({ data }) => {
    if (data === "ended") leave()
    else if (token() === null) void takeUp()
  })
