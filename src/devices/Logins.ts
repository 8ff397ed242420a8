/**
 * The logins that a device in some state may accept, and in which order they are tried. There may be a key beside the password
 * (docs/security.md#keys-instead-of-passwords), and while passwords are changed there are two of them
 * (docs/security.md#changing-passwords): the one that the device accepted last goes first, because each refused one counts
 * towards a lockout on the switch.
 */
import { Option, Redacted } from "effect"
import type { DeviceState } from "../domain/Device.ts"
import type { Login, LoginState, PrivateKey, ServerSettings } from "../ServerConfig.ts"
import type { AcceptedLogin, LoginSlot, NamedLogin } from "../store/IdentityStore.ts"

/** One of the logins of a state. With a key the password is for `enable` only. */
export interface Credentials extends Login {
  readonly state: LoginState
  readonly slot: LoginSlot
  readonly key?: PrivateKey
  /** The settings of the device give it, in the place of the fleet's. */
  readonly isOwn?: true
}

/** A login of its own that the settings give a device, in the place of the fleet's: a key, a password, or both. */
export interface OwnLogin {
  /** Left out: the name of the fleet's login. */
  readonly username?: string
  readonly password?: Redacted.Redacted
  /** The one that replaces it. */
  readonly nextPassword?: Redacted.Redacted
  readonly key?: PrivateKey
}

/** Users whose logins a commit has given anew, and when it was answered, in epoch milliseconds. */
export interface ReplacedLogins {
  readonly users: ReadonlySet<string>
  readonly at: number
}

/** Whose login counts in each state of a device. */
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

/** The same for a login that the settings give for managed devices. Nothing of the fleet's login is tried beside it but its name. */
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
 * The order in which they are tried: the one that was accepted last first; but when a later commit has replaced the password of
 * the other, the other. A key goes on as before. `isGuess` is true for an order that a later login has to correct.
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

/** Those with a password, in the order in which they are tried; what a key has proved says nothing of them. */
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

/** Users whose logins the added lines of a difference set, by the platform's pattern for such a line. */
export const usersIn = (loginLine: RegExp | null, diff: string | null): ReadonlySet<string> => {
  const users = new Set<string>()
  if (loginLine === null || diff === null) return users
  for (const line of diff.split("\n")) {
    if (!line.startsWith("+") || line.startsWith("+++")) continue
    const user = loginLine.exec(line.slice(1).trim())?.[1]
    if (user !== undefined) users.add(user)
  }
  return users
}

// What is said of logins that are remembered no more: a change of passwords or keys is over (docs/security.md#logins-of-switches).

/** Most names of devices in one sentence. */
const MOST_NAMES = 20

const named = (devices: ReadonlyArray<NamedLogin>): string =>
  [...devices.slice(0, MOST_NAMES).map(({ hostname }) => hostname), ...(devices.length > MOST_NAMES ? ["…"] : [])].join(
    ", "
  )

const variableOf = ({ slot, state }: NamedLogin): string =>
  ({ key: `SSH_KEY_${state}`, current: `PASSWORD_${state}`, next: `PASSWORD_${state}_NEXT` })[slot]

/** What is forgotten of a change of logins that is over, in one sentence for each login. */
export const overSentences = (forgotten: ReadonlyArray<NamedLogin>): ReadonlyArray<string> => {
  const groups = Map.groupBy(forgotten, variableOf)
  return [...groups].map(
    ([name, devices]) =>
      `While there were several logins, ${devices.length} devices accepted ${name} last: ${named(devices)}`
  )
}
