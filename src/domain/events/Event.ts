/**
 * Events: an event of the audit as it is shown and exported (docs/security.md#audit), the same as followers receive it, the kinds and
 * who may see them (docs/events.md#kinds), and filters.
 */
import { Schema } from "effect"
import { isObject } from "../fields/Values.ts"

// An event of the audit, as it is shown and exported (docs/security.md#audit).

/** Who did what, when, and through what. Times are ISO 8601 without a zone, UTC. */
export const AuditEvent = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  /** What it happened to: `device`, `job`, `commit`, `login` … */
  kind: Schema.String,
  /** What happened: `created`, `updated`, `refused` … */
  action: Schema.String,
  actor: Schema.String,
  /** How the actor came in; `server` for what nobody has asked for. */
  way: Schema.String,
  address: Schema.NullOr(Schema.String),
  device_id: Schema.NullOr(Schema.Int),
  hostname: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int),
  /** Without secrets; `before` and `after` have the fields that changed. */
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type

/** One event. Events are followed in the order of their numbers, which have gaps. */
export const LiveEvent = Schema.Struct({
  ...AuditEvent.fields,
  is_audit: Schema.Boolean,
  /** A device's record after the change, or as it was before it was deleted; null for what is not about the record of a device. */
  object: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "LiveEvent" })
export type LiveEvent = typeof LiveEvent.Type

// The kinds of events, and who may hear of them (docs/events.md#kinds).

/** What every reader may hear of, as far as it is about devices and jobs of theirs. */
export const publicKinds = [
  "device",
  "interface",
  "stackmember",
  "linknet",
  "mgmtdomain",
  "site",
  "job",
  "change",
  "sync",
  "lock",
  "repository",
  "firmware",
  "drift",
  "host_key",
  "identity",
  "certificate",
  "plugin",
  "alert",
  "reachability",
  "database",
  "disk"
] as const

/** What only those hear of who may read the whole audit. The last two were the names of `repository` and `lock`. */
export const auditKinds = [
  "approval",
  "audit",
  "call",
  "certificate_authority",
  "login",
  "permission",
  "person",
  "secret",
  "token",
  "user",
  "window",
  "commit",
  "joblock"
] as const

/** What is told to whoever asks for it by name, and not kept. */
export const liveOnlyKinds = ["log", "step"] as const

export type LiveOnlyKind = (typeof liveOnlyKinds)[number]

/** All that can be asked for. */
export const eventKinds: ReadonlySet<string> = new Set([...publicKinds, ...auditKinds, ...liveOnlyKinds])

const everybodys: ReadonlySet<string> = new Set(publicKinds)

/** Whether a kind is only for those who may read the audit; so is one that nobody has listed. */
export const isForAudit = (kind: string): boolean => !everybodys.has(kind)

const MOVING = ["hostname", "device_type", "state"]

/** Whether other devices may be in a group, or within somebody's reach, by an event. */
export const movesDevices = ({
  action,
  data,
  kind
}: {
  readonly kind: string
  readonly action: string
  readonly data: Readonly<Record<string, unknown>>
}): boolean => {
  if (kind === "repository") return action === "in force"
  if (kind !== "device") return false
  const { after } = data
  return action === "created" || (isObject(after) && MOVING.some((name) => Object.hasOwn(after, name)))
}

// Which events somebody has asked for (docs/events.md#pages). Pure.

/** What is asked for; null for all. */
export interface EventFilter {
  readonly kinds: ReadonlySet<string> | null
  /** Ids of devices. */
  readonly devices: ReadonlySet<number> | null
  readonly job: number | null
}

/** An event, as far as filters ask. */
interface FilteredEvent {
  readonly kind: string
  readonly device_id: number | null
  readonly job_id: number | null
}

/** Whether an event is among those that were asked for. */
export const matchesFilter = ({ devices, job, kinds }: EventFilter, event: FilteredEvent): boolean =>
  (kinds === null || kinds.has(event.kind)) &&
  (devices === null || (event.device_id !== null && devices.has(event.device_id))) &&
  (job === null || event.job_id === job)

// Reads the text of a stream of server-sent events, piece by piece. Pure.

export interface StreamMessage {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  if (colon < 0) return [line, ""]
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")]
}

const messageOf = (block: string): StreamMessage => {
  let event = "message"
  let id: string | undefined
  const data: Array<string> = []
  for (const [name, value] of block.split("\n").map(fieldOf)) {
    if (name === "event") event = value
    if (name === "data") data.push(value)
    if (name === "id") id = value
  }
  return { event, data: data.join("\n"), id }
}

/** The messages that are whole by now, and the beginning of the next one. */
export const parseMessages = (
  text: string
): { readonly messages: ReadonlyArray<StreamMessage>; readonly rest: string } => {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n")
  const rest = blocks.pop() ?? ""
  return { messages: blocks.filter((block) => block !== "").map(messageOf), rest }
}
