/**
 * Messages as chats take them (docs/alerts.md#chats). What events say comes from switches and people and is never markup here: it is escaped
 * for the chat that shows it, and nobody is mentioned. Lengths are those of the receivers' own limits. Pure.
 */
import { type AlertMessage, cut, headline, linesOf } from "./AlertMessage.ts"

const MAX_LINES = 20

const SLACK_SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }
const SLACK_BLOCK = 3000
const SLACK_HEADER = 150

/** Slack asks for these three alone to be escaped; mentions and links begin with `<`. */
const slackText = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => SLACK_SIGNS[sign] ?? sign)

/** Lines that fit together into so many characters, whole ones. */
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
 * A block of code: nothing in it is markup but its own end, and mentions in it are none; they are broken by an invisible space all the same.
 * Chats differ in what a backslash does, so nothing is escaped by one.
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

/** Body of an incoming webhook of Mattermost. The title has words of our own alone, because it is Markdown. */
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

/** Runs of text are shown as they are, where blocks of text know some Markdown. */
const run = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text, ...more }]
})

/** What a workflow of Microsoft Teams posts into a channel: an Adaptive Card. */
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
