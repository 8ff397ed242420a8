/** Running configuration to startup configuration, proved (docs/switch-dialogues.md#eos-commit-confirm-discard). */
import { Effect } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"

/** Saves, and says what it has done when that went well. */
export const saveCommand = "write memory"

/** A release that does not know the comparison has to be believed. */
const unsaved = (cli: Cli) =>
  cli.query("show running-config diffs", { timeout: cli.timeouts.runningConfig }).pipe(
    Effect.map((diff) => diff.trim() !== ""),
    Effect.catchTag("CommandRejected", () => Effect.succeed(false))
  )

/** See `DriverSession.save`; the switch's word for it is not enough. */
export const save = Effect.fnUntraced(function* (cli: Cli) {
  yield* cli.query(saveCommand, { timeout: cli.timeouts.save })
  if (!(yield* unsaved(cli))) return
  const message = "the switch answered, but its startup configuration is not the running one"
  return yield* new CommandRejected({ hostname: cli.target.hostname, command: saveCommand, message })
})
