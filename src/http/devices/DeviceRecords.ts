/**
 * Creates and changes device records: bounds of unknown devices, rename, the right to say where the server logs in, sites, automatic
 * addresses, and the two routes POST and PUT (docs/api.md#creating-a-device, docs/api.md#changing-a-device).
 */
import { Effect, Option, Result } from "effect"
import { ManagementAccess, type Reachable } from "../../devices/ManagementAccess.ts"
import { permitted, permittedByRight } from "../../access/Permit.ts"
import {
  type Device,
  type DeviceFields,
  type DeviceState,
  HostnameTaken,
  isFabricType,
  platforms
} from "../../domain/Device.ts"
import { type DeviceChange, type NewDevice, UNKNOWN_SITE, withoutImpossible } from "../../domain/DeviceFields.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { makeUnknownDevices, type TakenOver, UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { requiringSettings, SettingsView } from "../../settings/SettingsView.ts"
import { transaction } from "../core/HandlerErrors.ts"
import type { CheckedBody } from "../../domain/fields/Body.ts"
import { allocationLock, makeSites, NetworkStore } from "../../store/NetworkStore.ts"
import { complete, refuse } from "../core/RequestBodies.ts"
import { loginStateOf } from "../../devices/Logins.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { makeNeighbours } from "./LinkedDevices.ts"
import { isObject } from "../../domain/fields/Values.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { isOtherDevice } from "../../domain/DeviceIdentity.ts"
import { BadRequest, InternalError, TooManyRequests } from "../../api/Answers.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { allocateLoopback } from "../../provisioning/Addresses.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"

// Unknown devices, which the DHCP hook registers. Their number is bounded by hour and in total, because any person who can plug in a cable
// causes them. Long silent ones are removed first.

/** Whether only the lease of a device is known. */
const isUnknown = ({ device_type, state }: Pick<Device, "device_type" | "state">): boolean =>
  state === "DHCP_BOOT" && device_type === "UNKNOWN"

/** Makes room for one more unknown device in the transaction that inserts it. Fails with 429 if there is none. */
const makeRoom = Effect.gen(function* () {
  const unknown = yield* makeUnknownDevices
  const { UNKNOWN_DEVICES_MAX, UNKNOWN_DEVICES_PER_HOUR } = yield* ServerConfig
  return Effect.gen(function* () {
    const { count, secondsLeft } = yield* unknown.lastHour
    if (count >= UNKNOWN_DEVICES_PER_HOUR) {
      return yield* new TooManyRequests({
        message: `${count} unknown devices have registered within the last hour (UNKNOWN_DEVICES_PER_HOUR); the next one is taken in ${secondsLeft} seconds`
      })
    }
    const tooMany = (yield* unknown.waiting) + 1 - UNKNOWN_DEVICES_MAX
    if (tooMany <= 0) return
    const dropped = yield* unknown.dropSilent(tooMany)
    if (dropped.length < tooMany) {
      return yield* new TooManyRequests({
        message: `${UNKNOWN_DEVICES_MAX} unknown devices wait in state DHCP_BOOT (UNKNOWN_DEVICES_MAX), and too few have been silent for an hour`
      })
    }
    yield* Effect.logWarning("Unknown devices that were silent for an hour made room for a new one", { dropped })
  })
})

// The consequences of a rename for the device and its neighbours (docs/api.md#changing-a-device).

/** The check before a rename, and its consequences after it. */
const makeDeviceRename = Effect.gen(function* () {
  const settings = yield* SettingsView
  const interfaces = yield* InterfaceStore
  const events = yield* SyncEventStore
  const { linkedTo, unsynchronize } = yield* makeNeighbours

  /** Fails with 400 if a managed device would have other settings under its new name. */
  const allow = Effect.fn("DeviceRename.allow")(function* (device: Device, hostname: string) {
    if (device.state !== "MANAGED") return
    const same = yield* settings
      .sameUnderName(device, hostname)
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(new InternalError({ message: `Error in settings repo configuration: ${message}` }))
        )
      )
    if (same) return
    const text = `Configuration after name change for ${device.hostname} would not be the same. Please check device specific configuration for ${device.hostname} and ${hostname}`
    return yield* new BadRequest({ message: [text] })
  })

  /** Marks the device and its neighbours unsynchronized after the rename. */
  const follow = Effect.fn("DeviceRename.follow")(function* (before: Device, hostname: string, by: string) {
    const linked = yield* linkedTo(before)
    yield* unsynchronize(linked, "linknet_neighbor_name_change", by)
    const naming = yield* interfaces.renameNeighbor(before.hostname, hostname)
    yield* unsynchronize(
      naming.filter((id) => !linked.includes(id) && id !== before.id),
      "neighbor_name_change",
      by
    )
    yield* events.clear([before.hostname])
    yield* unsynchronize([before.id], "device_name_change", by)
  })

  return { allow, follow }
})

// The right to say where the server logs in with the credentials of managed switches (docs/security.md#who-decides-where-the-login-goes):
// the address of such a record comes from the server's own provisioning, or from a caller with the right `trust`.

/** The fields that decide where the server logs in. */
const DIALLED = ["management_ip", "dhcp_ip", "port"] as const

type Dialled = { readonly [Field in (typeof DIALLED)[number]]?: Device[Field] | undefined } & {
  readonly state?: DeviceState | undefined
}

/**
 * Whether the server logs in to records in this state with the credentials of managed switches; a switch that is being moved has them
 * already.
 */
const isFleetLogin = (state: DeviceState): boolean => {
  const login = loginStateOf[state]
  return login === "MANAGED" || login === "INIT"
}

/** Requires the right if the server would newly log in to the record, or at another place. `before` is null for a new record. */
const requireTrustForLogin = Effect.fnUntraced(function* (before: Device | null, sent: Dialled) {
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

/** The server logs in to a record without a management address at its lease, which any machine may have by then. */
const requireTrustForTakeover = Effect.fnUntraced(function* (taken: ReadonlyArray<TakenOver>) {
  const lost = taken.find(({ field }) => field === "management_ip")
  if (lost === undefined) return
  yield* permittedByRight({ trust: `${lost.hostname} would lose its management address ${lost.address}` })
})

// Sites of device records: `site_id` must exist, `site` names the only site of that description.

interface WithSite {
  readonly site_id?: number | null | undefined
  readonly site?: string | null | undefined
}

/** The fields of a body with its site resolved. Fails with 400 and everything that is wrong. */
const makeSiteRule = Effect.map(makeSites, (sites) =>
  Effect.fnUntraced(function* <A extends WithSite>(checked: CheckedBody<A>) {
    const { site, site_id }: WithSite = checked.fields
    const unknown = typeof site_id === "number" && !(yield* sites.exists(site_id))
    const { site: _site, ...fields } = yield* complete(unknown ? checked.refuse("site_id", UNKNOWN_SITE) : checked)
    const named = typeof site === "string" && site_id === undefined ? yield* sites.named(site) : Option.none<number>()
    return Option.match(named, { onNone: () => fields, onSome: (id) => ({ ...fields, site_id: id }) })
  })
)

type Change = typeof DeviceChange.checked.Type

/** Other fields may change while the address is not allowed: the next login is refused. */
const isMoved = (before: Reachable, after: Reachable): boolean =>
  before.state !== after.state || before.management_ip !== after.management_ip || before.dhcp_ip !== after.dhcp_ip

/** The fields that identify the switch: with others the caller would work on another person's switch. */
const IDENTITY = [
  "management_ip",
  "secondary_management_ip",
  "infra_ip",
  "dhcp_ip",
  "port",
  "ztp_mac",
  "serial",
  "model"
] as const

/** Checked before other rules; an invalid value counts as a change. */
const saysWhichSwitch = (before: Device, { fields, refusals }: Change): boolean =>
  IDENTITY.some(
    (field) => refusals.has(field) || (fields[field] !== undefined && (fields[field] ?? null) !== before[field])
  )

/**
 * Changes a device by a request body, in one transaction. Yields the device after the change, and the addresses that it took over from
 * other records. Fails with DeviceNotFound, with IdentityTaken, and with DeviceBusy if an open change relies on a changed field.
 */
export const makeDeviceChange = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const states = yield* DeviceStates
  const events = yield* SyncEventStore
  const { permit } = yield* CallerDevices
  const rename = yield* makeDeviceRename
  const withSite = yield* makeSiteRule
  const access = yield* ManagementAccess
  const identities = yield* UniqueFieldStore
  const inTransaction = yield* transaction

  const permitHere = (rows: ReadonlyArray<Device>) => requiringSettings(permit(rows, { whole: true }))

  const change = Effect.fnUntraced(function* (before: Device, sent: Change, by: string) {
    const { hostname } = sent.fields
    yield* permitHere([before])
    yield* requireTrustForLogin(before, sent.fields)
    if (saysWhichSwitch(before, sent)) yield* permitted({ beyond: true })
    // a rename is checked before the other fields
    if (hostname !== undefined && hostname !== before.hostname) yield* rename.allow(before, hostname)
    const { state, ...others } = yield* withSite(withoutImpossible(sent, before))
    const asked = { ...before, ...others, state: state ?? before.state }
    if (isOtherDevice(before, asked)) yield* identities.requireIdle(before)
    const taken = yield* identities.takeOver({ id: before.id, state: asked.state, fields: others })
    yield* requireTrustForTakeover(taken)
    const after = yield* devices.update(before.id, others)
    const wanted = { ...after, state: asked.state }
    if (isMoved(before, wanted)) yield* access.allow(wanted)
    // a new name or type can move a device to another team
    yield* permitHere([{ ...after, state: before.state }])
    if (others.synchronized === true) yield* events.clear([before.hostname])
    if (after.hostname !== before.hostname) yield* rename.follow(before, after.hostname, by)
    if (state === undefined) return { device: yield* devices.get(before.id), taken }
    const { device } = yield* states.apply(before.id, { type: "OPERATOR_SET", state }, { by, jobId: null })
    return { device, taken }
  })

  return Effect.fn("DeviceChange.change")((id: number, sent: Change, by: string) =>
    inTransaction(Effect.flatMap(devices.lock(id), (before) => change(before, sent, by)))
  )
})

// POST /device (docs/api.md#creating-a-device).

const PLATFORM = `Device platform not specified or not known (must be any of: ${platforms.join(", ")})`

/**
 * Creates a device from a request body. Yields it with the addresses that it took over from other records. Fails with 400 and a list of
 * faults, with HostnameTaken, or with IdentityTaken.
 */
export const makeDeviceCreation = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const withSite = yield* makeSiteRule
  const automatic = yield* makeAutomaticAddresses
  const inTransaction = yield* transaction
  const room = yield* makeRoom
  const unknown = yield* makeUnknownDevices
  const access = yield* ManagementAccess
  const identities = yield* UniqueFieldStore
  return Effect.fn("DeviceCreation.create")(function* (sent: typeof NewDevice.checked.Type) {
    yield* requireTrustForLogin(null, sent.fields)
    const fields = yield* withSite(withoutImpossible(sent, null))
    const { hostname } = fields
    if ((yield* devices.byHostnames([hostname])).length > 0) return yield* new HostnameTaken({ hostname })
    if (fields.platform === null) return yield* refuse(PLATFORM)
    return yield* inTransaction(
      Effect.gen(function* () {
        const device = { ...fields, ...(yield* automatic(fields)) }
        yield* access.allow({ management_ip: null, dhcp_ip: null, ...device })
        const taken = yield* identities.takeOver({ id: null, state: device.state, fields: device })
        yield* requireTrustForTakeover(taken)
        if (!isUnknown(device)) return { device: yield* devices.insert(device), taken }
        yield* room
        return { device: yield* Effect.tap(devices.insert(device), ({ id }) => unknown.register(id)), taken }
      })
    )
  })
})

// Automatic addresses of CORE and DIST devices (docs/api.md#automatic-addresses).

type Addresses = Pick<DeviceFields, "management_ip" | "infra_ip">

/** `underlay` of the CORE settings: the pools of addresses and link networks. Fails with 400 without settings. */
export const underlayOf = Effect.map(Effect.service(SettingsView), (settings) =>
  settings.effective({ _tag: "DeviceType", device_type: "CORE" }).pipe(
    Effect.catchTag("SettingsUnavailable", ({ message }) =>
      Effect.fail(new BadRequest({ message: [`Error getting settings: ${message}`] }))
    ),
    Effect.map((effective) => {
      const { underlay } = effective.settings
      return (name: "mgmt_lo_net" | "infra_lo_net" | "infra_link_net"): string | null => {
        const value = isObject(underlay) ? underlay[name] : undefined
        return typeof value === "string" ? value : null
      }
    })
  )
)

const choose = (setting: "mgmt_lo_net" | "infra_lo_net", network: string | null, taken: Iterable<string>) =>
  Result.match(allocateLoopback(setting, network, taken), {
    onSuccess: ({ ip }) => Effect.succeed<string | null>(ip),
    onFailure: (error) =>
      error._tag === "NoFreeAddress"
        ? Effect.succeed<string | null>(null)
        : Effect.fail(new BadRequest({ message: [error.message] }))
  })

/**
 * Allocates missing addresses in the caller's transaction, which then holds the lock on allocation. A full network leaves the field null; a
 * missing setting is 400.
 */
const makeAutomaticAddresses = Effect.gen(function* () {
  const waitForAllocation = yield* allocationLock
  const { reservations } = yield* NetworkStore
  const underlay = yield* underlayOf
  return Effect.fn("AutomaticAddresses.fill")(function* (given: Partial<DeviceFields>) {
    const management = given.management_ip ?? null
    const infra = given.infra_ip ?? null
    if (!isFabricType(given.device_type) || (management !== null && infra !== null)) return {}
    yield* waitForAllocation
    const network = yield* underlay
    return {
      management_ip:
        management ?? (yield* choose("mgmt_lo_net", network("mgmt_lo_net"), yield* reservations.takenAddresses)),
      infra_ip: infra ?? (yield* choose("infra_lo_net", network("infra_lo_net"), yield* reservations.takenAddresses))
    } satisfies Addresses
  })
})
