/**
 * The life of a switch from its first DHCP lease to MANAGED and beyond (docs/concepts.md#device-states): the region `life` of the
 * device's statechart. It has no effects: the actions of a transition are data, so the store can apply an event under the row's
 * lock and record the actions in the same transaction. Only the transition from INIT to MANAGED calls the plugins'
 * `new_managed_device`. A live actor follows the row by ROW_READ.
 */
import { assign, enqueueActions, setup } from "xstate"
import {
  type DeviceActions,
  type DeviceEvent,
  type DevicePatch,
  type DeviceState,
  deviceStates,
  type LifecycleDevice,
  type PresentedFacts
} from "./DeviceEvents.ts"
import type { ChangeRow } from "../change/ChangeRow.ts"
import type { ChangeInput } from "../change/ChangeSetup.ts"
import { configChange } from "../change/ConfigChange.ts"

// The parts of a device's statechart: its row, the call that it serves, its rules and its actions. The regions are in
// `DeviceLifecycle.ts` and `DeviceMachine.ts`.

/** The call that a device serves: its name, its job, and its beginning (epoch milliseconds). */
export interface DeviceCall {
  readonly name: string
  readonly job: number | null
  readonly since: number
}

export interface DeviceContext {
  /** The row that was read last. */
  readonly device: LifecycleDevice
  /** Null while the device is idle. */
  readonly call: DeviceCall | null
}

/** Events that a live actor receives in addition to the events of the device's life. */
export type ActivityEvent =
  /** The row in the database, which is authoritative. */
  | { readonly type: "ROW_READ"; readonly device: LifecycleDevice }
  | { readonly type: "READ" | "OPERATE" | "UPGRADE"; readonly call: DeviceCall }
  | { readonly type: "CHANGE"; readonly call: DeviceCall; readonly change: ChangeInput }
  | { readonly type: "CALL_ENDED" }

/** News that a live actor sends to the caller that asked for the change. */
export type DeviceNews =
  | { readonly type: "CHANGE_ENDED"; readonly row: ChangeRow; readonly failure: string | null }
  | { readonly type: "CHANGE_FAILED"; readonly error: unknown }

// Actions are data for the caller: the machine only declares their names and the types of their parameters.
const asData =
  <K extends keyof DeviceActions>(_type: K) =>
  (_info: unknown, _params: DeviceActions[K]): void => {}

export const device = setup({
  types: {
    context: {} as DeviceContext,
    input: {} as LifecycleDevice,
    events: {} as DeviceEvent | ActivityEvent,
    emitted: {} as DeviceNews
  },
  actors: { change: configChange },
  actions: {
    setFields: asData("setFields"),
    touchLastSeen: asData("touchLastSeen"),
    recordSyncEvent: asData("recordSyncEvent"),
    dropSyncEvents: asData("dropSyncEvents"),
    runPlugins: asData("runPlugins"),
    scheduleDiscovery: asData("scheduleDiscovery"),
    scheduleInitStep2: asData("scheduleInitStep2"),
    undoInitLinks: asData("undoInitLinks"),
    releaseReservations: asData("releaseReservations"),
    reserveManagementAddresses: asData("reserveManagementAddresses"),
    adoptRow: assign(({ context, event }) => ({
      device: event.type === "ROW_READ" ? event.device : context.device
    })),
    startCall: assign(({ event }) => ({ call: "call" in event ? event.call : null })),
    endCall: assign({ call: null })
  },
  guards: {
    addressChanged: ({ context, event }) => event.type === "DHCP_LEASE" && event.dhcp_ip !== context.device.dhcp_ip,
    attemptsRemain: ({ event }) => "attempt" in event && event.attempt < event.attempts,
    /** Silence on both addresses counts as moved: only an answer on the old address alone proves the opposite. */
    leftOldAddress: ({ event }) =>
      event.type === "INIT_STEP1_PUSHED" && (event.newAddressAnswers || !event.oldAddressAnswers),
    hostnameMatches: ({ context, event }) =>
      event.type === "INIT_STEP2_DONE" &&
      event.facts.hostname !== "" &&
      event.facts.hostname === context.device.hostname,
    operatorWants: ({ event }, params: { readonly state: DeviceState }) =>
      event.type === "OPERATOR_SET" && event.state === params.state,
    rowSays: ({ event }, params: { readonly state: DeviceState }) =>
      event.type === "ROW_READ" && event.device.state === params.state
  }
})

/** Seconds between the first and the second attempt of step 2 (docs/provisioning.md#step-2). */
export const INIT_STEP2_RETRY_SECONDS = 30

/** Width in characters of the columns that facts are stored in. */
const FACT_WIDTH = 64

/** Facts that a device does not report keep their stored value. */
const factFields = ({ model, os_version, serial_number, vendor }: PresentedFacts): DevicePatch => ({
  vendor: vendor.slice(0, FACT_WIDTH),
  ...(serial_number !== null && { serial: serial_number.trim().slice(0, FACT_WIDTH) }),
  ...(model !== null && { model: model.slice(0, FACT_WIDTH) }),
  ...(os_version !== null && { os_version: os_version.slice(0, FACT_WIDTH) })
})

const isIpv4 = (address: string): boolean => !address.includes(":")

const unsynchronized = { type: "setFields", params: { synchronized: false } } as const
const appliedByHand = [unsynchronized, { type: "recordSyncEvent", params: { cause: "apply_config" } }] as const
const unmanaged = [unsynchronized, { type: "dropSyncEvents" }] as const
const notMoved = [{ type: "undoInitLinks" }, { type: "releaseReservations" }] as const

export const life = device.createStateConfig({
  initial: "DHCP_BOOT",
  on: {
    OPERATOR_SET: deviceStates.map((state) => ({
      guard: { type: "operatorWants", params: { state } } as const,
      target: `.${state}` as const,
      actions: state === "UNMANAGED" ? unmanaged : []
    })),
    ROW_READ: deviceStates.map((state) => ({
      guard: { type: "rowSays", params: { state } } as const,
      target: `.${state}` as const,
      actions: "adoptRow" as const
    }))
  },
  states: {
    UNKNOWN: {},
    PRE_CONFIGURED: {},
    DHCP_BOOT: {
      on: {
        DHCP_LEASE: {
          actions: { type: "scheduleDiscovery", params: ({ event }) => ({ dhcp_ip: event.dhcp_ip, attempt: 1 }) }
        },
        DISCOVERY_SUCCEEDED: {
          target: "DISCOVERED",
          actions: [
            { type: "setFields", params: ({ event }) => ({ ...factFields(event.facts), dhcp_ip: event.dhcp_ip }) },
            { type: "touchLastSeen" }
          ]
        },
        DISCOVERY_FAILED: [
          {
            guard: "attemptsRemain",
            actions: [
              { type: "setFields", params: ({ event }) => ({ dhcp_ip: event.dhcp_ip }) },
              {
                type: "scheduleDiscovery",
                params: ({ event }) => ({ dhcp_ip: event.dhcp_ip, attempt: event.attempt + 1 })
              }
            ]
          },
          { actions: { type: "setFields", params: ({ event }) => ({ dhcp_ip: event.dhcp_ip }) } }
        ]
      }
    },
    DISCOVERED: {
      on: {
        DHCP_LEASE: {
          guard: "addressChanged",
          actions: [{ type: "setFields", params: ({ event }) => ({ dhcp_ip: event.dhcp_ip }) }]
        },
        INIT_STEP1_PUSHED: [
          {
            guard: "leftOldAddress",
            target: "INIT",
            actions: [
              {
                type: "setFields",
                params: ({ event }) => ({
                  device_type: event.device_type,
                  management_ip: event.management_ip,
                  secondary_management_ip: event.secondary_management_ip,
                  ...(event.infra_ip === null ? {} : { infra_ip: event.infra_ip })
                })
              },
              { type: "releaseReservations" },
              enqueueActions(({ context, enqueue, event }) => {
                if (!isIpv4(event.management_ip)) return
                const params = {
                  hook: "allocated_ipv4",
                  vrf: "mgmt",
                  ipv4_address: event.management_ip,
                  ipv4_network: event.ipv4_network,
                  hostname: context.device.hostname
                } as const
                enqueue({ type: "runPlugins", params })
              }),
              {
                type: "scheduleInitStep2",
                params: ({ event }) => ({ attempt: 1, delaySeconds: event.step2DelaySeconds })
              }
            ]
          },
          {
            actions: [{ type: "setFields", params: ({ event }) => ({ hostname: event.previousHostname }) }, ...notMoved]
          }
        ],
        INIT_STEP1_FAILED: {
          actions: [{ type: "setFields", params: ({ event }) => ({ hostname: event.previousHostname }) }, ...notMoved]
        }
      }
    },
    INIT: {
      on: {
        INIT_STEP2_DONE: {
          guard: "hostnameMatches",
          target: "MANAGED",
          actions: [
            {
              type: "setFields",
              params: ({ event }) => ({ ...factFields(event.facts), synchronized: false, dhcp_ip: null })
            },
            { type: "touchLastSeen" },
            { type: "recordSyncEvent", params: { cause: "device_init" } },
            {
              type: "runPlugins",
              params: ({ context, event }) => ({
                hook: "new_managed_device",
                hostname: context.device.hostname,
                device_type: context.device.device_type,
                serial_number: event.facts.serial_number ?? "",
                vendor: event.facts.vendor,
                model: event.facts.model ?? "",
                os_version: event.facts.os_version ?? "",
                management_ip: context.device.management_ip ?? ""
              })
            }
          ]
        },
        INIT_STEP2_FAILED: [
          {
            guard: "attemptsRemain",
            actions: {
              type: "scheduleInitStep2",
              params: ({ event }) => ({ attempt: event.attempt + 1, delaySeconds: INIT_STEP2_RETRY_SECONDS })
            }
          },
          // stays in its state; a transition needs a target or an action
          { target: "INIT" }
        ]
      }
    },
    MANAGED: {
      on: {
        OPERATOR_SET: {
          guard: { type: "operatorWants", params: { state: "UNMANAGED" } },
          target: "UNMANAGED",
          actions: [
            unsynchronized,
            { type: "dropSyncEvents" },
            { type: "recordSyncEvent", params: { cause: "was_unmanaged" } }
          ]
        },
        RESTORED_OLD_CONFIG: { target: "UNMANAGED", actions: appliedByHand },
        LIVE_APPLY_CONFIG: { target: "UNMANAGED", actions: appliedByHand }
      }
    },
    MANAGED_NOIF: {},
    UNMANAGED: {
      on: {
        RESTORED_OLD_CONFIG: { actions: appliedByHand },
        LIVE_APPLY_CONFIG: { actions: appliedByHand },
        REPLACED: {
          target: "DISCOVERED",
          actions: [
            { type: "reserveManagementAddresses" },
            {
              type: "setFields",
              params: ({ event }) => ({
                ztp_mac: event.ztp_mac,
                serial: event.serial,
                model: event.model,
                platform: event.platform,
                dhcp_ip: event.dhcp_ip,
                management_ip: null,
                secondary_management_ip: null,
                confhash: null
              })
            }
          ]
        }
      }
    }
  }
})
