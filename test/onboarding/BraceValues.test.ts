/** Settings, port data and records that are read from configurations of Junos. */
import { describe, expect, it } from "@effect/vitest"
import { junos } from "../../src/domain/platforms/junos/Platform.ts"
import { distanceOf, groupPieces, portOfPiece } from "../../src/onboarding/Distance.ts"
import { portsInText, readConfigFolder } from "../../src/onboarding/ConfigFolder.ts"
import { runningPorts, runningValues } from "../../src/onboarding/RunningValues.ts"
import { stored } from "../support/Lindhaven.ts"

const values = (text: string) => runningValues(junos, text, new Set(["switchyard"]))

const access = stored("lhv-acc5.cfg")
const distribution = stored("lhv-dist3.cfg")

describe("A running configuration in braces", () => {
  it("says the servers, users and VLANs that its templates have written", () => {
    const { keys, vlans } = values(access)
    expect(keys).toMatchObject({
      domain_name: "net.lindhaven.example",
      dns_servers: [{ host: "10.20.0.53" }, { host: "10.20.1.53" }],
      ntp_servers: [{ host: "10.20.0.1" }, { host: "10.20.0.2" }],
      syslog_servers: [{ host: "10.20.0.21" }, { host: "log2.net.lindhaven.example", port: 5514 }],
      snmp_servers: [{ host: "10.20.0.41" }],
      radius_servers: [{ host: "10.20.0.11" }, { host: "10.20.1.11", port: 1812 }],
      users: [{ username: "noc", permission_juniper: "super-user" }]
    })
    expect(vlans).toContainEqual({ id: 110, name: "STAFF" })
    for (const secret of ["Zq7x", "lhv-read", "-example-hash"]) expect(JSON.stringify(keys)).not.toContain(secret)
  })

  it("says static routes and BGP neighbours of routing instances, and VNIs", () => {
    const { keys, vnis } = values(distribution)
    expect(keys.extroute_static).toEqual({
      vrfs: [{ name: "IOT", ipv4: [{ destination: "192.0.2.0/24", nexthop: "10.150.0.250" }] }]
    })
    expect(keys.extroute_bgp).toEqual({
      vrfs: [
        {
          name: "CAMPUS",
          local_as: 64710,
          neighbor_v4: [
            {
              peer_ipv4: "10.255.1.6",
              peer_as: 64700,
              route_map_in: "from-firewall",
              route_map_out: "to-firewall",
              description: "lhv-fw1",
              bfd: true,
              maximum_routes: 100
            }
          ]
        }
      ]
    })
    expect([...vnis.keys()]).toContain(110)
  })

  it("leaves out what does not run, or runs only where a group is applied", () => {
    const { keys } = values(`groups {
    ALL {
        system {
            domain-name group.example;
        }
    }
}
system {
    inactive: domain-name old.example;
    ntp {
        server 10.0.0.1;
        server 10.0.0.2 routing-instance mgmt_junos prefer;
        inactive: server 10.0.0.3;
    }
}
snmp {
    community x {
        clients {
            10.0.0.0/8;
            10.0.0.9/32 restrict;
            2001:db8::9/128;
        }
    }
}
`)
    expect(keys).toEqual({
      ntp_servers: [{ host: "10.0.0.2" }, { host: "10.0.0.1" }],
      snmp_servers: [{ host: "2001:db8::9" }]
    })
  })

  it("says nothing for a text that is no configuration", () => {
    for (const text of ["", "{", "}}}}", "system {", "system domain-name;", '"', "interfaces { [ ] }"])
      expect(values(text).keys).toEqual({})
  })
})

describe("Ports of an access switch with Junos", () => {
  const byName = new Map(
    runningPorts(junos, access, (id) => ({ 110: "STAFF", 130: "PRINTER" })[id] ?? id).map((one) => [one.name, one])
  )

  it("have their use, VLANs, description and state", () => {
    expect(byName.get("ge-0/0/1")).toMatchObject({ configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "PRINTER" } })
    expect(byName.get("ge-0/0/2")).toEqual({
      name: "ge-0/0/2",
      configtype: "ACCESS_TAGGED",
      data: { tagged_vlan_list: ["STAFF", 140], untagged_vlan: 199, description: "Access point 1.02" }
    })
    expect(byName.get("ge-0/0/3")).toMatchObject({ configtype: "ACCESS_AUTO", data: { enabled: false } })
    expect(byName.get("ge-0/0/6")).toMatchObject({ configtype: "ACCESS_TAGGED", data: { aggregate_id: 7 } })
  })

  it("are left out if they lead to another switch, or name a VLAN that the switch does not have", () => {
    expect(byName.has("xe-0/2/0")).toBe(false)
    expect(byName.has("ge-0/0/8")).toBe(false)
    const port = (members: string) =>
      `interfaces { ge-0/0/1 { unit 0 { family ethernet-switching { interface-mode trunk; vlan { members ${members}; } } } } }`
    expect(runningPorts(junos, port("all"), (id) => id)).toEqual([])
    expect(runningPorts(junos, port("[ 10 NOWHERE ]"), (id) => id)).toEqual([])
    expect(runningPorts(junos, port("[ 10-12 20 ]"), (id) => id)).toMatchObject([
      { data: { tagged_vlan_list: [10, 11, 12, 20] } }
    ])
  })
})

describe("A folder with configurations of Junos", () => {
  const rowOf = (text: string, path = "access/sw1.cfg") => readConfigFolder([{ path, text }]).rows[0]?.fields

  it("gives the records of its switches", () => {
    expect(rowOf(`# comment of the collector\nversion 21.4R3-S5.4;\n${access}`)).toEqual({
      hostname: "lhv-acc5",
      platform: "junos",
      management_ip: "10.196.16.10",
      device_type: "ACCESS",
      os_version: "21.4R3-S5.4"
    })
    expect(portsInText(junos, access)).toContain("ge-0/0/11")
    expect(portsInText(junos, access)).not.toContain("ae1")
  })

  it("tells a distribution switch by its underlay", () => {
    expect(rowOf(distribution, "lhv-dist3")).toMatchObject({ hostname: "lhv-dist3", device_type: "DIST" })
  })

  it("guesses neither a name nor an address where routing engines have their own", () => {
    const text = `version 18.4R2;
groups {
    re0 {
        system {
            host-name core-re0;
        }
        interfaces {
            fxp0 {
                unit 0 {
                    family inet {
                        address 10.1.1.1/24;
                    }
                }
            }
        }
    }
}
apply-groups re0;
system {
    services {
        ssh;
    }
}
interfaces {
    lo0 {
        unit 0 {
            family inet {
                address 10.0.0.1/32;
            }
        }
    }
}
`
    const fields = rowOf(text, "core/core7")
    expect(fields).toMatchObject({ hostname: "core7", platform: "junos", device_type: "CORE" })
    expect(fields).not.toHaveProperty("management_ip")
  })

  it("takes the address that moves with the routing engine in charge", () => {
    const address = (more: string) =>
      `system { host-name a; }\ninterfaces { em0 { unit 0 { family inet { address 10.1.1.1/24; ${more} } } } }\n`
    expect(rowOf(address("").replace("system {", "system {\n"))).toMatchObject({ management_ip: "10.1.1.1" })
    expect(rowOf(address("address 10.1.1.9/24 { master-only; }"))).toMatchObject({ management_ip: "10.1.1.9" })
    expect(rowOf(address("address 10.1.1.9/24;"))).not.toHaveProperty("management_ip")
  })

  it("refuses set lines, which cannot be compared", () => {
    const text = "set version 21.4R3\nset system host-name sw1\nset interfaces ge-0/0/0 unit 0\n"
    expect(readConfigFolder([{ path: "access/sw1", text }]).errors).toMatchObject([
      { file: "access/sw1", message: expect.stringMatching(/^is in set lines, which cannot be compared/) }
    ])
  })
})

describe("The distance of a switch with Junos", () => {
  const running = access
    .replace('description "Reception";', "description Entrance;")
    .replaceAll(/^( {4}ge-0\/0\/(?:9|10) \{\n)/gm, "$1        mtu 1600;\n")

  it("is zero for what the templates have written", () => {
    const { extra, missing, secrets } = distanceOf(junos, access, access)
    expect([extra, missing, secrets]).toEqual([0, 0, []])
  })

  it("has a piece for each port, and one group for the same lines on several", () => {
    const { pieces } = distanceOf(junos, running, access)
    expect(pieces.map(portOfPiece).toSorted()).toEqual(["ge-0/0/10", "ge-0/0/7", "ge-0/0/9"])
    const groups = groupPieces(pieces.map((piece) => ({ ...piece, hostname: "lhv-acc5" })))
    expect(groups.map(({ places }) => places)).toEqual([2, 1])
  })
})
