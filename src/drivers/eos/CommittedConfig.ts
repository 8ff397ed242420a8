/**
 * What a configuration session has committed, as long as EOS keeps it among the completed ones
 * (docs/changes.md#without-a-session-beside-the-timer).
 */
import { Effect, Option } from "effect"
import type { ReadError } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"

/** See `DriverSession.committedConfig`. A release that refuses the command, or answers with something else, does not show it. */
export const committedConfig = (cli: Cli, name: string): Effect.Effect<Option.Option<string>, ReadError> =>
  cli.query(`show session-config named ${name}`, { timeout: cli.timeouts.runningConfig }).pipe(
    Effect.map((answer) => {
      const text = answer.trim()
      return /(?:^|\n)end$/.test(text) ? Option.some(`${text}\n`) : Option.none()
    }),
    Effect.catchTag("CommandRejected", () => Effect.succeed(Option.none()))
  )
