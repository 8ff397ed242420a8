/** Running configuration to startup configuration, proved by comparing both on the switch. */
import { Effect } from "effect"
import { CommandRejected, type ExchangeError } from "../DriverErrors.ts"
import type { Remote } from "./Remote.ts"
import { mustSay } from "./Script.ts"

/** See `DriverSession.save`. */
export const save = (remote: Remote): Effect.Effect<void, ExchangeError | CommandRejected> =>
  Effect.catchTag(
    mustSay(remote, ["save"], "saved", { seconds: remote.timeouts.save }),
    "UnexpectedAnswer",
    ({ command, hostname, message }) => new CommandRejected({ hostname, command, message })
  )
