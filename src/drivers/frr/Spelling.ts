/**
 * How FRR spells the lines of a candidate (docs/frr.md#lines-that-frr-spells-otherwise). `frr-reload.py` compares texts, so a line
 * that FRR shows otherwise would differ for ever. A line with one certain other spelling is sent in that one; a default, which FRR
 * does not show, is no difference unless FRR runs something else. The record of the platform says which lines those are.
 */
import { isIPv6 } from "node:net"
import { frr } from "../../domain/platforms/frr/Platform.ts"
import type { SilentDefault } from "../../domain/platforms/Platform.ts"
import type { RejectedLine } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"

const { commands, configuration, shown } = frr

// The other spelling is written line by line, so that the numbers of lines stay.

/** Commands whose mask FRR shows as the length of the prefix. */
const masked = /^(ip route|network|aggregate-address) (\d+\.\d+\.\d+\.\d+) (\d+\.\d+\.\d+\.\d+)(?= |$)/

const withLength = (whole: string, command: string, address: string, mask: string): string => {
  const bits = mask
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("")
  const ones = /^(1*)0*$/.exec(bits)?.[1]
  return bits.length !== 32 || ones === undefined ? whole : `${command} ${address}/${ones.length}`
}

/** The address of an interface, which frr-reload.py compares as it is typed. */
const interfaceAddress = /^(ipv6 address )([\da-f:.]+)(?=\/)/i

const withShortForm = (whole: string, command: string, address: string): string =>
  isIPv6(address) ? command + new URL(`http://[${address}]`).hostname.slice(1, -1) : whole

const spelled = (heading: string, line: string): string =>
  (shown?.respelled ?? [])
    .filter(({ section }) => section.test(heading))
    .reduce(
      (text, rule) => text.replace(rule.line, rule.shown).replace(masked, withLength),
      line.replace(masked, withLength).replace(interfaceAddress, withShortForm)
    )

/** Gives the heading at the top that each line of a text is below, line after line; empty at the top. */
const makeHeadings = () => {
  let heading = ""
  return (line: string, isIndented: boolean): string => {
    if (commands?.topLevel.test(line) === true) {
      if (commands.opensMode.test(line)) heading = line
      else if (!commands.nesting.test(heading)) heading = ""
    } else if (!isIndented && line.startsWith("exit")) heading = ""
    return heading === line ? "" : heading
  }
}

/** A list whose entries FRR numbers, and frr-reload.py compares with their numbers. */
const listEntry = /^bgp as-path access-list (\S+) (?:seq \d+ )?(?=permit |deny )/

/** Numbers the entries of lists as FRR does; a list of which some entries have numbers stays as it is. */
const makeNumbers = (lines: ReadonlyArray<string>) => {
  const numbered = new Set(lines.flatMap((line) => /^\s*bgp as-path access-list (\S+) seq /.exec(line)?.[1] ?? []))
  const last = new Map<string, number>()
  return (line: string): string =>
    line.replace(listEntry, (whole, name: string) => {
      if (numbered.has(name)) return whole
      last.set(name, (last.get(name) ?? 0) + 5)
      return `${whole}seq ${last.get(name)} `
    })
}

/** The text in FRR's spelling, each line in its place. */
export const respelled = (text: string): string => {
  const lines = text.split("\n")
  const headingOf = makeHeadings()
  const number = makeNumbers(lines)
  return lines
    .map((source) => {
      const line = source.trim()
      if (line === "" || line.startsWith(configuration.comment)) return source
      const indent = source.slice(0, source.indexOf(line))
      const single = line.replaceAll(/\s+/g, " ")
      const other = number(spelled(headingOf(single, indent !== ""), single))
      return other === single ? source : `${indent}${other}`
    })
    .join("\n")
}

/** Finds the number of the line of a candidate that a difference names in FRR's spelling; null if there is none. */
export const makeLineFinder = (text: string): ((edit: Edit) => number | null) => {
  const headingOf = makeHeadings()
  const numbers = new Map<string, number>()
  let inner = ""
  for (const [index, source] of respelled(text).split("\n").entries()) {
    const line = source.trim().replaceAll(/\s+/g, " ")
    const heading = headingOf(line, source !== source.trimStart())
    if (heading === "" || line.startsWith("exit")) inner = ""
    for (const place of new Set([inner, ""])) {
      const key = [heading, place, line].join("\n")
      if (!numbers.has(key)) numbers.set(key, index + 1)
    }
    if (heading !== "" && commands?.opensMode.test(line) === true) inner = line
  }
  return ({ line, section }) => {
    const [heading = "", ...below] = section.map((around) => around.trim())
    const at = (place: string) => numbers.get([heading, place, line.trim()].join("\n"))
    return at(below.at(-1) ?? "") ?? at("") ?? null
  }
}

// Neighbours that are not defined: FRR takes their lines in a file, and refuses them only when it runs them.

const NOT_DEFINED = "% Specify remote-as or peer-group commands first"
const neighbourLine = /^neighbor (\S+) (\S+)/

/** Lines of a whole configuration about neighbours that no line of their router defines. */
export const undefinedNeighbours = (text: string): ReadonlyArray<RejectedLine> => {
  const headingOf = makeHeadings()
  const defined = new Set<string>()
  const uses = text.split("\n").flatMap((source, index) => {
    const line = source.trim().replaceAll(/\s+/g, " ")
    const heading = headingOf(line, source !== source.trimStart())
    const [, name, word = ""] = neighbourLine.exec(line) ?? []
    if (name === undefined || !heading.startsWith("router bgp ")) return []
    const key = `${heading}\n${name.toLowerCase()}`
    if (/^(?:remote-as|peer-group|interface)$/.test(word)) defined.add(key)
    return [{ key, lineNumber: index + 1, line: maskSecrets(source) }]
  })
  return uses
    .filter(({ key }) => !defined.has(key))
    .map(({ line, lineNumber }) => ({
      line: maskSecrets(line),
      lineNumber,
      answer: `${NOT_DEFINED} at line ${lineNumber}`
    }))
}

// Defaults that FRR does not show are no difference.

/** A line of a difference with all sections around it, from the outermost; with its indentation. */
export interface Edit {
  readonly section: ReadonlyArray<string>
  readonly line: string
}

const pathOf = (section: ReadonlyArray<string>): string => section.map((heading) => heading.trim()).join("\n")

/** The lines below each section of a configuration, by the path of its headings. */
type Sections = Map<string, Set<string>>

const add = (sections: Sections, path: string, line: string): void => {
  const lines = sections.get(path) ?? new Set()
  sections.set(path, lines.add(line))
}

const sectionsOf = (running: string): Sections => {
  const sections: Sections = new Map()
  let open: ReadonlyArray<string> = []
  for (const source of running.split("\n")) {
    const line = source.trim()
    if (line === "" || line.startsWith(configuration.comment)) continue
    // FRR indents each level by one blank
    const above = open.slice(0, source.length - source.trimStart().length)
    add(sections, pathOf(above), line)
    open = [...above, line]
  }
  return sections
}

/** Whether lines of the section, or directly below it, state something else. */
const saysOther = (sections: Sections, path: string, line: string, { line: known, other }: SilentDefault): boolean => {
  if (other === undefined) return false
  const beginning = line.replace(known, other)
  const isOther = (text: string) => text !== line && text.startsWith(beginning)
  return [...sections].some(
    ([place, lines]) =>
      (place === path || place.slice(0, Math.max(0, place.lastIndexOf("\n"))) === path) && [...lines].some(isOther)
  )
}

const isDefault = (sections: Sections, { line: source, section }: Edit): boolean => {
  const line = source.trim()
  const path = pathOf(section)
  const heading = section.at(-1)?.trim() ?? ""
  const around = [path, pathOf(section.slice(0, -1))]
  return (shown?.defaults ?? []).some((known) => {
    if (!known.section.test(heading) || !known.line.test(line)) return false
    const { unless, where } = known
    const profiles = [...(sections.get("") ?? [])].filter((text) => text.startsWith("frr defaults "))
    if (where !== undefined && (profiles.length !== 1 || profiles[0] !== where)) return false
    if (unless !== undefined && around.some((place) => sections.get(place)?.has(unless) === true)) return false
    return !saysOther(sections, path, line, known)
  })
}

const isBareHeading = ({ line }: Edit): boolean => shown?.bareHeadings?.test(line.trim()) === true

/** Whether one of the added lines may be a default, so that it depends on what runs. */
export const mayBeSilent = (added: ReadonlyArray<Edit>): boolean =>
  added.some((edit) => isBareHeading(edit) || (shown?.defaults ?? []).some(({ line }) => line.test(edit.line.trim())))

/** The added lines that FRR will show, given what it runs. */
export const withoutSilent = (added: ReadonlyArray<Edit>, running: string): ReadonlyArray<Edit> => {
  const sections = sectionsOf(running)
  for (const { line, section } of added) add(sections, pathOf(section), line.trim())
  const left = added.filter((edit) => !isDefault(sections, edit))
  const isUsed = (path: string) => left.some(({ section }) => `${pathOf(section)}\n`.startsWith(`${path}\n`))
  return left.filter((edit) => !isBareHeading(edit) || isUsed(pathOf([...edit.section, edit.line])))
}
