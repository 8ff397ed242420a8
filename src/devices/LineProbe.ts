/**
 * Finds out how a switch shows a line: the section of the candidate around it is loaded into a temporary session with the line and
 * without it, and what the switch then promises to run is compared (docs/changes.md#spellings). A line counts as spelled
 * differently only if its meaning is kept, and as a default only if the switch shows it in that section with its defaults.
 */
import { Effect, Option } from "effect"
import { placed } from "../domain/ConfigLines.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import type { DriverError } from "../drivers/DriverErrors.ts"
import {
  linesWithPlaces,
  type MissingLine,
  type PlacedLine,
  placedLines,
  placeOf,
  withoutPosition,
  withoutSecrets
} from "../drivers/MissingLines.ts"
import { keepsMeaning } from "../drivers/SameMeaning.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { sectionAround } from "../drivers/SectionText.ts"
import * as LoadPromise from "./LoadPromise.ts"

/** The inputs of the probes of one load: the running configuration as the switch shows it, and the name of the temporary session. */
export interface ProbeScene {
  readonly platform: Platform
  readonly session: DriverSession
  readonly running: string
  readonly name: string
  readonly candidate: string
  /** The promised configuration by the loaded text, because lines of one section are probed with the same text. */
  readonly loads: Map<string, Option.Option<string>>
}

/** What a probe has shown. */
export type Probed =
  /** In another spelling, or not at all because it is a default; `place`: the headings around it, as they are shown. */
  | { readonly _tag: "Spelled"; readonly place: ReadonlyArray<string>; readonly shown: ReadonlyArray<string> }
  /** Something else is shown for it. */
  | { readonly _tag: "Altered"; readonly shown: ReadonlyArray<string> }
  | { readonly _tag: "NotTaken" }
  /** It needs no line in its section: a later one takes its place, or, without indentation, another section has it. */
  | { readonly _tag: "Present" }
  /** `why`: a clause about the switch. */
  | { readonly _tag: "Unseen"; readonly why: string }

/** The configuration that the switch promises for a text in a temporary session; none if its difference does not fit. */
export const promiseAlone = Effect.fnUntraced(function* (
  { name, platform, running, session }: Pick<ProbeScene, "name" | "platform" | "running" | "session">,
  text: string
) {
  const loading = session.load({
    text,
    mode: "replace",
    name,
    foreignSessions: "ignore",
    readBack: true,
    runs: running
  })
  const loaded = yield* Effect.ensuring(loading, Effect.ignore(session.discard(name)))
  return Option.map(LoadPromise.promisedBy(platform, running, loaded), (found) => found.text)
})

/** The same, loaded once for each text. */
const promisedBy = Effect.fnUntraced(function* (scene: ProbeScene, text: string) {
  const known = scene.loads.get(text)
  if (known !== undefined) return known
  const promised = yield* promiseAlone(scene, text)
  scene.loads.set(text, promised)
  return promised
})

/** Lines by their places; numbers that the switch gives to the lines of a list, and secrets, may be others with each load. */
const comparable = (platform: Platform, given: string, text: string): ReadonlyMap<string, PlacedLine> =>
  new Map(
    [...linesWithPlaces(platform, text)].map((found) => [
      withoutSecrets(placeOf({ ...found, line: withoutPosition(platform, given, found.line) })),
      found
    ])
  )

/** The lines that are shown with the first text and not with the second. */
const addedBy = Effect.fnUntraced(function* (
  scene: ProbeScene,
  given: string,
  texts: { readonly whole: string; readonly without: string }
) {
  const before = yield* promisedBy(scene, texts.without)
  const after = yield* promisedBy(scene, texts.whole)
  if (Option.isNone(before) || Option.isNone(after)) return undefined
  const others = comparable(scene.platform, given, before.value)
  const all = comparable(scene.platform, given, after.value)
  return [...all].flatMap(([place, found]) => (others.has(place) ? [] : [found]))
})

const isAt = (sections: ReadonlyArray<string>, place: ReadonlyArray<string>): boolean =>
  sections.length === place.length && sections.every((heading, at) => heading === place[at])

/** What the added lines mean; undefined without any. */
const judged = (platform: Platform, { line, places }: MissingLine, added: ReadonlyArray<PlacedLine>) => {
  if (added.length === 0) return undefined
  for (const place of places) {
    const lines = added.flatMap((found) => (isAt(found.sections, place) ? [found.line] : []))
    if (lines.includes(line)) return "as given" as const
    const one = lines.find((shown) => keepsMeaning(platform, line, [shown]))
    const shown = one === undefined ? lines : [one]
    if (keepsMeaning(platform, line, shown)) {
      const kept = shown.map((other) => withoutPosition(platform, line, other))
      return { _tag: "Spelled", place, shown: kept } satisfies Probed
    }
  }
  const isElsewhere = added.some((found) => keepsMeaning(platform, line, [found.line]))
  if (places.length > 1 && isElsewhere) return { _tag: "Present" } satisfies Probed
  // the lines below a heading that is shown otherwise are not what is shown for the heading
  const outermost = Math.min(...added.map(({ sections }) => sections.length))
  const shown = added.filter(({ sections }) => sections.length === outermost)
  return { _tag: "Altered", shown: shown.map((found) => found.line) } satisfies Probed
}

/**
 * The section in which the switch shows the line only with its defaults. The section of the line decides if the switch has it and
 * no other value is configured there; else one that differs in its numbers.
 */
const defaultPlace = Effect.fnUntraced(function* (
  { platform, running, session }: ProbeScene,
  { line, places }: MissingLine
) {
  const own = placedLines(platform, running)
  const all = [...linesWithPlaces(platform, yield* session.runningDefaults)]
  const command = line.slice(0, line.lastIndexOf(" ") + 1)
  const isDefault = (found: PlacedLine) => found.line === line && !own.has(placeOf(found))
  return places.find((place) => {
    const here = all.filter(({ sections }) => isAt(sections, place))
    if (here.some(isDefault)) return true
    const isSet = here.some((found) => own.has(placeOf(found)) && command !== "" && found.line.startsWith(command))
    if (here.length > 0 && !isSet) return false
    return all.some((found) => isDefault(found) && placed(found.sections, line) === placed(place, line))
  })
})

const ALONE = "it shows it when the section is loaded alone"

/** Such a platform has one candidate for a login, so the line cannot be loaded into another one. */
const ONE_CANDIDATE = "it has one candidate at a time, so how it would show the line alone could not be looked at"

/** The line is not to blame for this. */
const notLooked = (why: string): Probed => ({
  _tag: "Unseen",
  why: `it could not be looked at how the switch shows it (${maskSecrets(why.trim())})`
})

/** Finds out how the switch shows this line. */
export const probe: (scene: ProbeScene, wanted: MissingLine) => Effect.Effect<Probed, DriverError> = Effect.fnUntraced(
  function* (scene, wanted): Effect.fn.Return<Probed, DriverError> {
    if (scene.platform.capabilities?.endsWithLogin === true) return { _tag: "Unseen", why: ONE_CANDIDATE }
    const { line } = wanted
    const section = sectionAround(scene.platform, scene.candidate, wanted)
    const added = yield* addedBy(scene, line, section)
    if (added === undefined) return notLooked("its difference does not fit its running configuration")
    const found = judged(scene.platform, wanted, added)
    if (found === "as given") return { _tag: "Unseen", why: ALONE }
    if (found !== undefined) return found
    const place = yield* defaultPlace(scene, wanted)
    if (place !== undefined) return { _tag: "Spelled", place, shown: [] }
    const alone = section.alone === undefined ? undefined : yield* addedBy(scene, line, section.alone)
    const first = alone === undefined ? undefined : judged(scene.platform, wanted, alone)
    if (first === undefined) return { _tag: "NotTaken" }
    return first === "as given" || first._tag !== "Altered" ? { _tag: "Present" } : first
  },
  Effect.catchTags({
    ReplaceConfigException: ({ message }) => Effect.succeed(notLooked(message)),
    SessionLockedException: ({ message }) => Effect.succeed(notLooked(message))
  })
)
