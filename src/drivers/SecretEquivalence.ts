/**
 * Distinguishes a changed secret from one that a switch only shows differently. A switch that salts its secrets gives a line
 * another hash or obfuscation each time the line is loaded, so neither the switch nor we can compare two of them
 * (docs/changes.md#salted-secrets). The lines are recognised by the record of the platform. Pure.
 */
import type { ConfigNotation, Platform } from "../domain/platforms/Platform.ts"
import { readObscured } from "./junos/ObscuredSecret.ts"
import { maskSecrets } from "./SecretMask.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

type SaltedPlatform = Pick<Platform, "saltedSecrets" | "saltedWords" | "obscuredSecrets" | "configuration">

/** A line with a secret that may be salted. */
export interface SecretLine {
  /**
   * The sections around the line and the line itself without its secret: each on a line of its own, but in braces as the words of one
   * line, because a device may write a section with one statement so, and a `set` line always does.
   */
  readonly line: string
  /** The text in the place of the secret, without the type in front of it; what it says if the platform's form can be read. */
  readonly value: string
  /** From 1. */
  readonly lineNumber: number
}

/** A line of a configuration that a difference replaces by the same command with another secret. */
export interface SecretPair {
  readonly line: string
  /** The shown secret, now and after the difference. */
  readonly removed: string
  readonly added: string
}

const MASK = "********"
const TYPE = String.raw`(?:(?:0|5|7|8a|sha512)[ \t]+)?`

/** The text in the place of a secret. In braces a semicolon ends it. */
const VALUES: Readonly<Record<ConfigNotation["sections"], string>> = {
  indentation: String.raw`"[^"\n]*"|[^\s]+`,
  braces: String.raw`"[^"\n]*"|[^\s;"]+`
}

const patterns = new WeakMap<SaltedPlatform, RegExp | null>()

/** Matches a line of a platform: indentation, what stands before the secret, its type, the secret, the rest. */
const patternOf = (platform: SaltedPlatform): RegExp | null => {
  const known = patterns.get(platform)
  if (known !== undefined) return known
  const before = platform.saltedSecrets.join("|")
  const source = String.raw`^([ \t]*)(${before})(${TYPE})(${VALUES[platform.configuration.sections]})([^\n]*)$`
  const pattern = before === "" ? null : new RegExp(source, "my")
  patterns.set(platform, pattern)
  return pattern
}

const lineBeginning = /^/gm

/** The lines of a text that the pattern of a platform matches. */
function* matchesIn(platform: SaltedPlatform, text: string): Generator<RegExpExecArray> {
  const pattern = patternOf(platform)
  if (pattern === null) return
  let next = 0
  for (const { index } of text.matchAll(platform.saltedWords ?? lineBeginning)) {
    if (index < next) continue
    // a generator gives way to others that use the same pattern
    pattern.lastIndex = index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1
    const match = pattern.exec(text)
    const end = text.indexOf("\n", index)
    next = end < 0 ? text.length + 1 : end + 1
    if (match !== null) yield match
  }
}

/** A line of a text in braces that opens a section, without a remark behind it. */
const opening = /^(.*\S)\s*\{\s*(?:#.*)?$/

/** Reads a text line by line, knowing its number and the headings of the sections that are open. */
const reader = (text: string, { comment, sections: notation }: ConfigNotation) => {
  let open: Array<{ readonly indent: number; readonly heading: string }> = []
  let at = 0
  let lineNumber = 1

  const enterBraces = (line: string) => {
    const heading = opening.exec(line)?.[1]
    if (line.startsWith("}")) open.pop()
    else if (heading !== undefined && !line.startsWith(comment)) open.push({ indent: -1, heading })
  }

  const enter = (line: string) => {
    const heading = line.trim()
    if (notation === "braces") return enterBraces(heading)
    if (heading === "" || heading.startsWith(comment)) return
    const indent = line.length - line.trimStart().length
    open = open.filter((section) => section.indent < indent)
    open.push({ indent, heading })
  }

  /** Moves to the line that begins at this place. At the top level no section is open, so nothing before it counts. */
  const goTo = (place: number, isIndented: boolean) => {
    const isTopLevel = !isIndented && notation === "indentation"
    while (at < place) {
      const end = text.indexOf("\n", at)
      if (!isTopLevel) enter(text.slice(at, end))
      lineNumber += 1
      at = end + 1
    }
    if (isTopLevel) open = []
    return { lineNumber, sections: (indent: number) => open.filter((section) => section.indent < indent) }
  }
  return goTo
}

/** What a text in the place of a secret says. */
const said = ({ obscuredSecrets }: SaltedPlatform, value: string): string => {
  if (obscuredSecrets === undefined) return value
  const bare = value.replace(/^"(.*)"$/, "$1")
  return readObscured(bare) ?? bare
}

/** What stands behind a secret; the end of a statement in braces and the device's remark about it are no part of it. */
const behind = ({ configuration }: SaltedPlatform, text: string): string =>
  configuration.sections === "braces" ? text.replace(/\s*;\s*(?:#.*)?$/, "") : text.trimEnd()

/** The lines of a configuration with secrets that the platform may salt, in their order. */
export const secretLines = (platform: SaltedPlatform, text: string): ReadonlyArray<SecretLine> => {
  const goTo = reader(text, platform.configuration)
  const isInBraces = platform.configuration.sections === "braces"
  return Array.from(matchesIn(platform, text), (match) => {
    const [, indent = "", before = "", , value = "", after = ""] = match
    const { lineNumber, sections } = goTo(match.index, indent !== "")
    const shown = maskSecrets(`${before.trim()} ${MASK}${behind(platform, after)}`.replaceAll(/[ \t]+/g, " "))
    const path = [...sections(indent.length).map(({ heading }) => heading), shown]
    const line = isInBraces ? path.join(" ").replace(/^set /, "") : path.join("\n")
    return { line, value: said(platform, value), lineNumber }
  })
}

/** The text with these secrets and their types replaced by asterisks. Every line stays in its place. */
export const withoutSecrets = (platform: SaltedPlatform, text: string): string => {
  let masked = ""
  let at = 0
  for (const match of matchesIn(platform, text)) {
    const [line, indent = "", before = "", , , after = ""] = match
    masked += `${text.slice(at, match.index)}${indent}${before}${MASK}${after}`
    at = match.index + line.length
  }
  return at === 0 ? text : masked + text.slice(at)
}

/** Whether a difference adds a line with a secret that the platform may salt. */
export const setsSecrets = (platform: SaltedPlatform, diff: string): boolean => {
  const added = diff.replaceAll(/^(?!\+).*\n?/gm, "").replaceAll(/^\+/gm, "")
  return added !== "" && withoutSecrets(platform, added) !== added
}

/** Places in `before` and `after` of lines that are the same but for their secret, in order and one for one. */
const pairsIn = (before: ReadonlyArray<string>, after: ReadonlyArray<string>, platform: SaltedPlatform) => {
  const blind = after.map((line) => withoutSecrets(platform, line))
  const pairs: Array<readonly [from: number, to: number]> = []
  let next = 0
  for (const [from, line] of before.entries()) {
    const shown = withoutSecrets(platform, line)
    const to = shown === line ? -1 : blind.indexOf(shown, next)
    if (to < 0) continue
    pairs.push([from, to])
    next = to + 1
  }
  return pairs
}

/** Runs of changed lines of a hunk, between lines that stay. */
interface Run {
  readonly removed: Array<{ readonly line: string; readonly at: number }>
  readonly added: Array<string>
}

const marked = (sign: string, lines: ReadonlyArray<string>) => lines.map((line) => `${sign}${line}`)

/**
 * A difference to `text` without the lines that only show a secret differently: pairs that `isSame` accepts become unchanged lines.
 * Empty if nothing else remains; the difference unchanged if it does not fit the text.
 */
export const reduceDiff = (
  platform: SaltedPlatform,
  text: string,
  diff: string,
  isSame: (pair: SecretPair) => boolean
): string => {
  const placed = setsSecrets(platform, diff) ? UnifiedDiff.place(text, diff) : null
  if (placed === null) return diff
  const shown = new Map(secretLines(platform, text).map((line) => [line.lineNumber, line]))
  if (shown.size === 0) return diff
  const valueOf = (line: string) => secretLines(platform, line)[0]?.value ?? ""

  const reduceRun = ({ added, removed }: Run): ReadonlyArray<string> => {
    const out: Array<string> = []
    let from = 0
    let to = 0
    for (const [place, other] of pairsIn(
      removed.map(({ line }) => line),
      added,
      platform
    )) {
      const old = removed[place]
      const secret = shown.get((old?.at ?? -1) + 1)
      if (old === undefined || secret === undefined) continue
      const pair = { line: secret.line, removed: secret.value, added: valueOf(added[other] ?? "") }
      if (!isSame(pair)) continue
      out.push(
        ...marked(
          "-",
          removed.slice(from, place).map(({ line }) => line)
        ),
        ...marked("+", added.slice(to, other))
      )
      out.push(` ${old.line}`)
      from = place + 1
      to = other + 1
    }
    return [
      ...out,
      ...marked(
        "-",
        removed.slice(from).map(({ line }) => line)
      ),
      ...marked("+", added.slice(to))
    ]
  }

  return placed
    .flatMap((hunk) => {
      const lines = reduceHunk(hunk, reduceRun)
      return lines.some((line) => line.startsWith("+") || line.startsWith("-")) ? [hunk.header, ...lines] : []
    })
    .join("\n")
}

const reduceHunk = ({ at, lines }: UnifiedDiff.PlacedHunk, reduceRun: (run: Run) => ReadonlyArray<string>) => {
  const out: Array<string> = []
  let run: Run = { removed: [], added: [] }
  let place = at
  for (const line of lines) {
    if (line.startsWith("+")) run.added.push(line.slice(1))
    else if (line.startsWith("-")) run.removed.push({ line: line.slice(1), at: place++ })
    else {
      out.push(...reduceRun(run), line)
      run = { removed: [], added: [] }
      if (!line.startsWith("\\")) place += 1
    }
  }
  return [...out, ...reduceRun(run)]
}
