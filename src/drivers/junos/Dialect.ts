/** Deadlines and requests of Junos, and the texts of releases that are mended before they are read. */
import { type BraceNotation } from "../../domain/BraceGate.ts"
import type { DriverTimeouts } from "../Driver.ts"
import { escape } from "../netconf/Xml.ts"

/** Seconds. A small access switch needs a minute for a commit, a virtual chassis longer. */
export const timeouts: DriverTimeouts = {
  connect: 20,
  firstPrompt: 30,
  show: 60,
  runningConfig: 120,
  load: 300,
  commit: 300,
  save: 30
}

/** Speaks NETCONF on a channel for commands, where the subsystem is not switched on. */
export const NETCONF_COMMAND = "xml-mode netconf need-trailer"

/** The requests that show something, without their parameters. */
export type Question =
  | "get-software-information"
  | "get-chassis-inventory"
  | "get-system-uptime-information"
  | "get-virtual-chassis-information"
  | "get-route-engine-information"
  | "get-interface-information"
  | "get-interface-optics-diagnostics-information"
  | "get-lldp-neighbors-information"
  | "get-lldp-interface-neighbors-information"
  | "get-lldp-interface-neighbors"
  | "get-ethernet-switching-table-information"
  | "get-bridge-mac-table"
  | "get-vlan-information"
  | "get-arp-table-information"
  | "get-ipv6-nd-information"
  | "get-bgp-neighbor-information"
  | "get-ospf-neighbor-information"
  | "get-route-summary-information"
  | "get-lacp-interface-information"
  | "get-environment-information"
  | "get-commit-information"
  | "get-database-status-information"

/** Options of a question: words, or words with a value. */
export type Options = ReadonlyArray<string | readonly [word: string, value: string]>

/** A question as the body of a request. */
export const asking = (question: Question, options: Options = []): string => {
  const inside = options.map((option) =>
    typeof option === "string" ? `<${option}/>` : `<${option[0]}>${escape(option[1])}</${option[0]}>`
  )
  return inside.length === 0 ? `<${question}/>` : `<${question}>${inside.join("")}</${question}>`
}

/** A command of the operational mode, answered as a person sees it. */
export const commandAsText = (command: string): string => `<command format="text">${escape(command)}</command>`

/** The database is always named: without it the device shows the candidate, also to those who ask for what runs. */
export const configuration = (database: "committed" | "candidate"): string =>
  `<get-configuration database="${database}" format="text"/>`

/** What the candidate changes. */
export const comparison = `<get-configuration database="candidate" compare="rollback" rollback="0" format="text"/>`

export const lockCandidate = "<lock><target><candidate/></target></lock>"
export const unlockCandidate = "<unlock><target><candidate/></target></unlock>"
export const discardChanges = "<discard-changes/>"

/** `update` has the same end as `override`, but only the daemons whose part differs read their configuration again. */
export const loading = (text: string, mode: "replace" | "merge", notation: BraceNotation): string => {
  if (notation === "set") {
    return `<load-configuration action="set" format="text"><configuration-set>${escape(text)}</configuration-set></load-configuration>`
  }
  const action = mode === "replace" ? "update" : "merge"
  return `<load-configuration action="${action}" format="text"><configuration-text>${escape(text)}</configuration-text></load-configuration>`
}

/** Checks the candidate. While a commit waits for its confirmation, this confirms it. */
export const commitCheck = "<commit-configuration><check/></commit-configuration>"

export interface CommitOptions {
  /** Kept in the history of the device: whose commit it is can be read there. */
  readonly name: string
  /** Also on the other routing engine. */
  readonly synchronize: boolean
  /** The device takes the commit back after so many minutes; null for one that stays. */
  readonly minutes: number | null
}

/** Never `<commit>`: it counts seconds, and some releases make "at once" of small numbers. */
export const committing = ({ minutes, name, synchronize }: CommitOptions): string => {
  const both = synchronize ? "<synchronize/>" : ""
  const timer = minutes === null ? "" : `<confirmed/><confirm-timeout>${minutes}</confirm-timeout>`
  return `<commit-configuration>${both}${timer}<log>${escape(name)}</log></commit-configuration>`
}

/** An engine with what it says, which is not closed before the next one, or before the end of what is around it. */
const openEngine =
  /(<routing-engine\b[^>]*(?<!\/)>(?:(?!<\/?routing-engine\b|<\/(?:commit-results|(?:nc:)?rpc-reply|multi-routing-engine)\b)[^])*)(?=<routing-engine\b|<\/(?:commit-results|(?:nc:)?rpc-reply|multi-routing-engine))/g

/** Whether a message shows a configuration, of which no part must become another one. */
const isConfiguration = (message: string): boolean => message.includes("<configuration")

/** Neighbours have names of any bytes; marks in their place harm nobody where something is only shown. */
export const readsMarked = (message: string): boolean => !isConfiguration(message)

/** Characters that XML does not have: transceivers and neighbours may have any in their names. */
const unreadable = /(?![\t\n\r\u007F-\u009F])\p{Cc}|[\uFFFE\uFFFF]/gu

const junosNamespace = 'xmlns:junos="http://xml.juniper.net/junos"'

/**
 * Names the namespace of attributes such as `junos:style` where a reply does not, closes the elements that some releases leave open in
 * the answer to a commit, and marks characters of what is shown that XML does not have. A configuration stays as it is. Called for
 * messages only that are not well-formed.
 */
export const mend = (message: string): string => {
  const shown = isConfiguration(message) ? message : message.replaceAll(unreadable, "\uFFFD")
  const isNamed = !shown.includes(" junos:") || shown.includes("xmlns:junos=")
  const named = isNamed ? shown : shown.replace(/<(?:nc:)?rpc-reply\b/, `$& ${junosNamespace}`)
  const closed = named.replaceAll(openEngine, "$1</routing-engine>")
  const isOpen = closed.includes("<commit-results>") && !closed.includes("</commit-results>")
  return isOpen ? closed.replace(/(?=<\/(?:nc:)?rpc-reply>)/, "</commit-results>") : closed
}
