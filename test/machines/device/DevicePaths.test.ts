/** All paths of the device machine, and random sequences of events. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { createTestModel } from "xstate/graph"
import { activities, applyDeviceEvent, deviceMachine } from "../../../machines/device/DeviceMachine.ts"
import { type DeviceEvent, deviceStates, type LifecycleDevice } from "../../../machines/device/DeviceEvents.ts"
import type { ActivityEvent } from "../../../machines/device/DeviceLifecycle.ts"
import { inputOf, newChange } from "../../../machines/change/ChangeDecision.ts"
import { placeOf } from "../../../machines/Chart.ts"
import { asEvents, standIns } from "../PathModel.ts"
import { device, facts, rows } from "./DeviceFixtures.ts"

const samples: ReadonlyArray<DeviceEvent> = [
  { type: "DHCP_LEASE", dhcp_ip: "10.90.0.23" },
  { type: "DHCP_LEASE", dhcp_ip: "10.90.0.99" },
  ...rows.map(([, , event]) => event),
  { type: "INIT_STEP2_DONE", facts: { ...facts, hostname: "localhost" } },
  { type: "RESTORED_OLD_CONFIG" },
  ...deviceStates.map((state) => ({ type: "OPERATOR_SET", state }) as const)
]

describe("all paths of the device machine", () => {
  const model = createTestModel(asEvents(deviceMachine))
  const paths = model.getShortestPaths({ events: samples, input: device("DHCP_BOOT") })

  it("reach every state", () => {
    expect(new Set(paths.map(({ state }) => state.value.life))).toEqual(new Set(deviceStates))
  })

  it.each(paths.map((path) => [path.description, path] as const))("%s", async (_name, path) => {
    let current: LifecycleDevice = device("DHCP_BOOT")
    const executor = ({ event }: { readonly event: DeviceEvent }) => {
      const outcome = applyDeviceEvent(current, event)
      if (outcome._tag === "Applied") current = { ...current, state: outcome.state }
    }
    const states = Object.fromEntries(deviceStates.map((state) => [state, () => expect(current.state).toBe(state)]))
    const events = Object.fromEntries(samples.map(({ type }) => [type, executor]))
    await path.test({ states, events })
  })
})

describe("the work of a device", () => {
  const call = { name: "ReadFacts", job: null, since: 0 }
  const row = newChange({
    mode: 1,
    dryRun: false,
    force: false,
    sessionName: "job412",
    expectedHash: null,
    timerSeconds: 60
  })
  const begins: ReadonlyArray<ActivityEvent> = [
    { type: "READ", call },
    { type: "OPERATE", call },
    { type: "UPGRADE", call },
    { type: "CHANGE", call, change: inputOf({ protocol: row, failure: null }) }
  ]
  const ends = [{ type: "CALL_ENDED" }, ...standIns(deviceMachine).map((type) => ({ type }))]
  const paths = createTestModel(asEvents(deviceMachine)).getShortestPaths({
    events: [...begins, ...ends],
    input: device("MANAGED"),
    serializeState: (state) => placeOf(state)
  })

  it("is one thing at a time, and nothing when that has ended", () => {
    expect(standIns(deviceMachine)).toEqual(["done change", "error change"])
    const states = paths.flatMap(({ steps }) => steps.map(({ state }) => state))
    expect(new Set(states.map(({ value }) => value.activity))).toEqual(new Set(activities))
    for (const state of states) {
      const isIdle = state.value.activity === "idle"
      expect(begins.map((event) => state.can(event))).toEqual(begins.map(() => isIdle))
      expect(ends.some((event) => state.can(event))).toBe(!isIdle)
      expect(state.context.call).toEqual(isIdle ? null : call)
    }
  })
})

describe("any sequence of events", () => {
  const Sequence = Schema.Array(Schema.Literals(samples.map((_, index) => index))).pipe(
    Schema.check(Schema.isMaxLength(40))
  )

  it.prop(
    "makes a device MANAGED only by step 2 or an operator, and calls new_managed_device exactly then",
    [Sequence],
    ([sequence]) => {
      let current = device("DHCP_BOOT")
      for (const index of sequence) {
        const event = samples[index]
        if (event === undefined) continue
        const outcome = applyDeviceEvent(current, event)
        if (outcome._tag === "Refused") continue
        const entersManaged =
          current.state === "INIT" && outcome.state === "MANAGED" && event.type === "INIT_STEP2_DONE"
        if (outcome.state === "MANAGED" && current.state !== "MANAGED") {
          expect(entersManaged || event.type === "OPERATOR_SET").toBe(true)
        }
        const calls = outcome.actions.filter(
          ({ type, params }) => type === "runPlugins" && params.hook === "new_managed_device"
        )
        expect(calls).toHaveLength(entersManaged ? 1 : 0)
        current = { ...current, state: outcome.state }
      }
    }
  )
})
