/** The client: the calls of the API, and what they alone do not give: waiting for a job, and the stream of events. */
import { Calls } from "./calls.js"
import { ApiError, EventsLost, ServerAway, WaitTimeout } from "./errors.js"
import type { Device, Event, Job, JobStarted } from "./records.js"
import { sleep } from "./transport.js"

export interface WaitOptions {
  /** Seconds until `WaitTimeout`; default one hour. The job goes on. */
  readonly timeout?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the record each time that it was read. */
  readonly onProgress?: ((job: Job) => void) | undefined
}

export interface EventOptions {
  /** Kinds of events, such as `job` and `device`; default all. */
  readonly kind?: ReadonlyArray<string> | undefined
  readonly device?: ReadonlyArray<string> | undefined
  readonly group?: string | undefined
  readonly job?: number | undefined
  /** Only events after this number; default from now on. */
  readonly since?: number | undefined
  readonly signal?: AbortSignal | undefined
}

const HOUR = 3600
const FIRST_LOOK = 0.2
const LONGEST_LOOK = 3
const LONGEST_RECONNECT = 30
/** The server says something at least every 15 seconds. */
const SILENCE = 45

const ENDED: ReadonlyArray<string> = ["FINISHED", "EXCEPTION", "ABORTED"]

interface Message {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

const messageOf = (block: string): Message => {
  const lines = block.split("\n").map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? [])
  const last = (name: string) => lines.findLast(([, field]) => field === name)?.[2]
  const data = lines.flatMap(([, field, value]) => (field === "data" ? [value ?? ""] : []))
  return { id: last("id"), type: last("event") ?? "message", data: data.join("\n") }
}

/** The messages of a stream; ends with it. */
async function* messagesIn(body: NonNullable<Response["body"]>, alive: () => void): AsyncGenerator<Message, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      alive()
      const blocks = (text + value).replaceAll("\r\n", "\n").split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) yield messageOf(block)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** A client of one server. */
export class Switchyard extends Calls {
  /** The record of a job. */
  async job(id: number): Promise<Job> {
    const { jobs } = await this.getJob(id)
    const [job] = jobs
    if (job === undefined) throw new ApiError(404, { message: `Job ${id} not found` })
    return job
  }

  /** The record of a device, by its hostname or id. */
  async device(name: string | number): Promise<Device> {
    const { devices } = await this.getDevice(name)
    const [device] = devices
    if (device === undefined) throw new ApiError(404, { message: `Device ${name} not found` })
    return device
  }

  /**
   * Waits for the end of a job, given as its number or as the answer that started it. Whether it did what it should is in `outcome` of the
   * record; a follow-up job, if there is one, is `next_job_id`.
   */
  async wait(job: number | JobStarted, { onProgress, signal, timeout = HOUR }: WaitOptions = {}): Promise<Job> {
    const id = typeof job === "number" ? job : job.job_id
    const end = Date.now() + timeout * 1000
    for (let pause = FIRST_LOOK; ; pause = Math.min(LONGEST_LOOK, pause * 1.3)) {
      signal?.throwIfAborted()
      const record = await this.job(id)
      onProgress?.(record)
      if (ENDED.includes(record.status)) return record
      const left = (end - Date.now()) / 1000
      if (left <= 0) throw new WaitTimeout(id, timeout)
      await sleep(Math.min(pause, left), signal)
    }
  }

  /**
   * Events as they happen, without an end. A lost connection is made again where it was lost, so that no event is left out and none comes
   * twice; fails with `EventsLost` if the server has removed events in between.
   */
  async *events({ signal, since, ...wanted }: EventOptions = {}): AsyncGenerator<Event, void> {
    const query = { ...wanted, kind: wanted.kind?.join(","), device: wanted.device?.join(",") }
    let last = since === undefined ? undefined : String(since)
    for (let tried = 0; ;) {
      signal?.throwIfAborted()
      try {
        for await (const message of this.#stream(query, last, signal)) {
          tried = 0
          if (message.id !== undefined) last = message.id
          if (message.type === "gap") throw new EventsLost(Number(JSON.parse(message.data).next))
          if (message.type === "end") {
            const { resume } = JSON.parse(message.data)
            if (resume !== null && resume !== undefined) last = String(resume)
          } else if (message.data !== "" && message.type !== "skipped") yield JSON.parse(message.data)
        }
      } catch (error) {
        signal?.throwIfAborted()
        const isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
        if (error instanceof EventsLost || isRefused || !(error instanceof ApiError || error instanceof ServerAway)) {
          throw error
        }
      }
      await sleep(Math.min(LONGEST_RECONNECT, 2 ** tried++) * (0.5 + Math.random() / 2), signal)
    }
  }

  async *#stream(query: Readonly<Record<string, unknown>>, last: string | undefined, signal: AbortSignal | undefined) {
    const silent = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const alive = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), SILENCE * 1000)
    }
    const headers = { accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) }
    alive()
    try {
      const ending = signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal])
      const answer = await this.send({ method: "GET", path: "/api/v1.0/events", query }, headers, ending)
      if (answer.body !== null) yield* messagesIn(answer.body, alive)
    } catch (error) {
      if (error instanceof ApiError || error instanceof EventsLost) throw error
      throw new ServerAway("The stream of events was lost", { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
