/** Calls of the demo to the server's API, as any client would make them. */
import { Cause, Clock, Console, Duration, Effect, Runtime, Schema } from "effect"
import * as net from "node:net"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { addressUnavailable } from "../runtime/ListeningAddress.ts"

/** A step of the demo failed. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { message: Schema.String }) {
  /** `sayFailure` has printed it. */
  override readonly [Runtime.errorReported] = false
}

const Envelope = Schema.Struct({
  status: Schema.Literals(["success", "error"]),
  data: Schema.optionalKey(Schema.Unknown),
  message: Schema.optionalKey(Schema.Unknown),
  job_id: Schema.optionalKey(Schema.Int)
})
type Envelope = typeof Envelope.Type

const Devices = Schema.Struct({
  devices: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      hostname: Schema.String,
      state: Schema.String,
      synchronized: Schema.Boolean,
      ztp_mac: Schema.NullOr(Schema.String),
      management_ip: Schema.NullOr(Schema.String)
    })
  )
})

const Jobs = Schema.Struct({
  jobs: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      status: Schema.String,
      next_job_id: Schema.NullOr(Schema.Int),
      change_score: Schema.NullOr(Schema.Int),
      result: Schema.Unknown,
      exception: Schema.Unknown
    })
  )
})
type DemoJob = (typeof Jobs.Type)["jobs"][number]

const SyncResult = Schema.Struct({
  devices: Schema.Record(
    Schema.String,
    Schema.Struct({
      failed: Schema.Boolean,
      job_tasks: Schema.Array(
        Schema.Struct({
          task_name: Schema.String,
          diff: Schema.String,
          failed: Schema.optionalKey(Schema.Boolean),
          result: Schema.Unknown
        })
      )
    })
  )
})

const History = Schema.Struct({
  hostnames: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ cause: Schema.String, by: Schema.String })))
})

const Linknets = Schema.Struct({
  linknets: Schema.Array(
    Schema.Struct({
      device_a_id: Schema.Int,
      device_a_port: Schema.String,
      device_b_id: Schema.Int,
      device_b_port: Schema.String
    })
  )
})

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]
const POLL = "100 millis"
const PATIENCE = "90 seconds"

const failed = (message: string) => new DemoFailed({ message })

/** One request; yields its envelope, or data of this shape. */
const makeCalls = (url: string) => {
  const call = Effect.fnUntraced(
    function* (method: "GET" | "POST" | "PUT", path: string, body?: unknown) {
      const request = HttpClientRequest.make(method)(`${url}/api/v1.0${path}`)
      const sent = body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)
      const response = yield* HttpClient.execute(sent)
      const envelope = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(Envelope))
      if (envelope.status === "success") return envelope
      return yield* failed(`${method} ${path}: ${JSON.stringify(envelope.message)}`)
    },
    Effect.mapError((error) =>
      error._tag === "DemoFailed" ? error : failed(`The API does not answer: ${error.message}`)
    ),
    Effect.provide(FetchHttpClient.layer)
  )

  const data = <A, I>(schema: Schema.Codec<A, I>, path: string) =>
    Effect.flatMap(call("GET", path), (envelope) =>
      Effect.mapError(Schema.decodeUnknownEffect(schema)(envelope.data), (error) =>
        failed(`GET ${path}: ${error.message}`)
      )
    )

  return { call, data }
}

/** Asks until an answer comes; the error names what it waited for. */
const makeUntil = (patience: Duration.Input) =>
  Effect.fnUntraced(function* <A, E>(what: string, ask: Effect.Effect<A | null, E>) {
    const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(patience)
    while ((yield* Clock.currentTimeMillis) < deadline) {
      const answer = yield* ask
      if (answer !== null) return answer
      yield* Effect.sleep(POLL)
    }
    return yield* failed(`waited in vain for ${what}`)
  })

const resultOf = (job: DemoJob) =>
  Effect.mapError(Schema.decodeUnknownEffect(SyncResult)(job.result), (error) => failed(error.message))

/** The reasons of the devices that failed in a sync job. */
const failures = (job: DemoJob) =>
  Effect.map(resultOf(job), ({ devices }) =>
    Object.entries(devices)
      .filter(([, device]) => device.failed)
      .map(([hostname, { job_tasks }]) => ({
        hostname,
        reason: job_tasks.flatMap(({ failed: bad, result }) => (bad === true ? [String(result)] : [])).join(" ")
      }))
  )

/** The diff of each device in a sync job, failures as an error. */
const diffs = Effect.fnUntraced(function* (job: DemoJob) {
  const result = yield* resultOf(job)
  const broken = (yield* failures(job)).map(({ hostname, reason }) => `${hostname}: ${reason}`)
  if (broken.length > 0) return yield* failed(`job ${job.id} failed: ${broken.join("; ").slice(0, 2000)}`)
  return Object.entries(result.devices).map(([hostname, { job_tasks }]) => ({
    hostname,
    diff: job_tasks.map((task) => task.diff).join("")
  }))
})

/** A client of the API at this address; `patience` is how long it waits for an expected result. */
export const make = (url: string, patience: Duration.Input = PATIENCE) => {
  const { call, data } = makeCalls(url)
  const until = makeUntil(patience)

  const devices = (query: string) => Effect.map(data(Devices, `/devices?${query}`), (found) => found.devices)

  const jobOf = (id: number) => Effect.map(data(Jobs, `/job/${id}`), ({ jobs }) => jobs[0] ?? null)

  const ended = (id: number) =>
    until(
      `job ${id} to end`,
      Effect.map(jobOf(id), (job) => (job !== null && ENDED.includes(job.status) ? job : null))
    )

  /** Starts a job with a request and waits for it; a job that did not finish well is a failure of the demo. */
  const run = Effect.fnUntraced(function* (path: string, body: unknown) {
    const { job_id } = yield* call("POST", path, body)
    if (job_id === undefined) return yield* failed(`POST ${path} started no job`)
    const job = yield* ended(job_id)
    return job.status === "FINISHED"
      ? job
      : yield* failed(`job ${job.id} ended ${job.status}: ${JSON.stringify(job.exception)}`)
  })

  /** Waits until the server has taken its repositories. */
  const ready = until(
    "the repositories",
    Effect.map(Effect.option(call("GET", "/settings")), (found) => (found._tag === "Some" ? true : null))
  )

  const sync = (dry_run: boolean, selector: Readonly<Record<string, unknown>>) =>
    run("/device_syncto", { ...selector, dry_run, comment: "demo" })

  /** Pushes to a device, and says why its check took the change back; anything else is a failure of the demo. */
  const takenBack = Effect.fnUntraced(function* (hostname: string, check: string) {
    const job = yield* sync(false, { hostname })
    const [failure] = yield* failures(job)
    yield* hold(failure !== undefined, `job ${job.id} says that ${hostname} was changed`)
    const reason = failure?.reason.trim() ?? ""
    yield* say(`  job ${job.id} says of ${hostname}:\n${reason.replaceAll(/^ */gm, "    ")}`)
    const isTold = reason.includes("runs the configuration that it had before") && reason.includes(`: ${check}: `)
    yield* hold(isTold, `the job does not say that ${check} failed and that the change was taken back`)
  })

  /** Makes the server refresh a repository; yields its sentence. */
  const refresh = (name: "settings" | "templates") =>
    Effect.map(call("PUT", `/repository/${name}`, { action: "REFRESH" }), ({ data: said }) => String(said).trim())

  const causes = Effect.map(data(History, "/device_synchistory"), ({ hostnames }) => hostnames)
  const links = Effect.map(data(Linknets, "/linknets"), ({ linknets }) => linknets)
  return { call, ready, devices, links, until, ended, run, sync, takenBack, refresh, diffs, failures, causes }
}

export type DemoApi = ReturnType<typeof make>

// The words of the story on the terminal.

/** `exit`: end after the story. */
export interface DemoOptions {
  readonly exit: boolean
  readonly port: number
}

/** Fails if another program has the port, before the demo has built anything. */
export const requirePort = (port: number) =>
  Effect.callback<void, DemoFailed>((resume) => {
    const server = net.createServer()
    server.once("error", (error) => {
      const { message } = addressUnavailable(
        { host: "127.0.0.1", port, settings: { host: "HOST", port: "--port" } },
        error
      )
      resume(Effect.fail(failed(`${message}, such as: npm run demo -- --port ${port < 65_535 ? port + 1 : port - 1}`)))
    })
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.void)))
  })

export const say = (text: string) => Console.log(text)
export const step = (title: string) => say(`\n== ${title}`)

/** Continues if the condition of the story holds; else the demo fails with this sentence. */
export const hold = (holds: boolean, otherwise: string) =>
  holds ? Effect.void : Effect.fail(new DemoFailed({ message: otherwise }))

/** Prints why a demo failed; an interrupted one has not failed. */
export const sayFailure = <A, E, R>(play: Effect.Effect<A, E, R>) =>
  Effect.tapCause(play, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Console.error(
          `The demo failed: ${Cause.pretty(cause)
            .split("\n", 1)[0]
            ?.replace(/^DemoFailed: /, "")}`
        )
  )
