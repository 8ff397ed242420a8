/**
 * Configurations of switches of different personalities, made comparable: what is the switch's own (names, addresses), what it
 * salts, how it spells, and in which order it prints. Written for the tests alone, so that neither the drivers nor the lab are
 * their own judge.
 */
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { spellings, vanishing } from "./Candidate.ts"

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
