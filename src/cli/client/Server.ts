/**
 * The server that the commands for people call: at SWITCHYARD_URL, with the token of SWITCHYARD_TOKEN or of a file that only its owner can
 * read (docs/command-line.md#signing-on). Its answers have the types of the API's definitions.
 */
import { Effect, Option, Redacted, Runtime, Schema } from "effect"
import * as fs from "node:fs/promises"
import { homedir } from "node:os"
import * as path from "node:path"
import * as tls from "node:tls"
import type { Answer, CallName, Parameters } from "../../api/Calls.ts"
import { inOptions } from "./Refusals.ts"
import { codeOf, messageOf } from "../../runtime/SystemErrors.ts"
import { serviceUrl } from "../Service.ts"
import { nameHint, shownName } from "../../domain/fields/KnownNames.ts"

/** Exit codes of commands (docs/command-line.md#exit-codes). */
export const exitCodes = { refused: 1, mistyped: 2, notSignedOn: 3, away: 4, notFollowed: 130 } as const

/** The words that the user typed break a rule; the server was not asked. */
export class Mistyped extends Schema.TaggedError<Mistyped>()("Mistyped", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.mistyped
}

/** Fails for the first word that is not known, with the name that was probably meant: `jop: no event is of this kind, did you mean job?` */
export const requireKnown = (words: ReadonlyArray<string>, known: ReadonlyArray<string>, sentence: string) => {
  const unknown = words.find((word) => !known.includes(word))
  return unknown === undefined
    ? Effect.void
    : new Mistyped({ message: `${shownName(unknown)}: ${sentence}${nameHint(unknown, known)}` })
}

/** The server refuses, or the requested work has failed; the sentence is the server's own. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.refused
}

/** The request is not carried out yet: another person must approve it (docs/security.md#four-eyes). */
export class AwaitsApproval extends Schema.TaggedError<AwaitsApproval>()("AwaitsApproval", {
  message: Schema.String,
  approval_id: Schema.Int,
  waits_until: Schema.String
}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.refused
}

/** No user is signed on, or the user may not do this. */
export class NotSignedOn extends Schema.TaggedError<NotSignedOn>()("NotSignedOn", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.notSignedOn
}

/** No answer came, or one that no Switchyard server sends. */
export class ServerAway extends Schema.TaggedError<ServerAway>()("ServerAway", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = exitCodes.away
}

const DEFAULT_URL = "http://127.0.0.1:5000"

/** The address of the server, without a slash at the end: without SWITCHYARD_URL that of this machine's service. */
export const serverUrl = (given = process.env["SWITCHYARD_URL"] || (serviceUrl() ?? DEFAULT_URL)): string =>
  given.replace(/\/+$/, "").replace(/\/api(?:\/v1\.0)?$/, "")

/** The file with the token. */
const tokenFile = (): string =>
  process.env["SWITCHYARD_TOKEN_FILE"] ||
  path.join(process.env["XDG_CONFIG_HOME"] || path.join(homedir(), ".config"), "switchyard", "token")

const OTHERS = 0o077

/**
 * Whether a file belongs to another account than the one that runs the command. Files of root do not count: root could change everything
 * anyhow.
 */
const isForeign = (uid: number): boolean => {
  const own = process.getuid?.()
  return own !== undefined && uid !== own && uid !== 0
}

/** The content of a file, and whether others may read it; null if it does not exist. */
const contentOf = async (file: string) => {
  const opened = await fs.open(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null
    throw error
  })
  if (opened === null) return null
  try {
    const { mode, uid } = await opened.stat()
    return { isOpen: (mode & OTHERS) !== 0, isForeign: isForeign(uid), text: (await opened.readFile("utf8")).trim() }
  } finally {
    await opened.close()
  }
}

/** The token of a file that only its owner can read; null if the file does not exist and no setting names it. */
const tokenOfFile = Effect.gen(function* () {
  const file = tokenFile()
  const refused = (message: string) => new NotSignedOn({ message })
  const found = yield* Effect.tryPromise({
    try: () => contentOf(file),
    catch: (error) => refused(`The file ${file} cannot be read (${codeOf(error) ?? "unknown"})`)
  })
  if (found === null) {
    if (!process.env["SWITCHYARD_TOKEN_FILE"]) return null
    return yield* refused(`There is no file ${file}, which SWITCHYARD_TOKEN_FILE names`)
  }
  if (found.isForeign) return yield* refused(`${file} belongs to another user: make a file of your own`)
  if (found.isOpen) return yield* refused(`${file} can be read by others: chmod 600 ${file}, and make another token`)
  return Redacted.make(found.text)
})

/** The token; null without one, which a server without tokens accepts. */
const token = Effect.suspend(() => {
  const given = process.env["SWITCHYARD_TOKEN"]
  return given === undefined || given === "" ? tokenOfFile : Effect.succeed(Redacted.make(given))
})

const DEFAULT_SECONDS = 60
/** The time for a repository that is cloned first, or for a check that renders the whole network. */
const SLOW_SECONDS = 900
const SLOW = /^(?:PUT \/repository\/|POST \/repository\/:name\/check)/

/** Seconds for a call: SWITCHYARD_TIMEOUT, or the time that this call may need. */
const secondsFor = (name: string): Effect.Effect<number, Mistyped> => {
  const given = process.env["SWITCHYARD_TIMEOUT"]
  if (given === undefined || given === "") return Effect.succeed(SLOW.test(name) ? SLOW_SECONDS : DEFAULT_SECONDS)
  const seconds = Number(given)
  return Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400
    ? Effect.succeed(seconds)
    : new Mistyped({ message: "SWITCHYARD_TIMEOUT: expected seconds, more than 0 and at most 86400" })
}

let isTrusting = false

/** Adds the authorities of SWITCHYARD_CA_FILE to those of Node. */
const trust = Effect.gen(function* () {
  const file = process.env["SWITCHYARD_CA_FILE"]
  if (file === undefined || file === "" || isTrusting) return
  yield* Effect.tryPromise({
    try: async () => {
      tls.setDefaultCACertificates([...tls.getCACertificates("default"), await fs.readFile(file, "utf8")])
      isTrusting = true
    },
    catch: () => new Mistyped({ message: `SWITCHYARD_CA_FILE: ${file} holds no certificate in PEM` })
  })
})

/** The parts of a call. */
export interface Sent<Name extends CallName> {
  readonly params?: Parameters<Name>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The address of a server other than that of SWITCHYARD_URL. */
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

/** Why no answer came, in words that help the user. */
const whyAway = (error: unknown, server: string, seconds: number): string => {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  const code = codeOf(cause) ?? ""
  if (cause instanceof Error && (cause.name === "TimeoutError" || code === "UND_ERR_HEADERS_TIMEOUT"))
    return `${server} does not answer within ${seconds} seconds (SWITCHYARD_TIMEOUT)`
  if (/CERT|SIGNATURE|ISSUER|SSL|TLS/.test(code))
    return `The certificate of ${server} is not accepted (${code}); SWITCHYARD_CA_FILE names an authority of your own`
  if (cause instanceof Error && /redirect/i.test(cause.message))
    return `${server} sends on to another address, which is not followed; SWITCHYARD_URL says where the server is`
  return `${server} does not answer; SWITCHYARD_URL says where the server is`
}

type Content = Pick<Sent<CallName>, "body" | "headers" | "server">

/** Sends a request; the whole answer must arrive in time, of a stream only its beginning. */
const sendTo = Effect.fnUntraced(function* (
  method: string,
  address: string,
  { body, headers, server }: Content,
  seconds: number,
  isStream: boolean
) {
  const base = serverUrl(server)
  if (!/^https?:\/\/[^/]/.test(base) || !URL.canParse(base)) {
    return yield* new Mistyped({ message: `${base} is no address of a server, such as https://nms.example.org` })
  }
  yield* trust
  const known = headers?.["authorization"] === undefined ? yield* token : null
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(new DOMException("late", "TimeoutError")), seconds * 1000)
      // the timer does not keep a command from ending
      timer.unref()
      const response = await fetch(address, {
        method,
        redirect: "error",
        signal: AbortSignal.any([signal, late.signal]),
        headers: {
          ...(known === null ? {} : { authorization: `Bearer ${Redacted.value(known)}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      if (isStream) clearTimeout(timer)
      return response
    },
    catch: (error) => new ServerAway({ message: whyAway(error, base, seconds) })
  })
})

/** Sends a call; yields the response, whatever its status. `isStream`: the response has no end. */
export const send = Effect.fnUntraced(function* <Name extends CallName>(
  name: Name,
  sent: Sent<Name> = {},
  isStream = false
) {
  const [method = "GET"] = name.split(" ", 1)
  return yield* sendTo(method, addressOf(name, sent), sent, yield* secondsFor(name), isStream)
})

/** The error of a failed response; a refusal names the options of the command. */
export const failureOf = Effect.fnUntraced(function* (response: Response, name?: CallName) {
  const body: unknown = yield* Effect.promise(() => response.json().catch(() => null))
  if (/^3\d\d$/.test(String(response.status))) return new ServerAway({ message: `${serverUrl()} sends on elsewhere` })
  const message = sentenceOf(body, response.status)
  if (response.status === 401) return new NotSignedOn({ message: `${message}. Sign on: switchyard login` })
  if (response.status === 403) return new NotSignedOn({ message })
  return response.status >= 502
    ? new ServerAway({ message })
    : new Refused({ message: name === undefined ? message : inOptions(name, message) })
})

const Awaiting = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({ approval_id: Schema.Int, waits_until: Schema.String, operation: Schema.String })
  })
)

/** Fails if an answer says that the call waits for another person; of all answers with 202 only these have such an id. */
const refuseAwaiting = Effect.fnUntraced(function* ({ status }: Response, text: string) {
  const found = status === 202 ? Schema.decodeOption(Awaiting)(text) : Option.none()
  if (Option.isNone(found)) return
  const { approval_id, operation, waits_until } = found.value.data
  const message = `Not done yet: it waits until ${waits_until} for the approval of another person (${operation}). They approve it with: switchyard approvals approve ${approval_id} --comment WHY`
  return yield* new AwaitsApproval({ message, approval_id, waits_until })
})

/** Asks the server; yields its answer, and for a list the number of matching records. */
export const ask = Effect.fnUntraced(function* <Name extends CallName>(name: Name, sent: Sent<Name> = {}) {
  const response = yield* send(name, sent)
  if (!response.ok) return yield* yield* failureOf(response, name)
  const seconds = yield* secondsFor(name)
  const text = yield* Effect.tryPromise({
    try: () => response.text(),
    catch: (error) => new ServerAway({ message: whyAway(error, serverUrl(sent.server), seconds) })
  })
  yield* refuseAwaiting(response, text)
  const answer = yield* Effect.try({
    try: (): Answer<Name> => JSON.parse(text),
    catch: () => new ServerAway({ message: `${serverUrl(sent.server)} answers without JSON` })
  })
  return { answer, matching: Number(response.headers.get("x-matching-count") ?? 0) }
})

const Envelope = Schema.fromJsonString(Schema.Struct({ data: Schema.optionalKey(Schema.Unknown) }))

/** Calls a path below /api/v1.0 that the server itself has named; yields `data` of the answer. */
export const askNamed = Effect.fnUntraced(function* (method: string, path: string, body: unknown) {
  const seconds = yield* secondsFor(`${method} ${path}`)
  const response = yield* sendTo(
    method,
    `${serverUrl()}${BASE}${path}`,
    body === undefined ? {} : { body },
    seconds,
    false
  )
  if (!response.ok) return yield* yield* failureOf(response)
  const away = () => new ServerAway({ message: `${serverUrl()} answers without JSON` })
  const text = yield* Effect.tryPromise({ try: () => response.text(), catch: away })
  yield* refuseAwaiting(response, text)
  return (yield* Effect.mapError(Schema.decodeEffect(Envelope)(text), away)).data
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

/** Stores a token in a file that only its owner can read. */
export const keepToken = (text: string) =>
  Effect.tryPromise({
    try: async () => {
      const file = tokenFile()
      await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
      await fs.rm(file, { force: true })
      await fs.writeFile(file, `${text}\n`, { mode: 0o600, flag: "wx" })
      return file
    },
    catch: (error) => new Refused({ message: `The token cannot be kept: ${messageOf(error)}` })
  })

/** Removes it. */
export const forgetToken = Effect.promise(() => fs.rm(tokenFile(), { force: true }))

/** A configuration may have secrets: only the user may read the file. */
export const saveFile = (file: string, content: string) =>
  Effect.tryPromise({
    try: () => fs.writeFile(file, content, { mode: 0o600 }),
    catch: (error) => new Refused({ message: `${file} cannot be written: ${messageOf(error)}` })
  })
