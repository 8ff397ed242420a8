/**
 * What the statechart of a device is made of: its row, the call that it serves, its rules and its actions. The regions are in
 * `DeviceLifecycle.ts` and `DeviceMachine.ts`.
 */
import { assign, setup } from "xstate"
import type { ChangeRow } from "../change/ChangeRow.ts"
import type { ChangeInput } from "../change/ChangeSetup.ts"
import { configChange } from "../change/ConfigChange.ts"
import type { DeviceActions, DeviceEvent, LifecycleDevice } from "./DeviceEvents.ts"
import type { DeviceState } from "./DeviceLifecycle.ts"

/** What a device is asked to do: by which call, for which job, and since when (epoch milliseconds). */
export interface DeviceCall {
  readonly name: string
  readonly job: number | null
  readonly since: number
}

export interface DeviceContext {
  /** The row as it was read last. */
  readonly device: LifecycleDevice
  /** Null while the device is idle. */
  readonly call: DeviceCall | null
}

/** What a live actor hears beside the events of the device's life. */
export type ActivityEvent =
  /** The row as it is in the database, which counts. */
  | { readonly type: "ROW_READ"; readonly device: LifecycleDevice }
  | { readonly type: "READ" | "OPERATE" | "UPGRADE"; readonly call: DeviceCall }
  | { readonly type: "CHANGE"; readonly call: DeviceCall; readonly change: ChangeInput }
  | { readonly type: "CALL_ENDED" }

/** What a live actor tells whoever asked for the change. */
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
