/** A call of the API: its address, its token, and its failure as an error that a person can read. */
import type { Answer, CallName, Parameters } from "../../src/api/Calls.ts"
import { renew } from "./session.ts"
import { forget, token } from "./token.ts"

export type QueryValue = string | number | boolean | undefined

/** The parameters, the query and the body of a call. An undefined or empty parameter of the query is omitted. */
export interface Sent<Name extends CallName> {
  readonly params?: Parameters<Name>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The reason why a call failed: status 0 when no answer came. The sentences are the server's own. */
export class CallFailed extends Error {
  readonly status: number
  readonly sentences: ReadonlyArray<string>
  readonly body: unknown
  constructor(status: number, sentences: ReadonlyArray<string>, body: unknown) {
    super(sentences.join(" "))
    this.name = "CallFailed"
    this.status = status
    this.sentences = sentences
    this.body = body
  }
}

/** A call that waits for the approval of another person. This is not a failure. */
export class AwaitsApproval extends CallFailed {
  readonly id: number
  constructor(id: number, until: string, operation: string, body: unknown) {
    super(
      202,
      [`Nothing has changed yet. Another person must approve request ${id} (${operation}) until ${until} UTC.`],
      body
    )
    this.name = "AwaitsApproval"
    this.id = id
  }
}

/** The approval that a 202 answer waits for; undefined for a call that has begun. */
const awaitedIn = (body: unknown): AwaitsApproval | undefined => {
  if (typeof body !== "object" || body === null || !("data" in body)) return undefined
  const { data } = body
  if (typeof data !== "object" || data === null || !("approval_id" in data) || !("waits_until" in data))
    return undefined
  const { approval_id, waits_until } = data
  const operation = "operation" in data ? data.operation : ""
  return typeof approval_id === "number"
    ? new AwaitsApproval(approval_id, String(waits_until).replace("T", " ").replace("Z", ""), String(operation), body)
    : undefined
}

const BASE = "/api/v1.0"
/** Probes and the API document have no version in their path. */
const UNVERSIONED = /^\/(api|metrics)(\/|$)/

const sentencesOf = (body: unknown, status: number): ReadonlyArray<string> => {
  const message: unknown = typeof body === "object" && body !== null && "message" in body ? body.message : undefined
  if (typeof message === "string") return [message]
  const several: unknown =
    typeof message === "object" && message !== null && "errors" in message ? message.errors : message
  if (Array.isArray(several)) return several.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
  return [message === undefined ? `The server answered with status ${status}.` : JSON.stringify(message)]
}

/** The address of a call. */
export const addressOf = <Name extends CallName>(name: Name, { params, query }: Sent<Name> = {}): string => {
  const [, pattern = ""] = name.split(" ", 2)
  const given: Readonly<Record<string, string | number>> = params ?? {}
  const path = pattern.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(given[key] ?? "")))
  const asked = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== "") asked.set(key, String(value))
  const words = asked.toString()
  return `${UNVERSIONED.test(path) ? "" : BASE}${path}${words === "" ? "" : `?${words}`}`
}

const noAnswer = (cause: unknown) => {
  if (cause instanceof DOMException && cause.name === "AbortError") return cause
  return new CallFailed(
    0,
    ["The server does not answer. This page may be out of date; it retries automatically."],
    null
  )
}

type Content = Pick<Sent<CallName>, "body" | "headers" | "signal">

const send = (method: string, address: string, sent: Content, known: string | null): Promise<Response> =>
  fetch(address, {
    method,
    headers: {
      ...(known === null ? {} : { authorization: `Bearer ${known}` }),
      ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers
    },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    ...(sent.signal === undefined ? {} : { signal: sent.signal })
  }).catch((cause: unknown) => Promise.reject(noAnswer(cause)))

const requestAt = async (method: string, address: string, sent: Content): Promise<Response> => {
  const known = token()
  const first = await send(method, address, sent, known)
  const isRenewed = first.status === 401 && (await renew(known))
  const used = isRenewed ? token() : known
  const response = isRenewed ? await send(method, address, sent, used) : first
  if (response.status === 202) {
    const awaited = awaitedIn(
      await response
        .clone()
        .json()
        .catch(() => null)
    )
    if (awaited !== undefined) throw awaited
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  if (response.status === 401) forget(used)
  throw new CallFailed(response.status, sentencesOf(body, response.status), body)
}

/** Calls with the token of the signed-on user, renewing it if it has expired. Returns the response, or fails with `CallFailed`. */
export const request = <Name extends CallName>(name: Name, sent: Sent<Name> = {}): Promise<Response> => {
  const [method = "GET"] = name.split(" ", 1)
  return requestAt(method, addressOf(name, sent), sent)
}

/** The same for a call that the server has named, with its path below /api/v1.0. */
export const requestNamed = (method: string, path: string, body: unknown): Promise<Response> =>
  requestAt(method, `${BASE}${path}`, { body })

/** The answer of a call, and, for a list, the number of records that match. */
export interface Answered<A> {
  readonly answer: A
  readonly matching: number | null
}

const countOf = (response: Response): number | null => {
  const text = response.headers.get("x-matching-count") ?? response.headers.get("x-total-count")
  return text === null ? null : Number(text)
}

/** Calls the API and reads the answer. The types are those of the server that this page was built with. */
export const ask = async <Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {}
): Promise<Answered<Answer<Name>>> => {
  const response = await request(name, sent)
  const answer: Answer<Name> = await response.json()
  return { answer, matching: countOf(response) }
}
