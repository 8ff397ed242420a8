/** Rules of operations that need no device: lines of an interface, ports that may be bounced, facts that changed. */
import { assert, it } from "@effect/vitest"
import { bounceRefusal } from "../../../src/devices/PortBounce.ts"
import { neighbourDetailsOf } from "../../../src/drivers/eos/Neighbours.ts"
import { interfaceLines } from "../../../src/http/operations/OperationHandlers.ts"
import { factsDifference } from "../../../src/jobs/upkeep/UpdateFacts.ts"

const eos = `interface Ethernet1
   switchport mode trunk
   address-family
      deeper
!
interface Ethernet10
!
interface Ethernet2
   shutdown
end
`

it("gives the lines of one interface without their first indentation", () => {
  assert.strictEqual(interfaceLines(eos, "Ethernet1", "eos"), "switchport mode trunk\naddress-family\n   deeper")
  assert.strictEqual(interfaceLines(eos, "Ethernet2", "eos"), "shutdown")
  assert.strictEqual(interfaceLines(eos, "Ethernet10", "eos"), "")
  assert.strictEqual(interfaceLines(eos, "Ethernet", "eos"), "")
  const junos =
    "interfaces {\n    ge-0/0/1 {\n        unit 0 {\n            family inet;\n        }\n    }\n    ge-0/0/2 {\n"
  assert.strictEqual(interfaceLines(junos, "ge-0/0/1", "junos"), "unit 0 {\n    family inet;\n}")
  const inactive = junos.replace("ge-0/0/1", "inactive: ge-0/0/1")
  assert.strictEqual(interfaceLines(inactive, "ge-0/0/1", "junos"), "unit 0 {\n    family inet;\n}")
})

it("refuses to bounce ports that are missing or disabled, and names like inherited members", () => {
  const state = { is_up: false, description: "", last_flapped: -1, mtu: 1500, speed: 0, mac_address: "" }
  const shown = {
    Ethernet1: { ...state, is_enabled: true },
    Ethernet2: { ...state, is_enabled: false },
    Ethernet3: { ...state, is_enabled: null }
  }
  assert.strictEqual(
    bounceRefusal("sw1", ["Ethernet1", "Ethernet3"], shown),
    "Device sw1 does not say whether interface Ethernet3 is enabled"
  )
  assert.isNull(bounceRefusal("sw1", ["Ethernet1"], shown))
  assert.strictEqual(
    bounceRefusal("sw1", ["Ethernet1", "constructor"], shown),
    "Specified interface constructor not found on device sw1"
  )
  assert.strictEqual(
    bounceRefusal("sw1", ["Ethernet2"], shown),
    "Specified interface Ethernet2 on device sw1 is not enabled"
  )
})

it("reports neighbours with names and ids in their usual form, and nothing for missing values", () => {
  const silent = { lldpNeighborInfo: [] }
  const bare = { lldpNeighborInfo: [{ chassisId: "switch-7" }] }
  const full = {
    lldpNeighborInfo: [
      {
        systemName: "dist1",
        systemDescription: "EOS",
        chassisId: "948e.d311.2200",
        systemCapabilities: { bridge: true, router: false },
        neighborInterfaceInfo: { interfaceId: '"Ethernet7"', interfaceDescription: "to acc1" }
      }
    ]
  }
  const told = neighbourDetailsOf({ Ethernet10: full, Ethernet2: bare, Ethernet1: silent }).neighbours
  assert.deepEqual(Object.keys(told), ["Ethernet2", "Ethernet10"])
  assert.deepInclude(told["Ethernet2"]?.[0], { remote_chassis_id: "switch-7", remote_system_name: "" })
  assert.deepEqual(told["Ethernet10"]?.[0], {
    parent_interface: "",
    remote_port: "Ethernet7",
    remote_port_description: "to acc1",
    remote_chassis_id: "94:8E:D3:11:22:00",
    remote_system_name: "dist1",
    remote_system_description: "EOS",
    remote_system_capab: ["bridge", "router"],
    remote_system_enable_capab: ["bridge"]
  })
})

it("updates facts that are not empty and differ, cut to the width of the database", () => {
  const facts = {
    hostname: "sw1",
    fqdn: "sw1",
    vendor: "",
    model: "x".repeat(70),
    serial_number: "S1",
    os_version: "4.31",
    uptime: 1,
    interface_list: []
  }
  const row = { vendor: "Arista", model: "x".repeat(64), serial: null, os_version: "4.30" }
  assert.deepEqual(factsDifference(row, facts), {
    os_version: { old: "4.30", new: "4.31" },
    serial: { old: null, new: "S1" }
  })
  const silent = { ...facts, model: null, serial_number: null, os_version: null }
  assert.deepEqual(factsDifference(row, silent), {})
})
