/** The errors of this client. Each says what a program can do about it. */

/** The server refused the request, or failed. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  /** The HTTP status. */
  readonly status: number
  /** All sentences of the server; `message` is the first one. */
  readonly messages: ReadonlyArray<string>
  /** The field or parameter that the first sentence is about, such as `management_ip`; undefined if it names none. */
  readonly field: string | undefined
  /** The body of the answer. */
  readonly body: unknown
  /** Seconds after which the server asks to try again. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: unknown, retryAfter?: number) {
    const messages = messagesOf(body)
    super(messages[0] ?? `The server answered with status ${status}`)
    this.status = status
    this.messages = messages
    this.field = fieldOf(messages[0] ?? "")
    this.body = body
    this.retryAfter = retryAfter
  }
}

/** No answer came: the server is away, or the connection was lost. A request that was not a GET may have been carried out. */
export class ServerAway extends Error {
  override readonly name = "ServerAway"
}

/** A job had not ended in time. It goes on. */
export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout"
  readonly jobId: number

  constructor(jobId: number, seconds: number) {
    super(`Job ${jobId} has not ended within ${seconds} seconds; it goes on`)
    this.jobId = jobId
  }
}

/** Events were removed before they were read: load again what depends on them, then continue after `next`. */
export class EventsLost extends Error {
  override readonly name = "EventsLost"
  readonly next: number

  constructor(next: number) {
    super(`Events before number ${next} were removed before they were read`)
    this.next = next
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string")
  return isRecord(value) ? texts(value["errors"]) : []
}

const messagesOf = (body: unknown): ReadonlyArray<string> =>
  isRecord(body) ? texts(body["message"]) : texts(body === "" ? undefined : body)

/** How the server names a field in its sentences. */
const NAMED = [
  /^([A-Za-z_][\w.[\]-]*): /,
  /^Required field (\w+) not found/,
  /^Invalid (?:device )?(\w+) received/,
  /^Unknown attribute '([^']+)'/,
  /^Validation error for setting (\w+),/,
  /^(\w+) \S+ (?:is used already|overlaps)/
]

const fieldOf = (message: string): string | undefined =>
  NAMED.map((pattern) => pattern.exec(message)?.[1]).find((name) => name !== undefined)
