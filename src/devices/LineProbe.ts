/**
 * How a switch shows a line: it is loaded alone below its headings into a session that is thrown away, and what the switch then
 * promises to run is held against the same without the line (docs/changes.md#lines-that-are-not-shown).
 */
import { Effect, Option } from "effect"
import type { DriverSession } from "../drivers/Driver.ts"
import type { DriverError } from "../drivers/DriverErrors.ts"
import {
  laterKin,
  linesBelow,
  linesWithPlaces,
  type MissingLine,
  placedLines,
  placeOf
} from "../drivers/MissingLines.ts"
import { placed } from "../domain/ConfigLines.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import * as UnifiedDiff from "../drivers/UnifiedDiff.ts"
import type { Learned } from "../store/ConfigStore.ts"

/** What probes work with: the running configuration as the switch shows it, and the name of the session to throw away. */
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

/** What would stand below the headings if nothing but them and these lines were loaded. */
const shownBelow = Effect.fnUntraced(function* (
  { name, platform, running, session }: ProbeScene,
  sections: ReadonlyArray<string>,
  lines: ReadonlyArray<string>
) {
  const text = written(sections, lines)
  const loaded = session.load({ text, mode: "replace", name, foreignSessions: "ignore" })
  const { diff } = yield* Effect.ensuring(loaded, Effect.ignore(session.discard(name)))
  const promised = UnifiedDiff.apply(running, diff)
  return Option.isNone(promised) ? undefined : linesBelow(platform, promised.value, sections)
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

/** Looks how the switch shows this line. */
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
