import { expect, it } from "vitest"
import { outcome } from "./Cases.ts"

const config =
  "hostname sw1\n!\ninterface Ethernet1\n   description a\n   !\n   no shutdown\ninterface Ethernet2\n   shutdown\n!\nrouter bgp 1\n   vrf X\n      rd 1:1\n"
const junos = "system {\n    host-name sw1;\n    services {\n        ssh;\n    }\n}\nvlans {\n    a;\n}\n"

it.each([
  ["'fe80::1'|ipwrap", "[fe80::1]"],
  ["'10.0.0.1'|ipwrap", "10.0.0.1"],
  ["'ntp.x'|ipwrap", "ntp.x"],
  ["5|ipwrap", "5"],
  ["'10.0.0.1'|increment_ip(255)", "10.0.1.0"],
  ["'10.0.0.1/24'|increment_ip(4)", "10.0.0.5/24"],
  ["'10.0.0.1/24'|increment_ip(255)", "ValueError: IP address 10.0.1.0 is not in network 10.0.0.0/24"],
  ["'2001:db8::1/64'|increment_ip(15)", "2001:db8::10/64"],
  ["'2001:700:3901:0020::1'|increment_ip(-2)", "2001:700:3901:1f:ffff:ffff:ffff:ffff"],
  ["'255.255.255.255'|increment_ip", "ValueError: 4294967296 (>= 2**32) is not permitted as an IP address"],
  ["'10.255.255.1'|isofy_ipv4", "0102.5525.5001.00"],
  ["'130.242.1.28'|isofy_ipv4('47.0023.0000.0001.0000')", "47.0023.0000.0001.0000.1302.4200.1028.00"],
  [
    "'130.242.1.28'|isofy_ipv4('47.0023.00')",
    "ValueError: 47.0023.00 cannot be used as ISO prefix, please check formatting"
  ],
  ["'2001:db8:1::/64'|ipv4_to_ipv6('10.0.0.1')", "2001:db8:1::a00:1/64"],
  ["('2001:db8:1::/64'|ipv4_to_ipv6('10.0.0.1')).ip", "2001:db8:1::a00:1"],
  ["('10.0.1.0/24'|get_interface(2)).netmask", "255.255.255.0"],
  ["('10.0.1.0/24'|get_interface(2)).network", "10.0.1.0/24"],
  ["'10.0.1.0/24'|get_interface(2)", "10.0.1.2/24"],
  ["'10.0.1.0/24'|get_interface(-2)", "10.0.1.254/24"],
  ["'2001:db8::/64'|get_interface(2)", "2001:db8::2/64"],
  ["'10.0.1.1/24'|get_interface(2)", "ValueError: 10.0.1.1/24 has host bits set"],
  ["'abc'|b64encode", "YWJj"],
  ["'YWJj'|b64decode", "abc"],
  ["'abc'|b16encode", "616263"],
  ["'616263'|b16decode", "abc"],
  ["'abc'|sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"],
  ["'abc'|md5", "900150983cd24fb0d6963f7d28e17f72"],
  ["'abc'|sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["'ä'|md5 == 'ä'|md5(encoding='latin-1')", "False"],
  ["'aabbccddeeff'|mac_to_format('MAC_DOT_FOUR')", "aabb.ccdd.eeff"],
  ["'AA:bb:cc:dd:ee:ff'|mac_to_format", "AAbbccddeeff"],
  ["'aabb.ccdd.eeff'|mac_to_format('MAC_COLON_TWO')", "aa:bb:cc:dd:ee:ff"],
  ["'08:00:27:00:12:34'|mac_normalize", "080027001234"],
  ["['aa:bb:cc:dd:ee:ff', 'x']|map('is_valid_mac')|list", "[True, False]"],
  ["'Ethernet[1-3]'|interface_range_expansion", "['Ethernet1', 'Ethernet2', 'Ethernet3']"],
  ["'Et[1,3]/[1-2]'|interface_range_expansion|join(' ')", "Et1/1 Et1/2 Et3/1 Et3/2"],
  ["'255.255.255.0'|netmask_to_cidr", "24"],
  ["24|cidr_to_netmask", "255.255.255.0"],
  ["'255.255.255.0'|netmask_to_wildcardmask", "0.0.0.255"],
  ["'10.0.0.0/24'|get_first_usable", "10.0.0.1"],
  ["'10.0.0.0/24'|get_broadcast_address", "10.0.0.255"],
  ["'10.0.0.0/31'|get_peer_ip", "10.0.0.1"],
  ["'10.0.0.2/30'|get_peer_ip", "10.0.0.1"],
  ["'10.0.0.1'|ip_addition(5)", "10.0.0.6"],
  ["'10.0.0.1'|ip_subtract(1)", "10.0.0.0"],
  ["['10.0.0.1', '::1', 'x']|map('is_ip')|list", "[True, True, False]"],
  ["'65000.1'|asn_to_int", "4259840001"],
  ["4200000001|int_to_asdot", "64086.59905"],
  ["[1, 2, 3, 10]|vlanlist_to_config", "['1-3,10']"],
  ["'1-3,10'|vlanconfig_to_list", "[1, 2, 3, 10]"],
  ["'switchport trunk allowed vlan 1-3,5'|vlanconfig_to_list", "[1, 2, 3, 5]"],
  ["'Ethernet10'|split_interface", "('Ethernet', '10')"],
  ["['Ethernet10', 'Ethernet2', 'Ethernet1/2']|sort_interface_list", "['Ethernet1/2', 'Ethernet2', 'Ethernet10']"],
  ["'[0-9]'|regex_sub('x', 'a1b')", "axb"],
  ["'(a)(?P<n>b)'|regex_sub('\\\\2\\\\g<n>\\\\1', 'abc')", "bbac"],
  ["'b.'|regex_search('abcd')", "bc"],
  ["'z'|regex_search('abc')", "None"],
  ["'[a-z]'|regex_findall('a1b')", "['a', 'b']"],
  ["'([a-z])(\\d)'|regex_findall('a1b2')", "[('a', '1'), ('b', '2')]"],
  ["'10.0.0.1'|ip_to_hex", "0a000001"],
  ["'10.0.0.1'|is_ip_within('10.0.0.0/8')", "True"],
  ["'10.0.0.1/24'|ipaddress_interface('network')", "10.0.0.0/24"],
  ["'10.0.0.0/24'|ipaddress_network('netmask')", "255.255.255.0"],
  ["'10.0.0.1'|ipaddress_address('packed')", "b'\\n\\x00\\x00\\x01'"],
  ["1000000|bits_to_name", "1Mbps"],
  ["'1Gbps'|name_to_bits", "1000000000"],
  ["'GigabitEthernet1/0/1'|abbreviated_interface_name", "Gi1/0/1"],
  ["'Gi1/0/1'|canonical_interface_name", "GigabitEthernet1/0/1"],
  ["'xe-0/0/1'|canonical_interface_name", "xe-0/0/1"],
  ["['Ethernet1', 'Ethernet2', 'Ethernet4']|interface_range_compress", "['Ethernet1-2', 'Ethernet4']"],
  [
    "config|get_config_section('interface', 'eos')",
    "interface Ethernet1\n   description a\n   no shutdown\ninterface Ethernet2\n   shutdown"
  ],
  ["config|get_config_section('router bgp', 'eos')", "router bgp 1\n   vrf X\n      rd 1:1"],
  ["config|get_config_section('vlan', 'eos')", ""],
  [
    "junos|get_config_section('system', 'junos')",
    "system {\n    host-name sw1;\n    services {\n        ssh;\n    }\n}"
  ],
  ["'::ffff:10.0.0.1'|increment_ip(0)", "::ffff:a00:1"],
  ["'1:0:0:2:0:0:0:3'|increment_ip(0)", "1:0:0:2::3"],
  ["'0:0:0:0:0:0:0:0'|increment_ip(0)", "::"],
  ["'1:2:3:4:5:6:0:8'|increment_ip(0)", "1:2:3:4:5:6:0:8"]
])("computes %s", (expression, expected) => {
  expect(outcome(`{{ ${expression} }}`, { config, junos })).toBe(expected)
})

it("breaks long VLAN lists into lines", () => {
  expect(outcome("{{ range(1, 60, 2)|vlanlist_to_config|join('\n') }}")).toBe(
    "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35\n37,39,41,43,45,47,49,51,53,55,57,59"
  )
})
