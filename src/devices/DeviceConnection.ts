/**
 * The one session of a device's actor: opened when a step needs it, kept from step to step, closed before a new one is opened. No
 * other code holds a session to a device.
 */
import { Clock, Effect, Exit, Scope } from "effect"
import type { Device } from "../domain/Device.ts"
import { ConnectAuthError } from "../drivers/DriverErrors.ts"
import type { DeviceLogin, LoggedIn, LoginError, LoginOptions } from "./DeviceLogin.ts"
import type { ReplacedLogins } from "./Logins.ts"

// How often a device that refuses its logins is asked again by one piece of work. Switches count failed logins and lock accounts,
// also against people, so a loop that waits for an answer must not try its passwords every few seconds
// (docs/security.md#changing-passwords).

/** After two refusals in a row: the first pause in milliseconds, which doubles from one to the next. */
const FIRST_PAUSE = 10_000
const FREE_TRIES = 2
/** A switch takes a commit back a moment after its timer has run out. */
const ROLLBACK_MARGIN = 2_000

/** The refusals of one piece of work. Times are epoch milliseconds. */
export interface RefusedLogins {
  /** Whether a login may be tried now. */
  readonly mayTry: (now: number) => boolean
  /** After a refusal one login shows whether anything has changed. */
  readonly isRetry: () => boolean
  readonly refused: (now: number) => void
  readonly accepted: () => void
  /** Sets when the switch takes back the refused logins: until then it keeps refusing, and afterwards it is tried anew. */
  readonly rollsBackAt: (at: number | null) => void
}

/** Nothing was refused yet. */
export const makeRefusals = (): RefusedLogins => {
  let count = 0
  let last = 0
  let rollback: number | null = null
  return {
    mayTry: (now) => {
      const back = rollback === null ? null : rollback + ROLLBACK_MARGIN
      if (back !== null && last < back && now >= back) count = 0
      if (count < FREE_TRIES) return true
      return back !== null && now < back ? false : now >= last + FIRST_PAUSE * 2 ** (count - FREE_TRIES)
    },
    isRetry: () => count > 0,
    refused: (now) => {
      count += 1
      last = now
    },
    accepted: () => {
      count = 0
    },
    rollsBackAt: (at) => {
      rollback = at
    }
  }
}

/** A connection that may be open. */
export interface DeviceConnection {
  /** The open session, or a new one. */
  readonly current: Effect.Effect<LoggedIn, LoginError>
  /** Closes what is open and logs in again: only that proves that the device can be reached. */
  readonly fresh: Effect.Effect<LoggedIn, LoginError>
  /** The same, as this user only. */
  readonly freshAs: (user: string) => Effect.Effect<LoggedIn, LoginError>
  readonly close: Effect.Effect<void>
  /**
   * Records a commit: its new logins, and when the switch takes it back unless it is confirmed (epoch milliseconds; null if it does
   * not). Until then a device that refuses its logins is rarely tried.
   */
  readonly committed: (replaced: ReplacedLogins | null, rollsBackAt: number | null) => void
}

const notAskedAgain = ({ address, hostname, message }: ConnectAuthError): ConnectAuthError =>
  new ConnectAuthError({
    hostname,
    address,
    message: `${message}; it is not asked again for now, because switches lock accounts after failed logins`
  })

/** A closed connection to the device; it is closed again when the scope ends. */
export const make = Effect.fnUntraced(function* (
  logins: DeviceLogin["Service"],
  device: Device,
  options: LoginOptions = {}
): Effect.fn.Return<DeviceConnection, never, Scope.Scope> {
  let open: { readonly scope: Scope.Closeable; readonly loggedIn: LoggedIn } | null = null
  let shown: Pick<LoginOptions, "hostKey"> = {}
  let replaced: ReplacedLogins | null = null
  let refusal: ConnectAuthError | null = null
  const refusals = makeRefusals()

  const close = Effect.suspend(() => {
    const closing = open
    open = null
    return closing === null ? Effect.void : Scope.close(closing.scope, Exit.void)
  })

  const login = Effect.fnUntraced(function* (user: Pick<LoginOptions, "user">) {
    yield* close
    const scope = yield* Scope.make()
    const again = refusals.isRetry() ? { likeliestOnly: true } : {}
    const given = replaced === null ? {} : { replaced }
    const loggedIn = yield* logins.open(device, { ...options, ...shown, ...given, ...again, ...user }).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    open = { scope, loggedIn }
    if (loggedIn.pinned !== null) shown = { hostKey: loggedIn.pinned }
    return loggedIn
  })

  const freshAs = (user: Pick<LoginOptions, "user">): Effect.Effect<LoggedIn, LoginError> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (refusal !== null && !refusals.mayTry(now)) return yield* notAskedAgain(refusal)
      const loggedIn = yield* login(user).pipe(
        Effect.tapErrorTag("ConnectAuthError", (error) =>
          Effect.sync(() => {
            // the first one tried every login
            refusal ??= error
            refusals.refused(now)
          })
        )
      )
      refusals.accepted()
      refusal = null
      return loggedIn
    })

  const fresh = freshAs({})

  // not as a finalizer of an effect, which would copy all services for each of hundreds of devices
  yield* Scope.addFinalizer(yield* Effect.scope, close)
  return {
    current: Effect.suspend(() => (open === null ? fresh : Effect.succeed(open.loggedIn))),
    fresh,
    freshAs: (user) => freshAs({ user }),
    close,
    committed: (given, rollsBackAt) => {
      replaced = given
      refusals.rollsBackAt(rollsBackAt)
    }
  }
})
