/** A conformance case: one request to a known scene and the reply to it. */

/** The required contents of a reply's body: objects by the keys given, lists element by element, texts exactly or by pattern. */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | ReadonlyArray<Expected>
  | { readonly [key: string]: Expected | typeof absent }

/** A key that must not be there. */
export const absent = Symbol("absent")

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS" | "HEAD"
  /** Below `/api/v1.0`, unless it starts with `/api` or is `/metrics`. */
  readonly path: string
  readonly json?: unknown
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The caller; `admin` by default, null sends no token. */
  readonly user?: string | null
}

export interface Reply {
  readonly status: number
  readonly body?: Expected
  /** Null: the header must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | null>>
}

/** Something that has to hold afterwards: what a GET answers with. */
export interface Afterwards {
  readonly path: string
  readonly body: Expected
}

export interface Case {
  readonly name: string
  /** SQL that changes the scene before the request. */
  readonly given?: ReadonlyArray<string>
  /** Files that were committed to the remote of the settings since they came into force. */
  readonly committed?: Readonly<Record<string, string>>
  readonly request: Request
  readonly reply: Reply
  readonly afterwards?: ReadonlyArray<Afterwards>
  /** The reply is an error but what is good was stored. */
  readonly storesTheGoodPart?: true
}

/** The files in force came into force under a release that accepted what this one refuses. */
export const BROKEN_SETTINGS = [
  `update repository set commit = repeat('b', 40),
    files = files || '{"global/base_system.yml": "ntp_servers: 5"}' where name = 'settings'`
]

/** A POST that is refused with 400 and starts no job. */
export const bad = (name: string, path: string, json: unknown, message: string): Case => ({
  name,
  request: { method: "POST", path, json },
  reply: { status: 400, body: { status: "error", message, data: absent, job_id: absent } }
})

/** A POST that starts a job, which is the fourth of the scene. */
export const starts = (
  name: string,
  path: string,
  json: unknown,
  data: string,
  job: { readonly [key: string]: Expected },
  headers: Readonly<Record<string, string | null>> = {}
): Case => ({
  name,
  request: { method: "POST", path, json },
  reply: { status: 200, body: { status: "success", data, job_id: 4 }, headers },
  afterwards: [{ path: "/job/4", body: { data: { jobs: [{ status: "SCHEDULED", scheduled_by: "admin", ...job }] } } }]
})

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Where the actual value differs from what is expected; empty when it does not. */
export const differences = (expected: unknown, actual: unknown, path = "body"): ReadonlyArray<string> => {
  if (expected instanceof RegExp) {
    return typeof actual === "string" && expected.test(actual)
      ? []
      : [`${path}: ${JSON.stringify(actual)} does not match ${expected}`]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return [`${path}: expected ${expected.length} elements, got ${JSON.stringify(actual)}`]
    }
    return expected.flatMap((element, index) => differences(element, actual[index], `${path}[${index}]`))
  }
  if (isPlain(expected)) {
    if (!isPlain(actual)) return [`${path}: expected an object, got ${JSON.stringify(actual)}`]
    return Object.entries(expected).flatMap(([key, value]) => {
      if (value === absent) return Object.hasOwn(actual, key) ? [`${path}.${key} should be absent`] : []
      return differences(value, actual[key], `${path}.${key}`)
    })
  }
  return Object.is(expected, actual)
    ? []
    : [`${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`]
}
