/**
 * The life of a switch from its first DHCP lease to MANAGED and beyond (specification "Device state", contract
 * `engine.md` §5.1). The machine does nothing itself: what has to happen with a transition comes out as data, so that the
 * store can apply an event under the row's lock and record the actions in the same transaction. Entering MANAGED from INIT
 * is the only thing that calls the plugins' `new_managed_device`.
 */
import { enqueueActions, setup } from "xstate"
import type { DeviceActions, DeviceEvent, DevicePatch, LifecycleDevice, PresentedFacts } from "./DeviceEvents.ts"

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

/** Seconds between the first and the second attempt of step 2 (§5.13). */
export const INIT_STEP2_RETRY_SECONDS = 30

/** Width in characters of the columns that facts are stored in. */
const FACT_WIDTH = 64

const factFields = (facts: PresentedFacts): DevicePatch => ({
  serial: facts.serial_number.slice(0, FACT_WIDTH),
  vendor: facts.vendor.slice(0, FACT_WIDTH),
  model: facts.model.slice(0, FACT_WIDTH),
  os_version: facts.os_version.slice(0, FACT_WIDTH)
})

const isIpv4 = (address: string): boolean => !address.includes(":")

// Actions are data for the caller: the machine only declares their names and the types of their parameters.
const asData =
  <K extends keyof DeviceActions>(_type: K) =>
  (_info: unknown, _params: DeviceActions[K]): void => {}

const publish = { type: "publishDevice" } as const
const unsynchronized = { type: "setFields", params: { synchronized: false } } as const
const appliedByHand = [unsynchronized, { type: "recordSyncEvent", params: { cause: "apply_config" } }, publish] as const
const unmanaged = [unsynchronized, { type: "dropSyncEvents" }, publish] as const
const notMoved = [{ type: "undoInitLinks" }, { type: "releaseReservations" }, publish] as const

export const deviceLifecycle = setup({
  types: { context: {} as LifecycleDevice, input: {} as LifecycleDevice, events: {} as DeviceEvent },
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
    publishDevice: asData("publishDevice")
  },
  guards: {
    addressChanged: ({ context, event }) => event.type === "DHCP_LEASE" && event.dhcp_ip !== context.dhcp_ip,
    attemptsRemain: ({ event }) => "attempt" in event && event.attempt < event.attempts,
    /** Silence on both addresses counts as moved: only an answer on the old address alone proves the opposite. */
    leftOldAddress: ({ event }) =>
      event.type === "INIT_STEP1_PUSHED" && (event.newAddressAnswers || !event.oldAddressAnswers),
    hostnameMatches: ({ context, event }) =>
      event.type === "INIT_STEP2_DONE" && event.facts.hostname !== "" && event.facts.hostname === context.hostname,
    operatorWants: ({ event }, params: { readonly state: DeviceState }) =>
      event.type === "OPERATOR_SET" && event.state === params.state
  }
}).createMachine({
  id: "device",
  context: ({ input }) => input,
  initial: "DHCP_BOOT",
  on: {
    OPERATOR_SET: deviceStates.map((state) => ({
      guard: { type: "operatorWants", params: { state } } as const,
      target: `.${state}` as const,
      actions: state === "UNMANAGED" ? unmanaged : [publish]
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
            { type: "touchLastSeen" },
            publish
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
          actions: [{ type: "setFields", params: ({ event }) => ({ dhcp_ip: event.dhcp_ip }) }, publish]
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
                  hostname: context.hostname
                } as const
                enqueue({ type: "runPlugins", params })
              }),
              {
                type: "scheduleInitStep2",
                params: ({ event }) => ({ attempt: 1, delaySeconds: event.step2DelaySeconds })
              },
              publish
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
                hostname: context.hostname,
                device_type: context.device_type,
                serial_number: event.facts.serial_number,
                vendor: event.facts.vendor,
                model: event.facts.model,
                os_version: event.facts.os_version,
                management_ip: context.management_ip ?? ""
              })
            },
            publish
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
          { actions: publish }
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
            { type: "recordSyncEvent", params: { cause: "was_unmanaged" } },
            publish
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
            },
            publish
          ]
        }
      }
    }
  }
})
