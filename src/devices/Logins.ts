/**
 * The logins that a device in some state may accept, and the order in which they are tried. There may be a key in addition to the
 * password (docs/security.md#keys-instead-of-passwords), and while passwords are changed there are two of them
 * (docs/security.md#changing-passwords): the one that the device accepted last goes first, because each refused one counts towards
 * a lockout on the switch.
 */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { usersWithNewLogins } from "../domain/BraceLogins.ts"
import type { Device, DeviceState } from "../domain/Device.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { type Login, type LoginState, type PrivateKey, ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import type { AcceptedLogin, LoginSlot, NamedLogin } from "../store/IdentityStore.ts"
import type { DriverTarget, JumpHost } from "../drivers/Driver.ts"
import { ActiveSettings, type SettingsError } from "../settings/ActiveSettings.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { makeSharedRead } from "../store/GroupedStatement.ts"
import type { SshSettings } from "../settings/BaseModels.ts"

/** One of the logins of a state. With a key the password is for `enable` only. */
export interface Credentials extends Login {
  readonly state: LoginState
  readonly slot: LoginSlot
  readonly key?: PrivateKey
  /** It comes from the settings of the device and replaces the fleet's. */
  readonly isOwn?: true
}

/** A device's own login from the settings, which replaces the fleet's: a key, a password, or both. */
export interface OwnLogin {
  /** Default: the name of the fleet's login. */
  readonly username?: string
  readonly password?: Redacted.Redacted
  /** The one that replaces it. */
  readonly nextPassword?: Redacted.Redacted
  readonly key?: PrivateKey
}

/** Users with new logins from a commit, and when it was answered, in epoch milliseconds. */
export interface ReplacedLogins {
  readonly users: ReadonlySet<string>
  readonly at: number
}

/** The login that applies in each state of a device. */
export const loginStateOf: Readonly<Record<DeviceState, LoginState | null>> = {
  UNKNOWN: null,
  PRE_CONFIGURED: "DHCP_BOOT",
  DHCP_BOOT: "DHCP_BOOT",
  DISCOVERED: "DISCOVERED",
  INIT: "INIT",
  MANAGED: "MANAGED",
  MANAGED_NOIF: "MANAGED",
  UNMANAGED: "MANAGED"
}

type Settings = Pick<ServerSettings, "logins" | "nextLogins" | "keyLogins">

/** For `enable`, of a login that has no password: a switch that asks for one refuses it. */
const NO_PASSWORD = Redacted.make("")

/** The logins of a state, its key first, then the current password; none when the settings have none. */
export const credentialsOf = (
  { keyLogins, logins, nextLogins }: Settings,
  state: LoginState
): ReadonlyArray<Credentials> => {
  const byKey = keyLogins.get(state)
  const current = logins.get(state)
  const next = nextLogins.get(state)
  const password = current?.password ?? NO_PASSWORD
  return [
    ...(byKey === undefined ? [] : [{ ...byKey, password, state, slot: "key" as const }]),
    ...(current === undefined ? [] : [{ ...current, state, slot: "current" as const }]),
    ...(next === undefined ? [] : [{ ...next, state, slot: "next" as const }])
  ]
}

/** The same for a login from the settings of managed devices. Of the fleet's login only the name is used. */
export const credentialsOfOwn = (settings: Settings, own: OwnLogin): ReadonlyArray<Credentials> => {
  const { key, nextPassword, password } = own
  const username = own.username ?? credentialsOf(settings, "MANAGED")[0]?.username
  if (username === undefined) return []
  const next = nextPassword === undefined ? undefined : { username, password: nextPassword }
  return credentialsOf(
    {
      keyLogins: new Map(key === undefined ? [] : [["MANAGED", { username, key }]]),
      logins: new Map(password === undefined ? [] : [["MANAGED", { username, password }]]),
      nextLogins: new Map(next === undefined ? [] : [["MANAGED", next]])
    },
    "MANAGED"
  ).map((login) => ({ ...login, isOwn: true }))
}

const secretOf = ({ key, password }: Credentials): string => Redacted.value(key === undefined ? password : key.text)

const isSame = (one: Credentials, other: Credentials | undefined): boolean =>
  one.username === other?.username &&
  (one.key === undefined) === (other.key === undefined) &&
  secretOf(one) === secretOf(other)

/** The same login in the settings of another state counts too: a new switch goes from INIT to MANAGED with one. */
const acceptedOf = (settings: Settings, logins: ReadonlyArray<Credentials>, { slot, state }: AcceptedLogin) => {
  const other = credentialsOf(settings, state).find((login) => login.slot === slot)
  return (
    logins.find((login) => login.slot === slot && login.state === state) ?? logins.find((login) => isSame(login, other))
  )
}

/**
 * The order in which they are tried: first the one that was accepted last, unless a later commit has replaced the password of the
 * other one. A key keeps its place. `isGuess` is true for an order that a later login must correct.
 */
export const inOrder = (
  settings: Settings,
  logins: ReadonlyArray<Credentials>,
  accepted: Option.Option<AcceptedLogin>,
  replaced: ReplacedLogins | null
): { readonly logins: ReadonlyArray<Credentials>; readonly isGuess: boolean } => {
  const last = Option.match(accepted, {
    onNone: () => logins[0],
    onSome: (row) => acceptedOf(settings, logins, row) ?? logins[0]
  })
  if (last === undefined) return { logins, isGuess: false }
  const acceptedAt = Option.match(accepted, { onNone: () => 0, onSome: ({ accepted_at }) => accepted_at })
  const others = logins.filter((login) => login !== last)
  const isAnew = ({ slot, username }: Credentials) =>
    last.slot !== "key" &&
    slot !== "key" &&
    replaced !== null &&
    replaced.users.has(username) &&
    acceptedAt < replaced.at
  const anew = others.filter(isAnew)
  return { logins: [...anew, last, ...others.filter((login) => !isAnew(login))], isGuess: anew.length > 0 }
}

/** The logins with a password, in the order in which they are tried; an accepted key proves nothing about them. */
export const passwordsInOrder = (
  settings: Settings,
  logins: ReadonlyArray<Credentials>,
  accepted: Option.Option<AcceptedLogin>,
  replaced: ReplacedLogins | null
): ReadonlyArray<Credentials> =>
  inOrder(
    settings,
    logins.filter(({ slot }) => slot !== "key"),
    Option.filter(accepted, ({ slot }) => slot !== "key"),
    replaced
  ).logins

/** The settings that a login comes from, for people. */
export const settingsOf = ({ isOwn, slot, state }: Credentials): string =>
  isOwn === true ? ownSettings[slot] : variables(state)[slot]

const ownSettings: Readonly<Record<LoginSlot, string>> = {
  key: "ssh->key_secret of its settings",
  current: "ssh->password_secret of its settings",
  next: "ssh->password_next_secret of its settings"
}

const variables = (state: LoginState): Readonly<Record<LoginSlot, string>> => ({
  key: `USERNAME_${state} and SSH_KEY_${state}`,
  current: `USERNAME_${state} and PASSWORD_${state}`,
  next: `USERNAME_${state}_NEXT and PASSWORD_${state}_NEXT`
})

/** What of a platform says how a login is written. */
export type LoginNotation = Pick<Platform, "configuration" | "loginLine">

/**
 * Users whose logins the added lines of a difference set: by the platform's pattern for such a line or, in braces, where no line names
 * the user, by the candidate.
 */
export const usersIn = (
  platform: LoginNotation | undefined,
  candidate: string,
  diff: string | null
): ReadonlySet<string> => {
  const users = new Set<string>()
  if (platform === undefined || diff === null) return users
  const { configuration, loginLine } = platform
  if (configuration.sections === "braces") return usersWithNewLogins(candidate, diff)
  if (loginLine === null) return users
  for (const line of diff.split("\n")) {
    if (!line.startsWith("+") || line.startsWith("+++")) continue
    const user = loginLine.exec(line.slice(1).trim())?.[1]
    if (user !== undefined) users.add(user)
  }
  return users
}

// Log messages about logins that are no longer remembered, at the end of a change of passwords or keys
// (docs/security.md#logins-of-switches).

/** Most names of devices in one sentence. */
const MOST_NAMES = 20

const named = (devices: ReadonlyArray<NamedLogin>): string =>
  [...devices.slice(0, MOST_NAMES).map(({ hostname }) => hostname), ...(devices.length > MOST_NAMES ? ["…"] : [])].join(
    ", "
  )

const variableOf = ({ slot, state }: NamedLogin): string =>
  ({ key: `SSH_KEY_${state}`, current: `PASSWORD_${state}`, next: `PASSWORD_${state}_NEXT` })[slot]

/** One sentence for each login that is forgotten after a change of logins. */
export const overSentences = (forgotten: ReadonlyArray<NamedLogin>): ReadonlyArray<string> => {
  const groups = Map.groupBy(forgotten, variableOf)
  return [...groups].map(
    ([name, devices]) =>
      `While there were several logins, ${devices.length} devices accepted ${name} last: ${named(devices)}`
  )
}

// The settings for logins to a device (docs/settings-repository.md#logins-of-switches): algorithms, port, window, prompt, its own
// login, enable password and jump host, with the secrets that they name. Without settings the defaults apply.

/** The part of a target from the settings, and the login that replaces the fleet's. */
export interface SshTarget extends Pick<
  DriverTarget,
  "algorithms" | "port" | "windowBytes" | "prompt" | "enablePassword" | "jumpHost"
> {
  readonly login?: OwnLogin
}

/** The settings for the login are unusable. Trying again does not help. */
export class SshSettingsUnusable extends Schema.TaggedError<SshSettingsUnusable>()("SshSettingsUnusable", {
  message: Schema.String
}) {}

type Secrets = ReadonlyMap<string, Redacted.Redacted>

const environmentSecret = (secrets: Secrets, key: string, name: string): Result.Result<Redacted.Redacted, string> => {
  const secret = secrets.get(name)
  return secret === undefined
    ? Result.fail(`the setting ${key} names ${name}, which the server does not have in its environment`)
    : Result.succeed(secret)
}

const jumpHostOf = (secrets: Secrets, jump: NonNullable<SshSettings["jump_host"]>): Result.Result<JumpHost, string> =>
  Result.map(environmentSecret(secrets, "ssh->jump_host->password_secret", jump.password_secret), (password) => ({
    host: jump.host,
    port: jump.port,
    username: jump.username,
    password,
    hostKey: jump.host_key,
    algorithms: jump.algorithms
  }))

/** A key is read once, so each text is one object. */
const keys = new WeakMap<Redacted.Redacted, PrivateKey>()

const keyOf = (text: Redacted.Redacted, passphrase: Redacted.Redacted | null): PrivateKey => {
  const known = keys.get(text)
  if (known !== undefined && known.passphrase === passphrase) return known
  const key = { text, passphrase }
  keys.set(text, key)
  return key
}

const NO_SECRET = "the setting ssh->username needs ssh->password_secret or ssh->key_secret as well"

/** A device's own login from the settings; undefined if they have none. */
const loginOf = (secrets: Secrets, ssh: SshSettings): Result.Result<OwnLogin | undefined, string> =>
  Result.gen(function* () {
    const { key_passphrase_secret, key_secret, password_next_secret, password_secret, username } = ssh
    const named = (key: string, name: string | null) =>
      name === null ? Result.succeed(null) : environmentSecret(secrets, `ssh->${key}`, name)
    const password = yield* named("password_secret", password_secret)
    const nextPassword = yield* named("password_next_secret", password_next_secret)
    const text = yield* named("key_secret", key_secret)
    const passphrase = yield* named("key_passphrase_secret", key_passphrase_secret)
    if (password === null && text === null)
      return yield* username === null && nextPassword === null ? Result.succeed(undefined) : Result.fail(NO_SECRET)
    return {
      ...(username === null ? {} : { username }),
      ...(password === null ? {} : { password }),
      ...(nextPassword === null || password === null ? {} : { nextPassword }),
      ...(text === null ? {} : { key: keyOf(text, passphrase) })
    }
  })

/** The target of a device's settings, with the values of the secrets that they name. */
export const sshTargetOf = (ssh: SshSettings | null, secrets: Secrets): Result.Result<SshTarget, string> =>
  Result.gen(function* () {
    if (ssh === null) return {}
    const { algorithms, enable_secret, jump_host, port, prompt, window_bytes } = ssh
    const login = yield* loginOf(secrets, ssh)
    return {
      algorithms,
      ...(login === undefined ? {} : { login }),
      ...(port === null ? {} : { port }),
      ...(window_bytes === null ? {} : { windowBytes: window_bytes }),
      ...(prompt === null ? {} : { prompt }),
      ...(enable_secret === null
        ? {}
        : { enablePassword: yield* environmentSecret(secrets, "ssh->enable_secret", enable_secret) }),
      ...(jump_host === null ? {} : { jumpHost: yield* jumpHostOf(secrets, jump_host) })
    }
  })

/** Reads the target of a device from the settings in force. */
export const makeSshSettings = Effect.gen(function* () {
  const active = yield* ActiveSettings
  const { deviceSecrets } = yield* ServerConfig
  // hundreds of devices log in at once, and reading the commit in force is a statement
  const shared = makeSharedRead<SettingsSnapshot | null, Exclude<SettingsError, { readonly _tag: "NoSettings" }>>()
  const snapshot = active.snapshot.pipe(Effect.catchTag("NoSettings", () => Effect.succeed(null)))

  const current = shared("", snapshot).pipe(
    Effect.catchTag("SettingsInvalid", ({ message }) => new SshSettingsUnusable({ message }))
  )

  return Effect.fnUntraced(function* (device: Device) {
    const found = yield* current
    if (found === null) return {}
    const effective = found.layering.forDevice(device)
    const target = Result.isFailure(effective)
      ? Result.fail(effective.failure.map(({ message }) => message.trim()).join("; "))
      : sshTargetOf(effective.success.settings.ssh, deviceSecrets)
    if (Result.isSuccess(target)) return target.success
    const message = `The settings do not say how to log in to ${device.hostname}: ${target.failure}`
    return yield* new SshSettingsUnusable({ message })
  })
})
