/**
 * The configuration that a session holds: of an open one what would run, of a completed one what it has committed, as long as
 * EOS keeps it (docs/changes.md#without-a-session-beside-the-timer).
 */
import { Effect, Option } from "effect"
import type { ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { hasEnd } from "./RunningConfig.ts"

/** See `DriverSession.candidateText`. A release that refuses the command does not show it. */
export const candidateText = (cli: Cli, name: string): Effect.Effect<Option.Option<string>, ReadError> =>
  cli.query(`show session-config named ${name}`, { timeout: cli.timeouts.runningConfig }).pipe(
    Effect.map(Option.some),
    Effect.catchTag("CommandRejected", () => Effect.succeedNone)
  )

/** See `DriverSession.committedConfig`. An answer without an end is something else. */
export const committedConfig = (cli: Cli, name: string): Effect.Effect<Option.Option<string>, ReadError> =>
  Effect.map(candidateText(cli, name), (shown) =>
    shown.pipe(
      Option.map((text) => text.trim()),
      Option.filter(hasEnd),
      Option.map((text) => `${text}\n`)
    )
  )
