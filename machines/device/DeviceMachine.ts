/**
 * The statechart of a device: its life and, in parallel, its activity. It does one thing at a time: a call begins only in `idle`. A
 * change is a child actor, which lives as long as the device is `changing`. A live actor starts from the row with `liveSnapshot`;
 * without an actor `applyDeviceEvent` applies an event to a row: the new state and the actions, or the rule that forbids it.
 */
import { emit, type SnapshotFrom, transition } from "xstate"
import type { DeviceAction, DeviceEvent, DeviceState, LifecycleDevice } from "./DeviceEvents.ts"
import { device, life } from "./DeviceLifecycle.ts"
import { type Refusal, refusedRule } from "../StepLogic.ts"

const begin = <S extends string>(target: S) => ({ target, actions: "startCall" }) as const

/** A call that works on the device and reports its end. */
const busy = { exit: "endCall", on: { CALL_ENDED: "idle" } } as const

const activity = device.createStateConfig({
  initial: "idle",
  states: {
    idle: {
      on: {
        READ: begin("reading"),
        OPERATE: begin("operating"),
        UPGRADE: begin("upgrading"),
        CHANGE: begin("changing")
      }
    },
    reading: busy,
    operating: busy,
    upgrading: busy,
    changing: {
      ...busy,
      invoke: {
        id: "change",
        src: "change",
        input: ({ event }) => {
          if (event.type !== "CHANGE") throw new Error(`No change begins with ${event.type}`)
          return event.change
        },
        onDone: { target: "idle", actions: emit(({ event }) => ({ type: "CHANGE_ENDED", ...event.output }) as const) },
        onError: {
          target: "idle",
          actions: emit(({ event }) => ({ type: "CHANGE_FAILED", error: event.error }) as const)
        }
      }
    }
  }
})

export const deviceMachine = device.createMachine({
  id: "device",
  type: "parallel",
  context: ({ input }) => ({ device: input, call: null }),
  states: { life, activity }
})

export type DeviceSnapshot = SnapshotFrom<typeof deviceMachine>

/** The activities of a device. */
export const activities = ["idle", "reading", "changing", "operating", "upgrading"] as const

/** The snapshot of a device that does nothing, from its row. */
export const liveSnapshot = ({
  state,
  hostname,
  device_type,
  ztp_mac,
  dhcp_ip,
  management_ip
}: LifecycleDevice): DeviceSnapshot =>
  deviceMachine.resolveState({
    value: { life: state, activity: "idle" },
    // the whole row may be given; an actor keeps only the fields that it needs
    context: { device: { state, hostname, device_type, ztp_mac, dhcp_ip, management_ip }, call: null }
  })

// Applies an event to a device row with the transition function of the device's statechart: the new state and the actions, or the
// rule that forbids it with a sentence.

/** The event changed the row: its new state, and the actions for the same transaction, in order. */
export interface Transition {
  readonly _tag: "Applied"
  readonly state: DeviceState
  readonly actions: ReadonlyArray<DeviceAction>
}

interface AnyAction {
  readonly type: string
  readonly params?: unknown
}

// The machine's own setup has checked the parameters; anything else that xstate may emit starts with "xstate.".
const isDeviceAction = (action: AnyAction): action is DeviceAction => !action.type.startsWith("xstate.")

/** The sentence for an event that the state does not know. */
const unexpected = (device: LifecycleDevice, event: DeviceEvent): string => {
  switch (event.type) {
    case "DISCOVERY_SUCCEEDED":
    case "DISCOVERY_FAILED":
      return `Device with ztp_mac ${device.ztp_mac} is in incorrect state: ${device.state}`
    case "INIT_STEP1_PUSHED":
    case "INIT_STEP1_FAILED":
      return "Device must be in state DISCOVERED to begin init"
    case "INIT_STEP2_DONE":
    case "INIT_STEP2_FAILED":
      return "Device must be in state INIT to continue init step 2"
    case "RESTORED_OLD_CONFIG":
    case "LIVE_APPLY_CONFIG":
      return `Device ${device.hostname} is in invalid state: ${device.state}`
    case "REPLACED":
      return `Device ${device.hostname} not in UNMANAGED state`
    default:
      return `Device ${device.hostname} in state ${device.state} takes no ${event.type}`
  }
}

const sentence = (rule: string, device: LifecycleDevice, event: DeviceEvent): string => {
  if (rule === "addressChanged") return `Device ${device.hostname} has this DHCP address already`
  if (rule !== "hostnameMatches" || event.type !== "INIT_STEP2_DONE") return unexpected(device, event)
  if (event.facts.hostname === null) return "Newly initialized device does not say its hostname (show hostname)"
  return event.facts.hostname === ""
    ? "Could not log in to device during init step 2"
    : "Newly initialized device presents wrong hostname"
}

/**
 * Applies one event to a device row: the new state and the actions to carry out, or the rule that refuses it. Pure; call
 * it with the locked row and write the outcome in the same transaction.
 */
export const applyDeviceEvent = (device: LifecycleDevice, event: DeviceEvent): Transition | Refusal => {
  const snapshot = liveSnapshot(device)
  const rule = refusedRule(snapshot, event)
  if (rule !== null) return { _tag: "Refused", rule, message: sentence(rule, device, event) }
  const [next, actions] = transition(deviceMachine, snapshot, event)
  const plain: ReadonlyArray<AnyAction> = actions.map(({ type, params }) =>
    params === undefined ? { type } : { type, params }
  )
  return { _tag: "Applied", state: next.value.life, actions: plain.filter(isDeviceAction) }
}
