/**
 * The parts of the sentences of the audit: names, switches and jobs, and the forms of sentences that several kinds of events share. Pure.
 */
import { Option, Schema } from "effect"
import { CommitSignature } from "../CommitSignature.ts"
import { namesInOrder } from "../Natural.ts"
import { jobTitle } from "./JobWords.ts"
import { eventWords, signedAfter } from "./ServerWords.ts"
import { counted, switches } from "./Units.ts"
import { inSentence, plainly, textOf, type Tone } from "./Word.ts"
import type { AuditEvent, auditKinds, publicKinds } from "../events/Event.ts"

/** A part of a sentence. `name` is whoever or whatever acted or was acted on. */
export type Part =
  | { readonly text: string }
  | { readonly name: string }
  | { readonly device: string }
  | { readonly port: string; readonly of: string }
  | { readonly job: number; readonly text: string }
  | { readonly commit: string; readonly repository: string }

export type AuditedKind = (typeof publicKinds)[number] | (typeof auditKinds)[number]

export type Group = readonly [AuditEvent, ...ReadonlyArray<AuditEvent>]
export type Said = ReadonlyArray<Part | string | false>

export interface Speech {
  readonly said: (group: Group) => Said
  readonly tone?: Tone | ((event: AuditEvent) => Tone)
  /** Neighbours with the same text are one sentence; without it each event is its own. */
  readonly fold?: (event: AuditEvent) => string
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readSignature = Schema.decodeUnknownOption(CommitSignature)

/** A value of an event: texts verbatim, everything else as JSON, `""` for nothing. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}

// Parts.

/** Names that are not of a person. */
export const OWN = new Set(["server", "switchyard", "scheduler", "unknown", ""])

export const personOf = (name: string): Part => ({ name: OWN.has(name) ? "Switchyard" : name })
export const actor = ({ actor }: AuditEvent): Part => personOf(actor)
export const text = ({ data }: AuditEvent, field: string): string => shown(data[field])
export const nested = ({ data }: AuditEvent, side: "before" | "after", field: string): unknown => {
  const part = data[side]
  return isRecord(part) ? part[field] : undefined
}
/** Who signed the commit that an event names, as `, signed by jane@example.org`; empty where that is not known. */
export const signedIn = ({ data }: AuditEvent): string =>
  signedAfter(", ", Option.getOrNull(readSignature(data["signature"])))
export const quoted = (said: string): string => (said === "" ? "" : `: “${said}”`)
export const titled = ({ data, job_id }: AuditEvent): string => {
  const name: unknown = data["function"]
  return typeof name === "string" ? inSentence(jobTitle(name)) : job_id === null ? "" : "job"
}
export const jobOf = (event: AuditEvent): Said =>
  event.job_id === null ? [] : [" ", { job: event.job_id, text: `${titled(event)} ${event.job_id}` }]
export const inJob = ({ job_id }: AuditEvent): Said =>
  job_id === null ? [] : [", in ", { job: job_id, text: `job ${job_id}` }]

export const hostnames = (group: Group): ReadonlyArray<string> =>
  namesInOrder(new Set(group.flatMap(({ hostname }) => (hostname === null ? [] : [hostname]))))

export const NAMED = 3

export const listed = (parts: ReadonlyArray<Part>): Said =>
  parts.flatMap((part, place) => [place === 0 ? "" : place === parts.length - 1 ? " and " : ", ", part])

/** The switches of a group: their names, or their number. */
export const devices = (group: Group, none = "a switch"): Said => {
  const names = hostnames(group)
  if (names.length === 0) return [none]
  return names.length > NAMED ? [switches(names.length)] : listed(names.map((device) => ({ device })))
}
export const verb = (group: Group, one: string, many: string): string => (hostnames(group).length > 1 ? many : one)

export const action = (event: AuditEvent): string => plainly(event.action)

const what = ({ kind }: AuditEvent): string => inSentence(textOf(eventWords, kind))

/** `Otto created a management network`: for kinds whose actions need no words of their own. */
export const plain: Speech = {
  said: ([event]) => [
    actor(event),
    ` ${action(event)}: ${what(event)} ${text(event, "name") || text(event, "key")}`.trimEnd(),
    ...(event.hostname === null ? [] : [" of ", { device: event.hostname }]),
    ...inJob(event)
  ]
}

export const row =
  (one: string): Speech["said"] =>
  ([event, ...more]) => {
    const name = shown(nested(event, "after", "name") ?? nested(event, "before", "name")) || text(event, "name")
    const verbs: Readonly<Record<string, string>> = { created: "added", deleted: "removed", updated: "changed" }
    const count = more.length + 1
    return [
      actor(event),
      ` ${verbs[event.action] ?? action(event)} `,
      ...(count > 1 ? [counted(count, one)] : [`the ${one} `, { name: name || text(event, "key") }]),
      ...(event.hostname === null ? [] : [" of ", { device: event.hostname }])
    ]
  }

export const together = (event: AuditEvent): string => `${event.actor} ${event.action} ${event.job_id ?? ""}`

export const quotedReason = (event: AuditEvent): string => {
  const reason = text(event, "reason")
  return reason === "" ? "" : `: ${reason}`
}

export const account =
  (noun: string): Speech["said"] =>
  ([event]) => {
    const name: Part = { name: text(event, "name") || text(event, "key") }
    const roles = nested(event, "after", "roles")
    const given =
      Array.isArray(roles) && roles.length > 0 ? ` with ${counted(roles.length, "role")} ${roles.join(", ")}` : ""
    switch (event.action) {
      case "created":
        return [actor(event), ` made the ${noun} `, name, given]
      case "deleted":
        return [actor(event), ` removed the ${noun} `, name]
      case "revoked":
        return [actor(event), ` revoked the ${noun} `, name]
      case "updated":
        return given === ""
          ? [actor(event), ` changed the ${noun} `, name]
          : [actor(event), " gave ", name, ` the roles ${shown(Array.isArray(roles) ? roles.join(", ") : "")}`]
      default:
        return [actor(event), ` ${action(event)} the ${noun} `, name]
    }
  }

export const about =
  (words: Readonly<Record<string, readonly [one: string, many: string]>>, by = false): Speech["said"] =>
  (group) => {
    const [one, many] = words[group[0].action] ?? [action(group[0]), action(group[0])]
    return [...devices(group), ` ${verb(group, one, many)}`, ...(by ? [", by ", actor(group[0])] : [])]
  }
