/**
 * Restarting a switch, and bringing it back to its factory default (docs/switch-dialogues.md#eos-files-and-certificates and
 * docs/jobs.md#device_erase).
 */
import { Effect } from "effect"
import type { CommandRejected } from "../DriverErrors.ts"
import type { Cli } from "../ssh/Cli.ts"
import type { ResetVerbs } from "../Verbs.ts"
import { removeInstalled } from "./Certificates.ts"

const reloadSeconds = 60

/** See `ResetVerbs.reload`. */
export const reload = (cli: Cli, hangUp: Effect.Effect<void>): Effect.Effect<void, CommandRejected> =>
  cli
    .query("reload force", { timeout: reloadSeconds, expectDisconnect: true })
    .pipe(
      Effect.catchTags({ CommandTimeout: () => Effect.void, ConnectionException: () => Effect.void }),
      Effect.andThen(hangUp)
    )

const wipe = Effect.fnUntraced(function* (cli: Cli) {
  yield* cli.query("write erase now")
  yield* removeInstalled(cli)
})

/** The verbs on this switch; `hangUp` drops its connection. */
export const reset = (cli: Cli, hangUp: Effect.Effect<void>): ResetVerbs => ({
  wipe: wipe(cli),
  reload: reload(cli, hangUp)
})
