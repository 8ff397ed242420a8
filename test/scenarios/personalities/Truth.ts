/**
 * Whether a record is true, compared with the lab only, for a switch of any personality: it uses no expectation of the tables. `old` and
 * `wanted` are the previous configuration and that of the templates.
 */
import { spellings, vanishing } from "./Candidate.ts"
import type { Operation, Which } from "./Operations.ts"
import type { Left } from "./PersonalityScene.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"

// Configurations of switches of different personalities, made comparable: what is the switch's own (names, addresses), what it
// salts, how it spells, and in which order it prints. Written for the tests alone, so that neither the drivers nor the lab are
// their own judge.

/** Values that are another one at each load, behind the words that announce them. */
const SALTED = /\b((?:secret|key|authentication-key \d+ \S+)(?: (?:sha512|0|5|7|8a))?) \S+$/

const given = new Map(spellings.map((spelling) => [spelling.shown, spelling.given] as const))
const isKept = (text: string) => text !== "" && text !== "!" && text !== "end" && !vanishing.includes(text)

const spelled = (text: string): string =>
  (given.get(text) ?? text).replace(SALTED, (_, start: string) => `${start.replace(/ (?:sha512|0|5|7|8a)$/, "")} …`)

/** Each line behind those of its sections. */
const pathsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const above: Array<{ readonly indent: number; readonly text: string }> = []
  return lines.flatMap((line) => {
    const text = line.trim()
    const indent = line.length - line.trimStart().length
    if (!isKept(text) || line.startsWith("! ")) return []
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop()
    above.push({ indent, text: spelled(text) })
    return [above.map((one) => one.text).join(" / ")]
  })
}

/** The configuration of a switch as those of all others would be, whatever their personalities: lines with their sections, sorted. */
export const canonical = (text: string | undefined, hostname: string, address: string): string =>
  pathsOf(ManagedCampus.comparable(text, hostname, address).split("\n"))
    .toSorted()
    .join("\n")

// The running and saved configuration of a switch and our remains, as reported by the lab only.

/** A switch at one moment. */
export interface Snapshot {
  readonly running: string
  readonly startup: string
  /** Our sessions and timers. */
  readonly debris: ReadonlyArray<string>
}

const ADDRESS = /^interface Vlan3016\n(?: .*\n)*? +ip address (\S+)\/\d+/m

/** The present state of the switch, comparable with others. */
export const snapshotOf = (device: LabSwitch, hostname: string): Snapshot => {
  const comparable = (text: string | undefined) =>
    canonical(text, hostname, ADDRESS.exec(text ?? "")?.[1] ?? "no address")
  return {
    running: comparable(device.running()),
    startup: comparable(device.startup()),
    debris: ManagedCampus.debrisOn(device)
  }
}

/** Which of two configurations a text is. */
export const which = (text: string, old: string, wanted: string): Which =>
  text === old ? "old" : text === wanted ? "new" : "other"

const MOST = 6

/** Lines that only one of two configurations has, for people. */
export const differing = (text: string, wanted: string): string => {
  const lines = text.split("\n")
  const others = wanted.split("\n")
  const more = lines.filter((line) => !others.includes(line)).map((line) => `+${line}`)
  const less = others.filter((line) => !lines.includes(line)).map((line) => `-${line}`)
  return [...more, ...less].slice(0, MOST).join("\n")
}

/** The results of a successful operation on the switch. */
const aims: Readonly<Record<Operation, "old" | "new">> = {
  dryRun: "old",
  mode0: "new",
  mode1: "new",
  mode2: "new",
  undo: "old",
  init: "new"
}

const claims = [
  { says: "The device runs the configuration that it had before.", runs: "old" },
  { says: "The device runs the new configuration.", runs: "new" }
] as const

/** The criteria for a record. */
export type Judged = Omit<Left, "personality" | "again">

/** The untrue statements in the record of a cell; empty if all are true. */
export const untruths = (left: Judged, wanted: string): ReadonlyArray<string> => {
  const { after, before, done, operation, says, synchronized } = left
  const runs = which(after.running, before.running, wanted)
  const saved = which(after.startup, before.startup, wanted)
  const aim = aims[operation]
  const problems: Array<string> = []
  const aimed = aim === "old" ? before.running : wanted
  if (done && runs !== aim) problems.push(`false success: it runs ${runs}:\n${differing(after.running, aimed)}`)
  if (done && saved !== aim) problems.push(`false success: ${saved} is saved`)
  if (done && after.debris.length > 0) problems.push(`false success: ${after.debris.join(", ")}`)
  if (synchronized && runs !== "new") problems.push(`synchronized, but it runs ${runs}`)
  if (operation === "dryRun" && (runs !== "old" || saved !== "old")) problems.push("a dry run has changed it")
  if (operation === "init" && left.state === "MANAGED" && runs !== "new") problems.push(`MANAGED, but it runs ${runs}`)
  for (const claim of claims) {
    if (!done && says.includes(claim.says) && runs !== claim.runs) problems.push(`says ${claim.runs}, runs ${runs}`)
  }
  return problems
}
