/** A switch on its way through the device states, and what it says. */
import { applyDeviceEvent } from "../../../machines/device/DeviceMachine.ts"
import type {
  DeviceAction,
  DeviceEvent,
  DeviceState,
  InitPushed,
  LifecycleDevice
} from "../../../machines/device/DeviceEvents.ts"

export const device = (state: DeviceState): LifecycleDevice => ({
  state,
  hostname: "acc-b2-07",
  device_type: "ACCESS",
  ztp_mac: "0C1A33BEEF01",
  dhcp_ip: "10.90.0.23",
  management_ip: "10.0.6.9"
})

export const facts = {
  hostname: "acc-b2-07",
  serial_number: "WTW22190555",
  vendor: "Arista",
  model: "CCS-720XP-48Y6-F",
  os_version: "4.31.4M"
}

export const pushed: InitPushed = {
  newAddressAnswers: true,
  oldAddressAnswers: false,
  previousHostname: "mac-0C1A33BEEF01",
  device_type: "ACCESS",
  management_ip: "10.0.6.9",
  secondary_management_ip: null,
  infra_ip: null,
  ipv4_network: "10.0.6.0/24",
  step2DelaySeconds: 60
}

export const apply = (state: DeviceState, event: DeviceEvent) => applyDeviceEvent(device(state), event)

export const applied = (state: DeviceState, event: DeviceEvent) => {
  const outcome = apply(state, event)
  if (outcome._tag === "Refused") throw new Error(outcome.message)
  return outcome
}

export const types = (actions: ReadonlyArray<DeviceAction>) => actions.map(({ type }) => type)

export const fieldsOf = (actions: ReadonlyArray<DeviceAction>) =>
  Object.assign({}, ...actions.flatMap((action) => (action.type === "setFields" ? [action.params] : [])))

export const attempt = { attempt: 1, attempts: 3 }

/** Rows of the state tables: what happens, from where, with which event, to where. */
export const rows: ReadonlyArray<readonly [string, DeviceState, DeviceEvent, DeviceState]> = [
  [
    "a discovery that can log in",
    "DHCP_BOOT",
    { type: "DISCOVERY_SUCCEEDED", dhcp_ip: "10.90.0.24", facts },
    "DISCOVERED"
  ],
  [
    "a discovery that cannot log in",
    "DHCP_BOOT",
    { type: "DISCOVERY_FAILED", dhcp_ip: "10.90.0.23", ...attempt },
    "DHCP_BOOT"
  ],
  ["a lease of a booted device", "DHCP_BOOT", { type: "DHCP_LEASE", dhcp_ip: "10.90.0.23" }, "DHCP_BOOT"],
  ["a lease with another address", "DISCOVERED", { type: "DHCP_LEASE", dhcp_ip: "10.90.0.99" }, "DISCOVERED"],
  ["step 1 with the old address silent", "DISCOVERED", { type: "INIT_STEP1_PUSHED", ...pushed }, "INIT"],
  [
    "step 1 with both addresses answering",
    "DISCOVERED",
    { type: "INIT_STEP1_PUSHED", ...pushed, oldAddressAnswers: true },
    "INIT"
  ],
  [
    "step 1 with both addresses silent",
    "DISCOVERED",
    { type: "INIT_STEP1_PUSHED", ...pushed, newAddressAnswers: false },
    "INIT"
  ],
  [
    "step 1 with only the old address answering",
    "DISCOVERED",
    { type: "INIT_STEP1_PUSHED", ...pushed, newAddressAnswers: false, oldAddressAnswers: true },
    "DISCOVERED"
  ],
  [
    "step 1 that failed",
    "DISCOVERED",
    { type: "INIT_STEP1_FAILED", previousHostname: "mac-0C1A33BEEF01" },
    "DISCOVERED"
  ],
  ["step 2 with the right hostname", "INIT", { type: "INIT_STEP2_DONE", facts }, "MANAGED"],
  ["step 2 that cannot log in", "INIT", { type: "INIT_STEP2_FAILED", attempt: 1, attempts: 2 }, "INIT"],
  ["step 2 that cannot log in again", "INIT", { type: "INIT_STEP2_FAILED", attempt: 2, attempts: 2 }, "INIT"],
  ["restoring an old configuration", "MANAGED", { type: "RESTORED_OLD_CONFIG" }, "UNMANAGED"],
  ["applying a configuration by hand", "MANAGED", { type: "LIVE_APPLY_CONFIG" }, "UNMANAGED"],
  ["applying a configuration by hand once more", "UNMANAGED", { type: "LIVE_APPLY_CONFIG" }, "UNMANAGED"],
  [
    "replacing a broken switch",
    "UNMANAGED",
    { type: "REPLACED", ztp_mac: "0C1A33BEEF02", serial: "S2", model: "M", platform: "eos", dhcp_ip: "10.90.0.30" },
    "DISCOVERED"
  ]
]
