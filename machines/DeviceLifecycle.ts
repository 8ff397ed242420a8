/**
 * The life of a switch from its first DHCP lease to MANAGED and beyond (specification "Device state", contract
 * `engine.md` §5.1). The machine does nothing itself: what has to happen with a transition comes out as data, so that the
 * store can apply an event under the row's lock and record the actions in the same transaction. Entering MANAGED from INIT
 * is the only thing that calls the plugins' `new_managed_device`.
 */
import { enqueueActions, setup, transition } from "xstate"
import { expectedInThisState, refusedRule, type Refused } from "./Refusal.ts"

/** The states of the specification, in its order. */
export const deviceStates = [
  "UNKNOWN",
  "PRE_CONFIGURED",
  "DHCP_BOOT",
  "DISCOVERED",
  "INIT",
  "MANAGED",
  "MANAGED_NOIF",
  "UNMANAGED"
] as const
export type DeviceState = (typeof deviceStates)[number]

/** The columns of the device row that rules look at or actions repeat; the whole row may be given. */
export interface LifecycleDevice {
  readonly state: DeviceState
  readonly hostname: string
  readonly device_type: string
  readonly ztp_mac: string | null
  readonly dhcp_ip: string | null
  readonly management_ip: string | null
}

/** What a device tells about itself at a login. */
export interface PresentedFacts {
  readonly hostname: string
  readonly serial_number: string
  readonly vendor: string
  readonly model: string
  readonly os_version: string
}

/** The outcome of pushing the base configuration: which address answered afterwards, and what to store when it moved. */
export interface InitPushed {
  readonly newAddressAnswers: boolean
  readonly oldAddressAnswers: boolean
  /** The name that the row had before step 1, put back when the device did not move. */
  readonly previousHostname: string
  readonly device_type: string
  readonly management_ip: string
  readonly secondary_management_ip: string | null
  /** Loopback address of a fabric device, null for access. */
  readonly infra_ip: string | null
  /** Network of the management gateway as CIDR; null for fabric devices. */
  readonly ipv4_network: string | null
  readonly step2DelaySeconds: number
}

export type DeviceEvent =
  | { readonly type: "DHCP_LEASE"; readonly dhcp_ip: string }
  | { readonly type: "DISCOVERY_SUCCEEDED"; readonly dhcp_ip: string; readonly facts: PresentedFacts }
  | {
      readonly type: "DISCOVERY_FAILED"
      readonly dhcp_ip: string
      /** Number of the attempt that failed, from 1, and how many there are. */
      readonly attempt: number
      readonly attempts: number
    }
  | ({ readonly type: "INIT_STEP1_PUSHED" } & InitPushed)
  | { readonly type: "INIT_STEP1_FAILED"; readonly previousHostname: string }
  | { readonly type: "INIT_STEP2_DONE"; readonly facts: PresentedFacts }
  | { readonly type: "INIT_STEP2_FAILED"; readonly attempt: number; readonly attempts: number }
  | { readonly type: "OPERATOR_SET"; readonly state: DeviceState }
  | { readonly type: "RESTORED_OLD_CONFIG" }
  | { readonly type: "LIVE_APPLY_CONFIG" }
  | {
      readonly type: "REPLACED"
      readonly ztp_mac: string | null
      readonly serial: string | null
      readonly model: string | null
      readonly dhcp_ip: string | null
    }

/** Columns of the device row to write; absent ones stay. */
export interface DevicePatch {
  readonly hostname?: string
  readonly device_type?: string
  readonly ztp_mac?: string | null
  readonly serial?: string | null
  readonly vendor?: string
  readonly model?: string | null
  readonly os_version?: string
  readonly dhcp_ip?: string | null
  readonly management_ip?: string | null
  readonly secondary_management_ip?: string | null
  readonly infra_ip?: string | null
  readonly confhash?: null
  readonly synchronized?: boolean
}

export type PluginCall =
  | {
      readonly hook: "allocated_ipv4"
      readonly vrf: string
      readonly ipv4_address: string
      readonly ipv4_network: string | null
      readonly hostname: string
    }
  | {
      readonly hook: "new_managed_device"
      readonly hostname: string
      readonly device_type: string
      readonly serial_number: string
      readonly vendor: string
      readonly model: string
      readonly os_version: string
      readonly management_ip: string
    }

/** Parameters of every action, by its type. All are done in the transaction of the event, or recorded in it and run once. */
export type DeviceActions = {
  readonly setFields: DevicePatch
  /** last_seen := now. */
  readonly touchLastSeen: undefined
  readonly recordSyncEvent: { readonly cause: "device_init" | "was_unmanaged" | "apply_config" }
  readonly dropSyncEvents: undefined
  readonly runPlugins: PluginCall
  readonly scheduleDiscovery: { readonly dhcp_ip: string; readonly attempt: number }
  readonly scheduleInitStep2: { readonly attempt: number; readonly delaySeconds: number }
  /** Links of the device deleted, its ACCESS_UPLINK ports back to ACCESS_AUTO with data `{}` (§5.12.15). */
  readonly undoInitLinks: undefined
  readonly releaseReservations: undefined
  /** Both management addresses of the row become reservations of its id before they are cleared. */
  readonly reserveManagementAddresses: undefined
  readonly publishDevice: undefined
}

/** One thing to do with a transition: its type and its parameters (none for those without). */
export type DeviceAction = {
  [K in keyof DeviceActions]: { readonly type: K; readonly params: DeviceActions[K] }
}[keyof DeviceActions]

/** Seconds between the first and the second attempt of step 2 (§5.13). */
export const INIT_STEP2_RETRY_SECONDS = 30

const factFields = (facts: PresentedFacts): DevicePatch => ({
  serial: facts.serial_number.slice(0, 64),
  vendor: facts.vendor.slice(0, 64),
  model: facts.model.slice(0, 64),
  os_version: facts.os_version.slice(0, 64)
})

const isIpv4 = (address: string): boolean => !address.includes(":")

const nothing = (): void => {}

const base = setup({
  types: {
    context: {} as LifecycleDevice,
    input: {} as LifecycleDevice,
    events: {} as DeviceEvent
  },
  actions: {
    setFields: (_, _params: DeviceActions["setFields"]) => {},
    touchLastSeen: nothing,
    recordSyncEvent: (_, _params: DeviceActions["recordSyncEvent"]) => {},
    dropSyncEvents: nothing,
    runPlugins: (_, _params: DeviceActions["runPlugins"]) => {},
    scheduleDiscovery: (_, _params: DeviceActions["scheduleDiscovery"]) => {},
    scheduleInitStep2: (_, _params: DeviceActions["scheduleInitStep2"]) => {},
    undoInitLinks: nothing,
    releaseReservations: nothing,
    reserveManagementAddresses: nothing,
    publishDevice: nothing
  },
  guards: {
    addressChanged: ({ context, event }) => event.type === "DHCP_LEASE" && event.dhcp_ip !== context.dhcp_ip,
    attemptsRemain: ({ event }) => "attempt" in event && event.attempt < event.attempts,
    /** Silence on both addresses counts as moved: only an answer on the old address alone proves the opposite. */
    leftOldAddress: ({ event }) =>
      event.type === "INIT_STEP1_PUSHED" && (event.newAddressAnswers || !event.oldAddressAnswers),
    answersOnlyOnOldAddress: ({ event }) =>
      event.type === "INIT_STEP1_PUSHED" && event.oldAddressAnswers && !event.newAddressAnswers,
    hostnameMatches: ({ context, event }) =>
      event.type === "INIT_STEP2_DONE" && event.facts.hostname !== "" && event.facts.hostname === context.hostname,
    operatorWants: ({ event }, params: { readonly state: DeviceState }) =>
      event.type === "OPERATOR_SET" && event.state === params.state
  }
})

const publish = { type: "publishDevice" } as const
const seen = { type: "touchLastSeen" } as const
const unsynchronized = { type: "setFields", params: { synchronized: false } } as const

const staysAtOldAddress = [
  {
    type: "setFields",
    params: ({ event }: { readonly event: { readonly previousHostname: string } }) => ({
      hostname: event.previousHostname
    })
  },
  { type: "undoInitLinks" },
  { type: "releaseReservations" },
  publish
] as const

const leavesConfigPush = {
  target: "#device.UNMANAGED",
  actions: [unsynchronized, { type: "recordSyncEvent", params: { cause: "apply_config" } }, publish]
} as const

const operatorSets = deviceStates.map((state) => ({
  guard: { type: "operatorWants", params: { state } },
  target: `.${state}`,
  actions: state === "UNMANAGED" ? [unsynchronized, { type: "dropSyncEvents" }, publish] : [publish]
}) as const)

const dhcpBoot = base.createStateConfig({
  on: {
    DHCP_LEASE: {
      actions: [
        {
          type: "scheduleDiscovery",
          params: ({ event }: { readonly event: { readonly dhcp_ip: string } }) => ({
            dhcp_ip: event.dhcp_ip,
            attempt: 1
          })
        }
      ]
    }
  }
})
