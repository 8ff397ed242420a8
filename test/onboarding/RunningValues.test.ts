/** Settings and port data that are read from running configurations, some in the style of public designs. */
import { assert, describe, it } from "@effect/vitest"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { runningPorts, runningValues } from "../../src/onboarding/RunningValues.ts"

const values = (text: string) => runningValues(eos, text, new Set(["switchyard"]))

describe("A running configuration", () => {
  it("says the servers, with the preferred clock first, whatever their VRF", () => {
    const { keys } = values(`hostname a1
dns domain net.example.org
ip name-server vrf MGMT 10.0.0.53
ip name-server vrf MGMT 10.0.1.53
ntp server vrf MGMT 10.0.0.1
ntp server vrf MGMT 10.0.0.2 prefer iburst
logging vrf MGMT host 10.0.0.21
logging vrf MGMT host log2.example.org 5514
snmp-server host 10.0.0.41 vrf MGMT version 2c lhv-read
radius-server host 10.0.0.11 auth-port 1645 key 7 0832494D1B1C11
`)
    assert.deepEqual(keys, {
      domain_name: "net.example.org",
      dns_servers: [{ host: "10.0.0.53" }, { host: "10.0.1.53" }],
      ntp_servers: [{ host: "10.0.0.2" }, { host: "10.0.0.1" }],
      syslog_servers: [{ host: "10.0.0.21" }, { host: "log2.example.org", port: 5514 }],
      snmp_servers: [{ host: "10.0.0.41" }],
      radius_servers: [{ host: "10.0.0.11", port: 1645 }]
    })
  })

  it("says the names of users and never their secrets, and not this server's own login", () => {
    const { keys } = values(`username noc privilege 15 role network-admin secret sha512 $6$a$b
username noc ssh-key ssh-ed25519 AAAA noc@example
username guest nopassword
username switchyard privilege 15 role network-admin secret sha512 $6$c$d
`)
    assert.deepEqual(keys.users, [
      { username: "noc", permission_arista: "privilege 15 role network-admin" },
      { username: "guest" }
    ])
  })

  it("says VLANs with their VNIs, static routes and BGP neighbours of VRFs", () => {
    const { keys, vlans, vnis } = values(`vlan 110
   name STAFF
!
vlan 4094
   name MLAG-PEER
   trunk group MLAG-PEER
!
interface Vxlan1
   vxlan source-interface Loopback0
   vxlan vlan 110 vni 10110
!
ip route vrf IOT 192.0.2.0/24 10.150.0.250 name bms
ip route 0.0.0.0/0 10.0.0.1
!
router bgp 65101
   neighbor 10.1.0.0 remote-as 65001
   vrf CAMPUS
      local-as 64710
      neighbor 10.255.1.2 remote-as 64700
      neighbor 10.255.1.2 description lhv-fw1
      neighbor 10.255.1.2 route-map from-firewall in
      neighbor 10.255.1.2 route-map to-firewall out
      neighbor 10.255.1.2 maximum-routes 100
      neighbor 10.255.1.2 bfd
      neighbor 10.255.9.9 remote-as 64701
`)
    assert.deepEqual(vlans, [{ id: 110, name: "STAFF" }])
    assert.deepEqual([...vnis], [[110, 10110]])
    assert.deepEqual(keys.extroute_static, {
      vrfs: [{ name: "IOT", ipv4: [{ destination: "192.0.2.0/24", nexthop: "10.150.0.250", name: "bms" }] }]
    })
    assert.deepEqual(keys.extroute_bgp, {
      vrfs: [
        {
          name: "CAMPUS",
          local_as: 64710,
          neighbor_v4: [
            {
              peer_ipv4: "10.255.1.2",
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
  })

  it("says the uses of access ports: VLANs, telephone, trunk, aggregate, closed, 802.1X", () => {
    const names = new Map([
      [110, "STAFF"],
      [130, "PRINTER"]
    ])
    const ports = runningPorts(
      eos,
      `interface Port-Channel7
   switchport trunk allowed vlan 110,130-131
   switchport mode trunk
!
interface Ethernet1
   description room 5
   switchport access vlan 110
   switchport phone vlan 140
!
interface Ethernet2
   switchport access vlan 130
   shutdown
   spanning-tree bpdufilter enable
!
interface Ethernet3
   switchport trunk native vlan 110
   switchport trunk allowed vlan 130
   switchport mode trunk
!
interface Ethernet4
   channel-group 7 mode active
!
interface Ethernet5
   dot1x pae authenticator
!
interface Ethernet6
!
interface Ethernet49
   description uplink
   switchport mode trunk
`,
      (id) => names.get(id) ?? id
    )
    assert.deepEqual(ports, [
      {
        name: "Ethernet1",
        configtype: "ACCESS_UNTAGGED",
        data: { untagged_vlan: "STAFF", description: "room 5", cli_append_str: "   switchport phone vlan 140" }
      },
      {
        name: "Ethernet2",
        configtype: "ACCESS_UNTAGGED",
        data: { untagged_vlan: "PRINTER", enabled: false, bpdu_filter: true }
      },
      {
        name: "Ethernet3",
        configtype: "ACCESS_TAGGED",
        data: { tagged_vlan_list: ["PRINTER"], untagged_vlan: "STAFF" }
      },
      {
        name: "Ethernet4",
        configtype: "ACCESS_TAGGED",
        data: { tagged_vlan_list: ["STAFF", "PRINTER", 131], aggregate_id: 7 }
      },
      { name: "Ethernet5", configtype: "ACCESS_AUTO", data: {} }
    ])
  })
})
