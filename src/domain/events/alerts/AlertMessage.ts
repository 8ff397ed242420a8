/** The text of an alert, and the same as bodies for chats and for programs (docs/alerts.md#programs). Pure. */
import type { LiveEvent } from "../Event.ts"
import type { AlertLevel } from "./AlertRule.ts"

/** The part of an event that its alert stores. */
export interface AlertEvent {
  readonly id: number
  /** ISO 8601 without a zone, UTC. */
  readonly at: string
  readonly kind: string
  readonly action: string
  readonly actor: string
  readonly hostname: string | null
  readonly job_id: number | null
  readonly text: string
  /** Null if it is too long to be sent. */
  readonly data: Readonly<Record<string, unknown>> | null
}

/** One message: an alert that begins, or one that has ended. */
export interface AlertMessage {
  /** The same for every attempt to send it. */
  readonly id: string
  readonly alert: number
  readonly action: "trigger" | "resolve" | "test"
  readonly rule: string
  readonly level: AlertLevel
  readonly title: string
  /** The time of its creation; ISO 8601 with `Z`. */
  readonly at: string
  /** The number of its events, including those that are not listed. */
  readonly count: number
  /** The first ones. */
  readonly events: ReadonlyArray<AlertEvent>
}

const MAX_DATA = 4000
const MAX_TEXT = 500
const MAX_TITLE = 250
const MAX_NAMES = 5

/** A text of at most so many UTF-16 units, cut between characters, with a mark at the cut. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const end = most - 1
  const isPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "")
  return `${text.slice(0, isPair ? end - 1 : end)}…`
}

/** One line, without characters that terminals and parsers read as commands. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/[\u200B-\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g, "")
    .trim()

const word = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

const failedIn = (data: LiveEvent["data"]): string => {
  const failed: unknown = data["failed_devices"]
  if (!Array.isArray(failed) || failed.length === 0) return ""
  const more = failed.length > MAX_NAMES ? ` and ${failed.length - MAX_NAMES} more` : ""
  return `; failed: ${failed.slice(0, MAX_NAMES).map(word).join(", ")}${more}`
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []

const CHANGE_ENDS: Readonly<Record<string, string>> = {
  confirmed: "keeps the new configuration",
  discarded: "was not changed",
  reverted: "went back"
}

type Sentence = (event: LiveEvent) => string

const device = ({ hostname }: LiveEvent): string => hostname ?? "a device"

/** How a change ended, with the checks that decided it. */
const changed: Sentence = (event) => {
  const { action, data, job_id } = event
  const said = texts(data["check_sentences"]).join("; ")
  const checks = texts(data["failed_checks"])
  const why = checks.length === 0 ? "" : `: check ${checks.join(", ")} did not hold (${said})`
  return `${device(event)} ${CHANGE_ENDS[action] ?? "runs the old or the new configuration"} in job ${job_id}${why}`
}

/** The place of the page where an approval is decided. */
const decidedAt = ({ data, job_id }: LiveEvent): string =>
  `/ui/approvals?of=${job_id === null ? `request-${word(data["request"])}` : `job-${job_id}`}`

const askedFor = ({ data, job_id }: LiveEvent): string =>
  job_id === null
    ? `request ${word(data["request"])} (${word(data["operation"])})`
    : `job ${job_id}: ${word(data["reason"])}`

/** Sentences for people about events of ready rules, by kind and action. */
const sentences: Readonly<Record<string, Sentence>> = {
  "job ended": ({ data, job_id }) =>
    `Job ${job_id} (${word(data["function"])}) ended: ${word(data["outcome"]) || word(data["status"])}${failedIn(data)}`,
  "job device": (event) =>
    `${device(event)} ${event.data["failed"] === true ? "failed" : "is done"} in job ${event.job_id} (${word(event.data["function"])})`,
  "change confirmed": changed,
  "change discarded": changed,
  "change reverted": changed,
  "change unknown": changed,
  "reachability unreachable": (event) => `${device(event)} is unreachable: ${word(event.data["reason"])}`,
  "reachability reachable": (event) => `${device(event)} is reachable again`,
  "drift found": (event) => `${device(event)} does not run the configuration that was proved`,
  "repository waiting": ({ data }) =>
    `A commit of ${word(data["repository"])} waits for a confirmation: ${word(data["message"])}`,
  "repository refused": ({ data }) => `A commit of ${word(data["repository"])} was refused: ${word(data["message"])}`,
  "repository unsigned": ({ data }) =>
    `Commit ${word(data["commit"]).slice(0, 12)} of ${word(data["repository"])}${word(data["ref"]) === "" ? "" : `, branch ${word(data["ref"])},`} came into force and ${word(data["phrase"])}`,
  "repository failed": ({ data }) => `A refresh of ${word(data["repository"])} failed: ${word(data["message"])}`,
  "host_key updated": (event) => `${device(event)} shows another host key than the pinned one`,
  "identity wrong": (event) =>
    `The switch at ${word(event.data["address"])} is not ${device(event)}: it shows ${word(event.data["fact"])} ${word(event.data["shown"])}`,
  "certificate ending": (event) => `The certificate of ${device(event)} ends at ${word(event.data["not_after"])}`,
  "database restarted": () => "The database was started again while the server ran",
  "disk low": ({ data }) => `The disk of ${word(data["server"])} has ${word(data["free_percent"])} % left`,
  "disk enough": ({ data }) => `The disk of ${word(data["server"])} has ${word(data["free_percent"])} % again`
}

/** An event in one line. An approval begins with its link if the address of the page is known, so that nothing cuts it. */
const textOf = (event: LiveEvent, page: string): string => {
  if (event.kind === "approval" && event.action === "asked") {
    const link = page === "" ? "" : `${page.replace(/\/+$/, "")}${decidedAt(event)} `
    return cut(oneLine(`${event.actor} asks for an approval: ${link}${askedFor(event)}`), MAX_TEXT)
  }
  const sentence = sentences[`${event.kind} ${event.action}`]
  const text =
    sentence?.(event) ?? `${[event.hostname, event.kind].filter((part) => part !== null).join(": ")} ${event.action}`
  return cut(oneLine(text), MAX_TEXT)
}

/** Reduces an event to the part that an alert stores; `page` is PAGE_URL, empty if it is unknown. */
export const eventOf = (event: LiveEvent, page: string): AlertEvent => {
  const { action, actor, at, data, hostname, id, job_id, kind } = event
  const isShort = JSON.stringify(data).length <= MAX_DATA
  return { id, at, kind, action, actor, hostname, job_id, text: textOf(event, page), data: isShort ? data : null }
}

/** The line above a message. */
export const titleOf = (
  title: string | null,
  rule: string,
  count: number,
  events: ReadonlyArray<AlertEvent>
): string => {
  const [first] = events
  if (title !== null) return cut(oneLine(count > 1 ? `${title} (${count})` : title), MAX_TITLE)
  if (first !== undefined && count === 1) return cut(first.text, MAX_TITLE)
  const names = [...new Set(events.map(({ hostname }) => hostname).filter((name) => name !== null))]
  const shown = names.slice(0, MAX_NAMES).join(", ")
  const who = names.length === 0 ? "" : `: ${shown}${names.length > MAX_NAMES || count > events.length ? ", …" : ""}`
  return cut(oneLine(`${rule.replaceAll("_", " ")}, ${count} events${who}`), MAX_TITLE)
}

/** The lines below it: each event, and the number of events that are not shown. */
const linesOf = (message: AlertMessage, most: number): ReadonlyArray<string> => {
  const shown = message.events.slice(0, most)
  const rest = message.count - shown.length
  return [...shown.map(({ at, text }) => `${at.slice(0, 19)}Z ${text}`), ...(rest > 0 ? [`and ${rest} more`] : [])]
}

/** The one-line form of a message for receivers. */
const headline = ({ action, level, title }: AlertMessage): string => {
  if (action === "test") return title
  return action === "resolve" ? `Resolved: ${title}` : `${level.toUpperCase()}: ${title}`
}

// Messages for chats (docs/alerts.md#chats). The words of events come from switches and people and are never markup here: they
// are escaped for the chat that shows them, and they mention no user. Lengths are those of the receivers' own limits. Pure.

const MAX_LINES = 20

const SLACK_SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
const SLACK_BLOCK = 3000
const SLACK_HEADER = 150

/** Slack requires only these three to be escaped; mentions and links begin with `<`. */
const slackText = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => SLACK_SIGNS[sign] ?? sign)

/** As many whole lines as fit into so many characters. */
const fitting = (lines: ReadonlyArray<string>, most: number): string => {
  let text = ""
  for (const line of lines) {
    const next = text === "" ? line : `${text}\n${line}`
    if (next.length > most - 2) return text === "" ? cut(line, most) : `${text}\n…`
    text = next
  }
  return text
}

const HEAD = 500
const head = (message: AlertMessage): string => cut(headline(message), HEAD)

const context = ({ alert, rule }: AlertMessage): string => `Rule ${rule}, alert ${alert}`

/** Body of an incoming webhook of Slack: blocks, and a text for notifications. Details are plain text, which has no markup. */
export const slackBody = (message: AlertMessage) => {
  const details = fitting(linesOf(message, MAX_LINES), SLACK_BLOCK)
  return {
    text: slackText(head(message)),
    blocks: [
      { type: "header", text: { type: "plain_text", text: cut(headline(message), SLACK_HEADER), emoji: false } },
      ...(details === "" ? [] : [{ type: "section", text: { type: "plain_text", text: details, emoji: false } }]),
      { type: "context", elements: [{ type: "plain_text", text: context(message), emoji: false }] }
    ],
    unfurl_links: false,
    unfurl_media: false
  }
}

/**
 * A block of code: nothing in it is markup but its own end, and mentions have no effect in it; an invisible space breaks them
 * all the same. Chats treat a backslash in different ways, so it is not used for escapes.
 */
const codeBlock = (lines: ReadonlyArray<string>, most: number): string => {
  const text = fitting(lines, most - 8)
    .replaceAll("`", "'")
    .replaceAll(/@(?=[\w*])/g, "@\u200B")
  return `\`\`\`\n${text}\n\`\`\``
}

const MATTERMOST_TEXT = 7000
const MATTERMOST_COLORS = { info: "#2389D7", warning: "#E7B000", error: "#D24B4E", critical: "#8B0000" } as const
const ENDED = "#3DB887"

/** Body of an incoming webhook of Mattermost. The title contains only our own words, because it is Markdown. */
export const mattermostBody = (message: AlertMessage) => ({
  attachments: [
    {
      fallback: cut(headline(message), 250),
      color: message.action === "resolve" ? ENDED : MATTERMOST_COLORS[message.level],
      title: message.rule.replaceAll("_", " "),
      text: codeBlock([head(message), ...linesOf(message, MAX_LINES)], MATTERMOST_TEXT),
      footer: context(message)
    }
  ]
})

const ZULIP_CONTENT = 9000
const ZULIP_TOPIC = 60

/** Form fields for Zulip's `POST /api/v1/messages`. */
export const zulipBody = (message: AlertMessage, stream: string, topic: string): Readonly<Record<string, string>> => ({
  type: "stream",
  to: stream,
  topic: cut(topic, ZULIP_TOPIC),
  content: codeBlock([head(message), ...linesOf(message, MAX_LINES)], ZULIP_CONTENT)
})

const TEAMS_TEXT = 6000
const TEAMS_COLORS = { info: "accent", warning: "warning", error: "attention", critical: "attention" } as const

/** Runs of text are shown unchanged, whereas blocks of text accept some Markdown. */
const run = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text, ...more }]
})

/** The message that a workflow of Microsoft Teams posts into a channel: an Adaptive Card. */
export const teamsBody = (message: AlertMessage) => {
  const color = message.action === "resolve" ? "good" : TEAMS_COLORS[message.level]
  const details = fitting(linesOf(message, MAX_LINES), TEAMS_TEXT)
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          msteams: { width: "Full" },
          body: [
            run(head(message), { weight: "bolder", size: "medium", color }),
            ...(details === "" ? [] : [run(details)]),
            run(context(message), { isSubtle: true, size: "small" })
          ]
        }
      }
    ]
  }
}

// Messages for programs: webhooks, PagerDuty, mail and syslog (docs/alerts.md#programs). Pure.

const webhookTypes = { trigger: "alert.triggered", resolve: "alert.resolved", test: "alert.test" } as const

/** Body of a webhook, in the form of Standard Webhooks. It is the same for every attempt. */
export const webhookBody = ({ action, alert, at, count, events, level, rule, title }: AlertMessage) => ({
  type: webhookTypes[action],
  timestamp: at,
  data: { alert, rule, level, title, count, events }
})

const SUMMARY = 1024
const CUSTOM = 20

/** Body for PagerDuty's Events API v2. One alert has one key, so its end closes the incident that its begin has opened. */
export const pagerDutyBody = (message: AlertMessage, routingKey: string) => {
  const { action, alert, at, count, events, level, rule, title } = message
  const key = {
    routing_key: routingKey,
    dedup_key: action === "test" ? `switchyard test ${message.id}` : `switchyard alert ${alert}`
  }
  if (action === "resolve") return { ...key, event_action: "resolve" }
  const source = events.find(({ hostname }) => hostname !== null)?.hostname ?? "switchyard"
  return {
    ...key,
    event_action: "trigger",
    client: "switchyard",
    payload: {
      summary: cut(title, SUMMARY),
      source,
      severity: action === "test" ? "info" : level,
      timestamp: at,
      component: "switchyard",
      class: rule,
      custom_details: { count, events: linesOf(message, CUSTOM) }
    }
  }
}

/** A mail; its subject has no line breaks, so that it cannot become another header. */
export const mailOf = (message: AlertMessage) => ({
  subject: cut(oneLine(`[switchyard] ${headline(message)}`), 200),
  text: [
    headline(message),
    "",
    ...linesOf(message, 50),
    "",
    `Rule ${message.rule}, alert ${message.alert}, ${message.at}`
  ].join("\n")
})

/** Facility 16 (local0), and the severity. */
const severities: Readonly<Record<AlertLevel, number>> = { critical: 2, error: 3, warning: 4, info: 6 }
const FACILITY = 16

/** The parts of a message that a line of syslog needs. */
export const syslogOf = ({ action, alert, at, events, id, level, rule, ...message }: AlertMessage) => ({
  priority: FACILITY * 8 + (action === "trigger" ? severities[level] : severities.info),
  at,
  kind: "alert",
  data: { id: "alert@32473", fields: { id, alert: String(alert), rule, level, action } },
  text: [
    headline({ ...message, action, alert, at, events, id, level, rule }),
    ...events.slice(0, 5).map(({ text }) => text)
  ].join(" | ")
})
