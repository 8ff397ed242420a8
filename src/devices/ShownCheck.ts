/**
 * Checks before a commit that the configuration which the switch promises to run has all lines of the candidate
 * (docs/changes.md#lines-that-are-not-shown). A switch that silently drops a line, or refuses it in words that the driver does not
 * know, would otherwise count as done, because it then runs what it has promised. A line in an unknown spelling is looked at
 * (`LineProbe.ts`), and its spelling is kept for the switches of the release.
 */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangeNotes, ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { LineRemark } from "../drivers/Driver.ts"
import { type DriverError, ReplaceConfigException } from "../drivers/DriverErrors.ts"
import {
  type KnownSpelling,
  linesWithPlaces,
  type MissingLine,
  missingLines,
  placedLines,
  placeOf
} from "../drivers/MissingLines.ts"
import { keepsMeaning } from "../drivers/SameMeaning.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { ConfigStore } from "../store/ConfigStore.ts"
import type { Lookup } from "../store/LearnedLines.ts"
import type { LoggedIn } from "./DeviceLogin.ts"
import { probe, type Probed, type ProbeScene } from "./LineProbe.ts"

/** The inputs of the check in addition to the switch. */
export interface ShownContext {
  readonly hostname: string
  /** The release in the device's record; empty if it is unknown. */
  readonly release: string
  readonly learned: ConfigStore["Service"]["learned"]
  /** The candidate of the previous change in force, if there was one. */
  readonly previous: Effect.Effect<Option.Option<string>, SqlError.SqlError>
  /** The configuration that the device was last proved to run, if there is one. */
  readonly proved: Effect.Effect<Option.Option<string>, SqlError.SqlError>
  /** Called with a sentence for the result: a spelling that was seen for the first time, a line that could not be looked at. */
  readonly remark: (sentence: string) => void
}

/** A load: the session's name, the candidate, the running configuration before it, and the result. */
export interface Loaded {
  readonly name: string
  readonly candidate: string
  readonly running: string
  readonly remarks: ReadonlyArray<LineRemark>
  /** The configuration that the switch promises to run; null if that cannot be made out. */
  readonly promised: string | null
  readonly policy: ChangeRow["onMissingLines"]
}

/** Lines beyond these are not probed: each takes a load of its section, and a section one more. */
const MOST_PROBES = 8
/** Lines beyond these are not kept in the record. */
const MOST_SHOWN = 100

const SAID_NOTHING = "the switch does not show this line, and has not refused it"

const hasSecret = (line: string): boolean => maskSecrets(line) !== line

const quoted = (line: string): string => `"${maskSecrets(line)}"`

const listed = (lines: ReadonlyArray<string>): string => lines.map(quoted).join(" and ")

/** What is known of a missing line. */
type Finding = Probed | { readonly _tag: "Lost" }

/** Why a line is missing, for people. */
const whyMissing = ({ line, lineNumber }: MissingLine, found: Finding | undefined): string => {
  if (found?._tag === "Lost")
    return `the switch has shown this line before, and would not run it any more, at line ${lineNumber}`
  if (found?._tag === "Altered")
    return `the switch shows ${listed(found.shown)} for ${quoted(line)} at line ${lineNumber}`
  if (found?._tag === "Unseen") {
    return `the switch does not show this line as it is at line ${lineNumber}, and ${found.why}`
  }
  return `${SAID_NOTHING} at line ${lineNumber}`
}

/** What a push in spite of this line would do. */
const withWarn = (found: Finding | undefined): string =>
  found?._tag === "Lost"
    ? "the change is pushed, and the switch runs without it"
    : found?._tag === "Altered"
      ? "the change is pushed, and the switch runs what it shows"
      : "the change is pushed, and whether the switch runs the line is not known"

type Findings = ReadonlyMap<string, Finding>

/** The command of a line without its value. */
const commandOf = ({ shown }: Platform, line: string): string =>
  shown?.freeText.exec(line)?.[0] ?? line.slice(0, line.lastIndexOf(" ") + 1)

/**
 * Whether a later line gives the same command another value, which the switch shows in the section of the missing one. The later line
 * may stand without indentation, as lines that are appended to a port do.
 */
const isReplaced = (platform: Platform, candidate: string, promised: string, missing: MissingLine): boolean => {
  const { line, lineNumber } = missing
  const command = commandOf(platform, line)
  const places = new Set(missing.places.map((place) => place.join("\n")))
  const others = new Set(
    [...linesWithPlaces(platform, promised)].flatMap(({ line: other, sections }) =>
      places.has(sections.join("\n")) && other !== line && commandOf(platform, other) === command ? [other] : []
    )
  )
  return (
    command !== "" &&
    others.size > 0 &&
    candidate
      .split("\n")
      .slice(lineNumber)
      .some((later) => others.has(later.trim()))
  )
}

/** Lines that were not missing from one of the earlier texts of the switch: it can show them, and would not any more. */
const lostLines = (
  missing: ReadonlyArray<MissingLine>,
  missingEarlier: ReadonlyArray<ReadonlyArray<MissingLine>>
): Findings => {
  const earlier = missingEarlier.map((lines) => new Set(lines.map(({ lineNumber }) => lineNumber)))
  const isLost = ({ lineNumber }: MissingLine) => earlier.some((lines) => !lines.has(lineNumber))
  return new Map(missing.filter(isLost).map((line) => [placeOf(line), { _tag: "Lost" }] as const))
}

const refused = (hostname: string, lines: ReadonlyArray<MissingLine>, findings: Findings) => {
  const [first] = lines
  const found = first === undefined ? undefined : findings.get(placeOf(first))
  return new ReplaceConfigException({
    hostname,
    rejected: lines.slice(0, 20).map((missing) => ({
      lineNumber: missing.lineNumber,
      line: maskSecrets([...missing.sections, missing.line].join(" / ")),
      answer: whyMissing(missing, findings.get(placeOf(missing)))
    })),
    message:
      first === undefined
        ? SAID_NOTHING
        : `${whyMissing(first, found)}; with on_missing_lines "warn" ${withWarn(found)}`
  })
}

const noted = (
  remarks: ReadonlyArray<LineRemark>,
  missing: ReadonlyArray<MissingLine>,
  passed: ReadonlyArray<number>,
  isNew: (line: MissingLine) => boolean
) =>
  ({
    ...(passed.length === 0 ? {} : { passed }),
    // line 0 with the switch's own path where it names no line
    said: remarks.map(({ answer, line, lineNumber, path = "" }) => ({
      line_number: lineNumber ?? 0,
      line: line.trim() === "" ? path : line.trim(),
      answer
    })),
    not_shown: missing.slice(0, MOST_SHOWN).map((found) => ({
      line_number: found.lineNumber,
      line: maskSecrets(found.line),
      is_new: isNew(found)
    }))
  }) satisfies ChangeNotes

/** The missing lines, without commands that read a text and are given once more further down: their last text counts. */
const missingFrom = (
  platform: Platform,
  candidate: string,
  text: string,
  known?: KnownSpelling
): ReadonlyArray<MissingLine> => {
  const missing = missingLines(platform, candidate, text, known)
  if (missing.length === 0) return missing
  const lastOf = new Map(Array.from(linesWithPlaces(platform, candidate), (line) => [placeOf(line), line.lineNumber]))
  return missing.filter((line) => lastOf.get(placeOf(line)) === line.lineNumber)
}

/** Stored spellings that keep the meaning of their line: those of an earlier release of the server may not. */
const spellingsOf =
  (platform: Platform, lookup: Lookup): KnownSpelling =>
  (sections, line) => {
    const found = lookup(sections, line)
    if (found === undefined || found === "not taken") return undefined
    return found.length === 0 || keepsMeaning(platform, line, found) ? found : undefined
  }

/** The remark about a line whose spelling was not known; undefined for a line that is missing. */
const firstSeen = ({ platform }: ProbeScene, release: string, { line, lineNumber }: MissingLine, found: Probed) => {
  if (found._tag !== "Spelled") return undefined
  const how = found.shown.length === 0 ? "not shown, because it is a default" : `shown as ${listed(found.shown)}`
  const learnt = hasSecret(line) ? "" : `; learnt for ${`${platform.name.toUpperCase()} ${release}`.trim()}`
  return `Line ${lineNumber} ${quoted(line)} is ${how}${learnt}`
}

/** Looks at lines that are missing and of which nothing is known; yields the spellings that are known now, and what was found. */
const learn = Effect.fnUntraced(function* (
  { learned, release, remark }: ShownContext,
  scene: ProbeScene,
  find: (known: KnownSpelling) => ReadonlyArray<MissingLine>
) {
  const { platform } = scene
  const kin = { platform: platform.name, release }
  const lookup = yield* learned.refresh(kin)
  const findings = new Map<string, Probed>()
  /** Also of lines with secrets, which are not stored. */
  const seen = new Map<string, ReadonlyArray<string>>()
  const stored = spellingsOf(platform, lookup)
  const known: KnownSpelling = (sections, line) => seen.get(placeOf({ sections, line })) ?? stored(sections, line)
  const isUnknown = (wanted: MissingLine) =>
    !findings.has(placeOf(wanted)) && wanted.places.every((place) => lookup(place, wanted.line) !== "not taken")
  while (findings.size < MOST_PROBES) {
    const wanted = find(known).find(isUnknown)
    if (wanted === undefined) break
    const found = yield* probe(scene, wanted)
    findings.set(placeOf(wanted), found)
    if (found._tag === "Spelled") seen.set(placeOf({ sections: found.place, line: wanted.line }), found.shown)
    const isStored = !hasSecret(placeOf(wanted))
    if (isStored && found._tag === "Spelled") yield* learned.learn(kin, found.place, wanted.line, found.shown)
    if (isStored && found._tag === "NotTaken") {
      yield* learned.learn(kin, wanted.places[0] ?? [], wanted.line, "not taken")
    }
    const sentence = firstSeen(scene, release, wanted, found)
    if (sentence !== undefined) remark(sentence)
  }
  return { known, findings }
})

/**
 * The notes about the load; undefined without any, or if the switch does not show what it would run. Fails with
 * ReplaceConfigException, which names the lines, if lines are missing: new ones unless the policy is to warn, all with the policy
 * `fail`.
 */
export const check: (
  context: ShownContext,
  loggedIn: Pick<LoggedIn, "driver" | "session">,
  loaded: Loaded
) => Effect.Effect<ChangeNotes | undefined, ReplaceConfigException | DriverError | SqlError.SqlError> =
  Effect.fnUntraced(function* (context, { driver: { platform }, session }, loaded) {
    const { candidate, name, policy, promised, remarks, running } = loaded
    if (promised === null) return undefined
    const find = (known?: KnownSpelling, text = promised) => missingFrom(platform, candidate, text, known)
    let missing = find()
    let stored: KnownSpelling | undefined
    if (missing.length > 0) {
      const kin = { platform: platform.name, release: context.release }
      stored = spellingsOf(platform, yield* context.learned.lookup(kin))
      missing = find(stored)
    }
    if (missing.length === 0) return remarks.length === 0 ? undefined : noted(remarks, [], [], () => false)
    const unknown = missing
    const before = Option.map(yield* context.previous, (text) => placedLines(platform, text))
    const isNew = (line: MissingLine) => !Option.exists(before, (lines) => lines.has(placeOf(line)))
    const shownOnce = [running, ...Option.toArray(yield* context.proved)]
    const lost = lostLines(
      missing.filter((line) => !isReplaced(platform, candidate, promised, line)),
      shownOnce.map((text) => find(stored, text))
    )
    const isLost = (line: MissingLine) => lost.has(placeOf(line))
    let findings: Findings = lost
    if (missing.some((line) => isNew(line) || isLost(line))) {
      const scene = { platform, session, running, candidate, name: Candidate.probeOf(name), loads: new Map() }
      const learnt = yield* learn(context, scene, (known) => find(known).filter((line) => isNew(line) || isLost(line)))
      findings = new Map([...learnt.findings, ...lost])
      missing = find(learnt.known).filter((line) => learnt.findings.get(placeOf(line))?._tag !== "Present")
    }
    const mustBeShown = (line: MissingLine) => policy === "fail" || isNew(line) || isLost(line)
    const bad = policy === "warn" ? [] : missing.filter(mustBeShown)
    if (bad.length > 0) return yield* refused(context.hostname, bad, findings)
    for (const line of missing) {
      const found = findings.get(placeOf(line))
      if (found !== undefined && found._tag !== "NotTaken")
        context.remark(`${whyMissing(line, found)}; ${withWarn(found)}`)
    }
    const left = new Set(missing.map(({ lineNumber }) => lineNumber))
    const passed = unknown.map(({ lineNumber }) => lineNumber).filter((number) => !left.has(number))
    return missing.length + remarks.length + passed.length === 0 ? undefined : noted(remarks, missing, passed, isNew)
  })

/**
 * The lines of the candidate that a running configuration does not have, after a commit: by what was learnt, and without those that
 * the change was allowed to lack.
 */
export const missingInRunning: (
  context: ShownContext,
  platform: Platform,
  candidate: string,
  row: Pick<ChangeRow, "notes">,
  running: string
) => Effect.Effect<ReadonlyArray<MissingLine>, SqlError.SqlError> = Effect.fnUntraced(function* (
  { learned, release },
  platform,
  candidate,
  { notes },
  running
) {
  if (missingFrom(platform, candidate, running).length === 0) return []
  const allowed = new Set([...(notes?.not_shown.map(({ line_number }) => line_number) ?? []), ...(notes?.passed ?? [])])
  const known = spellingsOf(platform, yield* learned.lookup({ platform: platform.name, release }))
  return missingFrom(platform, candidate, running, known).filter(({ lineNumber }) => !allowed.has(lineNumber))
})
