/** What happened to one port, as sentences from the audit of its device. Pure. */
import { plainly } from "../../../../src/domain/words/Word.ts"
import { vlanOf } from "./edits.ts"

interface AuditEvent {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Happened {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly sentence: string
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

const isAbout = ({ data }: AuditEvent, port: string): boolean =>
  data["key"] === port || (Array.isArray(data["ports"]) && data["ports"].includes(port))

/** The parts of a change that people ask for; a change of something else is only said to be one. */
const sentenceOf = ({ action, data }: AuditEvent): string => {
  if (action === "bounced") return "Restarted"
  if (action !== "updated") return `${plainly(action).replace(/^./, (letter) => letter.toUpperCase())}`
  const [before, after] = [fieldsOf(data["before"]), fieldsOf(data["after"])]
  const [old, now] = [fieldsOf(before["data"]), fieldsOf(after["data"])]
  const vlan = (row: Fields, own: Fields) =>
    vlanOf({
      name: "",
      configtype: textOf(row["configtype"]) || ("tagged_vlan_list" in own ? "ACCESS_TAGGED" : "ACCESS_UNTAGGED"),
      data: own
    })
  const parts = [
    ...(vlan(before, old) === vlan(after, now)
      ? []
      : [vlan(after, now) === "" ? "Left to the network's sign-in" : `Moved to ${vlan(after, now)}`]),
    ...(textOf(old["description"]) === textOf(now["description"])
      ? []
      : [now["description"] === undefined ? "Name removed" : `Named “${textOf(now["description"])}”`]),
    ...((old["enabled"] !== false) === (now["enabled"] !== false)
      ? []
      : [now["enabled"] === false ? "Turned off" : "Turned on"])
  ]
  return parts.length === 0 ? "Changed" : parts.join(", ").replace(/^./, (letter) => letter.toUpperCase())
}

/** The events about a port, in their order. */
export const historyOf = (events: ReadonlyArray<AuditEvent>, port: string): ReadonlyArray<Happened> =>
  events
    .filter((event) => isAbout(event, port))
    .map((event) => ({ id: event.id, at: event.at, actor: event.actor, sentence: sentenceOf(event) }))
