/** Live events and those who are told: the feed, its subscribers, webhooks. */
import { counter, gauge } from "./Family.ts"

export const eventsLag = gauge(
  "switchyard_events_lag",
  "Events of the log that were not handed on yet when it was last read"
)
export const eventsTold = counter(
  "switchyard_events_told_total",
  "Events that were handed to followers in this process"
)
/** `kind`: socket or sse. */
export const eventSubscribers = gauge(
  "switchyard_event_subscribers",
  "Clients that follow events, by kind: socket, sse",
  "kind"
)
/** `kind`: what the webhook speaks, such as slack. */
export const webhookFailures = counter(
  "switchyard_webhook_failures_total",
  "Attempts to deliver an alert that failed, by kind of receiver",
  "kind"
)
export const deadLetters = gauge(
  "switchyard_alert_dead_letters",
  "Alerts that could not be delivered and were given up"
)

export const eventMetrics = [eventsLag, eventsTold, eventSubscribers, webhookFailures, deadLetters]
