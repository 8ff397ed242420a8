/**
 * Applies an event to a device row with the transition function of the device's statechart: the new state and what has to be
 * done, or the rule that forbids it with a sentence.
 */
import { transition } from "xstate"
import type { DeviceAction, DeviceEvent, LifecycleDevice } from "./DeviceEvents.ts"
import type { DeviceState } from "./DeviceLifecycle.ts"
import { deviceMachine, liveSnapshot } from "./DeviceMachine.ts"
import { type Refusal, refusedRule } from "../Refusal.ts"

/** The event changed the row: its new state, and what to do in the same transaction, in order. */
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

/** Why an event is refused that the state does not know. */
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
