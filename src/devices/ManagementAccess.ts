/**
 * Whether a device may get the fleet's login at its address (docs/security.md#management-networks): the rule of
 * `MANAGEMENT_NETWORKS`, checked before anything is sent, and when a record is created or changed. It applies to the address of the
 * device itself, before `SSH_ADDRESS_MAP` and jump hosts.
 */
import { Context, Effect, Layer, Redacted, Result } from "effect"
import type { SqlError } from "effect/sql"
import { type Device, reachableAddress } from "../domain/Device.ts"
import {
  AddressOutside,
  isInside,
  type ManagementNetworks,
  type Network,
  parseManagementNetworks,
  parseNetwork
} from "../domain/Network.ts"
import { type LoginState, loginStates, ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { makeSharedRead } from "../store/GroupedStatement.ts"
import { loginStateOf } from "./Logins.ts"

/** The logins of managed switches. */
const FLEET: ReadonlyArray<LoginState> = ["INIT", "MANAGED"]

const passwordsOf = ({ logins, nextLogins }: Pick<ServerSettings, "logins" | "nextLogins">, state: LoginState) =>
  [logins.get(state), nextLogins.get(state)].flatMap((login) =>
    login === undefined ? [] : [Redacted.value(login.password)]
  )

/** States whose login is the fleet's: those of the fleet, and any other that has one of its passwords. */
const guardedStates = (config: ServerSettings): ReadonlySet<LoginState> => {
  const fleet = new Set(FLEET.flatMap((state) => passwordsOf(config, state)))
  return new Set(
    loginStates.filter((state) => FLEET.includes(state) || passwordsOf(config, state).some((word) => fleet.has(word)))
  )
}

const noNetworks: ReadonlyArray<Network> = []

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const active = yield* ActiveSettings
  const list = config.MANAGEMENT_NETWORKS
  const rule: ManagementNetworks | null = list === "" ? null : Result.getOrThrow(parseManagementNetworks(list))
  const guarded = guardedStates(config)
  // hundreds of devices log in at once, and reading the commit in force is a statement
  const shared = makeSharedRead<ReadonlyArray<Network>, SqlError.SqlError>()

  /** Without readable settings there are none, so nothing is allowed by mistake. */
  const underlay = active.ofType("CORE").pipe(
    Effect.map(({ settings }) => [settings.underlay?.mgmt_lo_net, settings.underlay?.infra_lo_net]),
    Effect.map((pools) =>
      pools.flatMap((pool) =>
        pool === undefined
          ? []
          : Result.match(parseNetwork(pool), { onSuccess: (network) => [network], onFailure: () => [] })
      )
    ),
    Effect.catchTags({
      NoSettings: () => Effect.succeed(noNetworks),
      SettingsInvalid: () => Effect.succeed(noNetworks)
    })
  )

  const inside = Effect.fnUntraced(function* (hostname: string, address: string, state: LoginState) {
    if (rule === null || !guarded.has(state)) return
    const more = rule.fromSettings ? yield* shared("", underlay) : noNetworks
    if (isInside([...rule.networks, ...more], address)) return
    return yield* new AddressOutside({ hostname, address, rule: `MANAGEMENT_NETWORKS=${list}` })
  })

  const check = Effect.fn("ManagementAccess.check")(function* (hostname: string, address: string, state: LoginState) {
    if (rule === null && config.SECURE_DEFAULTS) return yield* new AddressOutside({ hostname, address, rule: null })
    yield* inside(hostname, address, state)
  })

  const allow = Effect.fn("ManagementAccess.allow")(function* (device: Reachable) {
    const state = loginStateOf[device.state]
    const address = reachableAddress(device)
    // a record is no login: before an operator names networks, leases and devices are still recorded
    if (state !== null && address !== null) yield* inside(device.hostname, address, state)
  })

  return ManagementAccess.of({ check, allow })
})

/** The fields that determine the address and the login of a device. */
export type Reachable = Pick<Device, "hostname" | "state" | "management_ip" | "dhcp_ip">

type Verdict = Effect.Effect<void, AddressOutside | SqlError.SqlError>

/** The rule about addresses. */
export class ManagementAccess extends Context.Service<
  ManagementAccess,
  {
    /** Fails with AddressOutside when the login of this state must not go to the address; checked before each login. */
    readonly check: (hostname: string, address: string, state: LoginState) => Verdict
    /** The same for a present or future record. */
    readonly allow: (device: Reachable) => Verdict
  }
>()("switchyard/devices/ManagementAccess") {
  static readonly layer = Layer.effect(ManagementAccess, make)
}
