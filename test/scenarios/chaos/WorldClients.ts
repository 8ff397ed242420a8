/**
 * Clients of the API of several replicas, like scripts and load balancers: one that is refused, cut off or told to retry asks the next
 * replica. They count the reasons and the durations, and every other answer that is not right.
 */
import { Effect, Schema } from "effect"
import { seconds } from "../../support/Patience.ts"

/** A request, and whether the answer to it is right: null, or what is wrong. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT"
  readonly path: string
  readonly body?: unknown
  readonly wrong: (reply: Answer) => string | null
  /** An answer that is lost may have been done: then it is not asked for again. */
  readonly once?: true
}

export interface Answer {
  readonly status: number
  readonly body: {
    readonly job_id?: number
    readonly message?: unknown
    readonly data?: Readonly<Record<string, unknown>> | string
  }
}

/** The results of the clients. */
export interface Account {
  asked: number
  /** How often they had to ask again, by the reason. */
  readonly retries: Map<string, number>
  readonly wrong: Array<string>
  /** The longest time from the first asking to the answer, by the sort of request. */
  readonly longestMs: Map<string, number>
  /** Requests that took longer than others may take to take over: when, what and for how many milliseconds. */
  readonly slow: Array<string>
}

export const makeAccount = (): Account => ({ asked: 0, retries: new Map(), wrong: [], longestMs: new Map(), slow: [] })

/** A reader does not wait longer than this for a replica. */
const IMPATIENT = seconds(5)
/** A client that changes something waits longer than any replica is paused or cut off. */
const PATIENT = seconds(60)
/** No client waits longer than this for an answer. */
const LONGEST = seconds(90)
const AGAIN = "100 millis"
const SLOW_MS = 10_000

/** No answer came. ECONNREFUSED: no server has received the request, so it may be repeated; for others this is unknown. */
class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { reason: Schema.String }) {}

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no answer"
  const { cause } = error
  if (error.name === "TimeoutError") return "silence"
  if (cause instanceof AggregateError) return codeOf(new Error("", { cause: cause.errors[0] }))
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message
}

const send = (base: string, { body, method, path }: Call) =>
  Effect.tryPromise({
    try: async (signal) => {
      const timeout = AbortSignal.timeout(method === "GET" ? IMPATIENT : PATIENT)
      const response = await fetch(`${base}/api/v1.0${path}`, {
        method,
        signal: AbortSignal.any([signal, timeout]),
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
      })
      return { status: response.status, text: await response.text(), again: response.headers.get("retry-after") }
    },
    catch: (error) => new NoAnswer({ reason: codeOf(error) })
  })

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

const sortOf = ({ method, path }: Call) => `${method} ${path.replace(/\?.*/, "").replaceAll(/\/(\d+|lhv-\w+)/g, "/…")}`

/** Asks one replica after the other, beginning anywhere; fails with NoAnswer when a call that may be made once got none. */
export const makeClient = (bases: ReadonlyArray<string>, account: Account, random: () => number) => {
  const parsed = (call: Call, status: number, text: string): Answer => {
    try {
      return { status, body: JSON.parse(text) }
    } catch {
      account.wrong.push(`${sortOf(call)}: ${status} without JSON: ${text.slice(0, 100)}`)
      return { status, body: {} }
    }
  }
  const attempt = (call: Call, base: string) =>
    Effect.gen(function* () {
      const { again, status, text } = yield* send(base, call)
      const answer = parsed(call, status, text)
      if (status === 503) {
        if (again === null) account.wrong.push(`${sortOf(call)}: 503 without Retry-After`)
        return yield* new NoAnswer({ reason: "503" })
      }
      return answer
    })
  return Effect.fnUntraced(function* (call: Call) {
    const since = Date.now()
    const reasons: Array<string> = []
    account.asked += 1
    for (let turn = Math.floor(random() * bases.length); ; turn += 1) {
      const heard = yield* Effect.result(attempt(call, bases[turn % bases.length] ?? ""))
      if (heard._tag === "Success") {
        const ms = Date.now() - since
        account.longestMs.set(sortOf(call), Math.max(ms, account.longestMs.get(sortOf(call)) ?? 0))
        if (ms > SLOW_MS)
          account.slow.push(`${new Date(since).toISOString()} ${sortOf(call)} ${ms} (${reasons.join(", ")})`)
        const wrong = call.wrong(heard.success)
        if (wrong !== null) account.wrong.push(`${sortOf(call)}: ${wrong}`)
        return heard.success
      }
      count(account.retries, heard.failure.reason)
      reasons.push(`${turn % bases.length}: ${heard.failure.reason}`)
      if (call.once === true && heard.failure.reason !== "ECONNREFUSED") return yield* Effect.fail(heard.failure)
      if (Date.now() - since > LONGEST) {
        account.wrong.push(`${sortOf(call)}: never answered, at last ${heard.failure.reason}`)
        return yield* Effect.fail(heard.failure)
      }
      yield* Effect.sleep(AGAIN)
    }
  })
}

export type Client = ReturnType<typeof makeClient>
