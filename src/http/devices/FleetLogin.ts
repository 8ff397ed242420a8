/**
 * Who may say where the server logs in with the login of managed switches (docs/security.md#who-decides-where-the-login-goes): a record
 * in one of its states gets its address from the server's own provisioning, or from who has the right `trust`.
 */
import { Effect } from "effect"
import { permittedByRight } from "../../access/Permit.ts"
import { loginStateOf } from "../../devices/Logins.ts"
import type { Device, DeviceState } from "../../domain/Device.ts"
import type { TakenOver } from "../../store/DeviceIdentifiers.ts"

/** What decides where a record is logged in to, and with what. */
const DIALLED = ["management_ip", "dhcp_ip", "port"] as const

type Dialled = { readonly [Field in (typeof DIALLED)[number]]?: Device[Field] | undefined } & {
  readonly state?: DeviceState | undefined
}

/** Whether records in this state are logged in to with what managed switches have; a switch that is moved has it already. */
const isFleetLogin = (state: DeviceState): boolean => {
  const login = loginStateOf[state]
  return login === "MANAGED" || login === "INIT"
}

/** Asks for the right where a record is to be logged in to so, and was not, or not there. `before` is null for a new one. */
export const mayLogIn = Effect.fnUntraced(function* (before: Device | null, sent: Dialled) {
  const state = sent.state ?? before?.state
  if (state === undefined || !isFleetLogin(state)) return
  if (before === null || !isFleetLogin(before.state)) {
    yield* permittedByRight({ trust: `a device in state ${state} is logged in to with the login of managed switches` })
    return
  }
  const moved = DIALLED.find((field) => sent[field] !== undefined && sent[field] !== before[field])
  if (moved === undefined) return
  yield* permittedByRight({
    trust: `${moved} says where ${before.hostname} is logged in to with the login of managed switches`
  })
})

/** A record that loses its management address is logged in to at its lease from then on, which anybody may have by now. */
export const mayTake = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenOver>) {
  const lost = taken.find(({ field }) => field === "management_ip")
  if (lost === undefined) return
  yield* permittedByRight({ trust: `${lost.hostname} would lose its management address ${lost.address}` })
})
