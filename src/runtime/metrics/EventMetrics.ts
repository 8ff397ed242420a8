/** Live events and those who are told: the feed, its subscribers, webhooks. */
import { counter, gauge, type Place } from "./Family.ts"

export const eventsLag = gauge(
  "switchyard_events_lag",
  "Numbers of the log that were given out and not handed on yet, also those that an open transaction holds up; absent while nobody follows"
)
export const eventsTold = counter(
  "switchyard_events_told_total",
  "Events that were handed to followers in this process"
)
/** The number up to which this process has handed the log on; null while nobody follows. */
let handedOn: number | null = null

/** Notes how far the log was handed on, or with null that nobody follows any more. */
export const noteHandedOn = (position: number | null): void => {
  handedOn = position
}

/** Writes how far behind the newest number of the log those are who follow, if somebody does. */
export const tellEventsLag = (place: Place, newest: number): void => {
  if (handedOn !== null) eventsLag.tell(place, Math.max(0, newest - handedOn))
}

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
