/** Receivers of other kinds than webhooks: a real mail server, syslog, chats that are spoken to over HTTP; and what becomes of secrets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import * as net from "node:net"
import { SMTPServer } from "smtp-server"
import type { AlertMessage } from "../../src/domain/events/alerts/AlertMessage.ts"
import { deliver } from "../../src/events/Receivers.ts"
import { receiverGuard } from "../../src/runtime/OutboundHosts.ts"
import { readAlertsText } from "../../src/settings/SettingsFile.ts"
import { type Behaviour, behaviours, listen } from "../support/AlertReceiver.ts"
import { SECRET } from "../support/AlertSite.ts"
import { freePort } from "../support/FreePort.ts"

const message: AlertMessage = {
  id: "msg_1",
  alert: 7,
  action: "trigger",
  rule: "job_not_success",
  level: "error",
  title: "Job 7 (sync_devices) ended: failed",
  at: "2026-11-23T03:04:05.678Z",
  count: 1,
  events: []
}

const PASSWORD = "a-very-secret-key"
const secrets = new Map([
  ["ALERT_SECRET_HOOK", Redacted.make(SECRET)],
  ["ALERT_SECRET_KEY", Redacted.make(PASSWORD)]
])

/** Hands the message to a receiver that is written like this. */
const send = (
  receiver: string,
  more: ReadonlyArray<readonly [string, string]> = [],
  hosts: Option.Option<ReadonlyArray<string>> = Option.none()
) =>
  Effect.suspend(() => {
    const all = new Map([...secrets, ...more.map(([name, value]) => [name, Redacted.make(value)] as const)])
    const rules = Result.getOrThrow(readAlertsText("alerts.yml", `receivers:\n  one: { ${receiver} }\n`))
    const [one] = rules.receivers
    return one === undefined
      ? Effect.die("no receiver")
      : deliver(all, one, message, 2000, receiverGuard({ OUTBOUND_HOSTS: hosts }))
  })

/** A real mail server, with an untrusted certificate. */
const mailServer = Effect.fnUntraced(function* (refused = false) {
  const mails: Array<{ readonly to: ReadonlyArray<string>; readonly text: string }> = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onRcptTo: ({ address }, _session, done) =>
      done(refused || address.startsWith("nobody") ? new Error("no such user") : null),
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, text: Buffer.concat(chunks).toString() })
        done()
      })
    }
  })
  server.on("error", () => undefined)
  const port = yield* freePort
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()))),
    () => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
  )
  return { port, mails }
})

const mail = (port: number, more: string) =>
  send(`type: email, host: 127.0.0.1, port: ${port}, from: switchyard@example.org, ${more}`)

describe("A mail", () => {
  it.live("arrives with an id that a repeat has, too", () =>
    Effect.gen(function* () {
      const { mails, port } = yield* mailServer()
      const to = "to: [noc@example.org, nobody@example.org], tls: none"
      const attempt = yield* mail(port, to)
      assert.strictEqual(attempt._tag, "Sent")
      assert.include(attempt.answer, "not for nobody@example.org")
      yield* mail(port, to)
      assert.deepStrictEqual(mails[0]?.to, ["noc@example.org"])
      for (const { text } of mails) {
        assert.include(text, "Subject: [switchyard] ERROR: Job 7 (sync_devices) ended: failed")
        assert.include(text, "Message-ID: <msg_1@switchyard>")
      }
      assert.strictEqual(mails.length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("is not sent to a server with an untrusted certificate, nor without the required encryption", () =>
    Effect.gen(function* () {
      const { mails, port } = yield* mailServer()
      const attempt = yield* mail(port, "to: noc@example.org, user: switchyard, secret: KEY")
      assert.strictEqual(attempt._tag, "Failed")
      assert.match(attempt.answer, /certificate/i)
      assert.notInclude(attempt.answer, PASSWORD)
      assert.strictEqual((yield* mail(yield* freePort, "to: noc@example.org, tls: none"))._tag, "Failed")
      assert.deepStrictEqual(mails, [])
    }).pipe(Effect.scoped)
  )
})

describe("A syslog receiver", () => {
  it.live("receives one message with its length before it", () =>
    Effect.gen(function* () {
      const chunks: Array<Buffer> = []
      const server = net.createServer((socket) => void socket.on("data", (chunk: Buffer) => chunks.push(chunk)))
      const port = yield* freePort
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))),
        () => Effect.sync(() => server.close())
      )
      assert.strictEqual((yield* send(`type: syslog, address: "tcp://127.0.0.1:${port}"`))._tag, "Sent")
      while (chunks.length === 0) yield* Effect.sleep("10 millis")
      const [, length, line = ""] = /^(\d+) ([\s\S]*)$/.exec(Buffer.concat(chunks).toString()) ?? []
      assert.strictEqual(Buffer.byteLength(line), Number(length))
      assert.match(line, /^<131>1 2026-11-23T03:04:05\.678Z \S+ switchyard - alert \[alert@32473 id="msg_1" alert="7"/)
      const away = yield* send(`type: syslog, address: "tcp://127.0.0.1:${yield* freePort}"`)
      assert.strictEqual(away._tag, "Failed")
    }).pipe(Effect.scoped)
  )
})

describe("Over HTTP", () => {
  it.live("Zulip receives a form with the login of the bot, PagerDuty its key", () =>
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      const zulip = `type: zulip, url: "${url.replace("/hook", "/")}", email: bot@example.org, secret: KEY, stream: noc`
      assert.deepStrictEqual(yield* send(zulip), { _tag: "Sent", answer: "200: ok" })
      assert.strictEqual(received[0]?.path, "/api/v1/messages")
      assert.strictEqual(
        received[0]?.headers["authorization"],
        `Basic ${Buffer.from(`bot@example.org:${PASSWORD}`).toString("base64")}`
      )
      assert.deepInclude(Object.fromEntries(new URLSearchParams(received[0]?.body)), { type: "stream", to: "noc" })
      yield* send(`type: pagerduty, url: "${url}", secret: KEY`)
      assert.deepInclude(JSON.parse(received[1]?.body ?? ""), { routing_key: PASSWORD, event_action: "trigger" })
    }).pipe(Effect.scoped)
  )

  it.live("answers are stored without the sent secrets, and for a limited time", () =>
    Effect.gen(function* () {
      const echo: Behaviour = (_request, response, body) =>
        void response.writeHead(400).end(`${body}\u0000${"x".repeat(9000)}`)
      const { behave, url } = yield* listen(echo)
      const attempt = yield* send(`type: pagerduty, url: "${url}", secret: KEY`)
      assert.strictEqual(attempt._tag, "Failed")
      assert.include(attempt.answer, "***")
      assert.notInclude(attempt.answer, PASSWORD)
      assert.isAtMost(attempt.answer.length, 500)
      behave(behaviours.closes)
      assert.notInclude((yield* send(`type: slack, url: "${url}"`)).answer, "127.0.0.1")
    }).pipe(Effect.scoped)
  )

  it.live("a secret URL or login that a receiver repeats is not stored either", () =>
    Effect.gen(function* () {
      const path = "/services/T0AAAAAA1/B0BBBBBB2/kqzWvbnLMqwXnZ7P"
      const repeats: Behaviour = ({ headers, url }, response) =>
        void response
          .writeHead(404)
          .end(`Cannot POST ${url} (${String(url?.split("/").at(-1))}) for ${headers["authorization"]}`)
      const { url } = yield* listen(repeats)
      const whole = url.replace("/hook", path)
      const slack = yield* send("type: slack, url_secret: URL", [["ALERT_SECRET_URL", whole]])
      assert.strictEqual(slack.answer, "404: Cannot POST *** (***) for undefined")
      const signed = yield* send("type: teams, url_secret: URL", [
        ["ALERT_SECRET_URL", `${whole}?sig=aBcD%2Fef0123456`]
      ])
      assert.match(signed.answer, /^404: Cannot POST \*\*\* \(\*\*\*/)
      assert.notInclude(signed.answer, "aBcD")
      const zulip = `type: zulip, url: "${url.replace("/hook", "/")}", email: bot@example.org, secret: KEY, stream: noc`
      assert.strictEqual((yield* send(zulip)).answer, "404: Cannot POST /api/v1/messages (messages) for Basic ***")
    }).pipe(Effect.scoped)
  )

  it.live("nothing is sent without the secret, or with a malformed one", () =>
    Effect.gen(function* () {
      const { received, url } = yield* listen()
      const answers = yield* Effect.forEach(
        [
          `type: webhook, url: "${url}", secret: MISSING`,
          `type: webhook, url: "${url}", secret: KEY`,
          "type: slack, url_secret: KEY"
        ],
        (receiver) => send(receiver)
      )
      assert.deepStrictEqual(
        answers.map(({ answer }) => answer),
        [
          "ALERT_SECRET_MISSING is not set",
          "ALERT_SECRET_KEY is not of the form whsec_ and base64 of 24 to 64 bytes",
          "ALERT_SECRET_KEY is no URL"
        ]
      )
      assert.deepStrictEqual(received, [])
    }).pipe(Effect.scoped)
  )
})

describe("A receiver whose host is not listed", () => {
  const kinds = (host: string, port: number) => [
    `type: webhook, url: "http://${host}:${port}/", secret: HOOK`,
    `type: slack, url: "http://${host}:${port}/"`,
    `type: mattermost, url: "http://${host}:${port}/"`,
    `type: email, host: "${host}", port: ${port}, from: switchyard@example.org, to: noc@example.org, tls: none`,
    `type: syslog, address: "tcp://${host}:${port}"`
  ]

  it.live("receives nothing, whatever its kind and spelling", () =>
    Effect.gen(function* () {
      let connections = 0
      const server = net.createServer((socket) => {
        connections += 1
        socket.on("error", () => undefined)
        socket.destroy()
      })
      const port = yield* freePort
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))),
        () => Effect.sync(() => void server.close())
      )
      const named = Option.some(["hooks.example.org", "10.0.0.0/24", "localhost"])
      for (const host of ["127.0.0.1", "localhost", "0x7f.1"]) {
        for (const kind of kinds(host, port)) {
          const { _tag, answer } = yield* send(kind, [], named)
          assert.strictEqual(_tag, "Failed", kind)
          assert.match(answer, /OUTBOUND_HOSTS|ENOTFOUND|EAI_AGAIN/, kind)
        }
      }
      for (const kind of kinds("169.254.169.254", port))
        assert.match((yield* send(kind)).answer, /OUTBOUND_HOSTS/, kind)
      assert.strictEqual(connections, 0)
      yield* send(kinds("127.0.0.1", port)[1] ?? "", [], Option.some(["127.0.0.0/8"]))
      assert.strictEqual(connections, 1)
    }).pipe(Effect.scoped)
  )
})
