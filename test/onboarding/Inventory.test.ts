/** Lists of switches that exist already: what each source says about them, and every mistake by its place. */
import { assert, describe, it } from "@effect/vitest"
import { readConfigFolder } from "../../src/onboarding/ConfigFolder.ts"
import { checkInventory, inventoryErrorText, type ReadInventory } from "../../src/onboarding/Inventory.ts"
import { readAnsible, readContainerlab, readCsv, sourceOf } from "../../src/onboarding/InventoryFiles.ts"
import { firstPage, readNetbox, readPage } from "../../src/onboarding/Netbox.ts"

const checked = (read: ReadInventory, defaults = {}) => {
  const { errors, rows } = checkInventory(read, defaults)
  return {
    errors: errors.map(inventoryErrorText),
    rows: rows.map(({ device }) => device.fields)
  }
}

const shown = (read: ReadInventory, defaults = {}) =>
  checked(read, defaults).rows.map(({ device_type, hostname, management_ip, platform, port = null }) =>
    [hostname, management_ip, device_type, platform, port].join(" ").trim()
  )

describe("A list of switches", () => {
  it("is read from comma-separated values with columns in any order and under usual names", () => {
    const read = readCsv(
      "access.csv",
      "type;name;ip;os;ssh port\nleaf;lhv-d1;10.0.0.1;arista_eos;2222\nACCESS;lhv-a1;10.0.0.2;eos;\n"
    )
    assert.deepEqual(shown(read), ["lhv-d1 10.0.0.1 DIST eos 2222", "lhv-a1 10.0.0.2 ACCESS eos"])
  })

  it("names every mistake by line and field, and keeps the rows that are right", () => {
    const csv = [
      "hostname,management_ip,device_type,platform,serial",
      "good1,10.0.0.1,ACCESS,eos,S1",
      "bad name,10.0.0.2,ACCESS,eos,",
      "bad2,10.0.0.300,ACCESS,eos,",
      "bad3,10.0.0.4,ROUTER,eos,",
      "bad4,10.0.0.5,ACCESS,eoss,",
      "bad5,,ACCESS,eos,",
      "GOOD1,10.0.0.6,ACCESS,eos,",
      "good7,10.0.0.1,ACCESS,eos,s1"
    ].join("\n")
    const { errors, rows } = checked(readCsv("a.csv", csv))
    assert.deepEqual(errors, [
      "a.csv, line 3, hostname: Invalid hostname received",
      "a.csv, line 4, management_ip: Invalid management_ip received. Must be a valid IP address.",
      "a.csv, line 5, device_type: Invalid device type",
      "a.csv, line 6, platform: eoss is not known, did you mean eos?",
      "a.csv, line 7, management_ip: is missing: the switch could not be read",
      "a.csv, line 8, hostname: GOOD1 is in line 2 too",
      "a.csv, line 9, management_ip: 10.0.0.1 is in line 2 too",
      "a.csv, line 9, serial: s1 is in line 2 too"
    ])
    assert.deepEqual(
      rows.map(({ hostname }) => hostname),
      ["good1"]
    )
  })

  it("has no rows when its header is wrong", () => {
    const { errors } = checked(readCsv("a.csv", "hostnam,address\nx,10.0.0.1\n"))
    assert.deepEqual(errors, [
      "a.csv, line 1, hostnam: there is no such column, did you mean hostname?",
      "a.csv, line 1, hostname: the header does not have this column"
    ])
  })

  it("is read from a topology of containerlab, whose kinds and groups say what a node is", () => {
    const read = readContainerlab(
      "fabric.clab.yml",
      `name: fabric
topology:
  defaults: { kind: arista_ceos }
  groups:
    spine: { image: ceos:4.31 }
  nodes:
    spine1: { group: spine, mgmt-ipv4: 172.20.0.11 }
    leaf1:
      mgmt-ipv4: 172.20.0.21
      labels: { role: leaf }
    r1: { kind: linux, image: "frrouting/frr:v8.4", mgmt-ipv4: 172.20.0.31, role: core }
    host1: { kind: linux, image: alpine }
`
    )
    assert.deepEqual(shown(read), [
      "spine1 172.20.0.11 CORE eos",
      "leaf1 172.20.0.21 DIST eos",
      "r1 172.20.0.31 CORE frr"
    ])
    assert.deepEqual(read.rows[1]?.lines, { hostname: 8, platform: 3, management_ip: 9, device_type: 10 })
  })

  it("is read from an inventory of Ansible in YAML, with variables of the groups around a host", () => {
    const read = readAnsible(
      "inventory.yml",
      `all:
  vars: { ansible_network_os: arista.eos.eos }
  children:
    campus:
      children:
        access:
          hosts:
            lhv-a1: { ansible_host: 10.0.0.1 }
            lhv-a2:
              ansible_host: 10.0.0.2
              ansible_port: 2022
    spines:
      hosts:
        lhv-c1: { ansible_host: 10.0.0.3 }
`
    )
    assert.deepEqual(shown(read), [
      "lhv-a1 10.0.0.1 ACCESS eos",
      "lhv-a2 10.0.0.2 ACCESS eos 2022",
      "lhv-c1 10.0.0.3 CORE eos"
    ])
  })

  it("is read from an inventory of Ansible in INI, with ranges, groups of groups and comments", () => {
    const read = readAnsible(
      "hosts.ini",
      `# switches
[leaf]
leaf[01:02] ansible_network_os=eos
leaf01 ansible_host=10.0.0.1   ; first
leaf02 ansible_host=10.0.0.2 description="second leaf"

[fabric:children]
leaf

[fabric:vars]
ansible_network_os=eos
`
    )
    assert.deepEqual(shown(read), ["leaf01 10.0.0.1 DIST eos", "leaf02 10.0.0.2 DIST eos"])
    assert.deepEqual(checked(read).rows[1]?.description, "second leaf")
  })

  it("is read from NetBox 3 and 4, whose addresses have a length and whose roles have another name", () => {
    const page = readPage(
      JSON.stringify({
        next: null,
        results: [
          {
            id: 1,
            name: "lhv-a1",
            serial: "SSJ1",
            role: { slug: "access-switch" },
            platform: { slug: "arista-eos" },
            device_type: { model: "CCS-720XP-48ZC2" },
            primary_ip4: { address: "10.0.0.1/24" },
            primary_ip: { address: "2001:db8::1/64" }
          },
          {
            id: 2,
            name: "lhv-d1",
            device_role: { slug: "leaf" },
            platform: { slug: "eos" },
            primary_ip: { address: "10.0.0.2/32" }
          },
          { id: 3, name: null },
          { id: "four" }
        ]
      })
    )
    assert.isTrue(page._tag === "Some")
    const read = readNetbox(page._tag === "Some" ? page.value.results : [])
    assert.deepEqual(shown(read), ["lhv-a1 10.0.0.1 ACCESS eos", "lhv-d1 10.0.0.2 DIST eos"])
    assert.deepEqual(checked(read).errors, [
      "NetBox, device 3, hostname: the device has no name",
      "NetBox, device 4: is no record of a device as NetBox 3 or 4 has it"
    ])
    assert.strictEqual(
      firstPage("https://netbox.example.org/api/", "site=lhv"),
      "https://netbox.example.org/api/dcim/devices/?site=lhv&limit=500"
    )
    assert.isTrue(readPage("<html>")._tag === "None")
  })

  it("is read from a folder of configurations, without a switch", () => {
    const access = `! device: lhv-a1 (CCS-720XP-48ZC2, EOS-4.31.5M)
! Serial number: SSJ17
!
hostname lhv-a1
!
interface Ethernet1
   switchport access vlan 110
!
interface Vlan3016
   ip address 10.0.6.6/24
interface Vlan4094
   ip address 169.254.254.0/31
`
    const spine = `frr version 8.4
frr defaults datacenter
hostname sp1
interface eth0
 ip address 10.1.0.1/24
exit
`
    const read = readConfigFolder([
      { path: "access/lhv-a1", text: access, modified_at: "2026-11-20T08:00:00Z" },
      { path: "core/sp1.cfg", text: spine },
      { path: "README.md", text: "hello" },
      { path: "core/empty", text: "\n" }
    ])
    assert.deepEqual(shown(read), ["lhv-a1 10.0.6.6 ACCESS eos", "sp1 10.1.0.1 CORE frr"])
    assert.deepEqual(checked(read).errors, ["core/empty: is empty"])
    const [row] = checked(read).rows
    assert.deepEqual([row?.serial, row?.model, row?.os_version], ["SSJ17", "CCS-720XP-48ZC2", "4.31.5M"])
    assert.deepEqual(read.rows[0]?.config?.at, "2026-11-20T08:00:00.000Z")
  })

  it("takes the platform and the type of all rows where a row has none", () => {
    const read = readCsv("a.csv", "hostname,management_ip\nx1,10.0.0.1\n")
    assert.deepEqual(checked(read).errors, [
      "a.csv, line 2, device_type: is not known: give it as device_type (ACCESS, DIST, CORE), or for all rows",
      "a.csv, line 2, platform: is not known: give it (eos, junos, ios, iosxr, nxos, nxos_ssh, frr), or for all rows"
    ])
    assert.deepEqual(shown(read, { platform: "eos", device_type: "access" }), ["x1 10.0.0.1 ACCESS eos"])
  })

  it("is recognised by its name and content", () => {
    assert.strictEqual(sourceOf("x.clab.yml", ""), "containerlab")
    assert.strictEqual(sourceOf("list.txt", "name;ip\n"), "csv")
    assert.strictEqual(sourceOf("hosts", "[leaf]\n"), "ansible")
  })
})
