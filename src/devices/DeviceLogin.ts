/**
 * Logs in to a device: its address, the credentials of its state and the expected host key (docs/security.md#logins-of-switches,
 * promise 7), and whether the switch is the device of the record (docs/security.md#identity-of-devices). A device in state MANAGED,
 * UNMANAGED or MANAGED_NOIF is pinned to the key it showed first.
 */
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { Clock, Context, Effect, Layer, Option, Result, Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { type Device, type DeviceState, reachableAddress } from "../domain/Device.ts"
import {
  type Difference,
  type DisputedRecord,
  firstDifference,
  serialDifference,
  WrongDevice
} from "../domain/DeviceIdentity.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { type HostKey, IdentityStore, makeAcceptedLogins, type Owner } from "../store/IdentityStore.ts"
import {
  type Credentials,
  credentialsOf,
  credentialsOfOwn,
  inOrder,
  loginStateOf,
  makeSshSettings,
  overSentences,
  type OwnLogin,
  passwordsInOrder,
  type ReplacedLogins,
  settingsOf
} from "./Logins.ts"
import { WatchStore } from "../store/WatchStore.ts"
import { ManagementAccess } from "./ManagementAccess.ts"
import { makeAbandonedSessions } from "../store/UnfinishedChanges.ts"
import { UniqueFieldStore } from "../store/DeviceIdentifiers.ts"
import type { Driver, DriverSession, DriverTarget, HostKeyPolicy, WorkClaim } from "../drivers/Driver.ts"
import {
  ConnectAuthError,
  type ConnectError,
  ConnectionException,
  type HostKeyChanged,
  type HostKeyNotApproved
} from "../drivers/DriverErrors.ts"
import { DriverRegistry } from "../drivers/Drivers.ts"
import { remarksOf, UnmanageableDevice } from "../domain/platforms/Platforms.ts"
import type { AddressOutside } from "../domain/Network.ts"

/** The address or the credentials for a login are unknown. Trying again does not help. */
export class LoginUnknown extends Schema.TaggedError<LoginUnknown>()("LoginUnknown", { message: Schema.String }) {}

/** Why a session could not be opened. */
export type LoginError =
  | ConnectError
  | UnmanageableDevice
  | LoginUnknown
  | AddressOutside
  | DisputedRecord
  | SqlError.SqlError

/** Deviations from the device's row, for a device that does not match it at the moment. */
export interface LoginOptions {
  /** Dial this address instead. */
  readonly address?: string
  /** Use the credentials of this state, and its rule for host keys. */
  readonly state?: DeviceState
  /** Seconds until the connection is given up. */
  readonly connectSeconds?: number
  /** The key that an earlier session of the same work found the device pinned to. */
  readonly hostKey?: string
  /** The logins that a commit of the same work has given anew. */
  readonly replaced?: ReplacedLogins
  /** Try the passwords of this user only. */
  readonly user?: string
  /** Try the likeliest login only. Default false. */
  readonly likeliestOnly?: boolean
  /** The claim under which the session may send; see `DriverTarget`. */
  readonly claim?: WorkClaim
  /**
   * The session will change the device: a device without any proof must show its name (the candidate's name counts too), and with a
   * candidate its model. Without a candidate it fails with DisputedRecord if it is unclear which switch the record describes.
   */
  readonly changes?: { readonly candidate?: string }
  /** The caller asks for the identity: any key and serial number is accepted that belongs to no other record. */
  readonly asksIdentity?: boolean
  /** The job that logs in, where it is known. */
  readonly jobId?: number
}

/** A session with the driver that made it. */
export interface LoggedIn {
  readonly driver: Driver
  readonly session: DriverSession
  /** The host key that the device is pinned to; null without a pin. */
  readonly pinned: string | null
  readonly user: string
  /** Users with a password for the state of the device that this session does not prove. */
  readonly otherUsers: ReadonlyArray<string>
}

/**
 * The policy for the host key of a device with this record. Before MANAGED any key is accepted; but with `approve` only if this
 * server provisions the device: a record that a user has put into that state counts as a foreign switch.
 */
const policyOf = (
  policy: ServerSettings["HOST_KEY_POLICY"],
  from: DeviceState,
  state: DeviceState,
  key: HostKey | null
): HostKeyPolicy => {
  const login = loginStateOf[state]
  const isManaged = login === "MANAGED"
  const isGuarded = policy === "approve" && (isManaged || (login === "INIT" && from !== "DISCOVERED"))
  const pinned = key?.fingerprint ?? null
  if (pinned !== null && (isManaged || isGuarded)) return { _tag: "pin", fingerprint: pinned }
  if (isGuarded && key?.is_provisioned !== true) return { _tag: "approve" }
  return { _tag: isManaged ? "learn" : "accept" }
}

/** Opens a session with the first login that the device accepts. Any other error than a refusal ends the search. */
const openFirst = Effect.fnUntraced(function* (
  driver: Driver,
  target: Omit<DriverTarget, "username" | "password">,
  logins: ReadonlyArray<Credentials>
): Effect.fn.Return<{ readonly login: Credentials; readonly session: DriverSession }, ConnectError, Scope.Scope> {
  const { address, hostname } = target
  let refusal: ConnectAuthError | null = null
  for (const login of logins) {
    const { key, password, username } = login
    const opened = yield* Effect.result(driver.open({ ...target, username, password, ...(key && { key }) }))
    if (Result.isSuccess(opened)) return { login, session: opened.success }
    if (opened.failure._tag !== "ConnectAuthError" || opened.failure.known === true) return yield* opened.failure
    refusal = opened.failure
  }
  if (refusal === null) return yield* new ConnectAuthError({ hostname, address, message: "there is no login to try" })
  if (logins.length < 2) return yield* refusal
  const tried = logins.map(settingsOf).join(", ")
  return yield* new ConnectAuthError({ hostname, address, message: `${refusal.message} (tried ${tried})` })
})

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const acceptedLogins = yield* makeAcceptedLogins
  const registry = yield* DriverRegistry
  const watched = yield* WatchStore
  const identities = yield* IdentityStore
  const { hostKeys } = identities
  const unique = yield* UniqueFieldStore
  const left = yield* makeAbandonedSessions
  const sshSettings = yield* makeSshSettings
  const certificates = Option.match(config.FRR_CERTIFICATE_DIRECTORY, {
    onNone: () => ({}),
    onSome: (certificateDirectory) => ({ certificateDirectory })
  })
  const access = yield* ManagementAccess

  const driverOf = ({ hostname, platform }: Device) =>
    Effect.mapError(registry.get(platform ?? ""), () => new UnmanageableDevice({ hostname, platform }))

  const credentials = (
    state: DeviceState,
    own: OwnLogin | undefined
  ): Effect.Effect<ReadonlyArray<Credentials>, LoginUnknown> => {
    const name = loginStateOf[state]
    const isOwn = name === "MANAGED" && own !== undefined
    const logins = isOwn ? credentialsOfOwn(config, own) : name === null ? [] : credentialsOf(config, name)
    return logins.length === 0
      ? new LoginUnknown({
          message: `No credentials for devices in state ${state}: set USERNAME_${name ?? state}, and PASSWORD_${name ?? state} or SSH_KEY_${name ?? state}`
        })
      : Effect.succeed(logins)
  }

  /** The logins in the order in which they are tried, and a function that remembers the accepted one. */
  const ordered = Effect.fnUntraced(function* (
    device: Device,
    state: DeviceState,
    options: LoginOptions,
    own: OwnLogin | undefined
  ) {
    const all = yield* credentials(state, own)
    if (all.length === 1) return { logins: all, all, accepted: () => Effect.void }
    const known = yield* acceptedLogins.find(device.id)
    const { isGuess, logins } = inOrder(config, all, known, options.replaced ?? null)
    const [first] = logins
    const accepted = Effect.fnUntraced(function* ({ slot, state }: Credentials) {
      const isKnown = Option.exists(known, (row) => row.slot === slot && row.state === state)
      if (isKnown && !isGuess) return
      yield* acceptedLogins.keep({ device_id: device.id, state, slot, accepted_at: yield* Clock.currentTimeMillis })
    })
    const { user } = options
    if (user !== undefined) {
      const passwords = passwordsInOrder(config, all, known, options.replaced ?? null)
      return { logins: passwords.filter(({ username }) => username === user), all, accepted: () => Effect.void }
    }
    return { logins: options.likeliestOnly === true && first !== undefined ? [first] : logins, all, accepted }
  })

  const policyFor = Effect.fnUntraced(function* (device: Device, state: DeviceState) {
    const name = loginStateOf[state]
    const isAsked = name === "MANAGED" || (name === "INIT" && config.HOST_KEY_POLICY === "approve")
    const known = isAsked ? Option.getOrNull(yield* hostKeys.find(device.id)) : null
    return { policy: policyOf(config.HOST_KEY_POLICY, device.state, state, known), known }
  })

  /** Records a change of a managed device's reachability; the login does not wait for it. */
  const noticed = (device: Device, { address, state }: LoginOptions, notice: Effect.Effect<void, SqlError.SqlError>) =>
    device.state !== "MANAGED" || address !== undefined || state !== undefined
      ? Effect.void
      : Effect.catch(failingWithoutDatabase(notice), (error) =>
          Effect.logDebug("Whether a device is reachable could not be noted", { error: error.message })
        )

  /** Forgets a removed session; the next drift check clears one whose removal could not be noted. */
  const removed = (device: Device) => (name: string) =>
    Effect.catch(failingWithoutDatabase(left.forget(device.id, name)), (error) =>
      Effect.logDebug("That a session was removed could not be noted", { error: error.message })
    )

  const alarm = (device: Device) => (error: HostKeyChanged) =>
    Effect.andThen(
      Effect.logError("SECURITY: the host key of a device changed; it is blocked until the key is pinned anew", {
        device: device.hostname,
        pinned: error.expected,
        seen: error.seen
      }),
      hostKeys.refuse(device.id, error.seen)
    )

  const unapproved = (device: Device) => (error: HostKeyNotApproved) =>
    Effect.andThen(
      Effect.logWarning(
        "SECURITY: a device that was not provisioned here shows a host key that no operator has approved",
        {
          device: device.hostname,
          seen: error.seen
        }
      ),
      hostKeys.refuse(device.id, error.seen)
    )

  /** Records at both devices that the switch is another one than the record's, and ends the login. */
  const refuse = Effect.fnUntraced(function* (
    device: Device,
    address: string,
    difference: Difference,
    owner: Option.Option<Owner>,
    { jobId = null }: { readonly jobId?: number | null }
  ) {
    const { hostname } = device
    const { fact, recorded, shown } = difference
    const other = Option.match(owner, { onNone: () => null, onSome: (one) => one.hostname })
    const error = new WrongDevice({ hostname, address, fact, shown, recorded, other })
    yield* Effect.logError("SECURITY: the switch at the address of a device is another one; it is blocked", {
      device: hostname,
      address,
      [fact]: shown,
      recorded,
      belongs_to: other
    })
    const belongsTo = Option.getOrNull(owner)
    yield* identities.found({ device, address, ...difference, owner: belongsTo, jobId })
    return yield* error
  })

  const keyDifference = (shown: string): Difference => ({ fact: "host key", shown, recorded: null })

  /** Refuses the host key of another device; if the owner cannot be read, no credentials are sent. */
  const keyCheck = (device: Device, address: string, options: LoginOptions) => (fingerprint: string) =>
    Effect.gen(function* () {
      const owner = yield* identities.ownerOfKey(device.id, fingerprint)
      if (Option.isSome(owner)) yield* refuse(device, address, keyDifference(fingerprint), owner, options)
    }).pipe(
      Effect.catchTag("SqlError", ({ message }) => {
        const { hostname } = device
        return new ConnectionException({ hostname, address, whileDoing: "look up the host key", message })
      })
    )

  /** Compares the identity of a logged-in switch with the record; a managed record without a serial number gets the shown one before a change. */
  const identify = Effect.fnUntraced(function* (
    device: Device,
    address: string,
    options: LoginOptions,
    isFirst: boolean,
    { driver, session: { shown } }: Pick<LoggedIn, "driver" | "session">
  ) {
    if (options.asksIdentity === true) return
    const { id } = device
    const ownerOfSerial = (serial: string) => identities.ownerOfSerial(id, serial)
    const other = serialDifference(device, shown)
    if (other !== null) return yield* refuse(device, address, other, yield* ownerOfSerial(other.shown), options)
    const difference = isFirst ? firstDifference(device, shown, options.changes?.candidate) : null
    if (difference !== null) {
      const isName = difference.fact === "hostname"
      const owner = isName ? yield* identities.ownerOfName(id, difference.shown) : Option.none()
      return yield* refuse(device, address, difference, owner, options)
    }
    const hasSerial = (device.serial ?? "").trim() !== ""
    if (hasSerial || shown.serial === null || driver.platform.sharesSerials === true) return
    const serial = shown.serial.trim()
    // empty if it held only characters that no text may hold
    if (serial === "") return
    const { address: elsewhere, changes, state } = options
    const isOwnPlace = device.state === "MANAGED" && state === undefined && elsewhere === undefined
    if (isOwnPlace && changes?.candidate !== undefined && (yield* identities.learnSerial(id, serial))) return
    const owner = yield* ownerOfSerial(serial)
    if (Option.isNone(owner)) return
    return yield* refuse(device, address, { fact: "serial", shown: serial, recorded: null }, owner, options)
  })

  const open = Effect.fn("DeviceLogin.open")(function* (device: Device, options: LoginOptions = {}) {
    const driver = yield* driverOf(device)
    const state = options.state ?? device.state
    const address = options.address ?? reachableAddress(device)
    if (address === null)
      return yield* new LoginUnknown({ message: `Device ${device.hostname} has no address to log in to` })
    const loginState = loginStateOf[state]
    if (loginState !== null) yield* access.check(device.hostname, address, loginState)
    // a candidate was checked when it was stored, and an open change must reach its end
    if (options.changes !== undefined && options.changes.candidate === undefined) {
      yield* unique.requireUndisputed(device.id)
    }
    const { policy, known }: { policy: HostKeyPolicy; known: HostKey | null } =
      options.hostKey === undefined
        ? yield* policyFor(device, state)
        : { policy: { _tag: "pin", fingerprint: options.hostKey }, known: null }
    const hostKey: HostKeyPolicy = options.asksIdentity === true ? { _tag: "accept" } : policy
    if (hostKey._tag === "pin" && known !== null && known.shared_with !== null) {
      const owner = yield* identities.ownerOfKey(device.id, hostKey.fingerprint)
      if (Option.isSome(owner)) yield* refuse(device, address, keyDifference(hostKey.fingerprint), owner, options)
    }
    const isKnown =
      options.hostKey !== undefined ||
      device.confhash !== null ||
      (known !== null && (known.is_proved || known.is_provisioned || known.is_trusted))
    const isFirst = options.changes !== undefined && !isKnown
    const remarks = remarksOf(config.DEVICE_REMARKS, device)
    const ssh = yield* Effect.catchTag(
      sshSettings(device),
      "SshSettingsUnusable",
      ({ message }) => new LoginUnknown({ message })
    )
    const { login: own, ...way } = ssh
    const { accepted, all, logins } = yield* ordered(device, state, options, own)
    const target = {
      ...way,
      hostname: device.hostname,
      address,
      hostKey,
      keyCheck: keyCheck(device, address, options),
      identify: isFirst || options.asksIdentity === true ? ("serial and name" as const) : ("serial" as const),
      removed: removed(device),
      ...(remarks.length === 0 ? {} : { remarks }),
      ...(device.port === null ? {} : { port: device.port }),
      ...(options.claim === undefined ? {} : { claim: options.claim }),
      ...certificates,
      ...(options.connectSeconds === undefined ? {} : { timeouts: { connect: options.connectSeconds } })
    }
    const { login, session } = yield* openFirst(driver, target, logins).pipe(
      Effect.tapErrorTag("HostKeyChanged", alarm(device)),
      Effect.tapErrorTag("HostKeyNotApproved", unapproved(device)),
      Effect.tapErrorTag("ConnectionException", ({ message }) =>
        noticed(device, options, watched.unreachable(device.id, device.hostname, message))
      ),
      Effect.tap(() => noticed(device, options, watched.reachable(device.id, device.hostname)))
    )
    yield* identify(device, address, options, isFirst, { driver, session })
    if (hostKey._tag === "learn") yield* hostKeys.pin(device.id, session.hostKey)
    yield* accepted(login)
    const isProved = (one: Credentials) => login.slot !== "key" && one.username === login.username
    const unproved = all.filter((one) => one.slot !== "key" && !isProved(one))
    const otherUsers = [...new Set(unproved.map(({ username }) => username))]
    return {
      driver,
      session,
      pinned: hostKey._tag === "accept" ? null : session.hostKey,
      user: login.username,
      otherUsers
    }
  })

  // remembered logins of earlier settings do not apply to the current ones
  yield* acceptedLogins.forgetOthers([...config.nextLogins.keys()]).pipe(
    Effect.flatMap((forgotten) => Effect.forEach(overSentences(forgotten), (sentence) => Effect.logInfo(sentence))),
    Effect.catch((error) => Effect.logWarning("Accepted logins could not be forgotten", { error: error.message }))
  )
  return DeviceLogin.of({ open })
})

/** Opens sessions to devices. Only the device's actor may use it. */
export class DeviceLogin extends Context.Service<
  DeviceLogin,
  {
    readonly open: (device: Device, options?: LoginOptions) => Effect.Effect<LoggedIn, LoginError, Scope.Scope>
  }
>()("switchyard/devices/DeviceLogin") {
  static readonly layer = Layer.effect(DeviceLogin, make).pipe(Layer.provide(BackgroundWork.layer))
}
