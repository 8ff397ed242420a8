/** The running configuration of FRR, the text by which two of them are compared, and saving (docs/frr.md#reading). */
import { Effect } from "effect"
import { CommandRejected, type ExchangeError, type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import type { Remote } from "./Answers.ts"
import { must, mustSay } from "./Sessions.ts"

/** The release stands in the configuration and changes with an upgrade. */
const volatile = /^frr version .*\n/gm

/** See `DriverSession.runningConfig`; one newline at its end. */
export const runningConfig: (remote: Remote) => Effect.Effect<string, ReadError> = Effect.fnUntraced(
  function* (remote) {
    const text = (yield* must(remote, ["show"], { seconds: remote.timeouts.runningConfig })).trimEnd()
    if (/(?:^|\n)end$/.test(text)) return `${text}\n`
    const message = 'the running configuration is incomplete: its last line is not "end"'
    return yield* new UnexpectedAnswer({ hostname: remote.target.hostname, command: "show running-config", message })
  }
)

/** A configuration without the line of its release and trailing blank lines. */
export const stableText = (text: string): string => `${text.replaceAll(volatile, "").trimEnd()}\n`

// Running configuration to startup configuration, proved by comparing both on the switch.

/** See `DriverSession.save`. */
export const save = (remote: Remote): Effect.Effect<void, ExchangeError | CommandRejected> =>
  Effect.catchTag(
    mustSay(remote, ["save"], "saved", { seconds: remote.timeouts.save }),
    "UnexpectedAnswer",
    ({ command, hostname, message }) => new CommandRejected({ hostname, command, message })
  )
