/**
 * The move of a new switch under its own timer: the commit is confirmed from a login on the new address, where the switch must run what it
 * has promised. Otherwise it comes back to its old address by itself (docs/provisioning.md#moving-under-the-timer).
 */
import { Effect } from "effect"
import { EXPIRY_MARGIN_SECONDS } from "../../machines/change/ChangeSetup.ts"
import type { Device } from "../domain/Device.ts"
import { timerSeconds } from "../domain/platforms/Platform.ts"
import { capabilitiesOf } from "../domain/platforms/Platforms.ts"
import { CommitError } from "../drivers/DriverErrors.ts"
import { offered } from "../drivers/Verbs.ts"
import type { LoggedIn } from "./DeviceLogin.ts"

/** A commit takes this long on a small switch, before its timer begins. */
const LONGEST_COMMIT_SECONDS = 60

/** How long the parts of a move may take. */
export interface MoveTimes {
  /** Of the timer. */
  readonly timer: number
  /** Until the switch has certainly come back, from its answer to the commit. */
  readonly after: number
  /** The same from the commit, if no answer comes. */
  readonly silence: number
}

/** The times of a switch that moves under its timer, of which it may need so many seconds; null for another one. */
export const timesOf = (device: Pick<Device, "platform">, seconds: number): MoveTimes | null => {
  const capabilities = capabilitiesOf(device)
  if (capabilities?.movesUnderTimer !== true || capabilities.timer === false) return null
  const timer = timerSeconds(capabilities.timer, seconds)
  const after = timer + EXPIRY_MARGIN_SECONDS
  return { timer, after, silence: after + LONGEST_COMMIT_SECONDS }
}

/** What a push knows of its move while it waits. */
export interface MoveMemory {
  /** The hash of the configuration that the switch has said it will run; null after a restart. */
  promised: string | null
  /** Why the switch was seen on its new address and not confirmed. */
  doubt: string | null
}

export const newMemory = (): MoveMemory => ({ promised: null, doubt: null })

const OTHER = "it does not run the configuration that it has promised"

/** Confirms the move from the new address. False: it may not stay. */
export const keep = Effect.fnUntraced(function* (
  { driver, session }: LoggedIn,
  { hostname }: Pick<Device, "hostname">,
  name: string,
  memory: MoveMemory
) {
  const move = yield* offered(session, "move", hostname)
  if (memory.promised !== null && driver.configHash(yield* session.runningConfig) !== memory.promised) {
    memory.doubt = OTHER
    return false
  }
  const state = yield* move.state(name)
  if (state === "waits") {
    yield* session
      .confirm(name)
      .pipe(Effect.tapErrorTag("CommitError", ({ message }) => Effect.sync(() => void (memory.doubt = message))))
    return true
  }
  return state === "stays"
})

/** What the switch on its old address says of the move. */
export const stateOf = ({ session }: LoggedIn, { hostname }: Pick<Device, "hostname">, name: string) =>
  Effect.flatMap(offered(session, "move", hostname), (move) => move.state(name))

/** Fails while a commit of the switch waits: it may go back to its old address then. */
export const insistOnEnd = Effect.fnUntraced(function* ({ session }: LoggedIn, hostname: string) {
  if (session.move === null) return
  const { timer } = yield* session.sessions
  if (timer._tag !== "running") return
  const message = "a commit waits for its confirmation, so the switch may go back to its old configuration"
  return yield* new CommitError({ hostname, session: timer.name, message })
})

/** The text of a switch that has come back. */
export const takenBack = (
  hostname: string,
  { newAddress, newHostname }: { readonly newAddress: string; readonly newHostname: string },
  { timer }: MoveTimes,
  { doubt }: MoveMemory
): string => {
  const why =
    doubt === null
      ? `it was not seen as ${newHostname} at ${newAddress}`
      : `as ${newHostname} at ${newAddress} ${doubt}`
  return `MoveTakenBack: ${hostname} has gone back to its old configuration by its timer of ${timer} s, because ${why}\n`
}
