/** Running configuration to startup configuration, proved by comparing both on the switch. */
import { Effect } from "effect"
import type { CommandRejected, ExchangeError } from "../DriverErrors.ts"
import type { Remote } from "./Remote.ts"
import { must } from "./Script.ts"

/** See `DriverSession.save`. */
export const save = (remote: Remote): Effect.Effect<void, ExchangeError | CommandRejected> =>
  Effect.asVoid(must(remote, ["save"], { seconds: remote.timeouts.save }))
