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
import { withoutSecrets } from "../drivers/SecretEquivalence.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { promisedBy } from "./LoadPromise.ts"
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

/** The promise of another load with the candidate emptied first; none if the device shows none. */
const loadAlone = Effect.fnUntraced(function* (
  platform: Platform,
  session: DriverSession,
  { name, running }: LoadedCandidate,
  text: string
) {
  const probe = Candidate.probeOf(name)
  const loading = session.load({
    text,
    mode: "replace",
    name: probe,
    foreignSessions: "ignore",
    readBack: true,
    runs: running
  })
  const loaded = yield* Effect.ensuring(loading, Effect.ignore(session.discard(probe)))
  return Option.map(promisedBy(platform, running, loaded), (promised) => promised.text)
})

const comparable = (platform: Platform, text: string): string =>
  withoutOwnLines(platform.configuration, withoutSecrets(platform, text))

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
  const empty = Option.getOrElse(yield* loadAlone(platform, session, loaded, ""), () => loaded.running)
  if (comparable(platform, empty) === comparable(platform, loaded.running)) return suspects
  const own = placedLines(platform, empty)
  const strays = suspects.filter((line) => !own.has(placeOf(line)))
  if (strays.length === 0) return []
  const again = yield* loadAlone(platform, session, loaded, loaded.candidate)
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
