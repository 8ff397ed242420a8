/** How requests are sent: addresses, tokens, what is tried again and when, and pages. The calls themselves are in `calls.ts`. */
import { ApiError, ServerAway } from "./errors.js"

/** A token of the API, or what gives one before each request. */
export type Token = string | (() => string | Promise<string>)

export interface ClientOptions {
  /** The address of the server, such as `https://switchyard.example.org`. */
  readonly url: string
  /** Left out for a server that asks for none. */
  readonly token?: Token | undefined
  /** Seconds that an answer may take; default 60. */
  readonly timeout?: number | undefined
  /** How often a GET is tried again after a lost connection and a 503; default 5. */
  readonly retries?: number | undefined
  /** In place of the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined
}

export interface CallOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined
}

/** Values of filters by field, or by field and way: `hostname[contains]`. */
export type Filter = Readonly<Record<string, string | number | boolean>>

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly query?: Readonly<Record<string, unknown>>
  /** What a call gives of the answer; default its `data`. */
  readonly gives?: "all" | "text"
}

/** A path with its values. */
export const pathOf = (path: string, values: Readonly<Record<string, string | number>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))

const queryOf = (query: Readonly<Record<string, unknown>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (name === "filter") {
      // `hostname[contains]` is `filter[hostname][contains]`
      for (const [field, wanted] of Object.entries(value ?? {})) {
        parameters.append(`filter${field.replace(/^[^[]+/, "[$&]")}`, String(wanted))
      }
    } else for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one))
  }
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

const FIRST_PAUSE = 0.5
const LONGEST_PAUSE = 30
const DEFAULT_TIMEOUT = 60
const DEFAULT_RETRIES = 5
const PER_PAGE = 500

/** Answers after which a GET is sent again. */
const BUSY = [408, 429, 503]

/** Waits; a signal ends it with its reason. */
export const sleep = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, seconds * 1000)
    signal?.addEventListener("abort", end, { once: true })
  })

const retryAfterOf = (answer: Response): number | undefined => {
  const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The pause before the next try, in seconds: what the server says, else longer each time, and never the same for all clients. */
const pauseOf = (tried: number, error: ApiError | ServerAway): number =>
  (error instanceof ApiError ? error.retryAfter : undefined) ??
  Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tried) * (0.5 + Math.random() / 2)

/** Sends requests to one server. */
export abstract class Transport {
  readonly url: string
  readonly #token: Token | undefined
  readonly #timeout: number
  readonly #retries: number
  readonly #fetch: typeof fetch

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, "")
    this.#token = options.token
    this.#timeout = options.timeout ?? DEFAULT_TIMEOUT
    this.#retries = options.retries ?? DEFAULT_RETRIES
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init))
  }

  /** One request, sent once; the answer has a good status. */
  protected async send(
    { body, method, path, query = {} }: Request,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined
  ): Promise<Response> {
    const token = typeof this.#token === "function" ? await this.#token() : this.#token
    const sent = {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const answer = await this.#fetch(this.url + path + queryOf(query), {
      method,
      headers: sent,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null
    }).catch((cause: unknown) => {
      signal?.throwIfAborted()
      throw new ServerAway(`${this.url} does not answer`, { cause })
    })
    if (!answer.ok) throw new ApiError(answer.status, parsed(await answer.text()), retryAfterOf(answer))
    return answer
  }

  async #exchange(request: Request, signal: AbortSignal | undefined): Promise<{ headers: Headers; text: string }> {
    const late = AbortSignal.timeout(this.#timeout * 1000)
    try {
      const answer = await this.send(request, {}, signal === undefined ? late : AbortSignal.any([signal, late]))
      return { headers: answer.headers, text: await answer.text() }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError || error instanceof ServerAway) throw error
      const seconds = late.aborted ? ` within ${this.#timeout} seconds` : ""
      throw new ServerAway(`${this.url} did not answer${seconds}`, { cause: error })
    }
  }

  /** The same; a GET again and again while the server is away or busy. */
  async #insist(request: Request, { signal }: CallOptions) {
    for (let tried = 0; ; tried++) {
      try {
        return await this.#exchange(request, signal)
      } catch (error) {
        const isBusy = error instanceof ServerAway || (error instanceof ApiError && BUSY.includes(error.status))
        if (!isBusy || request.method !== "GET" || tried >= this.#retries) throw error
        await sleep(pauseOf(tried, error), signal)
      }
    }
  }

  /** What a call gives. The type is that of the document, which the server keeps. */
  protected async call<A>(request: Request, options: CallOptions): Promise<A> {
    const { text } = await this.#insist(request, options)
    const answer = request.gives === "text" ? text : JSON.parse(text)
    return request.gives === undefined ? answer.data : answer
  }

  /** The records of all pages, asked for as they are read. */
  protected async *pages<A>(request: Request, list: string, options: CallOptions): AsyncGenerator<A, void> {
    for (let page = 1; ; page++) {
      const query = { per_page: PER_PAGE, ...request.query, page }
      const { headers, text } = await this.#insist({ ...request, query }, options)
      yield* JSON.parse(text).data[list]
      if (!/rel="?next"?/.test(headers.get("link") ?? "")) return
    }
  }
}
