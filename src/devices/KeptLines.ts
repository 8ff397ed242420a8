/**
 * Looks before a commit for lines that the device would keep although the candidate no longer has them: a device that has not emptied
 * its candidate first would keep each line that was to go, and count as done (docs/changes.md#lines-that-are-kept).
 */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as Candidate from "../drivers/Candidate.ts"
import type { DriverSession } from "../drivers/Driver.ts"
import { type DriverError, ReplaceConfigException } from "../drivers/DriverErrors.ts"
import { type MissingLine, missingLines, placedLines, placeOf } from "../drivers/MissingLines.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { promiseAlone } from "./LineProbe.ts"
import { comparable } from "./LoadPromise.ts"
import type { ShownContext } from "./ShownCheck.ts"

/** A loaded candidate, and what runs now. */
export interface LoadedCandidate {
  readonly name: string
  readonly candidate: string
  readonly running: string
  readonly promised: string
}

/** The lines that the previous candidate had, that this one no longer has, and that the device would still run. */
const keptLines = (
  platform: Platform,
  { candidate, promised }: LoadedCandidate,
  previous: string
): ReadonlyArray<MissingLine> => {
  const gone = missingLines(platform, previous, candidate)
  if (gone.length === 0) return []
  const notShown = new Set(missingLines(platform, previous, promised).map(({ lineNumber }) => lineNumber))
  return gone.filter(({ lineNumber }) => !notShown.has(lineNumber))
}

/**
 * The suspected lines that remain because the candidate was not emptied. A line that the device also shows with an empty candidate is
 * one of its own, and a candidate that was loaded twice alike was emptied, unless an empty one runs all that runs now.
 */
const strayLines = Effect.fnUntraced(function* (
  platform: Platform,
  session: DriverSession,
  loaded: LoadedCandidate,
  suspects: ReadonlyArray<MissingLine>
) {
  const { name, running } = loaded
  const scene = { platform, session, running, name: Candidate.probeOf(name) }
  const empty = Option.getOrElse(yield* promiseAlone(scene, ""), () => running)
  if (comparable(platform, empty) === comparable(platform, running)) return suspects
  const own = placedLines(platform, empty)
  const strays = suspects.filter((line) => !own.has(placeOf(line)))
  if (strays.length === 0) return []
  const again = yield* promiseAlone(scene, loaded.candidate)
  const isSame = Option.exists(again, (text) => comparable(platform, text) === comparable(platform, loaded.promised))
  return isSame ? [] : strays
})

const MOST_NAMED = 5

const refused = (hostname: string, lines: ReadonlyArray<MissingLine>) => {
  const rejected = lines.slice(0, 20).map(({ line, lineNumber, sections }) => ({
    lineNumber,
    line: maskSecrets([...sections, line].join(" / ")),
    answer: "the switch would keep this line, which the configuration does not have"
  }))
  const named = rejected.slice(0, MOST_NAMED).map(({ line }) => `"${line}"`)
  const more = lines.length > named.length ? `, and ${lines.length - named.length} more` : ""
  const message = `the switch would keep lines which the configuration does not have: ${named.join(", ")}${more}`
  return new ReplaceConfigException({ hostname, rejected, message })
}

/**
 * Fails with ReplaceConfigException, which names the lines, if the device would keep lines that the candidate does not have. Nearly
 * always all lines of the promise are the candidate's, and then nothing is read. If the device opens no further session, a remark says
 * that this could not be looked at.
 */
export const check: (
  context: Pick<ShownContext, "hostname" | "previous" | "remark">,
  platform: Platform,
  session: DriverSession,
  loaded: LoadedCandidate
) => Effect.Effect<void, DriverError | SqlError.SqlError> = Effect.fnUntraced(
  function* (context, platform, session, loaded) {
    const surplus = missingLines(platform, loaded.promised, loaded.candidate)
    if (surplus.length === 0) return
    const runs = placedLines(platform, loaded.running)
    const suspects = Option.match(yield* context.previous, {
      onNone: () => surplus.filter((line) => runs.has(placeOf(line))),
      onSome: (previous) => keptLines(platform, loaded, previous)
    })
    if (suspects.length === 0) return
    const strays = yield* strayLines(platform, session, loaded, suspects).pipe(
      Effect.catchTag("SessionLockedException", ({ message }) => {
        context.remark(`It could not be looked at whether the device keeps lines that were to go (${message})`)
        return Effect.succeed([])
      })
    )
    if (strays.length > 0) return yield* refused(context.hostname, strays)
  }
)
