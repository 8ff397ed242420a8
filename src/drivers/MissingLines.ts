/**
 * Finds the lines of a candidate that are missing from the configuration that a switch shows, or promises to run
 * (docs/changes.md#lines-that-are-not-shown). The two are compared section by section; lines that the switch is known to spell
 * differently, or not to show, count as present. Pure, and quick for lines that are shown exactly as given, which nearly all are.
 */
import { eachStatement, readBraces, statementLine } from "../domain/BraceText.ts"
import { openedInput } from "../domain/ConfigLines.ts"
import { missingStatements } from "./BraceMeaning.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { isIPv6 } from "node:net"
import { platforms } from "../domain/platforms/Platforms.ts"
import { replaceSecrets } from "./SecretMask.ts"

// Spellings in which two lines of a configuration say the same: shortened words, lists of numbers, masks and prefix lengths, MAC
// and IPv6 addresses, secrets that are shown as hashes. The record of a platform says which of them it has.

/** A line for comparison: its words in one spelling, and how many of the first may be shortened. */
export interface Spelling {
  readonly words: ReadonlyArray<string>
  readonly shortWords: number
}

const octet = "(?:255|254|252|248|240|224|192|128|0)"
const maskPattern = new RegExp(String.raw`(\d+\.\d+\.\d+\.\d+) (${octet}\.${octet}\.${octet}\.${octet})(?![\d./])`, "g")
const inversePattern = /(\d+\.\d+\.\d+\.\d+) (0\.(?:0|1|3|7|15|31|63|127|255)\.(?:\d+)\.(?:\d+))(?![\d./])/g
const macPattern = /\b(?:[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}|[\da-f]{2}(?:[:-][\da-f]{2}){5})\b/gi
const ipv6Pattern = /[\da-f]*:[\da-f:]*:[\da-f:.]*/gi

const bitsOf = (mask: string): string =>
  mask
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("")

const prefixed = (whole: string, address: string, mask: string): string => {
  const length = /^(1*)0*$/.exec(bitsOf(mask))?.[1]?.length
  return length === undefined ? whole : `${address}/${length}`
}

const inversePrefixed = (whole: string, address: string, mask: string): string => {
  const length = /^(0*)1*$/.exec(bitsOf(mask))?.[1]?.length
  return length === undefined ? whole : `${address}/${length}`
}

/** The line with prefix lengths for masks, and MAC and IPv6 addresses in one form. */
export const addresses = (line: string): string =>
  line
    .replace(maskPattern, prefixed)
    .replace(inversePattern, inversePrefixed)
    .replace(macPattern, (address) => address.replaceAll(/[.:-]/g, "").toLowerCase())
    .replace(ipv6Pattern, (address) => (isIPv6(address) ? new URL(`http://[${address}]`).hostname : address))

/** The numbers of a list such as `1,3-5`. */
export const numbersOf = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number)
    return last < first || last - first > 5_000 ? [] : Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })

const sortedList = (command: string, list: string): string =>
  `${command} ${[...new Set(numbersOf(list))].toSorted((a, b) => a - b).join(",")}`

const hidden = "********"
const kinds = /\s(?:0|[4-9]|7u?|8a|10|\$\w+\$|sha512|sha256|encrypted|clear|plain-text|ascii-text)(?=\s\*{8})/g

/** The line with the same mark for each secret, and without the kinds before them. */
export const withoutSecrets = (line: string): string => replaceSecrets(line, () => hidden).replaceAll(kinds, "")

/** Brings lines into one spelling. */
type Speller = (line: string) => Spelling

const makeSpeller = (platform: Platform): Speller => {
  const { shown } = platform
  return (line) => {
    const single = line.replaceAll(/\s+/g, " ")
    const free = shown?.freeText.exec(single)?.[0]
    if (free !== undefined) return { words: single.split(" "), shortWords: free.trim().split(" ").length }
    const listed =
      shown === undefined ? single : single.replace(shown.lists, (_, command, list) => sortedList(command, list))
    const joined = addresses(withoutSecrets(listed)).replace(/^(interface [A-Za-z-]+) (?=\d)/i, "$1")
    const words = joined.split(" ")
    return { words, shortWords: words.length }
  }
}

const spellers: ReadonlyMap<string, Speller> = new Map(
  platforms.map((platform) => [platform.name, makeSpeller(platform)])
)

/** The function that brings the lines of a platform into one spelling. */
const spellingOf = (platform: Platform): Speller => spellers.get(platform.name) ?? makeSpeller(platform)

const split = /^([a-z][a-z-]*)([\d/.,:-]*)$/i

/** Whether a word that was given stands for one that is shown: the same, or its beginning; numbers behind it are equal. */
const standsFor = (given: string, shown: string): boolean => {
  if (given === shown) return true
  const [, short, number] = split.exec(given) ?? []
  const [, long, same] = split.exec(shown) ?? []
  if (short === undefined || long === undefined || number !== same) return false
  return long.toLowerCase().startsWith(short.toLowerCase())
}

/** Whether a given line is the shown one. The last word of several is a value, which is never shortened. */
const isSpelled = (given: Spelling, shown: Spelling): boolean => {
  const { words } = given
  if (words.length !== shown.words.length) return false
  return words.every((word, at) => {
    const other = shown.words[at] ?? ""
    const mayBeShort = at < given.shortWords && (at < words.length - 1 || /\d$/.test(word) || words.length === 1)
    return mayBeShort ? standsFor(word, other) : word === other
  })
}

/** A line of a configuration by its number from 1, trimmed and with its secrets; `sections` are the headings above it. */
export interface PlacedLine {
  readonly lineNumber: number
  readonly line: string
  readonly sections: ReadonlyArray<string>
}

/** A line of the candidate; `places`: the headings, as they are shown, of each section that it may belong to. */
export interface MissingLine extends PlacedLine {
  readonly places: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * How a switch was seen to show a line of a section, whose headings are as they are shown: as these lines; as none when it is a
 * default. Undefined: not known.
 */
export type KnownSpelling = (sections: ReadonlyArray<string>, line: string) => ReadonlyArray<string> | undefined

/** Lines of a section in one spelling, by their first letter. */
type Spellings = Map<string, ReadonlyArray<{ readonly spelling: Spelling; readonly section: Section }>>

/** The lines shown below a heading; `spellings` are made on demand. */
interface Section {
  readonly heading: string
  lines: Map<string, Section>
  spellings: Spellings | undefined
}

/**
 * Where a line of the candidate stands: the section that its lines are looked for in, and the one that was opened last; `isLeft` if
 * the lines of that one were indented, so that a line beside its heading is outside.
 */
interface Level {
  readonly indent: number
  readonly section: Section
  readonly heading: string
  opened: Section | undefined
  isLeft: boolean
}

/** Of most sections, which are lines without any below them; never written. */
const NO_LINES: Map<string, Section> = new Map()

const makeSection = (heading: string): Section => ({ heading, lines: NO_LINES, spellings: undefined })

const endOfText = "EOF"

const indentOf = (line: string): number => line.length - line.trimStart().length

/** A line of a text, or a command with the text that it reads. */
interface Statement {
  readonly lineNumber: number
  readonly indent: number
  readonly line: string
  /** Empty for a line. */
  readonly body: string
}

const bodyOf = (lines: ReadonlyArray<string>, start: number, texts: number): { body: string; next: number } => {
  let next = start
  for (let left = texts; left > 0 && next < lines.length; next++) if (lines[next]?.trim() === endOfText) left--
  const body = lines.slice(start, next).map((line) => line.trim())
  return { body: body.filter((line) => line !== "" && line !== endOfText).join("\n"), next }
}

/** The statements of a text in braces, one for each value of a list. */
function* inBraces(text: string): Generator<Statement> {
  for (const { depth, statement } of eachStatement(readBraces(text).statements)) {
    const { lineNumber, list, words } = statement
    const each = list === null || list.length === 0 ? [words] : list.map((value) => [...words, value])
    for (const all of each) {
      yield { lineNumber, indent: depth, line: statementLine({ ...statement, words: all, list: null }), body: "" }
    }
  }
}

/** The statements of a text in order, without comments. */
export function* statements({ configuration }: Platform, text: string): Generator<Statement> {
  if (configuration.sections === "braces") return yield* inBraces(text)
  const lines = text.split("\n")
  for (let at = 0; at < lines.length; at++) {
    const source = lines[at] ?? ""
    const line = source.trim()
    if (line === "" || line.startsWith(configuration.comment) || line === endOfText || line === "end") continue
    const statement = { lineNumber: at + 1, indent: indentOf(source), line, body: "" }
    const input = openedInput(configuration, line)
    if (input === undefined) yield statement
    else {
      const { body, next } = bodyOf(lines, at + 1, input.texts)
      yield { ...statement, body: input.texts === 1 ? body : "" }
      at = next - 1
    }
  }
}

const keyOf = ({ body, line }: Statement): string => (body === "" ? line : `${line}\n${body}`)

const sectionsOf = (platform: Platform, text: string): Section => {
  const root = makeSection("")
  const stack = [{ indent: -1, section: root }]
  for (const statement of statements(platform, text)) {
    while (stack.length > 1 && statement.indent <= (stack.at(-1)?.indent ?? -1)) stack.pop()
    const parent = stack.at(-1)?.section ?? root
    const key = keyOf(statement)
    let section = parent.lines.get(key)
    if (section === undefined) {
      if (parent.lines === NO_LINES) parent.lines = new Map()
      parent.lines.set(key, (section = makeSection(statement.line)))
    }
    stack.push({ indent: statement.indent, section })
  }
  return root
}

const firstLetter = (line: string): string => line.charAt(0).toLowerCase()

/** The shown line without its position in a list, if the given one has none: a switch numbers such lines on its own. */
export const withoutPosition = ({ shown }: Platform, given: string, line: string): string =>
  shown?.position === undefined || shown.position.test(given) ? line : line.replace(shown.position, "$1")

/** Finds a line of a section that is shown in another spelling than it was given. */
const makeFinder = (platform: Platform, isAdded: boolean) => {
  const spell = spellingOf(platform)
  const { lists, position } = platform.shown ?? {}

  const spellingsOf = (section: Section, letter: string) => {
    const known: Spellings = (section.spellings ??= new Map())
    const made = known.get(letter)
    if (made !== undefined) return made
    const fresh = [...section.lines].flatMap(([line, below]) =>
      firstLetter(line) === letter && !line.includes("\n") ? [{ spelling: spell(line), section: below }] : []
    )
    known.set(letter, fresh)
    return fresh
  }

  /** A list that was given as a whole or in parts, such as `allowed vlan add 20`, within the lists that are shown. */
  const listed = (section: Section, line: string): Section | undefined => {
    const [, command, list] = lists?.exec(line) ?? []
    if (command === undefined || list === undefined) return undefined
    const base = command.replace(/ add$/, "")
    if (base === command && !isAdded && base !== "vlan") return undefined
    const shown = [...section.lines].flatMap(([other, below]) => {
      const [, same, numbers] = lists?.exec(other) ?? []
      return same === base && numbers !== undefined ? [{ below, numbers: numbersOf(numbers) }] : []
    })
    const all = new Set(shown.flatMap(({ numbers }) => numbers))
    const wanted = numbersOf(list)
    if (!wanted.every((number) => all.has(number))) return undefined
    return shown.find(({ numbers }) => numbers.includes(wanted[0] ?? 0))?.below
  }

  /** A line of a list that the switch has numbered. */
  const numbered = (section: Section, line: string, given: Spelling): Section | undefined => {
    if (position === undefined || position.test(line)) return undefined
    for (const [other, below] of section.lines) {
      if (position.test(other) && isSpelled(given, spell(other.replace(position, "$1")))) return below
    }
    return undefined
  }

  return (section: Section, statement: Statement): Section | undefined => {
    if (statement.body !== "" || section.lines.size === 0) return undefined
    const given = spell(statement.line)
    const same = spellingsOf(section, firstLetter(statement.line)).find(({ spelling }) => isSpelled(given, spelling))
    return same?.section ?? listed(section, statement.line) ?? numbered(section, statement.line, given)
  }
}

/** What is shown below a line that is shown in one of these sections; a hash in the line may be another one with each load. */
const sectionOf = (
  place: ReadonlyArray<Section>,
  line: string | undefined,
  find: (section: Section, statement: Statement) => Section | undefined
): Section | undefined =>
  line === undefined
    ? undefined
    : firstOf(
        place,
        (section) => section.lines.get(line) ?? find(section, { lineNumber: 0, indent: 0, line, body: "" })
      )

/** Another value of the same command is shown. */
const hasOtherValue = ({ lines }: Section, line: string): boolean => {
  const command = line.slice(0, line.lastIndexOf(" ") + 1)
  return lines.has(`no ${line}`) || (command !== "" && [...lines.keys()].some((other) => other.startsWith(command)))
}

/** Whether a line is shown in the learnt form; a default, for which nothing is shown, has no other value next to it. */
const isKnown = (
  place: ReadonlyArray<Section>,
  line: string,
  shown: ReadonlyArray<string> | undefined,
  find: (section: Section, statement: Statement) => Section | undefined
): boolean => {
  if (shown === undefined) return false
  if (shown.length === 0) return !place.some((section) => hasOtherValue(section, line))
  return shown.every((other) => sectionOf(place, other, find) !== undefined)
}

/** Whether nothing has to be shown for this line, by what is known of the platform. */
const isSilent = ({ shown }: Platform, section: Section, line: string): boolean => {
  const { heading, lines } = section
  if (shown === undefined) return false
  if (shown.never.test(line)) return true
  const isDefault = shown.defaults.some((known) => known.section.test(heading) && known.line.test(line))
  if (line.startsWith("no ")) {
    const positive = line.slice("no ".length)
    const isOn = shown.on.some((usual) => usual.section.test(heading) && usual.line.test(positive))
    return !lines.has(positive) && (isDefault || !isOn)
  }
  return isDefault && !hasOtherValue(section, line)
}

/** The same for a line that may be in each of the sections. A line that must be absent must be in none of them. */
const isSilentIn = (platform: Platform, place: ReadonlyArray<Section>, line: string): boolean => {
  const isSilentHere = (section: Section) => isSilent(platform, section, line)
  return line.startsWith("no ") ? place.every(isSilentHere) : place.some(isSilentHere)
}

const nothingKnown: KnownSpelling = () => undefined

/**
 * Lines of a candidate that are missing from `text`, a whole configuration as the switch shows it. A line that is typed without
 * indentation is also looked for below the previous heading. `known` adds what was learnt of the switch's release.
 */
export const missingLines = (
  platform: Platform,
  candidate: string,
  text: string,
  known: KnownSpelling = nothingKnown
): ReadonlyArray<MissingLine> => {
  if (platform.configuration.sections === "braces") {
    // a device with braces shows each statement as it was given
    const found = missingStatements(candidate, text, withoutSecrets)
    return found.map((missing) => ({ ...missing, places: [missing.sections] }))
  }
  const root = sectionsOf(platform, text)
  const find = makeFinder(platform, candidate.includes(" vlan add "))
  const isEmptyHeading = (line: string, found: Section) =>
    root.lines.get(found.heading) === found && platform.commands?.opensMode.test(line) === true
  const missing: Array<MissingLine> = []
  const stack: Array<Level> = [{ indent: -1, section: root, heading: "", opened: undefined, isLeft: false }]
  for (const statement of statements(platform, candidate)) {
    while (stack.length > 1 && statement.indent <= (stack.at(-1)?.indent ?? -1)) stack.pop()
    const level = stack.at(-1)
    if (level === undefined) break
    const outer = stack.at(-2)
    if (outer !== undefined) outer.isLeft = true
    const { line, lineNumber } = statement
    const place = level.opened === undefined ? [level.section] : [level.section, level.opened]
    const path = stack.slice(1).map(({ section }) => section.heading)
    const places = level.opened === undefined || level.isLeft ? [path] : [[...path, level.opened.heading], path]
    const exact = firstOf(place, ({ lines }) => lines.get(keyOf(statement)))
    const silent = exact === undefined && isSilentIn(platform, place, line)
    const spelled = silent ? undefined : (exact ?? firstOf(place, (section) => find(section, statement)))
    const learnt = silent || spelled !== undefined ? undefined : firstOf(places, (sections) => known(sections, line))
    const found = spelled ?? sectionOf(place, learnt?.[0], find)
    if (found !== undefined && (found.lines.size > 0 || isEmptyHeading(line, found))) {
      level.opened = found
      level.isLeft = false
    }
    const section = found ?? makeSection(line)
    stack.push({ indent: statement.indent, section, heading: line, opened: undefined, isLeft: false })
    if (silent || spelled !== undefined || isKnown(place, line, learnt, find)) continue
    const sections = stack.slice(1, -1).map(({ heading }) => heading)
    missing.push({ lineNumber, line, sections, places })
  }
  return missing
}

const firstOf = <A, B>(all: ReadonlyArray<A>, find: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The lines of a configuration in order, each with the headings above it. */
export function* linesWithPlaces(platform: Platform, text: string): Generator<PlacedLine> {
  const headings: Array<{ readonly indent: number; readonly line: string }> = []
  for (const { indent, line, lineNumber } of statements(platform, text)) {
    while (headings.length > 0 && indent <= (headings.at(-1)?.indent ?? -1)) headings.pop()
    yield { lineNumber, line, sections: headings.map((heading) => heading.line) }
    headings.push({ indent, line })
  }
}

/** All lines of a configuration with their headings, to see whether another one had a line too. */
export const placedLines = (platform: Platform, text: string): ReadonlySet<string> =>
  new Set([...linesWithPlaces(platform, text)].map(placeOf))

/** A line with its headings, as `placedLines` has it. */
export const placeOf = ({ line, sections }: Pick<PlacedLine, "line" | "sections">): string =>
  [...sections, line].join("\n")
