/** Configurations of FRR as it prints them, and as people write them. All of it is configuration. */

const PRINTED = `Building configuration...

Current configuration:
!
frr version 10.2
frr defaults datacenter
hostname leaf1
log syslog informational
log file /var/log/frr/frr.log
log timestamp precision 6
no ipv6 forwarding
service integrated-vtysh-config
service password-encryption
debug bgp updates in
debug ospf event
no debug zebra events
password 8 abc
enable password 8 abc
username noc nopassword
allow-external-route-update
agentx
zebra nexthop-group keep 180
ip nht resolve-via-default
ip route 0.0.0.0/0 10.0.0.1
ip route 10.9.0.0/16 Null0 250
ipv6 route ::/0 2001:db8::1
!
vrf RED
 ip route 10.0.0.0/8 10.1.0.1
 vni 4001
exit-vrf
!
interface lo
 ip address 10.255.0.1/32
exit
!
interface swp1
 description uplink | spine > rack
 ip address 10.0.0.0/31
 ip ospf network point-to-point
 ip ospf message-digest-key 1 md5 abc
 ipv6 nd ra-interval 10
 no ipv6 nd suppress-ra
 link-params
  enable
  metric 100
 exit-link-params
 shutdown
exit
!
router bgp 65001
 bgp router-id 10.255.0.1
 bgp bestpath as-path multipath-relax
 no bgp default ipv4-unicast
 coalesce-time 1000
 timers bgp 3 9
 read-quanta 10
 write-quanta 64
 update-delay 60
 neighbor swp1 interface remote-as external
 neighbor 10.0.0.1 password abc
 neighbor 10.0.0.1 description show | tell
 !
 address-family ipv4 unicast
  network 10.0.0.0/8
  redistribute connected route-map FABRIC
  neighbor swp1 activate
  maximum-paths 4
 exit-address-family
 !
 address-family l2vpn evpn
  neighbor swp1 activate
  advertise-all-vni
  vni 10010
   rd 10.255.0.1:10
   route-target import 1:1
  exit-vni
 exit-address-family
 !
 segment-routing srv6
  locator MAIN
 exit
exit
!
router bgp 65001 vrf RED
 !
 address-family ipv4 unicast
  redistribute static
 exit-address-family
exit
!
router ospf
 ospf router-id 10.255.0.1
 log-adjacency-changes
 passive-interface default
 network 10.0.0.0/8 area 0
 area 1 stub no-summary
exit
!
router ospf vrf RED
 graceful-restart grace-period 120
 graceful-restart helper enable
exit
!
router isis CORE
 net 49.0001.0000.0000.0001.00
 is-type level-2-only
 log-adjacency-changes
 set-overload-bit
exit
!
ip prefix-list LOOPBACKS seq 5 permit 10.255.0.0/24 le 32
ipv6 prefix-list V6 seq 5 permit any
access-list MGMT seq 5 permit 10.0.0.0/24
bgp as-path access-list OURS seq 5 permit ^(65001|65002)_
bgp community-list expanded C1 seq 5 permit 65000:.*
!
route-map FABRIC deny 10
 description not | these
 match ip address prefix-list LOOPBACKS
 on-match next
exit
!
route-map FABRIC permit 20
 set community 65001:1 additive
 set local-preference 200
 continue 30
exit
!
key chain OSPF
 key 1
  key-string abc
  cryptographic-algorithm hmac-sha-256
 exit
exit
!
mpls ldp
 router-id 10.255.0.1
 !
 address-family ipv4
  discovery transport-address 10.255.0.1
  !
  interface swp1
  exit
  !
 exit-address-family
 !
exit
!
l2vpn V1 type vpls
 member pseudowire mpw0
  neighbor lsr-id 10.0.0.2
 exit
exit
!
pbr-map P1 seq 5
 match src-ip 10.0.0.0/8
 set nexthop 10.0.0.1
exit
!
nexthop-group G1
 nexthop 10.0.0.1
exit
!
rpki
 rpki polling_period 300
 rpki cache tcp 10.0.0.9 3323 preference 1
exit
!
bfd
 profile fast
  detect-multiplier 3
  transmit-interval 300
  receive-interval 300
  echo-mode
  echo transmit-interval 50
  echo receive-interval 50
  log-session-changes
  no shutdown
 exit
 !
 peer 10.0.0.1
  profile fast
  minimum-ttl 250
 exit
 !
exit
!
segment-routing
 srv6
  locators
   locator MAIN
    prefix 2001:db8:1::/48
   exit
   !
  exit
  !
 exit
 !
 traffic-eng
  policy color 1 endpoint 10.0.0.1
   name P1
   candidate-path preference 100 name C1 explicit segment-list S1
  exit
 exit
exit
!
line vty
 exec-timeout 0 0
exit
!
end
`

const WRITTEN = `# what the routers have in common
frr defaults traditional
hostname r1
banner motd line show me the way
interface eth0
 ip address 10.0.0.1/24
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 address-family ipv4 unicast
  neighbor 10.0.0.2 activate
line vty
`

export const frrConfigurations: Readonly<Record<string, string>> = { printed: PRINTED, written: WRITTEN }
