/** Messages as programs take them: webhooks, PagerDuty, mail and syslog (docs/alerts.md#programs). Pure. */
import { type AlertMessage, cut, headline, linesOf, oneLine } from "./AlertMessage.ts"
import type { AlertLevel } from "./AlertRule.ts"

const webhookTypes = { trigger: "alert.triggered", resolve: "alert.resolved", test: "alert.test" } as const

/** Body of a webhook, in the form of Standard Webhooks. It is the same for every attempt. */
export const webhookBody = ({ action, alert, at, count, events, level, rule, title }: AlertMessage) => ({
  type: webhookTypes[action],
  timestamp: at,
  data: { alert, rule, level, title, count, events }
})

const SUMMARY = 1024
const CUSTOM = 20

/** Body for PagerDuty's Events API v2. One alert has one key, so an end closes what its begin has opened. */
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

/** Facility 16 (local0), and how severe it is. */
const severities: Readonly<Record<AlertLevel, number>> = { critical: 2, error: 3, warning: 4, info: 6 }
const FACILITY = 16

/** What a line of syslog needs of a message. */
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
