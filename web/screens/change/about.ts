/** What a change is about, in words: the subjects of its lines, and the place of its switches. Pure. */
import type { Data } from "../../../src/api/Calls.ts"
import { inSentence, joined, textOf } from "../../../src/domain/words/Word.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"

export type Scope = Data<"GET /job/:id/scope">
export type Approval = NonNullable<Scope["approval"]>
export type Group = Data<"GET /job/:id/diffs">["groups"][number]

const indentOf = (line: string): number => line.length - line.trimStart().length

/** `ntp server` of `ntp server 10.0.0.1 prefer`, `vlan 160`, `interface Ethernet7`: the words before the first value. */
const subjectOf = (line: string): string => {
  const [first = "", second = "", third = ""] = line.trim().replace(/^no /, "").split(/\s+/)
  if (/^(?:vlan|interface)$/.test(first)) return `${first} ${second}`
  const isWord = /^[a-z][a-z-]+$/
  const words = isWord.test(second) ? [first, second] : [first]
  return (words.length === 2 && first === "ip" && isWord.test(third) ? [...words, third] : words).join(" ")
}

const SUBJECTS = 3

const isChanged = (line: string): boolean => /^[+-]/.test(line) && !line.startsWith("+++") && !line.startsWith("---")

const subjectsOfLines = (lines: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  let section = ""
  for (const line of lines) {
    const text = line.slice(1)
    if (line.startsWith("@@")) section = ""
    else if (text.trim() === "" || text.trim() === "!") continue
    else if (indentOf(text) === 0) section = text
    if (isChanged(line)) found.add(subjectOf(indentOf(text) === 0 || section === "" ? text : section))
  }
  return found
}

/** The last lines of sections and of statements in braces. */
const BRACES = /[;{}]$/

/** The outermost two words or headings that the difference shows: `interfaces ge-0/0/3` of each line of that port. */
const subjectsInBraces = (lines: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  let open: ReadonlyArray<string> = []
  for (const line of lines) {
    const text = line.slice(1)
    const statement = text.replace(/ ?[;{}]$/, "").trim()
    if (line.startsWith("@@")) open = []
    if (line.startsWith("@@") || statement === "" || /^(?:#|\/\*)/.test(statement)) continue
    open = open.filter((heading) => indentOf(heading) < indentOf(text))
    const around = open.map((heading) => heading.trim())
    const own = text.endsWith("{") ? statement : (/^(?:inactive: )?\S+/.exec(statement)?.[0] ?? statement)
    if (isChanged(line)) found.add([...around, own].slice(0, 2).join(" "))
    if (text.endsWith("{")) open = [...open, text.replace(/ \{$/, "")]
  }
  return found
}

/** `ntp server, vlan 160`: the sections and commands that a difference changes, in its order. */
export const subjectsOf = (diff: string): string => {
  const lines = diff.split("\n")
  const isInBraces = lines.some((line) => isChanged(line) && BRACES.test(line))
  const all = [...(isInBraces ? subjectsInBraces(lines) : subjectsOfLines(lines))]
  const rest = all.length - SUBJECTS
  return `${all.slice(0, SUBJECTS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** The smallest group or site that has all of them: `South`; null without one, or if that is the whole network. */
export const placeOf = ({ devices, groups, sites }: Pick<Scope, "devices" | "groups" | "sites">): string | null => {
  const site = sites.find(({ count }) => count === devices)
  if (site !== undefined) return site.name
  const whole = Math.max(0, ...groups.map(({ of }) => of))
  const [smallest] = groups
    .filter(({ count, of }) => count === devices && of < whole)
    .toSorted((one, other) => one.of - other.of)
  return smallest?.name ?? null
}

/** `2 distribution, 100 access`. */
export const typesOf = ({ device_types }: Pick<Scope, "device_types">): string =>
  device_types.map(({ count, name }) => `${count} ${inSentence(textOf(typeWords, name))}`).join(", ")

/** `100 switches in South`. */
export const scopeSentence = (count: number, scope: Pick<Scope, "devices" | "groups" | "sites">): string => {
  const place = placeOf(scope)
  return `${switches(count)}${place === null ? "" : ` in ${place}`}`
}

/** How many would change: what its preview has shown, else all that are chosen. */
export const changingOf = ({ devices, would_change }: Pick<Scope, "devices" | "would_change">): number =>
  would_change ?? devices

/** `About 3,900 connected machines.`: those that were learnt in the last week; nothing if no tables were read. */
export const machinesSentence = (machines: number | null): string => {
  if (machines === null) return ""
  return machines === 0
    ? "No connected machine was heard in the last week."
    : `About ${counted(machines, "connected machine")}.`
}

/** `3 ports on lhv-s-dist1 and lhv-s-dist2`. */
export const uplinksSentence = (uplinks: Scope["uplinks"]): string => {
  const ports = uplinks.reduce((sum, { ports: own }) => sum + own.length, 0)
  const names = uplinks.map(({ hostname }) => hostname)
  const shown = names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ")
  return `${counted(ports, "port")} on ${shown}`
}

/** `Maria or Anna`, `Maria, Anna or somebody else`. */
export const oneOf = (names: ReadonlyArray<string>): string => {
  if (names.length === 0) return "somebody else"
  const shown = names.slice(0, 3)
  const all = names.length > shown.length ? [...shown, "somebody else"] : shown
  return joined(all, "or")
}
