/** Running configuration to startup configuration, proved (docs/switch-dialogues.md#eos-commit-confirm-discard). */
import { Effect } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import { configIsWhole, LONGEST_CONFIG, runningConfig, stableText } from "./RunningConfig.ts"

/** Saves, and says what it has done when that went well. */
export const saveCommand = "write memory"

const notSaved = (cli: Cli, message: string): CommandRejected =>
  new CommandRejected({ hostname: cli.target.hostname, command: saveCommand, message })

/** Stands between the other header lines, and belongs to none of the configurations. */
const savedAt = /^! Startup-config last modified at [^\n]*\n/m

const startupConfig = (cli: Cli) =>
  cli.query("show startup-config", {
    timeout: cli.timeouts.runningConfig,
    limit: LONGEST_CONFIG,
    isWhole: configIsWhole
  })

/** Both configurations, line by line, for a release or a site that does not let us ask what differs. */
const differ = Effect.fnUntraced(function* (cli: Cli) {
  const startup = yield* startupConfig(cli)
  return stableText(startup.replace(savedAt, "").trimStart()) !== stableText(yield* runningConfig(cli))
})

/** The switch's own comparison; where it is refused, ours. */
const isUnsaved = (cli: Cli) =>
  cli.query("show running-config diffs", { timeout: cli.timeouts.runningConfig }).pipe(
    Effect.map((diff) => diff.trim() !== ""),
    Effect.catchTag("CommandRejected", () => differ(cli)),
    Effect.catchTag(["CommandRejected", "UnexpectedAnswer"], ({ message }) =>
      notSaved(cli, `it cannot be seen what the switch starts with: ${message}`)
    )
  )

/** See `DriverSession.save`; the switch's word for it is not enough. */
export const save = Effect.fnUntraced(function* (cli: Cli) {
  yield* cli.query(saveCommand, { timeout: cli.timeouts.save })
  if (!(yield* isUnsaved(cli))) return
  return yield* notSaved(cli, "the switch answered, but its startup configuration is not the running one")
})
