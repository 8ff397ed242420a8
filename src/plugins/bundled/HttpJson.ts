/**
 * Requests of the bundled plugins to other systems: JSON both ways, and errors that quote the answer and not the request. Also the plugins'
 * variables. Imports nothing but Node: plugins run in threads that start in a moment.
 */

interface JsonRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal: AbortSignal
}

interface JsonAnswer {
  readonly status: number
  /** Undefined if the answer is no JSON. */
  readonly json: unknown
  readonly text: string
}

/** The part of an answer that an error quotes. */
const SHOWN = 300

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // the caller says what is wrong
    return undefined
  }
}

/** The system is unusable; `status` null if it did not answer. */
export class HttpProblem extends Error {
  readonly status: number | null
  constructor(message: string, status: number | null) {
    super(message)
    this.status = status
  }
}

/** An error that another attempt cannot repair. */
export const final = (message: string): Error & { readonly retry: false } =>
  Object.assign(new Error(message), { retry: false as const })

/** Sends the request and reads the answer, whatever its status is. Redirects are not followed: they are answers. */
export const send = async ({ body, headers, method, signal, url }: JsonRequest): Promise<JsonAnswer> => {
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const sent = { "content-type": "application/json", accept: "application/json", ...headers }
  const answer = await fetch(url, { method, headers: sent, redirect: "manual", signal, ...content }).catch(
    (error: unknown) => {
      const reason = signal.aborted ? "no answer in time" : error instanceof Error ? error.message : String(error)
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ""
      throw new HttpProblem(`${method} ${new URL(url).pathname}: ${reason}${cause}`, null)
    }
  )
  const text = await answer.text()
  return { status: answer.status, json: parsed(text), text }
}

/** Throws unless the answer has one of these statuses. */
export const expect = (request: JsonRequest, answer: JsonAnswer, statuses: ReadonlyArray<number>): JsonAnswer => {
  if (statuses.includes(answer.status)) return answer
  const what = answer.text.replaceAll(/\s+/g, " ").trim().slice(0, SHOWN)
  throw new HttpProblem(
    `${request.method} ${new URL(request.url).pathname} was answered with status ${answer.status}: ${what}`,
    answer.status
  )
}

/** The same in one step. */
export const ask = async (request: JsonRequest, statuses: ReadonlyArray<number>): Promise<JsonAnswer> =>
  expect(request, await send(request), statuses)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

// Reads the variables of the bundled plugins; errors name the missing or malformed variable, and never quote its value.

type Variables = Readonly<Record<string, unknown>>

const wrong = (name: string, form: string) => final(`the variable ${name} must be ${form}`)

/** A text; numbers count as one. Without a fallback it must be given. */
export const text = (vars: Variables, name: string, fallback?: string): string => {
  const value = vars[name] ?? fallback
  if (typeof value === "number") return String(value)
  if (typeof value === "string" && (value !== "" || fallback !== undefined)) return value
  throw wrong(name, "a text")
}

export const flag = (vars: Variables, name: string, fallback: boolean): boolean => {
  const value = vars[name] ?? fallback
  if (typeof value === "boolean") return value
  throw wrong(name, "true or false")
}

/** A list of texts; one text is a list of one. */
export const texts = (vars: Variables, name: string, fallback: ReadonlyArray<string>): ReadonlyArray<string> => {
  const value = vars[name] ?? fallback
  if (typeof value === "string") return [value]
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value
  throw wrong(name, "a list of texts")
}

/** Texts by names. */
export const table = (vars: Variables, name: string): Readonly<Record<string, string>> => {
  const value = vars[name] ?? {}
  if (!isRecord(value)) throw wrong(name, "a table of texts")
  return Object.fromEntries(Object.keys(value).map((key) => [key, text(value, key, "")]))
}

/** One of these words. */
export const oneOf = <const A extends string>(
  vars: Variables,
  name: string,
  words: readonly [A, ...ReadonlyArray<A>]
): A => {
  const value = vars[name] ?? words[0]
  const found = words.find((word) => word === value)
  if (found === undefined) throw wrong(name, `one of ${words.join(", ")}`)
  return found
}

/** The address of a system, without a slash at its end. */
export const address = (vars: Variables, name: string): string => {
  const value = text(vars, name)
  if (!/^https?:\/\/[^\s/]/.test(value) || !URL.canParse(value)) throw wrong(name, "an http(s) URL")
  return value.replace(/\/+$/, "")
}
