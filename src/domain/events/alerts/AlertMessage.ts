/**
 * An alert as receivers get it, in words (docs/alerts.md#webhooks). Texts of events come from switches and people: whoever writes them
 * into a format escapes them there. Pure.
 */
import type { LiveEvent } from "../LiveEvent.ts"
import type { AlertLevel } from "./AlertRule.ts"

/** What is kept of an event in its alert. */
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
  /** Null where it is too long to be sent. */
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
  /** When it was made; ISO 8601 with `Z`. */
  readonly at: string
  /** All events of it, also those that are not listed. */
  readonly count: number
  /** The first ones. */
  readonly events: ReadonlyArray<AlertEvent>
}

const MAX_DATA = 4000
const MAX_TEXT = 500
const MAX_TITLE = 250
const MAX_NAMES = 5

/** A text of at most so many UTF-16 units, cut between characters; what was cut is marked. */
export const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const end = most - 1
  const isPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "")
  return `${text.slice(0, isPair ? end - 1 : end)}…`
}

/** One line, without what terminals and parsers take for orders. */
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

type Sentence = (event: LiveEvent) => string

const device = ({ hostname }: LiveEvent): string => hostname ?? "a device"

/** What people read for events that ready rules tell, by kind and action. */
const sentences: Readonly<Record<string, Sentence>> = {
  "job ended": ({ data, job_id }) =>
    `Job ${job_id} (${word(data["function"])}) ended: ${word(data["outcome"]) || word(data["status"])}${failedIn(data)}`,
  "job device": (event) =>
    `${device(event)} ${event.data["failed"] === true ? "failed" : "is done"} in job ${event.job_id} (${word(event.data["function"])})`,
  "reachability unreachable": (event) => `${device(event)} is unreachable: ${word(event.data["reason"])}`,
  "reachability reachable": (event) => `${device(event)} is reachable again`,
  "drift found": (event) => `${device(event)} does not run the configuration that was proved`,
  "repository waiting": ({ data }) =>
    `A commit of ${word(data["repository"])} waits for a confirmation: ${word(data["message"])}`,
  "repository refused": ({ data }) => `A commit of ${word(data["repository"])} was refused: ${word(data["message"])}`,
  "repository failed": ({ data }) => `A refresh of ${word(data["repository"])} failed: ${word(data["message"])}`,
  "host_key updated": (event) => `${device(event)} shows another host key than the pinned one`,
  "identity wrong": (event) =>
    `The switch at ${word(event.data["address"])} is not ${device(event)}: it shows ${word(event.data["fact"])} ${word(event.data["shown"])}`,
  "certificate ending": (event) => `The certificate of ${device(event)} ends at ${word(event.data["not_after"])}`,
  "database restarted": () => "The database was started again while the server ran",
  "disk low": ({ data }) => `The disk of ${word(data["server"])} has ${word(data["free_percent"])} % left`,
  "disk enough": ({ data }) => `The disk of ${word(data["server"])} has ${word(data["free_percent"])} % again`
}

/** An event in one line. */
export const textOf = (event: LiveEvent): string => {
  const sentence = sentences[`${event.kind} ${event.action}`]
  const text =
    sentence?.(event) ?? `${[event.hostname, event.kind].filter((part) => part !== null).join(": ")} ${event.action}`
  return cut(oneLine(text), MAX_TEXT)
}

/** What an alert keeps of an event. */
export const eventOf = (event: LiveEvent): AlertEvent => {
  const { action, actor, at, data, hostname, id, job_id, kind } = event
  const isShort = JSON.stringify(data).length <= MAX_DATA
  return { id, at, kind, action, actor, hostname, job_id, text: textOf(event), data: isShort ? data : null }
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

/** The lines below it: each event, and how many are not shown. */
export const linesOf = (message: AlertMessage, most: number): ReadonlyArray<string> => {
  const shown = message.events.slice(0, most)
  const rest = message.count - shown.length
  return [...shown.map(({ at, text }) => `${at.slice(0, 19)}Z ${text}`), ...(rest > 0 ? [`and ${rest} more`] : [])]
}

/** What receivers show of a message in one line. */
export const headline = ({ action, level, title }: AlertMessage): string => {
  if (action === "test") return title
  return action === "resolve" ? `Resolved: ${title}` : `${level.toUpperCase()}: ${title}`
}
