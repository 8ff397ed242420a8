/**
 * The words of each kind of event in the audit: who did what to what. Who made a change and who found it are two things. Pure.
 */
import { namesInOrder } from "../Natural.ts"
import { causeWords } from "./DeviceWords.ts"
import { jobTitle } from "./JobWords.ts"
import { eventWords } from "./ServerWords.ts"
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

/** A value of an event: texts verbatim, everything else as JSON, `""` for nothing. */
export const shown = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}

// Parts.

/** Names that are not of a person. */
const OWN = new Set(["server", "switchyard", "scheduler", "unknown", ""])

const personOf = (name: string): Part => ({ name: OWN.has(name) ? "Switchyard" : name })
const actor = ({ actor }: AuditEvent): Part => personOf(actor)
const text = ({ data }: AuditEvent, field: string): string => shown(data[field])
const nested = ({ data }: AuditEvent, side: "before" | "after", field: string): unknown => {
  const part = data[side]
  return isRecord(part) ? part[field] : undefined
}
const quoted = (said: string): string => (said === "" ? "" : `: “${said}”`)
const titled = ({ data, job_id }: AuditEvent): string => {
  const name: unknown = data["function"]
  return typeof name === "string" ? inSentence(jobTitle(name)) : job_id === null ? "" : "job"
}
const jobOf = (event: AuditEvent): Said =>
  event.job_id === null ? [] : [" ", { job: event.job_id, text: `${titled(event)} ${event.job_id}` }]
const inJob = ({ job_id }: AuditEvent): Said =>
  job_id === null ? [] : [", in ", { job: job_id, text: `job ${job_id}` }]

const hostnames = (group: Group): ReadonlyArray<string> =>
  namesInOrder(new Set(group.flatMap(({ hostname }) => (hostname === null ? [] : [hostname]))))

const NAMED = 3

const listed = (parts: ReadonlyArray<Part>): Said =>
  parts.flatMap((part, place) => [place === 0 ? "" : place === parts.length - 1 ? " and " : ", ", part])

/** The switches of a group: their names, or their number. */
const devices = (group: Group, none = "a switch"): Said => {
  const names = hostnames(group)
  if (names.length === 0) return [none]
  return names.length > NAMED ? [switches(names.length)] : listed(names.map((device) => ({ device })))
}
const verb = (group: Group, one: string, many: string): string => (hostnames(group).length > 1 ? many : one)

const action = (event: AuditEvent): string => plainly(event.action)

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

const row =
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

const together = (event: AuditEvent): string => `${event.actor} ${event.action} ${event.job_id ?? ""}`

// Sentences by kind.

const OUTCOMES: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  success: ["is done", "good"],
  partial: ["failed in part", "warn"],
  failed: ["failed", "bad"],
  aborted: ["was stopped", "warn"]
}

const job: Speech = {
  said: ([event]) => {
    const named = [...jobOf(event)]
    const on: Said = event.hostname === null ? [] : [" on ", { device: event.hostname }]
    const why = quoted(text(event, "comment") || text(event, "reason"))
    switch (event.action) {
      case "started":
        return [actor(event), " started", ...named, ...on, why]
      case "aborted":
        return [personOf(text(event, "aborted_by") || event.actor), " stopped", ...named, why]
      case "paused":
      case "resumed":
        return [actor(event), ` ${event.action}`, ...named, why]
      case "ended": {
        const { counts } = event.data
        const failed = isRecord(counts) && typeof counts["failed"] === "number" ? counts["failed"] : 0
        const [outcome] = OUTCOMES[text(event, "outcome")] ?? ["ended"]
        const exception = text(event, "exception")
        return [
          {
            job: event.job_id ?? 0,
            text: `${titled(event).replace(/^./, (letter) => letter.toUpperCase())} ${event.job_id}`
          },
          ` ${outcome}`,
          failed === 0 ? false : `; ${switches(failed)} failed`,
          exception === "" ? false : `: ${exception}`
        ]
      }
      default:
        return [actor(event), `: ${action(event)}`, ...named]
    }
  },
  tone: (event) => (event.action === "ended" ? (OUTCOMES[text(event, "outcome")]?.[1] ?? "quiet") : "info")
}

const RESULTS: Readonly<Record<string, readonly [one: string, many: string, tone: Tone]>> = {
  confirmed: ["was changed and confirmed", "were changed and confirmed", "good"],
  reverted: ["went back to what it ran before", "went back to what they ran before", "warn"],
  unknown: [
    "may run the old or the new configuration: look at it",
    "may run the old or the new configuration: look at them",
    "bad"
  ]
}

const change: Speech = {
  said: (group) => {
    const [one, many] = RESULTS[group[0].action] ?? [`: ${action(group[0])}`, `: ${action(group[0])}`]
    return [...devices(group), ` ${verb(group, one, many)} by`, ...jobOf(group[0]), " of ", actor(group[0])]
  },
  tone: ({ action }) => RESULTS[action]?.[2] ?? "quiet",
  fold: together
}

/** A change that was made: who made it and who found it are said apart. */
const sync: Speech = {
  said: (group) => {
    const [event] = group
    const cause = text(event, "cause")
    const commit = text(event, "commit")
    const [made, found] = [text(event, "made_by"), text(event, "found_by") || text(event, "by")]
    if (cause === "refresh_settings" || cause === "refresh_templates") {
      const repository = cause === "refresh_settings" ? "settings" : "templates"
      return [
        ...devices(group),
        ` went out of sync because of `,
        ...(commit === "" || repository === "templates"
          ? [`a new commit of the ${repository}`]
          : [`the ${repository} commit `, { commit, repository }]),
        ...(made === "" || OWN.has(made) ? [] : [", fetched by ", personOf(made)])
      ]
    }
    const isByHand = cause === "drift" || cause === "oob"
    const finder: Said =
      made !== "" && made === found
        ? []
        : [OWN.has(found) ? "; Switchyard found it" : "; found by ", !OWN.has(found) && personOf(found)]
    if (isByHand)
      return made === ""
        ? [
            ...devices(group),
            ` ${verb(group, "was", "were")} changed by hand, nobody knows by whom`,
            ...finder,
            ...inJob(event)
          ]
        : [personOf(made), " changed ", ...devices(group), " by hand", ...finder, ...inJob(event)]
    return [
      ...devices(group),
      ` went out of sync: ${textOf(causeWords, cause)}`,
      ...(made === "" ? [] : [", by ", personOf(made)]),
      ...(made === "" ? finder : []),
      ...inJob(event)
    ]
  },
  tone: ({ data }) => (data["cause"] === "drift" || data["cause"] === "oob" ? "wait" : "warn"),
  fold: (event) =>
    `${text(event, "cause")} ${text(event, "made_by")} ${text(event, "found_by")} ${event.job_id ?? text(event, "commit")}`
}

const DEVICE_STATES = new Map([
  ["MANAGED", "took {} into management"],
  ["UNMANAGED", "took {} out of management"],
  ["DISCOVERED", "found {}, which is not set up"],
  ["INIT", "began to set up {}"]
])

/** A record of which only the standing changed: the sentence says it all. */
export const isSyncOnly = ({ data: { after }, kind }: AuditEvent): boolean =>
  kind === "device" && isRecord(after) && Object.keys(after).join() === "synchronized"

const device: Speech = {
  said: (group) => {
    const [event] = group
    const named = devices(group)
    if (event.action === "created") return [actor(event), " added ", ...named]
    if (event.action === "deleted") return [actor(event), " removed ", ...named]
    if (isSyncOnly(event)) {
      const isGood = nested(event, "after", "synchronized") === true
      return [...named, ` ${verb(group, "is", "are")} ${isGood ? "in sync again" : "out of sync"}`, ...inJob(event)]
    }
    const state = DEVICE_STATES.get(shown(nested(event, "after", "state")))
    if (state !== undefined) {
      const [before = "", after = ""] = state.split("{}")
      return [actor(event), ` ${before}`, ...named, after]
    }
    const old = shown(nested(event, "before", "hostname"))
    if (old !== "" && event.action === "updated") return [actor(event), " renamed ", { name: old }, " to ", ...named]
    return [actor(event), " changed the record of ", ...named]
  },
  tone: (event) => (isSyncOnly(event) ? (nested(event, "after", "synchronized") === true ? "good" : "warn") : "quiet"),
  fold: (event) => `${together(event)} ${JSON.stringify(event.data["after"] ?? null)}`
}

const ports: Speech = {
  said: (group) => {
    const [event] = group
    const names = namesInOrder(
      new Set(
        group.map((one) => shown(nested(one, "after", "name") ?? nested(one, "before", "name")) || text(one, "key"))
      )
    )
    const of = event.hostname ?? ""
    const ports: Said =
      names.length > NAMED || names.every((name) => /^\d*$/.test(name))
        ? [counted(names.length, "port")]
        : listed(names.map((port) => ({ port, of })))
    const done = event.action === "bounced" ? "restarted" : event.action === "created" ? "added" : "changed"
    return [actor(event), ` ${done} `, ...ports, ...(of === "" ? [] : [" of ", { device: of }])]
  },
  fold: (event) => `${together(event)} ${event.hostname}`
}

const repository: Speech = {
  said: ([event]) => {
    const name = text(event, "repository")
    const commit = text(event, "after") || text(event, "commit")
    const named: Said =
      commit === "" ? [`a commit of the ${name}`] : [`the ${name} commit `, { commit, repository: name }]
    const why = text(event, "message")
    switch (event.action) {
      case "in force":
        return [actor(event), " brought ", ...named, " into force"]
      case "refused":
        return [...named, ` was refused: ${why}`]
      case "waiting":
        return [...named, ` waits for a confirmation: ${why}`]
      case "failed":
        return [actor(event), ` could not fetch the ${name}: ${why}`]
      default:
        return [...named, `: ${action(event)}`]
    }
  },
  tone: ({ action }) => (action === "in force" ? "good" : action === "refused" || action === "failed" ? "bad" : "warn")
}

const login: Speech = {
  said: ([event]) => {
    const name = text(event, "name") || event.actor
    if (event.action === "refused" || event.action === "locked")
      return [`A sign-in `, ...(OWN.has(name) ? [] : ["as ", { name }]), ` was refused`, quotedReason(event)]
    return [
      { name },
      event.action === "ended" ? " signed out" : event.action === "refreshed" ? " stayed signed in" : " signed in"
    ]
  },
  tone: ({ action }) => (action === "refused" ? "warn" : "quiet"),
  fold: (event) => `${event.action} ${text(event, "name")} ${event.actor} ${event.address} ${text(event, "reason")}`
}

const quotedReason = (event: AuditEvent): string => {
  const reason = text(event, "reason")
  return reason === "" ? "" : `: ${reason}`
}

const approval: Speech = {
  said: ([event]) => {
    const about: Said =
      event.job_id === null
        ? [`request ${text(event, "id") || text(event, "request")}`.trim()]
        : [{ job: event.job_id, text: `change ${event.job_id}` }]
    const asker = text(event, "started_by") || text(event, "asked_by")
    const of: Said = asker === "" ? [] : [", asked for by ", personOf(asker)]
    const comment = quoted(text(event, "comment"))
    switch (event.action) {
      case "asked":
        return [actor(event), " asked for approval of ", ...about, quotedReason(event)]
      case "approved":
        return [actor(event), " approved ", ...about, ...of, comment]
      case "rejected":
        return [actor(event), " rejected ", ...about, ...of, comment]
      case "expired":
        return ["Nobody decided about ", ...about, " in time", ...of]
      case "unneeded":
        return [...about, " needs no approval any more", ...of]
      case "carried out":
        return ["What was approved as ", ...about, " was carried out", ...of]
      default:
        return [actor(event), `: ${action(event)}: `, ...about]
    }
  },
  tone: ({ action }) => (action === "asked" ? "wait" : action === "rejected" ? "bad" : "good")
}

const alert: Speech = {
  said: ([event]) => {
    const of = [text(event, "rule"), text(event, "hostname"), text(event, "group")].filter((part) => part !== "")
    switch (event.action) {
      case "acknowledged":
        return [actor(event), ` looks after the alert “${text(event, "title")}”`, quoted(text(event, "comment"))]
      case "muted":
        return [actor(event), ` silenced alerts of ${of.join(", ")}`, quoted(text(event, "reason"))]
      case "unmuted":
        return [actor(event), ` ended the silence of ${of.join(", ")}`]
      case "replayed":
        return [actor(event), " sent messages again that were not delivered"]
      default:
        return [actor(event), `: ${action(event)}`]
    }
  }
}

const account =
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

const about =
  (words: Readonly<Record<string, readonly [one: string, many: string]>>, by = false): Speech["said"] =>
  (group) => {
    const [one, many] = words[group[0].action] ?? [action(group[0]), action(group[0])]
    return [...devices(group), ` ${verb(group, one, many)}`, ...(by ? [", by ", actor(group[0])] : [])]
  }

/** The sentences of each kind; a kind without them does not compile. */
export const speeches: Readonly<Record<AuditedKind, Speech>> = {
  device,
  interface: ports,
  stackmember: { said: row("stack member"), fold: (event) => `${together(event)} ${event.hostname}` },
  linknet: { said: row("link"), fold: together },
  mgmtdomain: { said: row("management network"), fold: together },
  site: { said: row("site") },
  job,
  change,
  sync,
  lock: {
    said: ([event]) => [actor(event), ` released the lock “${text(event, "name")}”`, ...inJob(event)],
    tone: "warn"
  },
  joblock: {
    said: ([event]) => [actor(event), ` released the lock “${text(event, "name")}”`, ...inJob(event)],
    tone: "warn"
  },
  repository,
  commit: repository,
  firmware: plain,
  drift: {
    said: about({ found: ["runs something else than it should", "run something else than they should"] }),
    tone: "wait",
    fold: together
  },
  host_key: {
    said: (group) => {
      const [event] = group
      if (event.action === "trusted") return [actor(event), " accepted what ", ...devices(group), " shows as its own"]
      if (shown(nested(event, "after", "refused_fingerprint")) !== "")
        return [...devices(group), " showed another key than we know; Switchyard did not sign in"]
      return [actor(event), " noted the key of ", ...devices(group)]
    },
    tone: (event) => (shown(nested(event, "after", "refused_fingerprint")) === "" ? "quiet" : "bad"),
    fold: (event) => `${together(event)} ${shown(nested(event, "after", "refused_fingerprint")) !== ""}`
  },
  identity: {
    said: ([event]) => [
      `Another switch than `,
      ...devices([event]),
      ` answers at ${text(event, "address")}: its ${text(event, "fact")} is ${text(event, "shown")}`
    ],
    tone: "bad"
  },
  certificate: {
    said: (group) => [
      ...devices(group),
      ` ${
        group[0].action === "issued"
          ? "got a new certificate"
          : group[0].action === "revoked"
            ? "lost a certificate that was revoked"
            : group[0].action === "ending"
              ? verb(group, "has a certificate that ends soon", "have certificates that end soon")
              : action(group[0])
      }`,
      ...(group[0].action === "revoked" ? [" by ", actor(group[0])] : [])
    ],
    fold: together
  },
  certificate_authority: { said: ([event]) => [actor(event), ` ${action(event)} the certificate authority`] },
  plugin: plain,
  alert,
  reachability: {
    said: about({
      unreachable: ["stopped answering", "stopped answering"],
      reachable: ["answers again", "answer again"]
    }),
    tone: ({ action }) => (action === "unreachable" ? "bad" : "good"),
    fold: ({ action }) => action
  },
  database: { said: () => ["The database was started again"], tone: "warn" },
  disk: {
    said: ([event]) => [
      `The disk of ${text(event, "server")} ${event.action === "low" ? "is nearly full" : "has room again"}: ${text(event, "free_percent")} % free`
    ],
    tone: ({ action }) => (action === "low" ? "bad" : "good")
  },
  approval,
  audit: { said: ([event]) => [actor(event), ` ${action(event)} the audit`], tone: "warn" },
  call: {
    said: ([event, ...more]) => [
      actor(event),
      more.length === 0 ? " was refused a call" : ` was refused ${counted(more.length + 1, "call")}`,
      quotedReason(event)
    ],
    tone: "warn",
    fold: (event) => `${event.actor} ${event.address} ${text(event, "reason")}`
  },
  login,
  permission: { said: () => ["Other roles are in force"], tone: "warn" },
  person: {
    said: ([event]) => [
      actor(event),
      event.action === "withdrawn"
        ? " withdrew the access of "
        : event.action === "admitted"
          ? " let in again "
          : ` ${action(event)} `,
      { name: text(event, "name") || text(event, "person") }
    ],
    tone: ({ action }) => (action === "withdrawn" ? "warn" : "quiet")
  },
  secret: {
    said: ([event]) => [
      actor(event),
      ` saw secrets in ${text(event, "what") || "a text"}`,
      ...(event.hostname === null ? [] : [" of ", { device: event.hostname }]),
      ...inJob(event)
    ],
    tone: "warn"
  },
  spelling: { said: ([event]) => [actor(event), ` ${action(event)} a learnt spelling of a line`] },
  token: { said: account("token") },
  user: { said: account("user") },
  window: {
    said: ([event]) => {
      const closed = text(event, "overrides")
      return [
        actor(event),
        closed === "" ? " called" : " changed switches outside of their windows with",
        ...jobOf(event),
        closed === "" ? " an emergency" : "",
        quoted(text(event, "reason"))
      ]
    },
    tone: "warn"
  }
}
