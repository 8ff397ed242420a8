/** Messages as each receiver takes them: what its API demands, its limits, and texts of switches that are no markup. */
import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import {
  type AlertEvent,
  type AlertMessage,
  cut,
  eventOf,
  mailOf,
  mattermostBody,
  oneLine,
  pagerDutyBody,
  slackBody,
  syslogOf,
  teamsBody,
  titleOf,
  webhookBody,
  zulipBody
} from "../../../../src/domain/events/alerts/AlertMessage.ts"
import type { LiveEvent } from "../../../../src/domain/events/Event.ts"
import { PACE, pause, retryAfter } from "../../../../src/domain/events/alerts/Receiver.ts"

const NASTY = `<!channel> <https://evil.example|click> @all @**all** **bold** [x](https://evil.example) \`\`\` & "q" ]`

const event = (id: number, text: string, hostname: string | null = `a${id}`): AlertEvent => ({
  id,
  at: "2026-11-23T03:04:05.678901",
  kind: "job",
  action: "ended",
  actor: "indy",
  hostname,
  job_id: 7,
  text,
  data: { outcome: "failed" }
})

/** An event as it is logged. */
const logged = (job_id: number | null, data: Readonly<Record<string, unknown>>): LiveEvent => ({
  ...event(1, ""),
  kind: "approval",
  action: "asked",
  hostname: null,
  job_id,
  data,
  way: "password",
  address: null,
  device_id: null,
  is_audit: true,
  object: null
})

const message = (more: Partial<AlertMessage> = {}): AlertMessage => ({
  id: "msg_1",
  alert: 7,
  action: "trigger",
  rule: "job_not_success",
  level: "error",
  title: NASTY,
  at: "2026-11-23T03:04:05.678Z",
  count: 1,
  events: [event(1, NASTY)],
  ...more
})

const long = message({
  title: "t".repeat(5000),
  count: 4000,
  events: Array.from({ length: 50 }, (_, index) => event(index, "😀".repeat(400)))
})

describe("A message for Slack", () => {
  it.each([
    [7, { reason: "the change score is 21" }, "", "indy asks for an approval: job 7: the change score is 21"],
    [
      7,
      { reason: "the change score is 21" },
      "https://switchyard.example.org/",
      "indy asks for an approval: https://switchyard.example.org/ui/approvals?of=job-7 job 7: the change score is 21"
    ],
    [
      null,
      { request: 4, operation: "a new user" },
      "https://switchyard.example.org",
      "indy asks for an approval: https://switchyard.example.org/ui/approvals?of=request-4 request 4 (a new user)"
    ]
  ])("link to the place where an approval is decided", (job, data, page, text) => {
    assert.strictEqual(eventOf(logged(job, data), page).text, text)
  })

  it("has a text for notifications and blocks, without mentions or links", () => {
    const { blocks, text } = slackBody(message())
    assert.notMatch(text, /<|>/)
    assert.include(text, "&lt;!channel&gt; &lt;https://evil.example|click&gt;")
    assert.include(text, "&amp;")
    assert.isTrue(blocks.every((block) => !JSON.stringify(block).includes("mrkdwn")))
  })

  it("obeys its limits: 150 characters of a header, 3000 of a block, 50 blocks", () => {
    const { blocks, text } = slackBody(long)
    assert.isAtMost(text.length, 4000)
    assert.isAtMost(blocks.length, 50)
    assert.isAtMost(blocks[0]?.text?.text.length ?? 0, 150)
    assert.isAtMost(blocks[1]?.text?.text.length ?? 0, 3000)
    assert.isAbove(blocks[1]?.text?.text.length ?? 0, 1000)
  })
})

describe("A message for Mattermost", () => {
  it("has the required fallback, mentions no user, and stays within the code block", () => {
    const [attachment] = mattermostBody(message()).attachments
    assert.isString(attachment?.fallback)
    assert.strictEqual(attachment?.title, "job not success")
    assert.match(attachment?.text ?? "", /^```\n[^`]*\n```$/)
    assert.notInclude(attachment?.text ?? "", "@all")
    assert.isAtMost(JSON.stringify(mattermostBody(long).attachments[0]?.text).length, 7900)
  })
})

describe("A message for Zulip", () => {
  it("is a form with stream, topic and content within 60 and 10000 characters", () => {
    const form = zulipBody(message(), "noc", "x".repeat(100))
    assert.deepInclude(form, { type: "stream", to: "noc" })
    assert.isAtMost(form["topic"]?.length ?? 99, 60)
    assert.match(form["content"] ?? "", /^```\n[^`]*\n```$/)
    assert.notInclude(form["content"] ?? "", "@**all**")
    assert.isAtMost(zulipBody(long, "noc", "t")["content"]?.length ?? 0, 10_000)
  })
})

describe("A message for a workflow of Microsoft Teams", () => {
  it("is one Adaptive Card within 28 KB, whose details are runs without markup", () => {
    const body = teamsBody(message())
    const [card] = body.attachments
    assert.strictEqual(body.type, "message")
    assert.strictEqual(card?.contentType, "application/vnd.microsoft.card.adaptive")
    assert.deepInclude(card?.content, { type: "AdaptiveCard", version: "1.4" })
    assert.strictEqual(card?.content.body.length, 3)
    for (const block of card?.content.body ?? []) assert.strictEqual(block.type, "RichTextBlock")
    assert.include(card?.content.body[0]?.inlines[0]?.text, "[x](https://evil.example)")
    assert.isAtMost(Buffer.byteLength(JSON.stringify(teamsBody(long))), 28_000)
  })
})

describe("A message for PagerDuty", () => {
  it("opens under the key that its end closes, with all required fields of Events v2", () => {
    const opened = pagerDutyBody(message(), "R".repeat(32))
    assert.deepInclude(opened, {
      routing_key: "R".repeat(32),
      event_action: "trigger",
      dedup_key: "switchyard alert 7"
    })
    assert.deepInclude("payload" in opened ? opened.payload : {}, { severity: "error", source: "a1", summary: NASTY })
    assert.deepStrictEqual(pagerDutyBody(message({ action: "resolve" }), "R"), {
      routing_key: "R",
      event_action: "resolve",
      dedup_key: "switchyard alert 7"
    })
    const body = pagerDutyBody(long, "R")
    assert.isAtMost("payload" in body ? body.payload.summary.length : 9999, 1024)
    assert.isAtMost(Buffer.byteLength(JSON.stringify(body)), 512_000)
  })
})

describe("A mail", () => {
  it("has a subject that cannot become another header", () => {
    const { subject, text } = mailOf(message({ title: "a\r\nBcc: all@example.org\u2028x" }))
    assert.notMatch(subject, /[\r\n\u2028]/)
    assert.include(text, "Rule job_not_success, alert 7")
    assert.isAtMost(mailOf(long).subject.length, 200)
  })
})

describe("A line of syslog", () => {
  it("carries the severity of the alert, and information for its end", () => {
    assert.strictEqual(syslogOf(message()).priority, 16 * 8 + 3)
    assert.strictEqual(syslogOf(message({ action: "resolve" })).priority, 16 * 8 + 6)
  })
})

describe("A webhook", () => {
  it("names the alert, its time and its events, the same for every attempt", () => {
    assert.deepStrictEqual(webhookBody(message()), {
      type: "alert.triggered",
      timestamp: "2026-11-23T03:04:05.678Z",
      data: { alert: 7, rule: "job_not_success", level: "error", title: NASTY, count: 1, events: [event(1, NASTY)] }
    })
    assert.isFunction(Webhook)
  })
})

describe("The text of a message", () => {
  it("names the first devices of many, or the title of the rule", () => {
    const events = ["a", "b", "c", "d", "e", "f"].map((name, index) => event(index, "x", name))
    assert.strictEqual(titleOf(null, "device_unreachable", 6, events), "device unreachable, 6 events: a, b, c, d, e, …")
    assert.strictEqual(titleOf("Night", "x", 6, events), "Night (6)")
    assert.strictEqual(titleOf(null, "x", 1, [event(1, "one thing")]), "one thing")
  })

  it("is one line without direction marks, cut between characters", () => {
    assert.strictEqual(oneLine("a\u0000\n\u001B[31mb\u202Ec"), "a [31mbc")
    assert.strictEqual(cut("😀😀😀", 4), "😀…")
  })
})

describe("The time to the next attempt", () => {
  it("doubles up to an hour, with half of it random, and obeys the receiver's request", () => {
    const least = [1, 2, 3, 20].map((attempt) => pause(PACE, attempt, 0, null))
    assert.deepStrictEqual(least, [2500, 5000, 10_000, 1_800_000])
    assert.strictEqual(pause(PACE, 1, 0.5, null), 3750)
    assert.strictEqual(pause(PACE, 1, 0.5, 60_000), 60_000)
  })

  it("is read from seconds or a date, and a day at most", () => {
    assert.strictEqual(retryAfter("120", 0), 120_000)
    assert.strictEqual(retryAfter("Thu, 01 Jan 1970 00:01:00 GMT", 0), 60_000)
    assert.strictEqual(retryAfter("999999999", 0), 86_400_000)
    for (const nothing of [null, "", "soon", "Thu, 01 Jan 1970 00:00:00 GMT"]) assert.isNull(retryAfter(nothing, 1))
  })
})
