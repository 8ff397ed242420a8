/**
 * How EOS shows lines otherwise than it was given them, as far as it is known beforehand. What is not here is learnt from the
 * switches themselves (docs/changes.md#lines-that-are-not-shown).
 */
import type { ShownLines, SilentDefault } from "./Platform.ts"

const within = (section: RegExp, line: RegExp): SilentDefault => ({ section, line })

/** The top level. */
const TOP = /^$/
const INTERFACE = /^interface /

const defaults: ReadonlyArray<SilentDefault> = [
  within(
    INTERFACE,
    /^(?:no shutdown|switchport|switchport mode access|switchport access vlan 1|switchport trunk native vlan 1|mtu 1500|load-interval 300|lldp (?:transmit|receive)|lacp timer normal|snmp trap link-change|logging event link-status|speed auto|flowcontrol (?:receive|send) off|poe|autostate|ip address dhcp disabled|spanning-tree portfast auto|switchport trunk allowed vlan (?:all|1-4094)|bfd static|lacp port-priority 32768|logging event (?:storm-control|spanning-tree) .*use-global|vxlan udp-port 4789)$/
  ),
  within(/^interface (?:Vlan|Loopback|Port-Channel|Management|Tunnel|Vxlan)/, /^no switchport$/),
  within(
    TOP,
    /^(?:lldp run|lldp (?:timer 30|holdtime-multiplier 4|reinitialization 2)|spanning-tree mode mstp|spanning-tree|ip domain lookup|logging on|transceiver qsfp default-mode 4x10G|prompt %H.*|load-interval default 300|snmp-server vrf default|service routing protocols model (?:ribd|multi-agent)|aaa authentication policy .*|errdisable recovery interval 300|ip icmp redirect|ip icmp source-interface|mac address-table aging-time 300|vlan internal (?:order|allocation policy) ascending|clock timezone UTC|username admin .*nopassword)$/
  ),
  within(/^vlan \d/, /^state active$/),
  within(/^management ssh/, /^(?:no shutdown|idle-timeout 0|authentication mode keyboard-interactive)$/),
  within(/^management api http-commands/, /^(?:shutdown|protocol https|no protocol http)$/),
  within(/^router bgp/, /^(?:bgp default ipv4-unicast|maximum-paths 1|timers bgp 60 180)$/),
  within(/^router ospf/, /^(?:max-lsa 12000|auto-cost reference-bandwidth 100)$/)
]

export const eosShown: ShownLines = {
  never: /^(?:exit|end|enable|abort|boot system |default |comment$|rollback )/,
  defaults,
  on: [
    within(INTERFACE, /^(?:switchport|lldp (?:transmit|receive)|autostate|snmp trap link-change)$/),
    within(TOP, /^(?:lldp run|logging (?:on|console|monitor)|spanning-tree|ip icmp redirect|aaa root)$/),
    within(/^management (?:api|telnet|cvx)/, /^shutdown$/)
  ],
  freeText: /^(?:no |default )?(?:des\S*|name|remark|alias|snmp-server (?:contact|location)|banner|trigger|action) /,
  lists:
    /^((?:vlan|switchport trunk allowed vlan|spanning-tree (?:mst \d+ )?vlan(?:-id)?|vxlan vlan)(?: add)?) (\d[\d,-]*)$/
}
