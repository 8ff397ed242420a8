/** Hands one message to one receiver in the form that it takes (docs/alerts.md#receivers). */
import { Clock, Effect, Option } from "effect"
import * as os from "node:os"
import { connected, handedOver, receiverOf, syslogMessage } from "../../access/SyslogReceiver.ts"
import {
  type AlertMessage,
  mattermostBody,
  pagerDutyBody,
  slackBody,
  syslogOf,
  teamsBody,
  webhookBody,
  zulipBody
} from "../../domain/events/alerts/AlertMessage.ts"
import type { Receiver } from "../../domain/events/alerts/Receiver.ts"
import { type OutboundGuard, receiverGuard } from "../../runtime/OutboundHosts.ts"
import type { ServerSettings } from "../../ServerConfig.ts"
import { SecretMissing, secretOf, urlOf, withoutSecrets } from "./AlertSecrets.ts"
import { type Attempt, failed } from "./Attempt.ts"
import { post, type Post } from "./HttpPost.ts"
import { sendMail } from "./MailSending.ts"
import { keyOf, signedHeaders } from "./WebhookSignature.ts"

const AGENT = { "user-agent": "switchyard" }
const JSON_TYPE = { ...AGENT, "content-type": "application/json" }
const FORM_TYPE = { ...AGENT, "content-type": "application/x-www-form-urlencoded" }

type Secrets = ServerSettings["alertSecrets"]
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

/** What is posted for a receiver that is spoken to in HTTP. */
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

/** Milliseconds that an attempt takes at most, when a step may take so many. */
export const longestAttempt = (timeout: number): number => timeout * 2 + 3000

/** Where receivers may be while a site names no hosts. */
const anywhere = receiverGuard({ OUTBOUND_HOSTS: Option.none() })

/** Hands it over to where the guard lets it, or says why not. `timeout`: milliseconds for a step of it. */
export const handOver = (
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
