/** Configurations of EOS as people write them, section by section. All of it is configuration. */

const BASE = `! Command: show running-config
! device: leaf1 (CCS-720XP-48Y6-F, EOS-4.31.4M)
!
! boot system flash:/EOS-4.31.4M.swi
!
boot secret sha512 $6$abc
no aaa root
enable password sha512 $6$abc
aaa root secret sha512 $6$abc
username admin privilege 15 role network-admin secret sha512 $6$abc
username admin ssh-key ssh-rsa AAAAB3NzaC1 admin | laptop > desk
no username guest
role operators
   10 permit mode exec command show .*|ping .*
   20 deny mode config-all command (reload|bash|copy)
   30 permit command telnet
agent Bfd shutdown
agent Ebra environment A=1:B=2
no agent Rcf shutdown
alias ports show interfaces status
alias wr copy running-config startup-config
alias report
   10 show version
   20 bash date > /tmp/x
daemon TerminAttr
   exec /usr/bin/TerminAttr -cvaddr=10.0.0.1:9910 -cvauth=token,/tmp/token -taillogs > /dev/null
   no shutdown
daemon probe
   exec /mnt/flash/probe
   option target value leaf2
   heartbeat 60
   shutdown
event-handler boot
   trigger on-boot
   action bash
      reload
      copy a b
      exit
EOF
   delay 60
   asynchronous
event-handler link
   trigger on-intf Ethernet1 operstatus
   action bash FastCli -p 15 -c "show version" | tee /tmp/x
   action increment device-health metric x
event-handler counters
   trigger on-counters
      poll interval 60
      condition ( Arad*.IptCrcErrCnt.delta > 100 ) and ( Arad*.Drop.delta > 100 )
   action log
event-handler log
   trigger on-logging
      regex .*(BGP|OSPF).*
   action log
   threshold 3 count 60
   timeout 20
schedule tech interval 60 timeout 30 max-log-files 10 command show tech-support
schedule nightly at 03:00:00 interval 1440 timeout 30 max-log-files 0 command bash reload
terminal length 1000
terminal width 200
prompt %H.%D{%H:%M}%P>
hardware counter feature acl out mac
hardware port-group 1 select Et32/1-4
hardware speed-group 1 serdes 10g
service routing protocols model multi-agent
service configuration session max completed 5
service unsupported-transceiver site abcdef
load-interval default 25
transceiver qsfp default-mode 4x10G
transceiver dom-threshold file flash:/dom.csv
platform trident forwarding-table partition 2
platform sand lag hardware-only
platform trident mmu queue profile queues
    ingress reserved cells 23
    ingress resume 33
    egress unicast queue 1 reserved bytes 0
platform trident mmu queue profile queues apply
platform sfe interface
   interface profile fast
   !
   profile fast
      interface Ethernet1/1
         rx-queue count 4
errdisable recovery cause bpduguard
errdisable recovery interval 300
queue-monitor length log 100
queue-monitor streaming
   max-connections 5
   no shutdown
logging buffered 10000 warnings
logging console errors
no logging monitor
logging vrf MGMT host 10.0.0.1 514 protocol tcp
logging format timestamp traditional year timezone
logging level AAA warnings
logging event link-status global
match-list input string noise
   10 match regex ^.*(A|B).*$
hostname leaf1
dns domain net.example.org
ip name-server vrf MGMT 10.0.0.53
ip domain lookup vrf MGMT source-interface Management1
ip host printer 10.0.0.9
ntp authentication-key 1 sha1 7 0832494D1B1C11
ntp trusted-key 1
ntp server vrf MGMT 10.0.0.1 prefer iburst key 1
ntp serve all
clock timezone Europe/Oslo
clock source ntp
radius-server host 10.0.0.11 vrf MGMT key 7 123
tacacs-server host 10.0.0.12 key 7 123
sflow sample 16384
sflow vrf MGMT destination 10.0.0.60
sflow extension bgp
sflow run
snmp-server contact noc | night desk > day desk
snmp-server location "room 1 | rack 2"
snmp-server community readers ro SNMP-ACL
snmp-server host 10.0.0.41 vrf MGMT version 2c readers
snmp-server enable traps
snmp-server view all iso included
snmp-server user mon group1 v3 auth sha abc priv aes abc
spanning-tree mode mstp
no spanning-tree vlan-id 4094
spanning-tree mst configuration
   name campus
   instance 1 vlan 10-20
spanning-tree mst 0 priority 4096
lldp timer 30
no lldp tlv transmit system-capabilities
lldp run
lacp system-priority 100
switchport default mode access
vlan internal order ascending range 4000 4090
email
   from-user switch@example.org
   server mail.example.org
   auth username switch
   auth password 7 123
redundancy
   protocol sso
license import-ignored
environment fan-speed override 60
power poll-interval 5
system l1
   unsupported speed action warn
sync-e
   network option 2
poe
   reboot action maintain
ptp mode boundary one-step
ptp monitor threshold offset-from-master 11
monitor session span source Ethernet1 both
monitor session span destination Ethernet2
monitor connectivity
   host internet
      ip 192.0.2.1
      local-interfaces uplinks
   interface set uplinks Ethernet1
   no shutdown
monitor telemetry influx
   destination influxdb site
      url http://a|b
   source group standard disabled
monitor layer1
   logging transceiver
   logging mac fault
monitor server radius
   service dot1x
   probe interval 100 seconds
monitor loop-protection
   protect vlan 10
   disabled-time 300
event-monitor
event-monitor all
no event-monitor mac
event-monitor buffer max-size 10
`

const LAYER2 = `vlan 10
   name STAFF
   state active
vlan 20,30-32
vlan 110
   private-vlan community primary vlan 100
   !
   address locking
      locked-address ipv4 enforcement disabled
address locking
   disabled
   lease 2.2.2.2 mac dead.beef.cafe
   dhcp server ipv4 10.0.0.1
vrf instance MGMT
   rd 10.0.0.1:1
   description out of band
interface profile USERS
   command switchport mode access
   command description desk | room > floor
interface defaults
   mtu 9000
   ethernet
      shutdown
interface Port-Channel1
   description uplink | core > edge
   switchport trunk native vlan 4000
   switchport trunk allowed vlan 10,20
   switchport mode trunk
   switchport trunk group LEAFS
   mlag 1
   !
   evpn ethernet-segment
      identifier 0000:0000:0051:5001:0001
      route-target import 00:51:50:01:00:01
   lacp system-id 0051.5001.0001
   port-channel lacp fallback timeout 5
interface Ethernet1
   !! ask the owner first
   !! reload only at night
   description commit | reload > flash: ! not a command
   desc short
   load-interval 30
   mtu 9214
   shutdown
   no shutdown
   shut
   default switchport
   switchport
   sw mode access
   switchport access vlan 10
   switchport phone vlan 20
   switchport trunk allowed vlan add 30
   speed forced 100full
   flowcontrol receive off
   channel-group 1 mode active
   lacp timer fast
   spanning-tree portfast
   spanning-tree bpdufilter enable
   no lldp transmit
   logging event link-status
   snmp trap link-change
   storm-control broadcast level 1
   service-policy type qos input EDGE
   service-profile campus
   qos trust dscp
   poe reboot action maintain
   poe limit 30 watts
   dot1x pae authenticator
   dot1x reauthentication
   dot1x timeout quiet-period 10
   dot1x mac based authentication
   mac access-group ACL in
   ip access-group ACL in
   traffic-policy input EDGE
   sflow enable
   l2 mtu 9000
   tcp mss ceiling ipv4 1400
   error-correction encoding reed-solomon
   transceiver media override 100gbase-ar4
   tool mpls pop all
   tap native vlan 10
   uc-tx-queue 3
      bandwidth percent 30
   tx-queue 1
      priority strict
   priority-flow-control on
   ptp enable
   no ptp enable
   bfd interval 300 min-rx 300 multiplier 3
   vmtracer vmware-esx
   link-debounce time 300
   lldp med network-policy application voice
interface Ethernet2.100
   encapsulation dot1q vlan 100
   vrf MGMT
   ip address 10.1.0.1/31
   ipv6 enable
   ipv6 address 2001:db8::1/64
   pim ipv4 sparse-mode
   ip ospf network point-to-point
   ip ospf area 0.0.0.0
   isis enable core
   mpls ip
   ntp serve
interface Vlan10
   ip address virtual 10.10.0.1/24
   ip helper-address 10.0.0.67
   ip virtual-router address 10.10.0.1
   vrrp 1 ipv4 10.10.0.3
   arp aging timeout 900
   no autostate
interface Loopback0
   ip address 10.255.0.1/32
interface Management1
   vrf MGMT
   ip address dhcp
   dhcp client accept default-route
interface Vxlan1
   vxlan source-interface Loopback1
   vxlan udp-port 4789
   vxlan vlan 10,20 vni 10010,10020
   vxlan vrf MGMT vni 50001
   vxlan flood vtep 10.0.0.1 10.0.0.2
interface Tunnel1
   tunnel mode gre
   tunnel source 10.0.0.1
mac address-table aging-time 600
mac address-table static 02AA.BBCC.DD01 vlan 110 interface Ethernet1
mac security
   license abc 123
   profile MKA
      key 0abc 7 123
      mka session rekey-period 30
      sci
link tracking group UPLINKS
   links minimum 1
   recovery delay 300
l2-protocol
   forwarding profile P1
      lldp forward
load-balance policies
   load-balance sand profile P1
      fields udp dst-port 101
         payload bytes 25
tap aggregation
   mode exclusive
   mac timestamp header format 64-bit
mlag configuration
   domain-id campus
   heartbeat-interval 5000
   local-interface Vlan4094
   peer-address 172.16.0.1
   peer-link Port-Channel12
   reload-delay mlag 300
   reload-delay non-mlag 330
dhcp relay
   server 10.0.0.67
   tunnel requests disabled
dhcp server vrf GUEST
   lease time ipv4 1 days 0 hours 0 minutes
   tftp server option 66 ipv4 10.0.0.1
   tftp server file ipv4 https://10.0.0.1/bootstrap
   vendor-option ipv4 NTP
      sub-option 1 type string data a | b
   client class ipv4 definition phones
      match any
         vendor-class identifier phone
   dns domain name ipv4 example.org
   !
   subnet 10.0.0.0/24
      reservations
         mac-address 0001.0001.0001
            hostname host3
            ipv4-address 10.0.0.2
      range 10.0.0.10 10.0.0.100
      name GUESTS
   disabled
ip dhcp relay information option
ip dhcp snooping vlan 10
dot1x system-auth-control
dot1x
   aaa unresponsive phone action apply cached-results
   radius av-pair service-type
flow tracking hardware
   tracker T1
      record export on interval 5666
      exporter E1
         collector 10.0.0.60 port 888
         format ipfix version 10
         local interface Loopback0
         template interval 424242
   no shutdown
flow tracking mirror-on-drop
   tracker T3
      exporter E3
         format sflow
         collector sflow
`

const ROUTING = `ip routing
ip routing vrf MGMT
no ip routing vrf GUEST
ipv6 unicast-routing
ip virtual-router mac-address 00:1c:73:00:00:01
ip route 0.0.0.0/0 10.0.0.1 name default-route
ip route vrf MGMT 0.0.0.0/0 Null0 250 tag 5 name "a | b"
ipv6 route ::/0 2001:db8::1
arp 10.0.0.9 dead.beef.cafe arpa
arp persistent refresh-delay 700
ip prefix-list LOOPBACKS
   seq 10 permit 10.255.0.0/24 eq 32
   seq 20 deny 0.0.0.0/0 le 32
ip prefix-list ONE seq 5 permit 10.0.0.0/8
ipv6 prefix-list V6
   seq 10 permit 2001:db8::/32
ip as-path access-list OURS permit ^(65001|65002)_ any
ip as-path access-list NONE permit ^$ | any
ip community-list regexp C1 permit 65000:.*|65001:.*
ip extcommunity-list E1 permit rt 65000:1
ip access-list standard MGMT
   10 permit 10.0.0.0/24
ip access-list EDGE
   counters per-entry
   10 remark who may | who may not > nobody
   20 permit tcp any any eq ssh telnet
   30 deny ip any any log
   statistics per-entry
ipv6 access-list V6
   10 permit icmpv6 any any
mac access-list M1
   10 permit any any
route-map OUT permit 10
   description set it | not
   match ip address prefix-list LOOPBACKS
   match as-path OURS
   set community 65000:1 additive
   set local-preference 200
   continue 20
   sub-route-map OTHER
no route-map OLD
peer-filter LEAFS
   10 match as-range 65001-65099 result accept
router bgp 65001
   bgp asn notation asdot
   router-id 10.255.0.1
   update wait-for-convergence
   update wait-install
   timers bgp 3 9
   distance bgp 20 200 200
   graceful-restart restart-time 300
   maximum-paths 4 ecmp 4
   bgp listen range 10.0.0.0/24 peer-group LEAFS peer-filter LEAFS
   neighbor EVPN peer group
   neighbor EVPN remote-as 65100
   neighbor EVPN update-source Loopback0
   neighbor EVPN send-community
   neighbor EVPN password 7 123
   neighbor 10.0.0.2 peer group EVPN
   neighbor 10.0.0.2 description spine|1
   neighbor EVPN description spine1 | Ethernet3 > leaf
   neighbor 10.0.0.3 shutdown
   no neighbor 10.0.0.4
   redistribute connected route-map OUT
   aggregate-address 10.0.0.0/8 summary-only
   network 10.0.0.0/8
   !
   vlan 10
      rd 10.255.0.1:10
      route-target both 10:10
      redistribute learned
   !
   vlan-aware-bundle B3
      rd 10.0.0.1:1
      vlan 90,100,1008-1009
   !
   address-family evpn
      neighbor EVPN activate
      host-flap detection window 10
   !
   address-family ipv4
      no neighbor EVPN activate
   !
   vrf MGMT
      rd 10.255.0.1:1
      route-target import evpn 1:1
      redistribute connected
      session tracker T1
   session tracker T1
      recovery delay 15 seconds
router ospf 100
   router-id 10.255.0.1
   auto-cost reference-bandwidth 100
   passive-interface default
   no passive-interface Ethernet1
   network 10.0.0.0/8 area 0.0.0.0
   area 0.0.0.2 filter prefix-list ONE
   max-lsa 12000
   max-metric router-lsa on-startup 300
   log-adjacency-changes detail
   default-information originate always
   exit-overflow-interval 60
ipv6 router ospf 100
   router-id 10.255.0.1
router isis core
   net 49.0001.0000.0000.0001.00
   is-type level-2
   log-adjacency-changes
   authentication mode md5
   authentication key 7 123
   set-overload-bit on-startup 300
   !
   address-family ipv4 unicast
      maximum-paths 4
      fast-reroute ti-lfa mode link-protection
   segment-routing mpls
      no shutdown
      prefix-segment 10.255.0.1/32 index 1
   segment-routing srv6
      locator MAIN
router pim sparse-mode
   ipv4
      rp address 10.0.0.1 239.0.0.0/8
      make-before-break disabled
router multicast
   ipv4
      routing
      software-forwarding kernel
router igmp
   ssm aware
router bfd
   interval 900 min-rx 900 multiplier 3 default
   session stats snapshot interval 51
router msdp
   peer 1.2.3.4
      default-peer
      disabled
      mesh-group MG1
router rip
   network 10.0.0.0/8
   no shutdown
router internet-exit
   exit-group eg_01
      fib-default
      local connection c1
   policy po_01
      exit-group eg_01
router path-selection
   interface Ethernet1
      metric bandwidth receive 100 Mbps
   path-group PG-1 id 666
      keepalive interval auto
      local interface Ethernet1
         stun server-profile S1
   load-balance policy LB
      latency 42
router general
   router-id ipv4 10.255.0.1
   vrf MGMT
      leak routes source-vrf default subscribe-policy OUT
   control-functions
      code unit one
function f() {
   return true;
}
EOF
router traffic-engineering
   segment-routing
      policy endpoint 10.0.0.1 color 1
         path-group preference 10
            segment-list label-stack 1 2 weight 1
router l2-vpn
   arp learning bridged
   arp selective-install
mpls ip
mpls ldp
   router-id interface Loopback0
   no shutdown
mpls rsvp
   hello interval 30 multiplier 254
   refresh interval 3
   label local-termination explicit-null
   timer recovery 222 seconds
ip nat pool P1 prefix-length 24
   range 10.0.0.1 10.0.0.254
   utilization threshold 91 action log
ip nat synchronization
   description pairs
   expiry-interval 60
   shutdown
class-map type qos match-any VOICE
   match dscp ef
policy-map type quality-of-service EDGE
   class VOICE
      set traffic-class 5
      police rate 10 kbps burst-size 260 kbytes
policy-map type copp copp-system-policy
   class copp-system-cvx
      shape pps 2000
qos profile EGRESS
   qos trust dscp
   tx-queue 5
      bandwidth guaranteed percent 90
qos map dscp 46 to traffic-class 5
traffic-policies
   field-set ipv4 prefix NETS
      10.0.0.0/8 192.168.0.0/16
      except 10.2.2.2/32
   traffic-policy EDGE
      counter DROPS
      match one ipv4
         source prefix field-set NETS
         protocol icmp type echo echo-reply code all
         actions
            count DROPS
            drop
            log
            set dscp 60
      match ipv4-all-default ipv4
patch panel
   patch one
      shutdown
      connector 1 interface Ethernet6 dot1q vlan 123
group bgp foo
   neighbor 169.254.1.1
   maintenance profile bgp ixp
maintenance
   profile unit UP1
      on-boot duration 900
   unit System
      group bgp foo
      quiesce
stun
   client
      server-profile server1
         ip address 1.2.3.4
segment-security
   policy p1
      10 application app-match-all action forward stateless
   !
   vrf MGMT
      segment s1
vmtracer session s1
   url https://192.168.0.10
   username user1
   password 7 123
   autovlan disable
mcs client
   no shutdown
   cvx secondary default
      server host 10.0.0.1
cvx
   no shutdown
   service mcs
      no shutdown
`

const MANAGEMENT = `banner login
!!! Authorised people only !!!
% commit and reload are for others
exit
end
leaf1#
EOF
banner motd
Today: copy running-config startup-config
   EOF
management accounts
   password policy STRONG
management api http-commands
   protocol https
   no protocol http
   protocol https ssl profile SSL
   no shutdown
   !
   vrf MGMT
      no shutdown
      ip access-group MGMT
   protocol https certificate
-----BEGIN CERTIFICATE-----
reload
-----END CERTIFICATE-----
EOF
-----BEGIN PRIVATE KEY-----
bash
-----END PRIVATE KEY-----
EOF
management api gnmi
   transport grpc default
      vrf MGMT
   provider eos-native
management console
   idle-timeout 60
management cvx
   server host 10.0.0.1
   no shutdown
management security
   password encryption-key common
   entropy source hardware
   ssl profile SSL
      tls versions 1.2
      certificate c.crt key k.key
      trust certificate ca.crt
   password policy STRONG
      minimum length 12
   session shared-secret profile S1
      secret 0 7 123
management ssh
   idle-timeout 15
   login timeout 60
   authentication protocol keyboard-interactive public-key
   client-alive interval 666
   connection limit 50
   hostkey client strict-checking
   known-hosts vrf MGMT 10.0.0.1 ssh-rsa AAAA
   log-level debug
   no shutdown
   vrf MGMT
      no shutdown
management telnet
   shutdown
management tech-support
   policy show tech-support
      exclude command show ip bgp vrf all
      include command show version detail | grep TerminAttr
   exit
aaa group server radius NAC
   server 10.0.0.11 vrf MGMT
aaa authentication login default group tacacs+ local
aaa authentication dot1x default group NAC
aaa authorization exec default local
aaa authorization commands all default local
aaa accounting exec default start-stop group tacacs+ logging
control-plane
   ip access-group CP in
system control-plane
   ip access-group CP vrf MGMT in
   tcp mss ceiling ipv4 1344 ipv6 1366
ip ssh client source-interface Management1
ip http client local-interface Management1
no ip http server
ip icmp redirect
comment-like-word 1
no shutdown
default interface Ethernet9
no interface Vlan99
zerotouch disabled-word
end
`

export const eosConfigurations: Readonly<Record<string, string>> = {
  base: BASE,
  "layer 2": LAYER2,
  routing: ROUTING,
  management: MANAGEMENT
}
