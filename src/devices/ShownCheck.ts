/**
 * Checks before a commit that the configuration which the switch promises to run has all lines of the candidate
 * (docs/changes.md#lines-that-are-not-shown). A switch that silently drops a line, or refuses it in words that the driver does not
 * knows, would otherwise count as done, because the second load of the proof drops it again.
 */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangeNotes, ChangeRow } from "../../machines/change/ChangeRow.ts"
import type { DriverSession, LineRemark } from "../drivers/Driver.ts"
import { type DriverError, ReplaceConfigException } from "../drivers/DriverErrors.ts"
import {
  type KnownSpelling,
  laterKin,
  linesBelow,
  linesWithPlaces,
  type MissingLine,
  missingLines,
  placedLines,
  placeOf
} from "../drivers/MissingLines.ts"
import * as Candidate from "../drivers/Candidate.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { LoggedIn } from "./DeviceLogin.ts"
import { promisedBy } from "./LoadPromise.ts"
import { placed } from "../domain/ConfigLines.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import type { ConfigStore, Learned, Lookup } from "../store/ConfigStore.ts"

// Learns how a switch shows a line: it is loaded alone below its headings into a temporary session, and the promised configuration
// is compared with the one without the line (docs/changes.md#lines-that-are-not-shown).

/** The inputs of a probe: the running configuration as the switch shows it, and the name of the temporary session. */
export interface ProbeScene {
  readonly platform: Platform
  readonly session: DriverSession
  readonly running: string
  readonly name: string
  readonly candidate: string
}

/** How a line is shown; `replaced`: another line of the candidate, behind it, takes its place. Undefined: it cannot be seen. */
export type Probed = Learned | "replaced" | undefined

/** The headings, and the lines below the last of them. */
const written = (sections: ReadonlyArray<string>, lines: ReadonlyArray<string>): string =>
  [...sections.map((line, depth) => ({ line, depth })), ...lines.map((line) => ({ line, depth: sections.length }))]
    .map(({ depth, line }) => `${"   ".repeat(depth)}${line}\n`)
    .join("")

/** The lines below the headings after a load of only the headings and these lines. */
const shownBelow = Effect.fnUntraced(function* (
  { name, platform, running, session }: ProbeScene,
  sections: ReadonlyArray<string>,
  lines: ReadonlyArray<string>
) {
  const text = written(sections, lines)
  const loading = session.load({ text, mode: "replace", name, foreignSessions: "ignore", readBack: true })
  const loaded = yield* Effect.ensuring(loading, Effect.ignore(session.discard(name)))
  const promised = promisedBy(platform, running, loaded)
  return Option.isNone(promised) ? undefined : linesBelow(platform, promised.value.text, sections)
})

/** Whether the switch shows the line only with its defaults, in this section or in one that differs in its numbers. */
const isDefault = Effect.fnUntraced(function* (
  { platform, running, session }: ProbeScene,
  { line, sections }: MissingLine
) {
  const own = placedLines(platform, running)
  const wanted = placed(sections, line)
  for (const found of linesWithPlaces(platform, yield* session.runningDefaults)) {
    if (found.line === line && placed(found.sections, line) === wanted && !own.has(placeOf(found))) return true
  }
  return false
})

/** Finds out how the switch shows this line. */
export const probe: (scene: ProbeScene, wanted: MissingLine) => Effect.Effect<Probed, DriverError> = Effect.fnUntraced(
  function* (scene, wanted) {
    const { line, sections } = wanted
    const before = yield* shownBelow(scene, sections, [])
    const after = yield* shownBelow(scene, sections, [line])
    if (before === undefined || after === undefined) return undefined
    const added = after.filter((other) => !before.includes(other))
    if (added.length === 0) return (yield* isDefault(scene, wanted)) ? [] : "not taken"
    if (!added.includes(line)) return added
    const kin = laterKin(scene.platform, scene.candidate, wanted)
    const together = kin.length === 0 ? undefined : yield* shownBelow(scene, sections, [line, ...kin])
    return together === undefined || together.includes(line) ? undefined : "replaced"
  },
  Effect.catchTags({
    ReplaceConfigException: () => Effect.succeed(undefined),
    SessionLockedException: () => Effect.succeed(undefined)
  })
)

/** The inputs of the check in addition to the switch. */
export interface ShownContext {
  readonly hostname: string
  /** The release in the device's record; empty if it is unknown. */
  readonly release: string
  readonly learned: ConfigStore["Service"]["learned"]
  /** The candidate of the previous change in force, if there was one. */
  readonly previous: Effect.Effect<Option.Option<string>, SqlError.SqlError>
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

/** Lines beyond these are not probed: each takes two loads of a few lines. */
const MOST_PROBES = 8
/** Lines beyond these are not kept in the record. */
const MOST_SHOWN = 100

const SAID_NOTHING = "the switch does not show this line, and has not refused it"

const spellingsOf =
  (lookup: Lookup): KnownSpelling =>
  (sections, line) => {
    const found = lookup(sections, line)
    return found === "not taken" ? undefined : found
  }

const hasSecret = (line: string): boolean => maskSecrets(line) !== line

const refused = (hostname: string, lines: ReadonlyArray<MissingLine>) =>
  new ReplaceConfigException({
    hostname,
    rejected: lines.slice(0, 20).map(({ line, lineNumber, sections }) => ({
      lineNumber,
      line: maskSecrets([...sections, line].join(" / ")),
      answer: `${SAID_NOTHING} at line ${lineNumber}`
    })),
    message: `${SAID_NOTHING} at line ${lines[0]?.lineNumber ?? 0}; with on_missing_lines "warn" it is pushed without`
  })

const noted = (
  remarks: ReadonlyArray<LineRemark>,
  missing: ReadonlyArray<MissingLine>,
  isNew: (line: MissingLine) => boolean
) =>
  ({
    said: remarks.map(({ answer, line, lineNumber }) => ({ line_number: lineNumber, line: line.trim(), answer })),
    not_shown: missing.slice(0, MOST_SHOWN).map((found) => ({
      line_number: found.lineNumber,
      line: maskSecrets(found.line),
      is_new: isNew(found)
    }))
  }) satisfies ChangeNotes

/** Learns how the switch shows these lines, if it is unknown; yields those that are still missing. */
const learn = Effect.fnUntraced(function* (
  { learned, release }: ShownContext,
  scene: ProbeScene,
  lines: ReadonlyArray<MissingLine>
) {
  const kin = { platform: scene.platform.name, release }
  const before = yield* learned.refresh(kin)
  const isUnknown = ({ line, sections }: MissingLine) => before(sections, line) === undefined
  const replaced = new Set<string>()
  /** Results for lines with secrets, which are not stored. */
  const seen = new Map<string, Learned>()
  for (const wanted of lines.filter(isUnknown).slice(0, MOST_PROBES)) {
    if (learned.lookup(kin)(wanted.sections, wanted.line) !== undefined) continue
    const found = yield* probe(scene, wanted)
    if (found === "replaced") replaced.add(placeOf(wanted))
    else if (found !== undefined && hasSecret(placeOf(wanted))) seen.set(placeOf(wanted), found)
    else if (found !== undefined) yield* learned.learn(kin, wanted.sections, wanted.line, found)
  }
  const lookup = learned.lookup(kin)
  const known = spellingsOf((sections, line) => seen.get(placeOf({ line, sections })) ?? lookup(sections, line))
  return { known, replaced }
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
    const kin = { platform: platform.name, release: context.release }
    const find = (known: KnownSpelling) => missingLines(platform, candidate, promised, known)
    let missing = find(spellingsOf(context.learned.lookup(kin)))
    if (missing.length === 0) return remarks.length === 0 ? undefined : noted(remarks, [], () => false)
    const before = Option.map(yield* context.previous, (text) => placedLines(platform, text))
    const isNew = (line: MissingLine) => !Option.exists(before, (lines) => lines.has(placeOf(line)))
    if (missing.some(isNew)) {
      const scene = { platform, session, running, candidate, name: Candidate.probeOf(name) }
      const { known, replaced } = yield* learn(context, scene, missing.filter(isNew))
      missing = find(known).filter((line) => !replaced.has(placeOf(line)))
    }
    const bad = policy === "warn" ? [] : policy === "fail" ? missing : missing.filter(isNew)
    if (bad.length > 0) return yield* refused(context.hostname, bad)
    return missing.length + remarks.length === 0 ? undefined : noted(remarks, missing, isNew)
  })

/**
 * The lines of the candidate that a running configuration does not have, after a commit: by what this process has learnt, and without
 * those that the change was allowed to lack.
 */
export const missingInRunning = (
  { learned, release }: ShownContext,
  platform: Platform,
  candidate: string,
  { notes }: Pick<ChangeRow, "notes">,
  running: string
): ReadonlyArray<MissingLine> => {
  const allowed = new Set(notes?.not_shown.map(({ line_number }) => line_number))
  const known = spellingsOf(learned.lookup({ platform: platform.name, release }))
  return missingLines(platform, candidate, running, known).filter(({ lineNumber }) => !allowed.has(lineNumber))
}
