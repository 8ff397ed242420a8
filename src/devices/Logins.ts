/**
 * The logins that a device in some state may accept, and in which order they are tried. While logins are changed there are two
 * of a state (docs/security.md#changing-passwords): the one that the device accepted last goes first, because each refused one
 * counts towards a lockout on the switch.
 */
import { Option, Redacted } from "effect"
import type { DeviceState } from "../domain/Device.ts"
import type { Login, LoginState, ServerSettings } from "../ServerConfig.ts"
import type { AcceptedLogin, LoginSlot } from "../store/AcceptedLoginStore.ts"

/** One of the logins of a state. */
export interface Credentials extends Login {
  readonly state: LoginState
  readonly slot: LoginSlot
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

type Settings = Pick<ServerSettings, "logins" | "nextLogins">

/** The logins of a state, the current one first; none when the settings have none. */
export const credentialsOf = ({ logins, nextLogins }: Settings, state: LoginState): ReadonlyArray<Credentials> => {
  const current = logins.get(state)
  const next = nextLogins.get(state)
  return [
    ...(current === undefined ? [] : [{ ...current, state, slot: "current" as const }]),
    ...(next === undefined ? [] : [{ ...next, state, slot: "next" as const }])
  ]
}

const isSame = (one: Login, other: Login | undefined): boolean =>
  one.username === other?.username && Redacted.value(one.password) === Redacted.value(other.password)

/** The same login in the settings of another state counts too: a new switch goes from INIT to MANAGED with one. */
const isAccepted = (settings: Settings, login: Credentials, { slot, state }: AcceptedLogin): boolean =>
  isSame(login, (slot === "current" ? settings.logins : settings.nextLogins).get(state))

/**
 * The order in which they are tried: the one that was accepted last first; but when a later commit has replaced that of the
 * other, the other. `isGuess` is true for an order that a later login has to correct.
 */
export const inOrder = (
  settings: Settings,
  logins: ReadonlyArray<Credentials>,
  accepted: Option.Option<AcceptedLogin>,
  replaced: ReplacedLogins | null
): { readonly logins: ReadonlyArray<Credentials>; readonly isGuess: boolean } => {
  const last = Option.match(accepted, {
    onNone: () => logins[0],
    onSome: (row) => logins.find((login) => isAccepted(settings, login, row)) ?? logins[0]
  })
  const other = logins.find((login) => login !== last)
  if (last === undefined || other === undefined) return { logins, isGuess: false }
  const acceptedAt = Option.match(accepted, { onNone: () => 0, onSome: ({ accepted_at }) => accepted_at })
  const isGuess = replaced !== null && replaced.users.has(other.username) && acceptedAt < replaced.at
  return { logins: isGuess ? [other, last] : [last, other], isGuess }
}

/** The settings that a login comes from, for people. */
export const settingsOf = ({ slot, state }: Credentials): string =>
  slot === "next" ? `USERNAME_${state}_NEXT and PASSWORD_${state}_NEXT` : `USERNAME_${state} and PASSWORD_${state}`

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
