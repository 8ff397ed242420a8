/**
 * How far a running configuration is from the generated one (docs/onboarding.md#distance): the lines that only one of them has, in pieces of
 * one top-level section each. Lines are compared as a proof compares them (`drivers/MissingLines.ts`), so another spelling of a line is no
 * difference. Pure.
 */
import type { Platform } from "../domain/platforms/Platform.ts"
import { changeKey, portOfHeading, PORTS } from "../domain/DiffGroups.ts"
import {
  linesWithPlaces,
  missingLines,
  type PlacedLine,
  placedLines,
  placeOf,
  withoutSecrets
} from "../drivers/MissingLines.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"

/** A line below its headings, and which of the two configurations has it. */
interface ChangedLine {
  readonly sections: ReadonlyArray<string>
  readonly line: string
  /** `-` runs and is not generated, `+` is generated and does not run. */
  readonly sign: "-" | "+"
}

/**
 * The difference of one top-level section, or in braces of one section below it, as lines with signs; context lines are the headings
 * around them.
 */
export interface Piece {
  readonly heading: string
  readonly diff: string
  readonly lines: number
}

/** The comparison of one device. */
export interface Distance {
  /** Lines that run, and lines that are generated and do not run. */
  readonly lines: number
  /** Lines that run and are not generated. */
  readonly extra: number
  /** Lines that are generated and do not run. */
  readonly missing: number
  readonly pieces: ReadonlyArray<Piece>
  /** Lines that both have, with secrets that are not equal as texts; the secrets are masked. */
  readonly secrets: ReadonlyArray<string>
}

interface Node {
  sign: " " | "-" | "+"
  readonly below: Map<string, Node>
}

const nodeAt = (root: Map<string, Node>, path: ReadonlyArray<string>): Node | undefined => {
  let level = root
  let found: Node | undefined
  for (const name of path) {
    found = level.get(name) ?? { sign: " ", below: new Map() }
    level.set(name, found)
    level = found.below
  }
  return found
}

const INDENT = 3

const printed = (level: ReadonlyMap<string, Node>, depth: number): ReadonlyArray<string> =>
  [...level].flatMap(([key, { below, sign }]) => [
    // one line can be on both sides where its place in a list differs
    `${sign}${" ".repeat(INDENT * depth)}${key.replace(/^[-+]\0/, "")}`,
    ...printed(below, depth + 1)
  ])

/** In braces all ports, VLANs and protocols stand in one section each. */
const withParts = ([heading, { below, sign }]: readonly [string, Node]): ReadonlyArray<readonly [string, Node]> =>
  sign === " "
    ? [...below].map(([name, node]) => [heading, { sign, below: new Map([[name, node]]) }])
    : [[heading, { below, sign }]]

const piecesOf = (
  { configuration: { sections: notation } }: Platform,
  changed: ReadonlyArray<ChangedLine>
): ReadonlyArray<Piece> => {
  const root = new Map<string, Node>()
  for (const { line, sections, sign } of changed) {
    const known = nodeAt(root, [...sections, line])
    if (known === undefined) continue
    if (known.sign === " " || known.sign === sign) known.sign = sign
    else {
      const other = nodeAt(root, [...sections, `${sign}\0${line}`])
      if (other !== undefined) other.sign = sign
    }
  }
  return (notation === "braces" ? [...root].flatMap(withParts) : [...root]).map(([heading, node]) => {
    const lines = printed(new Map([[heading, node]]), 0)
    return { heading, diff: lines.join("\n"), lines: lines.filter((line) => !line.startsWith(" ")).length }
  })
}

const pathOf = (path: ReadonlyArray<string>): string => path.join("\n")

/**
 * The lines of sections whose order matters and differs. A platform numbers the lines of such a list itself, so their numbers say nothing
 * where a template leaves them out.
 */
const reordered = (
  platform: Platform,
  running: string,
  generated: string,
  changed: ReadonlyArray<ChangedLine>
): ReadonlyArray<ChangedLine> => {
  const position = platform.shown?.position
  if (position === undefined) return []
  const ordered = (text: string) => {
    const lists = new Map<string, Array<string>>()
    for (const { line, sections } of linesWithPlaces(platform, text)) {
      if (sections.length === 0 || !/^\d+ |^seq \d+ |^(?:permit|deny|remark) /.test(line)) continue
      const key = pathOf(sections)
      lists.set(key, [...(lists.get(key) ?? []), line.replace(position, "$1")])
    }
    return lists
  }
  const [before, after] = [ordered(running), ordered(generated)]
  const known = new Set(changed.map(({ sections }) => pathOf(sections)))
  return [...before].flatMap(([key, lines]) => {
    const wanted = after.get(key)
    if (wanted === undefined || known.has(key) || lines.join("\n") === wanted.join("\n")) return []
    const sections = key.split("\n")
    return [
      ...lines.map((line) => ({ sections, line, sign: "-" as const })),
      ...wanted.map((line) => ({ sections, line, sign: "+" as const }))
    ]
  })
}

const single = (line: string): string => line.replaceAll(/\s+/g, " ")

/** Lines of the generated text whose secret the running text has nowhere in the same place. */
const differingSecrets = (platform: Platform, running: string, generated: string): ReadonlyArray<string> => {
  const secretsOf = (text: string) => {
    const found = new Map<string, Set<string>>()
    for (const { line, sections } of linesWithPlaces(platform, text)) {
      if (maskSecrets(line) === line) continue
      const key = pathOf([...sections, withoutSecrets(single(line))])
      found.set(key, (found.get(key) ?? new Set()).add(single(line)))
    }
    return found
  }
  const [runs, wanted] = [secretsOf(running), secretsOf(generated)]
  return [...wanted].flatMap(([key, lines]) => {
    const known = runs.get(key)
    return known === undefined ? [] : [...lines].filter((line) => !known.has(line)).map((line) => maskSecrets(line))
  })
}

/** Whether the generated text has a line of a list without the number that the switch shows before it. */
const withoutNumbers = (platform: Platform, generated: string) => {
  const position = platform.shown?.position
  const known = placedLines(platform, generated)
  return ({ line, sections }: Pick<PlacedLine, "line" | "sections">): boolean =>
    position !== undefined &&
    position.test(line) &&
    known.has(placeOf({ sections, line: line.replace(position, "$1") }))
}

/** Whether a line is part of what a device received: its release and the image that it boots are not. */
const isReceived =
  ({ configuration: { own } }: Platform) =>
  ({ line, sections }: Pick<PlacedLine, "line" | "sections">): boolean =>
    sections.length > 0 || !own.test(line)

/** Compares what a device runs with what would be generated for it. */
export const distanceOf = (platform: Platform, running: string, generated: string): Distance => {
  const counts = isReceived(platform)
  // headings as the running text shows them, so that both sides of a section come together
  const missing = missingLines(platform, generated, running)
    .filter(counts)
    .map(({ line, places, sections }): ChangedLine => ({ sections: places[0] ?? sections, line, sign: "+" }))
  const unnumbered = withoutNumbers(platform, generated)
  const extra = missingLines(platform, running, generated)
    .filter((line) => counts(line) && !unnumbered(line))
    .map(({ line, sections }): ChangedLine => ({ sections, line, sign: "-" }))
  const moved = reordered(platform, running, generated, [...extra, ...missing])
  const changed = [...extra, ...missing, ...moved]
  const added = changed.filter(({ sign }) => sign === "+").length
  return {
    lines: [...linesWithPlaces(platform, running)].filter(counts).length + added,
    extra: changed.length - added,
    missing: added,
    pieces: piecesOf(platform, changed),
    secrets: differingSecrets(platform, running, generated)
  }
}

/** The share of lines that differ, from 0 to 100 with one decimal; it is 0 only if no line differs. */
export const percentOf = ({ extra, lines, missing }: Pick<Distance, "extra" | "lines" | "missing">): number => {
  const differing = extra + missing
  if (differing === 0 || lines === 0) return 0
  return Math.max(0.1, Math.round((differing / lines) * 1000) / 10)
}

// Groups of equal pieces over many devices.

/** A piece of a device. */
export interface DevicePiece extends Piece {
  readonly hostname: string
}

/** Equal pieces of several devices, or of several ports of one. */
export interface PieceGroup {
  /** Identifies the content of the piece. */
  readonly key: string
  /** The piece of one of the places. */
  readonly diff: string
  readonly hostnames: ReadonlyArray<string>
  /** How often it is there: a device can have it on several ports. */
  readonly places: number
  /** Lines of one piece. */
  readonly lines: number
}

const PORT = /^( |-|\+)(interface [A-Za-z-]+)[\d/.:]+$/

const NUMBERED = /^(.\s+(?:[a-z]+: )*[a-z]+-)[\d/:]+( \{)$/

/** The port whose section a piece is; undefined for any other. */
export const portOfPiece = ({ diff, heading }: Pick<Piece, "diff" | "heading">): string | undefined => {
  const [, indented] = /^interface (\S+)$/.exec(heading) ?? []
  if (indented !== undefined || heading !== PORTS) return indented
  return portOfHeading((diff.split("\n")[1] ?? "").slice(1).trim())
}

/** The same text for pieces that differ in the number of their port only. */
const shapeOf = (diff: string): string => {
  const [heading = "", ...rest] = diff.split("\n")
  const [port = "", ...below] = rest
  if (heading.slice(1) === PORTS) return changeKey([heading, port.replace(NUMBERED, "$1#$2"), ...below].join("\n"))
  // a VLAN's interface is no port: its number is part of the difference
  const shape = /^.interface Vlan/i.test(heading) ? heading : heading.replace(PORT, "$1$2#")
  return rest.length === 0 ? shape : changeKey([shape, ...rest].join("\n"))
}

/** Groups pieces by their content, those of the most devices first. */
export const groupPieces = (pieces: ReadonlyArray<DevicePiece>): ReadonlyArray<PieceGroup> =>
  [...Map.groupBy(pieces, ({ diff }) => shapeOf(diff))]
    .map(([key, alike]) => ({
      key,
      diff: alike[0]?.diff ?? "",
      hostnames: [...new Set(alike.map(({ hostname }) => hostname))].toSorted(),
      places: alike.length,
      lines: alike[0]?.lines ?? 0
    }))
    .toSorted(
      (one, other) =>
        other.hostnames.length - one.hostnames.length ||
        other.places - one.places ||
        other.lines - one.lines ||
        (one.key < other.key ? -1 : 1)
    )

/** The pieces of a stored difference: its lines, where one that is not indented begins a piece. */
export const piecesIn = (difference: string): ReadonlyArray<Piece> =>
  difference === ""
    ? []
    : difference.split(/\n(?=[-+ ]\S)/).map((diff) => {
        const [heading = ""] = diff.split("\n", 1)
        return {
          heading: heading.slice(1),
          diff,
          lines: diff.split("\n").filter((line) => !line.startsWith(" ")).length
        }
      })
