/** The filters beyond Jinja2's own, each with an example that is rendered here. */
import { Environment, memoryLoader } from "../../src/jinja/Jinja.ts"
import { templateFilters } from "../../src/templates/TemplateFilters.ts"
import { table } from "./Marked.ts"

/** What each filter does, and expressions that show it. */
const filters: Readonly<Record<string, readonly [about: string, ...examples: ReadonlyArray<string>]>> = {
  md5: ["MD5 in hexadecimal", "'abc'|md5"],
  sha1: ["SHA-1 in hexadecimal", "'abc'|sha1"],
  sha256: ["SHA-256 in hexadecimal", "'abc'|sha256|truncate(12, true, '')"],
  sha512: ["SHA-512 in hexadecimal", "'abc'|sha512|truncate(12, true, '')"],
  b64encode: ["base 64 of the text", "'abc'|b64encode"],
  b64decode: ["text of base 64", "'YWJj'|b64decode"],
  b16encode: ["base 16 of the text, capitals", "'abc'|b16encode"],
  b16decode: ["text of base 16", "'616263'|b16decode"],
  mac_to_format: [
    "a MAC address in another form: `MAC_NO_SPECIAL` (default), or `MAC_COLON`, `MAC_DASH`, `MAC_DOT` with `_TWO` or `_FOUR`",
    "'aabbccddeeff'|mac_to_format('MAC_DOT_FOUR')"
  ],
  mac_normalize: ["a MAC address without separators", "'08:00:27:00:12:34'|mac_normalize"],
  is_valid_mac: ["whether it is a MAC address", "'08:00:27:00:12:34'|is_valid_mac"],
  ipwrap: ["an IPv6 address in brackets; anything else as it is", "'fe80::1'|ipwrap", "'10.0.0.1'|ipwrap"],
  increment_ip: [
    "an address plus a number (1); with a length it has to stay in its network",
    "'10.0.0.1'|increment_ip(255)",
    "'10.0.0.1/24'|increment_ip(4)"
  ],
  isofy_ipv4: [
    "an IPv4 address as an ISO address, with a prefix",
    "'130.242.1.28'|isofy_ipv4('47.0023.0000.0001.0000')"
  ],
  ipv4_to_ipv6: [
    "in an IPv6 network the address whose host number is the IPv4 address",
    "'2001:db8:1::/64'|ipv4_to_ipv6('10.0.0.1')"
  ],
  get_interface: [
    "the n-th address of a network, counted from the end when negative",
    "'10.0.1.0/24'|get_interface(2)",
    "'10.0.1.0/24'|get_interface(-2)"
  ],
  is_ip: ["whether it is an address", "'10.0.0.1'|is_ip"],
  netmask_to_cidr: ["a mask as a length", "'255.255.255.0'|netmask_to_cidr"],
  cidr_to_netmask: ["a length as a mask", "24|cidr_to_netmask"],
  netmask_to_wildcardmask: ["a mask with its bits turned", "'255.255.255.0'|netmask_to_wildcardmask"],
  get_first_usable: ["the first host address", "'10.0.0.0/24'|get_first_usable"],
  get_broadcast_address: ["the last address", "'10.0.0.0/24'|get_broadcast_address"],
  get_peer_ip: ["the other address of a /31 or /30", "'10.0.0.0/31'|get_peer_ip"],
  ip_addition: ["an address plus a number", "'10.0.0.1'|ip_addition(5)"],
  ip_subtract: ["an address minus a number", "'10.0.0.6'|ip_subtract(5)"],
  ip_to_hex: ["an address in hexadecimal", "'10.0.0.1'|ip_to_hex"],
  is_ip_within: ["whether the address is in the network", "'10.0.0.1'|is_ip_within('10.0.0.0/24')"],
  ipaddress_address: ["a part of an address, by its name", "'10.0.0.1'|ipaddress_address('version')"],
  ipaddress_interface: ["a part of an address with a length", "'10.0.0.1/24'|ipaddress_interface('network')"],
  ipaddress_network: ["a part of a network", "'10.0.0.0/24'|ipaddress_network('netmask')"],
  vlanlist_to_config: ["VLAN ids as ranges, in lines of a bounded length", "[1, 2, 3, 10]|vlanlist_to_config"],
  vlanconfig_to_list: ["the ids in a text of ranges", "'1-3,10'|vlanconfig_to_list"],
  asn_to_int: ["an AS number with a dot as one number", "'65000.1'|asn_to_int"],
  int_to_asdot: ["an AS number with a dot", "4200000001|int_to_asdot"],
  bits_to_name: ["a speed in bit/s as a name", "1000000|bits_to_name"],
  name_to_bits: ["the name of a speed in bit/s", "'1Gbps'|name_to_bits"],
  interface_range_expansion: ["the names in a range", "'Ethernet[1-3]'|interface_range_expansion"],
  interface_range_compress: ["names as ranges", "['Ethernet1', 'Ethernet2', 'Ethernet4']|interface_range_compress"],
  split_interface: ["kind and number of an interface", "'Ethernet10'|split_interface"],
  sort_interface_list: ["names in the order in which people count", "['Ethernet10', 'Ethernet2']|sort_interface_list"],
  abbreviated_interface_name: ["the short name", "'GigabitEthernet1/0/1'|abbreviated_interface_name"],
  canonical_interface_name: ["the long name", "'Gi1/0/1'|canonical_interface_name"],
  regex_sub: ["replaces in a text; the filtered value is the **pattern**", "'[0-9]'|regex_sub('x', 'a1b')"],
  regex_search: ["the first match of the pattern in a text", "'[0-9]+'|regex_search('ab12')"],
  regex_findall: ["all matches of the pattern in a text", "'[0-9]+'|regex_findall('a1b22')"],
  get_config_section: [
    "the blocks of a configuration that begin with a matching line; the platform says how blocks are written",
    "'interface Ethernet1\\n   shutdown\\ninterface Ethernet2'|get_config_section('interface Ethernet1', 'eos')"
  ],
  render_as_jinja: ["the text rendered as a template with the present variables", "'{{ 1 + 1 }}'|render_as_jinja"]
}

/** What an expression prints. */
const printed = (expression: string): string => {
  const environment = new Environment({
    loader: memoryLoader(new Map([["example", `{{ ${expression} }}`]])),
    filters: templateFilters
  })
  const compiled = environment.compile("example")
  if (!compiled.ok) throw new Error(`${expression}: ${compiled.failure.message}`)
  const rendered = environment.render(compiled.value, {})
  if (!rendered.ok) throw new Error(`${expression}: ${rendered.failure.message}`)
  return rendered.value.text
}

const code = (text: string): string => `\`${text.replaceAll("\n", "⏎")}\``

/** All of them, in the order of the library. */
export const filterTable = (): string =>
  table(
    ["Filter", "What it gives", "Example", "Prints"],
    templateFilters
      .flatMap((library) => [...library.keys()])
      .map((name) => {
        const known = filters[name]
        if (known === undefined) throw new Error(`scripts/manual/FilterTable.ts does not describe the filter ${name}`)
        const [about, ...examples] = known
        return [
          code(name),
          about,
          examples.map(code).join("<br>"),
          examples.map((one) => code(printed(one))).join("<br>")
        ]
      })
  )
