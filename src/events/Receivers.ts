/** Sends one message to one receiver in the form that the receiver accepts (docs/alerts.md#receivers): webhook, chat or mail. */
import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import * as os from "node:os"
import { connected, handedOver, receiverOf, syslogMessage } from "../access/SyslogReceiver.ts"
import {
  type AlertMessage,
  mailOf,
  mattermostBody,
  pagerDutyBody,
  slackBody,
  syslogOf,
  teamsBody,
  webhookBody,
  zulipBody
} from "../domain/events/alerts/AlertMessage.ts"
import { type Address, type Receiver, retryAfter, secretsOf } from "../domain/events/alerts/Receiver.ts"
import { type OutboundGuard, receiverGuard } from "../runtime/OutboundHosts.ts"
import type { ServerSettings } from "../ServerConfig.ts"
import { createHmac } from "node:crypto"
import { isIP } from "node:net"
import { createTransport } from "nodemailer"
import { messageOf, ownFault } from "../runtime/SystemErrors.ts"
import type { IncomingMessage } from "node:http"
import * as OutboundFetch from "../runtime/OutboundFetch.ts"

// Secrets that receivers of alerts name (docs/alerts.md#secrets): `NOC` is ALERT_SECRET_NOC, of the environment, a file or the database.

/** A secret is missing or has the wrong form. The message holds its name and no part of its value. */
export class SecretMissing extends Schema.TaggedError<SecretMissing>()("SecretMissing", { message: Schema.String }) {}

type Secrets = ServerSettings["alertSecrets"]

const variable = (name: string): string => `ALERT_SECRET_${name}`

/** The value of a secret. */
const secretOf = (secrets: Secrets, name: string): Effect.Effect<string, SecretMissing> => {
  const value = secrets.get(variable(name))
  return value === undefined || Redacted.value(value) === ""
    ? new SecretMissing({ message: `${variable(name)} is not set` })
    : Effect.succeed(Redacted.value(value))
}

/** The URL of an address. */
const urlOf = (secrets: Secrets, { url, urlSecret }: Address): Effect.Effect<string, SecretMissing> =>
  urlSecret === undefined
    ? Effect.succeed(url)
    : Effect.flatMap(secretOf(secrets, urlSecret), (value) =>
        /^https?:\/\//.test(value) && URL.canParse(value)
          ? Effect.succeed(value)
          : new SecretMissing({ message: `${variable(urlSecret)} is no URL` })
      )

/** A sentence about secrets of a receiver that are not set; null if all are set. */
export const remarkOf = (secrets: Secrets, receiver: Receiver): string | null => {
  const missing = secretsOf(receiver).filter((name) => !secrets.has(variable(name)))
  return missing.length === 0 ? null : `${missing.map(variable).join(", ")} is not set`
}

const SHORTEST_SECRET = 4
/** Shorter parts of a path count as words, not as secrets. */
const SHORTEST_PART = 8

const partsOfUrl = (value: string): ReadonlyArray<string> => {
  if (!/^https?:/.test(value) || !URL.canParse(value)) return []
  const { pathname, search, searchParams } = new URL(value)
  const parts = [...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= SHORTEST_PART)
  return [`${pathname}${search}`, pathname, ...parts].filter((part) => part !== "/")
}

/**
 * The forms in which an answer may repeat a secret: unchanged, in a URL, in JSON, in the header or the line of a login; of a URL also the
 * request target, which many receivers repeat in a 404 answer, and its parts.
 */
const spellings = (value: string): ReadonlyArray<string> =>
  [value, ...partsOfUrl(value)].flatMap((part) => [
    part,
    encodeURIComponent(part.toWellFormed()),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString("base64")
  ])

/** The login that is sent to a receiver: the name and the secret in one text. */
const loginsOf = (secrets: Secrets, receiver: Receiver): ReadonlyArray<string> => {
  const name = receiver.type === "zulip" ? receiver.email : receiver.type === "email" ? receiver.user : null
  const secret = "secret" in receiver && receiver.secret !== null ? secrets.get(variable(receiver.secret)) : undefined
  if (name === null || secret === undefined) return []
  const value = Redacted.value(secret)
  return [`${name}:${value}`, `\0${name}\0${value}`].map((login) => Buffer.from(login).toString("base64"))
}

/** A text of a receiver without the secrets that it may have repeated. */
const withoutSecrets = (secrets: Secrets, receiver: Receiver, text: string): string =>
  [...[...secrets.values()].map(Redacted.value).flatMap(spellings), ...loginsOf(secrets, receiver)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "***"), text)

// One POST to a receiver (docs/alerts.md#delivery). The receiver gets no influence: redirects are not followed, its answer is read up to a
// limit, and its time is limited.

/** A request to a receiver. */
interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MAX_ANSWER_BYTES = 2048

/** The beginning of a receiver's answer; an endless answer is abandoned. */
const beginOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  try {
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) continue
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // the part before the error counts
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString()
}

const ANSWER_TIME = 500

const isOk = (status: number): boolean => status >= 200 && status < 300

const attemptOf = (response: IncomingMessage, timeout: number) =>
  Effect.promise(async (): Promise<Attempt> => {
    const status = response.statusCode ?? 0
    // an accepted message stays accepted, also if the answer is slow
    const late = new Promise<string>((resolve) =>
      setTimeout(() => resolve(""), isOk(status) ? ANSWER_TIME : timeout).unref()
    )
    const text = await Promise.race([beginOf(response), late])
    const answer = text.trim() === "" ? String(status) : `${status}: ${text.trim()}`
    if (isOk(status)) return { _tag: "Sent", answer }
    if (status === 410) return { _tag: "Refused", answer: `${answer} (it wants no more)` }
    return { _tag: "Failed", answer, retryAfter: retryAfter(response.headers["retry-after"] ?? null, Date.now()) }
  })

/** Sends a request to a host that the guard permits, within so many milliseconds. Errors do not hold the URL, which may be a secret. */
const post = ({ body, headers, url }: Post, guard: OutboundGuard, timeout: number): Effect.Effect<Attempt> =>
  Effect.flatMap(
    OutboundFetch.open(url, { method: "POST", headers, body, verifyTls: true, guard, idleSeconds: timeout / 1000 }),
    (response) => attemptOf(response, timeout)
  ).pipe(
    Effect.scoped,
    Effect.catchTags({
      // an operator may permit the host in the meantime
      OutboundRefused: ({ isHost, message }) =>
        Effect.succeed(failed(isHost ? message : "its certificate is not accepted")),
      OwnFault: ({ message }) => Effect.succeed(failed(message)),
      OutboundAway: ({ code }) => Effect.succeed(failed(code ?? "the connection failed"))
    }),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed(failed(`it did not answer within ${timeout / 1000} seconds`))
    })
  )

// One mail to a mail server (docs/alerts.md#mail).

type MailReceiver = Extract<Receiver, { readonly type: "email" }>

/** The reason of a failure. A lack of resources on the server's machine is not reported as a fault of the receiver. */
const reasonOf = (error: unknown): string => ownFault(error, "connection")?.message ?? messageOf(error)

/** The address of a host that the guard permits, or the reason why there is none. */
const dialled = (host: string, { lookup, refusalOf }: OutboundGuard): Effect.Effect<string, string> => {
  const refusal = refusalOf(host)
  if (refusal !== undefined) return Effect.fail(refusal)
  if (isIP(host) !== 0) return Effect.succeed(host)
  return Effect.callback<string, string>((resume) =>
    lookup(host, {}, (error, address) => {
      if (error !== null) return resume(Effect.fail(reasonOf(error)))
      return resume(Effect.succeed(typeof address === "string" ? address : (address[0]?.address ?? host)))
    })
  )
}

/** Sends a mail; each step may take so many milliseconds. The mail has the id of the message, so receivers recognize repeats. */
const sendMail = (
  receiver: MailReceiver,
  password: string | null,
  message: AlertMessage,
  timeout: number,
  guard: OutboundGuard
): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    const { from, host, port, recipients, tls, user } = receiver
    const found = yield* Effect.result(dialled(receiver.host, guard))
    if (Result.isFailure(found)) return failed(found.failure)
    const transport = createTransport({
      // connects to the checked address; the certificate must match the name
      host: found.success,
      ...(isIP(host) === 0 ? { tls: { servername: host } } : {}),
      port,
      secure: tls === "tls",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "none",
      ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      disableFileAccess: true,
      disableUrlAccess: true
    })
    const sending = Effect.tryPromise({
      try: () =>
        transport.sendMail({
          from,
          to: [...recipients],
          messageId: `<${message.id}@switchyard>`,
          ...mailOf(message),
          headers: { "Auto-Submitted": "auto-generated", "X-Switchyard-Alert": `${message.alert}` }
        }),
      catch: reasonOf
    })
    return yield* sending.pipe(
      Effect.map(({ rejected, response }): Attempt => ({
        _tag: "Sent",
        answer: rejected.length === 0 ? response : `${response}; not for ${rejected.map(String).join(", ")}`
      })),
      Effect.catch((reason) => Effect.succeed(failed(reason))),
      Effect.ensuring(Effect.sync(() => transport.close()))
    )
  })

// Signatures of webhooks by the Standard Webhooks specification (docs/alerts.md#webhooks): HMAC-SHA-256 over id, time and body.

const PREFIX = "whsec_"
const SHORTEST = 24
const LONGEST = 64

/** The key in a secret `whsec_…`: base64 of 24 to 64 bytes. */
const keyOf = (secret: string): Option.Option<Buffer> => {
  if (!secret.startsWith(PREFIX)) return Option.none()
  const text = secret.slice(PREFIX.length)
  const key = Buffer.from(text, "base64")
  const isWhole = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && key.length >= SHORTEST && key.length <= LONGEST
  return isWhole ? Option.some(key) : Option.none()
}

/** The headers that prove a body; `seconds` since 1970. */
const signedHeaders = (key: Buffer, id: string, seconds: number, body: string): Readonly<Record<string, string>> => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`
})

/** The result of one delivery attempt. Secrets are removed from `answer` before it is stored. */
export type Attempt =
  | { readonly _tag: "Sent"; readonly answer: string }
  /** A retry may help; the receiver may ask for a delay in milliseconds. */
  | { readonly _tag: "Failed"; readonly answer: string; readonly retryAfter: number | null }
  /** A retry does not help. */
  | { readonly _tag: "Refused"; readonly answer: string }

/** A failed attempt that may be repeated. */
export const failed = (answer: string): Attempt => ({ _tag: "Failed", answer, retryAfter: null })

const AGENT = { "user-agent": "switchyard" }
const JSON_TYPE = { ...AGENT, "content-type": "application/json" }
const FORM_TYPE = { ...AGENT, "content-type": "application/x-www-form-urlencoded" }

type Http = Exclude<Receiver, { readonly type: "email" | "syslog" }>

const json = (url: string, value: unknown): Post => ({ url, headers: JSON_TYPE, body: JSON.stringify(value) })

const webhook = Effect.fnUntraced(function* (url: string, secret: string, name: string, message: AlertMessage) {
  const key = Option.getOrUndefined(keyOf(secret))
  if (key === undefined) {
    return yield* new SecretMissing({
      message: `ALERT_SECRET_${name} is not of the form whsec_ and base64 of 24 to 64 bytes`
    })
  }
  const sent = json(url, webhookBody(message))
  const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  return { ...sent, headers: { ...sent.headers, ...signedHeaders(key, message.id, seconds, sent.body) } }
})

/** The request for a receiver that uses HTTP. */
const postOf = Effect.fnUntraced(function* (secrets: Secrets, receiver: Http, message: AlertMessage) {
  const url = yield* urlOf(secrets, receiver.address)
  switch (receiver.type) {
    case "webhook":
      return yield* webhook(url, yield* secretOf(secrets, receiver.secret), receiver.secret, message)
    case "slack":
      return json(url, slackBody(message))
    case "mattermost":
      return json(url, mattermostBody(message))
    case "teams":
      return json(url, teamsBody(message))
    case "pagerduty":
      return json(url, pagerDutyBody(message, yield* secretOf(secrets, receiver.secret)))
    case "zulip": {
      const login = `${receiver.email}:${yield* secretOf(secrets, receiver.secret)}`
      return {
        url: `${url.replace(/\/+$/, "")}/api/v1/messages`,
        headers: { ...FORM_TYPE, authorization: `Basic ${Buffer.from(login).toString("base64")}` },
        body: new URLSearchParams(zulipBody(message, receiver.stream, receiver.topic)).toString()
      }
    }
  }
})

const syslog = (target: string, message: AlertMessage, guard: OutboundGuard): Effect.Effect<Attempt> =>
  Effect.gen(function* () {
    const receiver = yield* Effect.fromOption(receiverOf(target))
    const refusal = guard.refusalOf(receiver.host)
    if (refusal !== undefined) return failed(refusal)
    const socket = yield* connected(receiver, guard.lookup)
    yield* handedOver(socket, syslogMessage({ ...syslogOf(message), host: os.hostname() }))
    return { _tag: "Sent", answer: "handed over" } as const
  }).pipe(
    Effect.scoped,
    Effect.catch((error) => Effect.succeed(failed(error.message)))
  )

const sending = (
  secrets: Secrets,
  receiver: Receiver,
  message: AlertMessage,
  timeout: number,
  guard: OutboundGuard
) => {
  switch (receiver.type) {
    case "email":
      return Effect.flatMap(
        receiver.secret === null ? Effect.succeed(null) : secretOf(secrets, receiver.secret),
        (password) => sendMail(receiver, password, message, timeout, guard)
      )
    case "syslog":
      return syslog(receiver.target, message, guard)
    default:
      return Effect.flatMap(postOf(secrets, receiver, message), (sent) => post(sent, guard, timeout))
  }
}

const MAX_ANSWER = 500

const tidy = (secrets: Secrets, receiver: Receiver, attempt: Attempt): Attempt => ({
  ...attempt,
  answer: withoutSecrets(secrets, receiver, attempt.answer)
    .replaceAll(/[\p{Cc}\uFFFD]+/gu, " ")
    .slice(0, MAX_ANSWER)
})

/** The longest duration of an attempt in milliseconds, from the time limit of a step. */
export const longestAttempt = (timeout: number): number => timeout * 2 + 3000

/** Permits receivers on any host while a site names no hosts. */
const anywhere = receiverGuard({ OUTBOUND_HOSTS: Option.none() })

/** Delivers a message to a host that the guard permits, or yields the reason of the failure. `timeout`: milliseconds for each step. */
export const deliver = (
  secrets: Secrets,
  receiver: Receiver,
  message: AlertMessage,
  timeout: number,
  guard: OutboundGuard = anywhere
): Effect.Effect<Attempt> =>
  sending(secrets, receiver, message, timeout, guard).pipe(
    Effect.catch(({ message: reason }) => Effect.succeed(failed(reason))),
    Effect.timeoutOrElse({
      duration: timeout * 2,
      orElse: () => Effect.succeed(failed(`it took longer than ${(timeout * 2) / 1000} seconds`))
    }),
    Effect.map((attempt) => tidy(secrets, receiver, attempt))
  )
