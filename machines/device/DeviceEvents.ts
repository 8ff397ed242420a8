/**
 * The events of a device and their actions as data: the vocabulary of `DeviceLifecycle.ts`. Field names are those of the device
 * record.
 */
/** The states. */
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

/** The facts that a device reports at a login; null for a missing one. */
export interface PresentedFacts {
  readonly hostname: string | null
  readonly serial_number: string | null
  readonly vendor: string
  readonly model: string | null
  readonly os_version: string | null
}

/** The outcome of pushing the base configuration: which address answered afterwards, and what to store when it moved. */
export interface InitPushed {
  readonly newAddressAnswers: boolean
  readonly oldAddressAnswers: boolean
  /** The name of the row before step 1, restored if the device did not move. */
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
      readonly platform: string | null
      readonly dhcp_ip: string | null
    }

/** Columns of the device row to write; absent ones stay. */
export interface DevicePatch {
  readonly hostname?: string
  readonly device_type?: string
  readonly ztp_mac?: string | null
  readonly serial?: string | null
  readonly platform?: string | null
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
  /**
   * Links of the device deleted, its ACCESS_UPLINK ports back to ACCESS_AUTO with data `{}`
   * (docs/provisioning.md#moving-to-the-new-address).
   */
  readonly undoInitLinks: undefined
  readonly releaseReservations: undefined
  /** Both management addresses of the row become reservations of its id before they are cleared. */
  readonly reserveManagementAddresses: undefined
}

/** One thing to do with a transition. Plain JSON. */
export type DeviceAction = {
  [K in keyof DeviceActions]: DeviceActions[K] extends undefined
    ? { readonly type: K; readonly params?: undefined }
    : { readonly type: K; readonly params: DeviceActions[K] }
}[keyof DeviceActions]
