/**
 * How a switch shows a line: it is loaded alone below its headings into a session that is thrown away, and what the switch then
 * promises to run is held against the same without the line (docs/changes.md#lines-that-are-not-shown).
 */
import { Effect, Option } from "effect"
import type { DriverSession } from "../drivers/Driver.ts"
import type { DriverError } from "../drivers/DriverErrors.ts"
import { linesBelow, type MissingLine } from "../drivers/MissingLines.ts"
import * as UnifiedPatch from "../drivers/UnifiedPatch.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import type { Learned } from "../store/LearnedLineStore.ts"

/** What probes work with: the running configuration as the switch shows it, and the name of the session to throw away. */
export interface ProbeScene {
  readonly platform: Platform
  readonly session: DriverSession
  readonly running: string
  readonly name: string
}

const indented = (lines: ReadonlyArray<string>): string =>
  lines.map((line, depth) => `${"   ".repeat(depth)}${line}\n`).join("")

/** What would run if nothing but these lines were loaded, each below the one before. */
const promised = Effect.fnUntraced(function* ({ name, running, session }: ProbeScene, lines: ReadonlyArray<string>) {
  const loaded = session.load({ text: indented(lines), mode: "replace", name, foreignSessions: "ignore" })
  const { diff } = yield* Effect.ensuring(loaded, Effect.ignore(session.discard(name)))
  return Option.getOrUndefined(UnifiedPatch.apply(running, diff))
})

/**
 * The lines by which the switch shows this one, or that it does not take it. None when that cannot be seen: the headings are
 * not shown, or the line is refused alone.
 */
export const probe: (scene: ProbeScene, wanted: MissingLine) => Effect.Effect<Option.Option<Learned>, DriverError> =
  Effect.fnUntraced(
    function* (scene, { line, sections }) {
      const without = yield* promised(scene, sections)
      const found = yield* promised(scene, [...sections, line])
      const before = without === undefined ? undefined : linesBelow(scene.platform, without, sections)
      const after = found === undefined ? undefined : linesBelow(scene.platform, found, sections)
      if (before === undefined || after === undefined) return Option.none()
      const added = after.filter((other) => !before.includes(other))
      return Option.some<Learned>(added.length === 0 ? "not taken" : added)
    },
    Effect.catchTags({
      ReplaceConfigException: () => Effect.succeed(Option.none<Learned>()),
      SessionLockedException: () => Effect.succeed(Option.none<Learned>())
    })
  )
