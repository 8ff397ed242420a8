/**
 * Events of the audit as sentences (docs/security.md#audit): who did what to what, with the switches, jobs and names of which it
 * speaks as parts of their own, so that a reader can follow them. Neighbours that say the same of several switches are one sentence. Who
 * made a change and who found it are two things. Pure.
 */
import type { AuditEvent } from "../events/Event.ts"
import {
  type AuditedKind,
  type Group,
  isRecord,
  type Part,
  plain,
  type Said,
  shown,
  type Speech
} from "./AuditParts.ts"
import { isSyncOnly } from "./AuditOfSwitches.ts"
import { speeches } from "./AuditSpeeches.ts"
import { configTypeWords, stateWords, typeWords } from "./DeviceWords.ts"
import { plainly, textOf, type Tone, type Words } from "./Word.ts"

/** A field before and after; texts in words or verbatim, everything else as JSON, `""` for nothing. */
export interface Changed {
  readonly field: string
  readonly before: string
  readonly after: string
}

export interface AuditSentence {
  readonly parts: ReadonlyArray<Part>
  readonly tone: Tone
  readonly changed: ReadonlyArray<Changed>
  /** The events that it tells, the newest first. */
  readonly events: ReadonlyArray<AuditEvent>
}

/** Fields whose values have words. */
const VALUE_WORDS: Readonly<Record<string, Words<string>>> = {
  configtype: configTypeWords,
  device_type: typeWords,
  state: stateWords
}

/** The names of fields that a reader would not know. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  configtype: "use",
  tagged_vlan_list: "tagged VLANs",
  untagged_vlan: "VLAN"
}

const worded = (field: string, value: unknown): string => {
  const words = VALUE_WORDS[field]
  return words !== undefined && typeof value === "string" ? textOf(words, value) : shown(value)
}

/** The fields of a record; those of a record in it, such as the data of a port, stand beside the others. */
const flat = (record: unknown): ReadonlyMap<string, unknown> =>
  new Map(
    Object.entries(isRecord(record) ? record : {}).flatMap(([field, value]) =>
      isRecord(value) ? Object.entries(value) : [[field, value]]
    )
  )

/** The fields that an event changed, in words. */
const changedIn = ({ after, before }: AuditEvent["data"]): ReadonlyArray<Changed> => {
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({
      field: FIELD_WORDS[field] ?? plainly(field),
      before: worded(field, old.get(field)),
      after: worded(field, now.get(field))
    }))
    .filter((change) => change.before !== change.after)
}

const isKnown = (kind: string): kind is AuditedKind => Object.hasOwn(speeches, kind)
const speechOf = (kind: string): Speech => (isKnown(kind) ? speeches[kind] : plain)

/** Seconds between two events of one sentence. */
const APART = 120

/** How many sentences a job may say between two that are the same. */
const MIXED = 8

const secondsOf = ({ at }: AuditEvent): number => Date.parse(`${at.slice(0, 19)}Z`) / 1000

const keyOf = (event: AuditEvent): string | null => {
  const fold = speechOf(event.kind).fold?.(event)
  return fold === undefined ? null : `${event.kind} ${event.action} ${fold}`
}

const joined = (said: Said): ReadonlyArray<Part> => {
  const parts = said.flatMap((part): ReadonlyArray<Part> => {
    if (part === false || part === "") return []
    return typeof part === "string" ? [{ text: part }] : [part]
  })
  const [first, ...rest] = parts
  // a sentence that begins with a name of the site keeps its spelling
  if (first === undefined || !("text" in first) || "job" in first) return parts
  return [{ text: first.text.replace(/^\s*./, (letter) => letter.trim().toUpperCase()) }, ...rest]
}

/** One sentence for events of a kind. */
const tell = (group: Group): AuditSentence => {
  const [event] = group
  const { said, tone = "quiet" } = speechOf(event.kind)
  return {
    parts: joined(said(group)),
    tone: typeof tone === "string" ? tone : tone(event),
    changed: group.length === 1 && event.action === "updated" && !isSyncOnly(event) ? changedIn(event.data) : [],
    events: group
  }
}

/** The sentences of events in their order; neighbours that say the same are one. */
export const sentencesOf = (events: ReadonlyArray<AuditEvent>): ReadonlyArray<AuditSentence> => {
  const groups: Array<[AuditEvent, ...Array<AuditEvent>]> = []
  for (const event of events) {
    const key = keyOf(event)
    // a job works on several switches at once, so its events are mixed
    const near = event.job_id === null ? groups.slice(-1) : groups.slice(-MIXED)
    const open = near.findLast(([first]) => key !== null && keyOf(first) === key)
    const last = open?.at(-1)
    if (open !== undefined && last !== undefined && Math.abs(secondsOf(last) - secondsOf(event)) <= APART)
      open.push(event)
    else groups.push([event])
  }
  return groups.map(tell)
}

/** A sentence as plain text. */
export const plainSentence = ({ parts }: Pick<AuditSentence, "parts">): string =>
  parts
    .map((part) => {
      if ("text" in part) return part.text
      if ("name" in part) return part.name
      if ("device" in part) return part.device
      return "port" in part ? part.port : part.commit.slice(0, 7)
    })
    .join("")
