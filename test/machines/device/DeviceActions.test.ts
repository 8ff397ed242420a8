/** The writes, notifications and schedules of a device's transitions (docs/provisioning.md). */
import { describe, expect, it } from "@effect/vitest"
import type { DeviceState } from "../../../machines/device/DeviceEvents.ts"
import { applied, facts, fieldsOf, pushed, types } from "./DeviceFixtures.ts"

const discoveryFailed = (attempt: number) =>
  applied("DHCP_BOOT", { type: "DISCOVERY_FAILED", dhcp_ip: "10.90.0.23", attempt, attempts: 3 }).actions

const step2Failed = (attempt: number) => applied("INIT", { type: "INIT_STEP2_FAILED", attempt, attempts: 2 }).actions

const unmanaging = (from: DeviceState) => types(applied(from, { type: "OPERATOR_SET", state: "UNMANAGED" }).actions)

describe("the effects of a transition", () => {
  it("store the facts of a discovered device, cut to the width of the columns", () => {
    const long = { ...facts, model: "M".repeat(80) }
    const { actions } = applied("DHCP_BOOT", { type: "DISCOVERY_SUCCEEDED", dhcp_ip: "10.90.0.24", facts: long })
    expect(fieldsOf(actions)).toEqual({
      serial: "WTW22190555",
      vendor: "Arista",
      model: "M".repeat(64),
      os_version: "4.31.4M",
      dhcp_ip: "10.90.0.24"
    })
    expect(types(actions)).toContain("touchLastSeen")
  })

  it("schedule the next attempt of a discovery until there is none left", () => {
    expect(discoveryFailed(1)).toContainEqual({
      type: "scheduleDiscovery",
      params: { dhcp_ip: "10.90.0.23", attempt: 2 }
    })
    expect(types(discoveryFailed(3))).not.toContain("scheduleDiscovery")
  })

  it("schedule discovery when a device that booted asks for its lease again", () => {
    expect(applied("DHCP_BOOT", { type: "DHCP_LEASE", dhcp_ip: "10.90.0.23" }).actions).toEqual([
      { type: "scheduleDiscovery", params: { dhcp_ip: "10.90.0.23", attempt: 1 } }
    ])
  })

  it("store the new address, notify the plugins and schedule step 2 when the device has moved", () => {
    const { actions } = applied("DISCOVERED", { type: "INIT_STEP1_PUSHED", ...pushed })
    expect(actions).toEqual([
      {
        type: "setFields",
        params: { device_type: "ACCESS", management_ip: "10.0.6.9", secondary_management_ip: null }
      },
      { type: "releaseReservations" },
      {
        type: "runPlugins",
        params: {
          hook: "allocated_ipv4",
          vrf: "mgmt",
          ipv4_address: "10.0.6.9",
          ipv4_network: "10.0.6.0/24",
          hostname: "acc-b2-07"
        }
      },
      { type: "scheduleInitStep2", params: { attempt: 1, delaySeconds: 60 } }
    ])
  })

  it("do not notify plugins of an IPv4 address when the management address is IPv6", () => {
    const event = { type: "INIT_STEP1_PUSHED", ...pushed, management_ip: "2001:db8::9" } as const
    expect(types(applied("DISCOVERED", event).actions)).not.toContain("runPlugins")
  })

  it("restore everything when the device kept its old address", () => {
    const event = { type: "INIT_STEP1_PUSHED", ...pushed, newAddressAnswers: false, oldAddressAnswers: true } as const
    expect(applied("DISCOVERED", event).actions).toEqual([
      { type: "setFields", params: { hostname: "mac-0C1A33BEEF01" } },
      { type: "undoInitLinks" },
      { type: "releaseReservations" }
    ])
  })

  it("notify the plugins of a new managed device with exactly the arguments of the hook", () => {
    const { actions } = applied("INIT", { type: "INIT_STEP2_DONE", facts })
    expect(fieldsOf(actions)).toMatchObject({ synchronized: false, dhcp_ip: null, serial: "WTW22190555" })
    expect(actions).toContainEqual({ type: "recordSyncEvent", params: { cause: "device_init" } })
    expect(actions).toContainEqual({
      type: "runPlugins",
      params: {
        hook: "new_managed_device",
        hostname: "acc-b2-07",
        device_type: "ACCESS",
        serial_number: "WTW22190555",
        vendor: "Arista",
        model: "CCS-720XP-48Y6-F",
        os_version: "4.31.4M",
        management_ip: "10.0.6.9"
      }
    })
  })

  it("keep stored values that the device does not report, and tell the plugins nothing of them", () => {
    const silent = { ...facts, serial_number: null, model: null, os_version: null }
    const { actions } = applied("INIT", { type: "INIT_STEP2_DONE", facts: silent })
    expect(fieldsOf(actions)).toEqual({ vendor: "Arista", synchronized: false, dhcp_ip: null })
    expect(actions).toContainEqual(
      expect.objectContaining({ params: expect.objectContaining({ serial_number: "", model: "", os_version: "" }) })
    )
  })

  it("retry step 2 once, 30 seconds later", () => {
    expect(step2Failed(1)).toEqual([{ type: "scheduleInitStep2", params: { attempt: 2, delaySeconds: 30 } }])
    expect(types(step2Failed(2))).not.toContain("scheduleInitStep2")
  })

  it("record why a managed device is unmanaged now, and only for a managed one", () => {
    expect(unmanaging("MANAGED")).toEqual(["setFields", "dropSyncEvents", "recordSyncEvent"])
    expect(unmanaging("INIT")).toEqual(["setFields", "dropSyncEvents"])
  })

  it("give a replacement the identity of the new unit and keep the old addresses reserved", () => {
    const event = { type: "REPLACED", ztp_mac: "A", serial: "S", model: "M", platform: "eos", dhcp_ip: "D" } as const
    const { actions } = applied("UNMANAGED", event)
    expect(types(actions)).toEqual(["reserveManagementAddresses", "setFields"])
    expect(fieldsOf(actions)).toEqual({
      ztp_mac: "A",
      serial: "S",
      model: "M",
      platform: "eos",
      dhcp_ip: "D",
      management_ip: null,
      secondary_management_ip: null,
      confhash: null
    })
  })
})
