/** A plain client of the API for end-to-end tests: what an operator's script would do. */
import { Effect, Schema } from "effect"
import { functionOf } from "../../src/domain/Job.ts"
import { AbortedResult, resultsOf } from "../../src/domain/jobs/JobResults.ts"

/** A reply: status, headers and the parsed body. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly status: string
    readonly message?: unknown
    readonly job_id?: number
    readonly warnings?: unknown
    readonly problems?: unknown
    // replies differ by route, and each test says what it expects of them
    readonly data: Record<string, unknown>
  }
}

/** A job record, as far as tests look at it. */
export interface JobReply {
  readonly id: number
  readonly status: string
  readonly function_name: string
  readonly next_job_id: number | null
  readonly change_score: number | null
  readonly exception: { readonly message: string; readonly traceback: string } | null
  readonly result: {
    readonly devices?: Record<
      string,
      {
        readonly failed: boolean
        readonly job_tasks: ReadonlyArray<{ readonly task_name: string; readonly diff: string }>
      }
    >
  } | null
}

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

const isAborted = Schema.is(AbortedResult)
const testsOf: ReadonlyMap<string, (result: unknown) => boolean> = new Map(
  Object.entries(resultsOf).map(([name, schema]) => [name, Schema.is(schema)])
)

/** The job, if its result is what the API document says about its function; else the test fails. */
const asDocumented = (job: JobReply): JobReply => {
  const { function_name, result } = job
  const isDocumented = testsOf.get(functionOf(function_name))?.(result) ?? false
  if (result === null || isDocumented || isAborted(result)) return job
  throw new Error(`${function_name} has a result that the API document does not have: ${JSON.stringify(result)}`)
}

export const makeClient = (base: string) => {
  const send = (method: string, path: string, body?: unknown): Effect.Effect<Reply> =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/api/v1.0${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
      })
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
    })

  const job = (id: number) =>
    Effect.map(send("GET", `/job/${id}`), ({ body }) => (body.data["jobs"] as ReadonlyArray<JobReply>)[0])

  /** Waits until the job has ended. */
  const ended = Effect.fnUntraced(function* (id: number) {
    for (;;) {
      const found = yield* job(id)
      if (found !== undefined && ENDED.includes(found.status)) return asDocumented(found)
      yield* Effect.sleep("50 millis")
    }
  })

  /** Starts a job by a request and waits for it. */
  const run = (path: string, body: unknown) =>
    Effect.flatMap(send("POST", path, body), (reply) =>
      reply.body.job_id === undefined
        ? Effect.die(new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`))
        : ended(reply.body.job_id)
    )

  const devices = (query: string) =>
    Effect.map(
      send("GET", `/devices?${query}`),
      ({ body }) => body.data["devices"] as ReadonlyArray<Record<string, string | number | boolean | null>>
    )
  return { send, job, ended, run, devices }
}
