/** Every row of the device-state tables of the specification and of docs/concepts.md#device-states. */
import { describe, expect, it } from "@effect/vitest"
import { type DeviceEvent, type DeviceState, deviceStates } from "../../../machines/device/DeviceEvents.ts"
import { applied, apply, facts, pushed, rows } from "./DeviceFixtures.ts"

describe("the state of a device", () => {
  it.each(rows)("after %s: %s", (_name, from, event, to) => {
    expect(applied(from, event).state).toBe(to)
  })

  it.each(deviceStates.flatMap((from) => deviceStates.map((to) => [from, to] as const)))(
    "an operator may move a device from %s to %s",
    (from, to) => expect(applied(from, { type: "OPERATOR_SET", state: to }).state).toBe(to)
  )

  const refusals: ReadonlyArray<readonly [DeviceState, DeviceEvent, string, string]> = [
    [
      "INIT",
      { type: "INIT_STEP2_DONE", facts: { ...facts, hostname: "localhost" } },
      "hostnameMatches",
      "Newly initialized device presents wrong hostname"
    ],
    [
      "INIT",
      { type: "INIT_STEP2_DONE", facts: { ...facts, hostname: "" } },
      "hostnameMatches",
      "Could not log in to device during init step 2"
    ],
    [
      "INIT",
      { type: "INIT_STEP2_DONE", facts: { ...facts, hostname: null } },
      "hostnameMatches",
      "Newly initialized device does not say its hostname (show hostname)"
    ],
    [
      "MANAGED",
      { type: "INIT_STEP2_DONE", facts },
      "expectedInThisState",
      "Device must be in state INIT to continue init step 2"
    ],
    [
      "MANAGED",
      { type: "INIT_STEP1_PUSHED", ...pushed },
      "expectedInThisState",
      "Device must be in state DISCOVERED to begin init"
    ],
    [
      "DISCOVERED",
      { type: "DISCOVERY_SUCCEEDED", dhcp_ip: "10.90.0.23", facts },
      "expectedInThisState",
      "Device with ztp_mac 0C1A33BEEF01 is in incorrect state: DISCOVERED"
    ],
    [
      "PRE_CONFIGURED",
      { type: "LIVE_APPLY_CONFIG" },
      "expectedInThisState",
      "Device acc-b2-07 is in invalid state: PRE_CONFIGURED"
    ],
    [
      "MANAGED",
      { type: "REPLACED", ztp_mac: null, serial: null, model: null, platform: null, dhcp_ip: null },
      "expectedInThisState",
      "Device acc-b2-07 not in UNMANAGED state"
    ],
    [
      "DISCOVERED",
      { type: "DHCP_LEASE", dhcp_ip: "10.90.0.23" },
      "addressChanged",
      "Device acc-b2-07 has this DHCP address already"
    ],
    [
      "MANAGED",
      { type: "DHCP_LEASE", dhcp_ip: "10.90.0.23" },
      "expectedInThisState",
      "Device acc-b2-07 in state MANAGED takes no DHCP_LEASE"
    ]
  ]
  it.each(refusals)("in %s refuses an event with the documented sentence (%#)", (state, event, rule, message) => {
    expect(apply(state, event)).toEqual({ _tag: "Refused", rule, message })
  })
})
