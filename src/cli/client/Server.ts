/**
 * The server that the commands for people speak to: at SWITCHYARD_URL, with the token of SWITCHYARD_TOKEN or of a file that only its owner
 * reads (docs/command-line.md#signing-on). What it says is checked against the API's definitions by their types.
 */
import { Effect, Redacted, Runtime, Schema } from "effect"
import * as fs from "node:fs/promises"
import { homedir } from "node:os"
import * as path from "node:path"
import type { Answer, CallName, Parameters } from "../../api/CallTypes.ts"

/** Exit codes of commands (docs/command-line.md#exit-codes); 2 is for what was typed. */
export const exitCodes = { refused: 1, notSignedOn: 3, away: 4, notFollowed: 130 } as const

/** The server refuses, or what was asked for has failed; the sentence is the server's own. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.refused
}

/** Nobody is signed on, or may not do this. */
export class NotSignedOn extends Schema.TaggedError<NotSignedOn>()("NotSignedOn", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.notSignedOn
}

/** No answer came, or one that no server of ours gives. */
export class ServerAway extends Schema.TaggedError<ServerAway>()("ServerAway", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.away
}

const DEFAULT_URL = "http://127.0.0.1:5000"

/** Where the server is, without a slash at the end. */
export const serverUrl = (given = process.env["SWITCHYARD_URL"] || DEFAULT_URL): string =>
  given.replace(/\/+$/, "").replace(/\/api(?:\/v1\.0)?$/, "")

/** Where the token is kept. */
export const tokenFile = (): string =>
  process.env["SWITCHYARD_TOKEN_FILE"] ||
  path.join(process.env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config"), "switchyard", "token")

const OTHERS = 0o077

const readToken = Effect.tryPromise({
  try: async () => {
    const file = tokenFile()
    const { mode } = await fs.stat(file)
    return { file, isOpen: (mode & OTHERS) !== 0, text: (await fs.readFile(file, "utf8")).trim() }
  },
  catch: () => new NotSignedOn({ message: "Nobody is signed on: switchyard login, or SWITCHYARD_TOKEN" })
})

/** The token; null when there is none, which a server without tokens does not mind. */
const token = Effect.gen(function* () {
  const given = process.env["SWITCHYARD_TOKEN"]
  if (given !== undefined && given !== "") return Redacted.make(given)
  const found = yield* Effect.catch(readToken, () => Effect.succeed(null))
  if (found === null) return null
  if (found.isOpen) {
    return yield* new NotSignedOn({
      message: `${found.file} can be read by others: chmod 600 ${found.file}, and make another token`
    })
  }
  return Redacted.make(found.text)
})

/** What goes with a call. */
export interface Sent<Name extends CallName> {
  readonly params?: Parameters<Name>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The address of another server than that of SWITCHYARD_URL. */
  readonly server?: string
}

const BASE = "/api/v1.0"

const addressOf = <Name extends CallName>(name: Name, { params, query, server }: Sent<Name>): string => {
  const [, pattern = ""] = name.split(" ", 2)
  const given: Readonly<Record<string, string | number>> = params ?? {}
  const words = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]]
  )
  const asked = new URLSearchParams(words).toString()
  const where = pattern.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(String(given[key] ?? "")))
  return `${serverUrl(server)}${BASE}${where}${asked === "" ? "" : `?${asked}`}`
}

const Failure = Schema.Struct({ message: Schema.Unknown })
const Errors = Schema.Struct({ errors: Schema.Array(Schema.String) })

const sentenceOf = (body: unknown, status: number): string => {
  if (!Schema.is(Failure)(body)) return `The server answers ${status}`
  const { message } = body
  if (typeof message === "string") return message
  if (Array.isArray(message)) return message.join("\n")
  return Schema.is(Errors)(message) ? message.errors.join("\n") : JSON.stringify(message)
}

/** Sends a request; yields the response, whatever its status. */
export const send = Effect.fnUntraced(function* <Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {},
  signal?: AbortSignal
) {
  const known = yield* token
  const [method = "GET"] = name.split(" ", 1)
  return yield* Effect.tryPromise({
    try: () =>
      fetch(addressOf(name, sent), {
        method,
        redirect: "error",
        headers: {
          ...(known === null ? {} : { authorization: `Bearer ${Redacted.value(known)}` }),
          ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
          ...sent.headers
        },
        ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
        ...(signal === undefined ? {} : { signal })
      }),
    catch: () =>
      new ServerAway({ message: `${serverUrl(sent.server)} does not answer; SWITCHYARD_URL says where the server is` })
  })
})

/** What a response says when it is no success. */
export const failureOf = Effect.fnUntraced(function* (response: Response) {
  const body: unknown = yield* Effect.promise(() => response.json().catch(() => null))
  const message = sentenceOf(body, response.status)
  if (response.status === 401) return new NotSignedOn({ message: `${message}. Sign on: switchyard login` })
  if (response.status === 403) return new NotSignedOn({ message })
  return response.status >= 502 ? new ServerAway({ message }) : new Refused({ message })
})

/** Asks the server; yields its answer and the number of records that match, where it is a list. */
export const ask = Effect.fnUntraced(function* <Name extends CallName>(name: Name, sent: Sent<Name> = {}) {
  const response = yield* send(name, sent)
  if (!response.ok) return yield* yield* failureOf(response)
  const answer = yield* Effect.tryPromise({
    try: async (): Promise<Answer<Name>> => JSON.parse(await response.text()),
    catch: () => new ServerAway({ message: `${serverUrl()} answers without JSON` })
  })
  return { answer, matching: Number(response.headers.get("x-matching-count") ?? 0) }
})

const MOST = 1000

/** All records of a list, page by page. */
export const askAll = Effect.fnUntraced(function* <Name extends CallName, Row>(
  name: Name,
  sent: Sent<Name>,
  rowsOf: (answer: Answer<Name>) => ReadonlyArray<Row>,
  most = Number.POSITIVE_INFINITY
) {
  const found: Array<Row> = []
  const per_page = Math.min(most, MOST)
  for (let page = 1; ; page++) {
    const { answer } = yield* ask(name, { ...sent, query: { ...sent.query, page, per_page } })
    const rows = rowsOf(answer)
    for (const row of rows) found.push(row)
    if (rows.length < per_page || found.length >= most) return found
  }
})

/** Keeps a token in a file that only its owner reads. */
export const keepToken = (text: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = tokenFile()
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await fs.rm(file, { force: true })
      await fs.writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" })
      return file
    },
    catch: (error) => new Refused({ message: `The token cannot be kept: ${String(error)}` })
  })

/** Forgets it. */
export const forgetToken = Effect.promise(() => fs.rm(tokenFile(), { force: true }))
