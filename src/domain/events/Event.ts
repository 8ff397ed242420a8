/**
 * Events: the shown and exported record of the audit (docs/security.md#audit), the same in the live feed, the kinds and their
 * access (docs/events.md#kinds), and filters.
 */
import { Schema } from "effect"
import { isObject } from "../fields/Values.ts"

// An audit event, as the API shows and exports it (docs/security.md#audit).

/** The actor, the action, the time, and the way in. Times are ISO 8601 without a zone, UTC. */
export const AuditEvent = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  /** The kind of the object: `device`, `job`, `commit`, `login` … */
  kind: Schema.String,
  /** The action: `created`, `updated`, `refused` … */
  action: Schema.String,
  actor: Schema.String,
  /** How the actor was authenticated; `server` for the server's own work. */
  way: Schema.String,
  address: Schema.NullOr(Schema.String),
  device_id: Schema.NullOr(Schema.Int),
  hostname: Schema.NullOr(Schema.String),
  job_id: Schema.NullOr(Schema.Int),
  /** Without secrets; `before` and `after` contain the fields that changed. */
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type

/** One event. Followers receive events in the order of their numbers, which have gaps. */
export const LiveEvent = Schema.Struct({
  ...AuditEvent.fields,
  is_audit: Schema.Boolean,
  /** A device's record after the change, or before its deletion; null for an event about another object. */
  object: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "Event" })
export type LiveEvent = typeof LiveEvent.Type

// The kinds of events, and the access to them (docs/events.md#kinds).

/** Kinds that every reader may receive for their own devices and jobs. */
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
  "proposal",
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

/** Kinds that only readers of the whole audit may receive. The last two were the names of `repository` and `lock`. */
export const auditKinds = [
  "approval",
  "audit",
  "call",
  "certificate_authority",
  "login",
  "permission",
  "person",
  "report",
  "secret",
  "spelling",
  "token",
  "user",
  "window",
  "commit",
  "joblock"
] as const

/** Kinds for clients that name them; they are not stored. */
export const liveOnlyKinds = ["log", "step"] as const

export type LiveOnlyKind = (typeof liveOnlyKinds)[number]

/** All kinds that a client can name. */
export const eventKinds: ReadonlySet<string> = new Set([...publicKinds, ...auditKinds, ...liveOnlyKinds])

const everybodys: ReadonlySet<string> = new Set(publicKinds)

/** Whether a kind is only for readers of the audit; so is an unlisted kind. */
export const isForAudit = (kind: string): boolean => !everybodys.has(kind)

const MOVING = ["hostname", "device_type", "state"]

/** Whether an event can change the members of a group or a caller's access. */
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

// Filters of events (docs/events.md#pages). Pure.

/** A filter; null for all. */
export interface EventFilter {
  readonly kinds: ReadonlySet<string> | null
  /** Ids of devices. */
  readonly devices: ReadonlySet<number> | null
  readonly job: number | null
}

/** The fields of an event that filters compare. */
interface FilteredEvent {
  readonly kind: string
  readonly device_id: number | null
  readonly job_id: number | null
}

/** Whether an event passes the filters. */
export const matchesFilter = ({ devices, job, kinds }: EventFilter, event: FilteredEvent): boolean =>
  (kinds === null || kinds.has(event.kind)) &&
  (devices === null || (event.device_id !== null && devices.has(event.device_id))) &&
  (job === null || event.job_id === job)

// Parses the text of a stream of server-sent events, piece by piece. Pure.

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

/** The complete messages so far, and the beginning of the next one. */
export const parseMessages = (
  text: string
): { readonly messages: ReadonlyArray<StreamMessage>; readonly rest: string } => {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n")
  const rest = blocks.pop() ?? ""
  return { messages: blocks.filter((block) => block !== "").map(messageOf), rest }
}
