/**
 * How to log in to a device: its address, the credentials of its state and what its host key must be
 * (docs/security.md#logins-of-switches, promise 7). A device in state MANAGED, UNMANAGED or MANAGED_NOIF is pinned to the key
 * it showed first.
 */
import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { type Device, type DeviceState, reachableAddress } from "../domain/Device.ts"
import { type Login, type LoginState, ServerConfig } from "../ServerConfig.ts"
import { HostKeyStore } from "../store/HostKeyStore.ts"
import {
  type Driver,
  DriverRegistry,
  type DriverSession,
  type DriverTarget,
  type HostKeyPolicy
} from "../drivers/Driver.ts"
import { remarksOf } from "../domain/platforms/SiteRemarks.ts"
import { UnmanageableDevice } from "../domain/platforms/Unmanageable.ts"
import type { ConnectError, HostKeyChanged } from "../drivers/DriverErrors.ts"

/** Something that is needed to log in is not known: an address or credentials. Trying again does not help. */
export class LoginUnknown extends Schema.TaggedError<LoginUnknown>()("LoginUnknown", { message: Schema.String }) {}

/** Why a session could not be opened. */
export type LoginError = ConnectError | UnmanageableDevice | LoginUnknown | SqlError.SqlError

/** Deviations from what the device's row says, for the moments in which a device is not what its row says. */
export interface LoginOptions {
  /** Dial this address instead. */
  readonly address?: string
  /** Use the credentials of this state, and its rule for host keys. */
  readonly state?: DeviceState
  /** Seconds until the connection is given up. */
  readonly connectSeconds?: number
  /** The key that an earlier session of the same work found the device pinned to. */
  readonly hostKey?: string
}

/** A session with the driver that made it. */
export interface LoggedIn {
  readonly driver: Driver
  readonly session: DriverSession
  /** The host key that the device is pinned to; null for a device that is not. */
  readonly pinned: string | null
}

const loginStateOf: Readonly<Record<DeviceState, LoginState | null>> = {
  UNKNOWN: null,
  PRE_CONFIGURED: "DHCP_BOOT",
  DHCP_BOOT: "DHCP_BOOT",
  DISCOVERED: "DISCOVERED",
  INIT: "INIT",
  MANAGED: "MANAGED",
  MANAGED_NOIF: "MANAGED",
  UNMANAGED: "MANAGED"
}

const isPinned = (state: DeviceState): boolean => loginStateOf[state] === "MANAGED"

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const registry = yield* DriverRegistry
  const hostKeys = yield* HostKeyStore

  const driverOf = ({ hostname, platform }: Device) =>
    Effect.mapError(registry.get(platform ?? ""), () => new UnmanageableDevice({ hostname, platform }))

  const credentials = (state: DeviceState): Effect.Effect<Login, LoginUnknown> => {
    const name = loginStateOf[state]
    const login = name === null ? undefined : config.logins.get(name)
    return login === undefined
      ? new LoginUnknown({
          message: `No credentials for devices in state ${state}: set USERNAME_${name ?? state} and PASSWORD_${name ?? state}`
        })
      : Effect.succeed(login)
  }

  const policyFor = Effect.fnUntraced(function* (device: Device, state: DeviceState) {
    if (!isPinned(state)) return { _tag: "accept" } satisfies HostKeyPolicy
    const pinned = yield* hostKeys.find(device.id)
    return Option.match(pinned, {
      onNone: (): HostKeyPolicy => ({ _tag: "learn" }),
      onSome: ({ fingerprint }): HostKeyPolicy => ({ _tag: "pin", fingerprint })
    })
  })

  const alarm = (device: Device) => (error: HostKeyChanged) =>
    Effect.andThen(
      Effect.logError("SECURITY: the host key of a device changed; it is blocked until the key is pinned anew", {
        device: device.hostname,
        pinned: error.expected,
        seen: error.seen
      }),
      hostKeys.refuse(device.id, error.seen)
    )

  const open = Effect.fn("DeviceLogin.open")(function* (device: Device, options: LoginOptions = {}) {
    const driver = yield* driverOf(device)
    const state = options.state ?? device.state
    const address = options.address ?? reachableAddress(device)
    if (address === null)
      return yield* new LoginUnknown({ message: `Device ${device.hostname} has no address to log in to` })
    const { password, username } = yield* credentials(state)
    const hostKey: HostKeyPolicy =
      options.hostKey === undefined ? yield* policyFor(device, state) : { _tag: "pin", fingerprint: options.hostKey }
    const remarks = remarksOf(config.DEVICE_REMARKS, device)
    const target: DriverTarget = {
      hostname: device.hostname,
      address,
      username,
      password,
      hostKey,
      ...(remarks.length === 0 ? {} : { remarks }),
      ...(device.port === null ? {} : { port: device.port }),
      ...(options.connectSeconds === undefined ? {} : { timeouts: { connect: options.connectSeconds } })
    }
    const session = yield* driver.open(target).pipe(Effect.tapErrorTag("HostKeyChanged", alarm(device)))
    if (hostKey._tag === "learn") yield* hostKeys.pin(device.id, session.hostKey)
    return { driver, session, pinned: hostKey._tag === "accept" ? null : session.hostKey }
  })

  return DeviceLogin.of({ open })
})

/** Opens sessions to devices. Only the device's actor may use it. */
export class DeviceLogin extends Context.Service<
  DeviceLogin,
  {
    readonly open: (device: Device, options?: LoginOptions) => Effect.Effect<LoggedIn, LoginError, Scope.Scope>
  }
>()("switchyard/devices/DeviceLogin") {
  static readonly layer = Layer.effect(DeviceLogin, make)
}
