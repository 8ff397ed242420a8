/** What can be said of a configuration line wherever it stands: how the switch spells it, what it is, what is wrong with it. */
import * as Grammar from "./ConfigGrammar.ts"
import { entryKey } from "./ConfigKeys.ts"
import { longName } from "./InterfaceNames.ts"
import { remembered } from "../Remembered.ts"

export interface ConfigLine {
  /** Blanks before it. */
  readonly indent: number
  /** The line with single blanks, long interface names and prefix lengths. */
  readonly text: string
  /** The text without `no` or `default`. */
  readonly positive: string
  /** Its identity among its siblings. */
  readonly key: string
  /** The line that takes it back. */
  readonly negation: string
  /** Tag of the section that it opens at the top level. */
  readonly tag: string | undefined
  /** It may open a section inside of another one. */
  readonly mayNest: boolean
  /** It may belong to the top level although it was typed inside of a section. */
  readonly mayLeave: boolean
  /** It may repeat a default. */
  readonly mayBeDefault: boolean
  readonly isHeredoc: boolean
  /** A command without the value that it wants. */
  readonly isBare: boolean
  /** A value that is out of its range. */
  readonly isOutOfRange: boolean
  /** Its first word is one that the top level knows. */
  readonly isRootWord: boolean
  readonly isPoe: boolean
  /** The interface that it names. */
  readonly interfaceName: string | undefined
}

const describe = (line: string): ConfigLine => {
  const trimmed = line.trim()
  const text = normalise(trimmed)
  const positive = text.replace(/^(?:no|default) /, "")
  return {
    indent: line.length - line.trimStart().length,
    text,
    positive,
    key: entryKey(text),
    negation: `no ${text}`,
    tag: Grammar.sectionTag("", text),
    mayNest: Grammar.mayNest(text),
    mayLeave: Grammar.leavesSection("", text),
    mayBeDefault: Grammar.mayBeDefault(text),
    isHeredoc: Grammar.readsText(text),
    isBare: NEVER_ALONE.has(positive),
    isOutOfRange: isOutOfRange(positive),
    isRootWord: Grammar.isRootWord(positive),
    isPoe: /^poe\b/.test(positive),
    interfaceName: /^interface (\S+)/.exec(positive)?.[1]
  }
}

/** What a typed line is. */
export const configLine = remembered(describe)

const normalise = (trimmed: string): string => {
  const text =
    trimmed.includes("  ") && !/^(?:description|name|username|banner|snmp-server)/.test(trimmed)
      ? trimmed.replace(/ {2,}/g, " ")
      : trimmed
  const named = /^(no |default )?interface (.+)$/.exec(text)
  if (named !== null) return `${named[1] ?? ""}interface ${longName(named[2] ?? "")}`
  const masked = /^ip address (\d[\d.]+) (255\.[\d.]+|0\.0\.0\.0)( secondary)?$/.exec(text)
  if (masked !== null) return `ip address ${masked[1]}/${prefixLength(masked[2] ?? "")}${masked[3] ?? ""}`
  return text
}

const prefixLength = (mask: string) =>
  mask.split(".").reduce((bits, octet) => bits + Number(octet).toString(2).replaceAll("0", "").length, 0)

/** Commands that want a value. */
const NEVER_ALONE = new Set([
  "interface",
  "hostname",
  "vlan",
  "description",
  "username",
  "router",
  "ip",
  "switchport access vlan"
])

const isOutOfRange = (positive: string): boolean => {
  const prefix = /^ip(?:v6)? address (?:virtual )?([\d.]+|[\da-f:]+)\/(\d+)/i.exec(positive)
  if (prefix !== null && Number(prefix[2]) > (prefix[1]?.includes(":") ? 128 : 32)) return true
  const vlan = /^(?:switchport access vlan|vlan) (\d+)$/.exec(positive)
  return vlan !== null && (Number(vlan[1]) < 1 || Number(vlan[1]) > 4094)
}
