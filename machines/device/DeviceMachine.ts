/**
 * The statechart of a device: its life, and beside it what it is doing. It does one thing at a time: a call begins only in
 * `idle`. A change is a child actor, which lives as long as the device is `changing`. A live actor is started from the row with
 * `liveSnapshot`; the same chart, without an actor, decides about events of the device's life (`DeviceDecision.ts`).
 */
import { emit, type SnapshotFrom } from "xstate"
import type { LifecycleDevice } from "./DeviceEvents.ts"
import { life } from "./DeviceLifecycle.ts"
import { device } from "./DeviceSetup.ts"

const begin = <S extends string>(target: S) => ({ target, actions: "startCall" }) as const

/** A call that works on the device itself and says when it has ended. */
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

/** What the device may be doing. */
export const activities = ["idle", "reading", "changing", "operating", "upgrading"] as const
export type Activity = (typeof activities)[number]

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
    // the whole row may have been given; an actor keeps no more of it than it looks at
    context: { device: { state, hostname, device_type, ztp_mac, dhcp_ip, management_ip }, call: null }
  })
