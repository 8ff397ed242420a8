/**
 * The one session of a device's actor: opened when a step needs it, kept while steps follow each other, closed before a new
 * one is opened. Nothing else holds a session to a device.
 */
import { Effect, Exit, Scope } from "effect"
import type { Device } from "../domain/Device.ts"
import type { DeviceLogin, LoggedIn, LoginError, LoginOptions } from "./DeviceLogin.ts"

/** A connection that may be open. */
export interface DeviceConnection {
  /** The open session, or a new one. */
  readonly current: Effect.Effect<LoggedIn, LoginError>
  /** Closes what is open and logs in again: only that proves that the device can be reached. */
  readonly fresh: Effect.Effect<LoggedIn, LoginError>
  readonly close: Effect.Effect<void>
}

/** A closed connection to the device; it is closed again when the scope ends. */
export const make = Effect.fnUntraced(function* (
  login: DeviceLogin["Service"],
  device: Device,
  options: LoginOptions = {}
): Effect.fn.Return<DeviceConnection, never, Scope.Scope> {
  let open: { readonly scope: Scope.Closeable; readonly loggedIn: LoggedIn } | null = null
  let shown: Pick<LoginOptions, "hostKey"> = {}

  const close = Effect.suspend(() => {
    const closing = open
    open = null
    return closing === null ? Effect.void : Scope.close(closing.scope, Exit.void)
  })

  const fresh = Effect.gen(function* () {
    yield* close
    const scope = yield* Scope.make()
    const loggedIn = yield* login.open(device, { ...options, ...shown }).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    open = { scope, loggedIn }
    if (loggedIn.pinned !== null) shown = { hostKey: loggedIn.pinned }
    return loggedIn
  })

  // not as a finalizer of an effect, which would copy all services for each of hundreds of devices
  yield* Scope.addFinalizer(yield* Effect.scope, close)
  return { current: Effect.suspend(() => (open === null ? fresh : Effect.succeed(open.loggedIn))), fresh, close }
})
