/**
 * What the audit says of switches: jobs, changes, records, ports, keys and certificates. Who made a change and who found it are two things. Pure.
 */
import { namesInOrder } from "../Natural.ts"
import {
  action,
  actor,
  devices,
  inJob,
  isRecord,
  jobOf,
  listed,
  NAMED,
  nested,
  OWN,
  personOf,
  quoted,
  type Said,
  shown,
  signedIn,
  type Speech,
  text,
  titled,
  together,
  verb
} from "./AuditParts.ts"
import { causeWords } from "./DeviceWords.ts"
import { revocationWords } from "./ServerWords.ts"
import { counted, switches } from "./Units.ts"
import { inSentence, textOf, type Tone } from "./Word.ts"
import type { AuditEvent } from "../events/Event.ts"

const OUTCOMES: Readonly<Record<string, readonly [text: string, tone: Tone]>> = {
  success: ["is done", "good"],
  partial: ["failed in part", "warn"],
  failed: ["failed", "bad"],
  aborted: ["was stopped", "warn"]
}

export const job: Speech = {
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

/** The checks that did not hold on any switch of the group, each once. */
const failedChecks = (group: ReadonlyArray<AuditEvent>): ReadonlyArray<string> => [
  ...new Set(
    group.flatMap(({ data }) => {
      const names: unknown = data["failed_checks"]
      return Array.isArray(names) ? names.filter((name): name is string => typeof name === "string") : []
    })
  )
]

export const change: Speech = {
  said: (group) => {
    const [one, many] = RESULTS[group[0].action] ?? [`: ${action(group[0])}`, `: ${action(group[0])}`]
    const failed = failedChecks(group)
    return [
      ...devices(group),
      ` ${verb(group, one, many)} by`,
      ...jobOf(group[0]),
      " of ",
      actor(group[0]),
      failed.length > 0 && `: ${failed.length === 1 ? "the check" : "the checks"} ${failed.join(", ")} did not hold`
    ]
  },
  tone: ({ action }) => RESULTS[action]?.[2] ?? "quiet",
  fold: (event) => `${together(event)} ${failedChecks([event]).join(" ")}`
}

/** A change that was made: who made it and who found it are said apart. */
export const sync: Speech = {
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
          : [`the ${repository} commit `, { commit, repository }, signedIn(event)]),
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

export const device: Speech = {
  said: (group) => {
    const [event] = group
    const named = devices(group)
    if (event.action === "created") return [actor(event), " added ", ...named]
    if (event.action === "deleted") return [actor(event), " removed ", ...named]
    if (event.action === "ignored")
      return [
        actor(event),
        " ignores the new ",
        verb(group, "switch ", "switches "),
        ...named,
        quoted(text(event, "comment"))
      ]
    if (event.action === "no longer ignored")
      return [actor(event), " no longer ignores the new ", verb(group, "switch ", "switches "), ...named]
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

export const ports: Speech = {
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

export const hostKey: Speech = {
  said: (group) => {
    const [event] = group
    if (event.action === "trusted") return [actor(event), " accepted what ", ...devices(group), " shows as its own"]
    if (shown(nested(event, "after", "refused_fingerprint")) !== "")
      return [...devices(group), " showed another key than we know; Switchyard did not sign in"]
    return [actor(event), " noted the key of ", ...devices(group)]
  },
  tone: (event) => (shown(nested(event, "after", "refused_fingerprint")) === "" ? "quiet" : "bad"),
  fold: (event) => `${together(event)} ${shown(nested(event, "after", "refused_fingerprint")) !== ""}`
}

const revocationReason = (event: AuditEvent): string => {
  const reason = text(event, "reason")
  return reason === "" || reason === "unspecified" ? "" : `: ${inSentence(textOf(revocationWords, reason))}`
}

export const certificate: Speech = {
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
    ...(group[0].action === "revoked" ? [" by ", actor(group[0]), revocationReason(group[0])] : [])
  ],
  fold: (event) => `${together(event)} ${text(event, "reason")}`
}
