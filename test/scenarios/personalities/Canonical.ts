/**
 * Configurations of switches of different personalities, made comparable: what is the switch's own (names, addresses), what it
 * salts, and how it spells. Written for the tests alone, so that neither the drivers nor the lab are their own judge.
 */
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { spellings } from "./Candidate.ts"

/** Values that are another one at each load, behind the words that announce them. */
const SALTED = /\b((?:secret|key)(?: (?:sha512|0|5|7|8a))?|authentication-key \d+ \S+(?: [078a]+)?) \S+/g

const shown = new Map(spellings.flatMap(({ given, others }) => others.map((other) => [other, given] as const)))

const lineOf = (line: string): string => {
  const text = line.trimStart()
  return `${line.slice(0, line.length - text.length)}${shown.get(text) ?? text}`.replaceAll(SALTED, "$1 …")
}

/** The configuration of a switch as those of all others would be, whatever their personalities. */
export const canonical = (text: string | undefined, hostname: string, address: string): string =>
  ManagedCampus.comparable(text, hostname, address)
    .split("\n")
    .filter((line) => !line.startsWith("! "))
    .map(lineOf)
    .join("\n")
