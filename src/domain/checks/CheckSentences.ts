/** Checks in sentences for people: what they read, and what must hold. Pure. */
import type { Check, CheckedKind } from "./Check.ts"
import { originOf } from "./HttpQuestion.ts"

/** What the items of a reading are, one and several. */
export const readingNouns = {
  neighbours: ["neighbour", "neighbours"],
  interfaces: ["interface", "interfaces"],
  bgp: ["BGP session", "BGP sessions"],
  ospf: ["OSPF neighbour", "OSPF neighbours"],
  routes: ["route", "routes"],
  mlag: ["MLAG domain", "MLAG domains"],
  vrrp: ["VRRP group", "VRRP groups"],
  port_channels: ["port-channel", "port-channels"],
  errors: ["port with counters", "ports with counters"],
  macs: ["MAC address", "MAC addresses"],
  arp: ["address of a neighbour", "addresses of neighbours"],
  spanning_tree: ["spanning-tree instance", "spanning-tree instances"],
  environment: ["sensor", "sensors"],
  processes: ["process", "processes"],
  log: ["log message", "log messages"],
  ping: ["ping", "pings"],
  ntp: ["source of time", "sources of time"],
  http: ["item", "items"],
  plugin: ["item", "items"]
} as const satisfies Readonly<Record<CheckedKind, readonly [one: string, several: string]>>

/** `2 BGP sessions`. */
export const countOf = (kind: CheckedKind, count: number): string => {
  const [one, several] = readingNouns[kind]
  return `${count} ${count === 1 ? one : several}`
}

/** What must hold, as half a sentence: `at least 90 % must remain`. */
export const ruleText = ({ condition }: Pick<Check, "condition">): string => {
  switch (condition.must) {
    case "equal":
      return condition.fields.length === 0 ? "they must be equal" : `${condition.fields.join(" and ")} must be equal`
    case "no_lost":
      return "none may be gone"
    case "no_new":
      return "none may be new"
    case "at_least_share":
      return `at least ${condition.percent} % must remain`
    case "at_least":
      return `there must be at least ${condition.count}`
    case "at_most":
      return `there may be at most ${condition.count}`
    case "grows_at_most":
      return `${condition.field} may grow by at most ${condition.by}`
    case "within":
      return `${condition.field} must be ${rangeText(condition.least, condition.most)}`
    case "every":
      return Object.entries(condition.values)
        .map(([field, value]) => `${field} must be ${String(value)}`)
        .join(" and ")
  }
}

const rangeText = (least: number | null, most: number | null): string => {
  if (least === null) return `at most ${most ?? 0}`
  return most === null ? `at least ${least}` : `from ${least} to ${most}`
}

/** What a check reads, in words: `BGP sessions`, `interfaces (Uplinks)`, `a ping to 10.0.0.1`. */
const readText = ({ question }: Pick<Check, "question">): string => {
  if (question.reads === "ping") return `a ping to ${question.to}`
  if (question.reads === "log") return `log messages of severity ${question.severity} or worse`
  if (question.reads === "http") return `${question.path} of ${originOf(question.url)}`
  if (question.reads === "plugin") return `${question.function} by the plugin ${question.plugin}`
  const [, several] = readingNouns[question.reads]
  return question.role === undefined ? several : `${several} of the role ${question.role}`
}

/** A check in one sentence: `reads BGP sessions 10 s after the commit, and for 30 s more: none may be gone`. */
export const conditionSentence = (
  check: Pick<Check, "also_neighbours" | "condition" | "question" | "settle" | "within">
): string =>
  `reads ${readText(check)}${check.also_neighbours ? ", also of the neighbours," : ""} ${check.settle} s after the commit, and for ${check.within} s more: ${ruleText(check)}`

/** `2 switches`. */
export const switchesText = (count: number): string => `${count} ${count === 1 ? "switch" : "switches"}`

/** A check of a rollout that is not made yet, with its devices: `Check bgp-sessions would be made on 2 switches`. */
export const wouldBeMade = ({ devices, name }: { readonly devices: number; readonly name: string }): string =>
  `Check ${name} would be made on ${switchesText(devices)}`
