/** The filters beyond Jinja2's own, each with an example that is rendered here. */
import { Environment, memoryLoader } from "../../src/jinja/Jinja.ts"
import { templateFilters } from "../../src/templates/TemplateFilters.ts"

/** What each filter does, and expressions that show it. */
const filters: Readonly<Record<string, readonly [about: string, ...examples: ReadonlyArray<string>]>> = {
  md5: ["MD5 in hexadecimal", "'abc'|md5"],
  sha1: ["SHA-1 in hexadecimal", "'abc'|sha1"],
  sha256: ["SHA-256 in hexadecimal", "'abc'|sha256|truncate(12, true, '')"],
  sha512: ["SHA-512 in hexadecimal", "'abc'|sha512|truncate(12, true, '')"],
  b64encode: ["to base 64", "'abc'|b64encode"],
  b64decode: ["from base 64", "'YWJj'|b64decode"],
  b16encode: ["to base 16, in capitals", "'abc'|b16encode"],
  b16decode: ["from base 16", "'616263'|b16decode"],
  mac_to_format: [
    "MAC address as `MAC_NO_SPECIAL` (default), or `MAC_COLON`, `MAC_DASH`, `MAC_DOT` with `_TWO` or `_FOUR`",
    "'aabbccddeeff'|mac_to_format('MAC_DOT_FOUR')"
  ],
  mac_normalize: ["MAC address without separators", "'08:00:27:00:12:34'|mac_normalize"],
  is_valid_mac: ["is it a MAC address", "'08:00:27:00:12:34'|is_valid_mac"],
  ipwrap: ["brackets around an IPv6 address", "'fe80::1'|ipwrap", "'10.0.0.1'|ipwrap"],
  increment_ip: [
    "address plus a number (default 1); with a length, inside its network",
    "'10.0.0.1'|increment_ip(255)",
    "'10.0.0.1/24'|increment_ip(4)"
  ],
  isofy_ipv4: [
    "IPv4 address as an ISO address, behind a prefix",
    "'130.242.1.28'|isofy_ipv4('47.0023.0000.0001.0000')"
  ],
  ipv4_to_ipv6: ["IPv4 address as the host number in an IPv6 network", "'2001:db8:1::/64'|ipv4_to_ipv6('10.0.0.1')"],
  get_interface: [
    "n-th address of a network; negative: from the end",
    "'10.0.1.0/24'|get_interface(2)",
    "'10.0.1.0/24'|get_interface(-2)"
  ],
  is_ip: ["is it an address", "'10.0.0.1'|is_ip"],
  netmask_to_cidr: ["mask to length", "'255.255.255.0'|netmask_to_cidr"],
  cidr_to_netmask: ["length to mask", "24|cidr_to_netmask"],
  netmask_to_wildcardmask: ["mask with its bits inverted", "'255.255.255.0'|netmask_to_wildcardmask"],
  get_first_usable: ["first host address", "'10.0.0.0/24'|get_first_usable"],
  get_broadcast_address: ["last address", "'10.0.0.0/24'|get_broadcast_address"],
  get_peer_ip: ["other address of a /31 or /30", "'10.0.0.0/31'|get_peer_ip"],
  ip_addition: ["address plus a number", "'10.0.0.1'|ip_addition(5)"],
  ip_subtract: ["address minus a number", "'10.0.0.6'|ip_subtract(5)"],
  ip_to_hex: ["address in hexadecimal", "'10.0.0.1'|ip_to_hex"],
  is_ip_within: ["is the address in the network", "'10.0.0.1'|is_ip_within('10.0.0.0/24')"],
  ipaddress_address: ["part of an address, by name", "'10.0.0.1'|ipaddress_address('version')"],
  ipaddress_interface: ["part of an address with a length", "'10.0.0.1/24'|ipaddress_interface('network')"],
  ipaddress_network: ["part of a network", "'10.0.0.0/24'|ipaddress_network('netmask')"],
  vlanlist_to_config: ["VLAN ids as ranges, in lines of bounded length", "[1, 2, 3, 10]|vlanlist_to_config"],
  vlanconfig_to_list: ["ids in a text of ranges", "'1-3,10'|vlanconfig_to_list"],
  asn_to_int: ["AS number with a dot to number", "'65000.1'|asn_to_int"],
  int_to_asdot: ["number to AS number with a dot", "4200000001|int_to_asdot"],
  bits_to_name: ["bit/s to name", "1000000|bits_to_name"],
  name_to_bits: ["name to bit/s", "'1Gbps'|name_to_bits"],
  interface_range_expansion: ["names in a range", "'Ethernet[1-3]'|interface_range_expansion"],
  interface_range_compress: ["names as ranges", "['Ethernet1', 'Ethernet2', 'Ethernet4']|interface_range_compress"],
  split_interface: ["kind and number", "'Ethernet10'|split_interface"],
  sort_interface_list: ["natural order", "['Ethernet10', 'Ethernet2']|sort_interface_list"],
  abbreviated_interface_name: ["short name", "'GigabitEthernet1/0/1'|abbreviated_interface_name"],
  canonical_interface_name: ["long name", "'Gi1/0/1'|canonical_interface_name"],
  regex_sub: ["replace; the filtered value is the **pattern**", "'[0-9]'|regex_sub('x', 'a1b')"],
  regex_search: ["first match of the pattern", "'[0-9]+'|regex_search('ab12')"],
  regex_findall: ["all matches of the pattern", "'[0-9]+'|regex_findall('a1b22')"],
  get_config_section: [
    "blocks of a configuration that begin with a matching line, as the platform writes blocks",
    "'interface Ethernet1\\n   shutdown\\ninterface Ethernet2'|get_config_section('interface Ethernet1', 'eos')"
  ],
  render_as_jinja: ["the text rendered as a template", "'{{ 1 + 1 }}'|render_as_jinja"]
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

/** A line for each, in the order of the library. */
export const filterTable = (): string =>
  templateFilters
    .flatMap((library) => [...library.keys()])
    .map((name) => {
      const known = filters[name]
      if (known === undefined) throw new Error(`scripts/manual/FilterTable.ts does not describe the filter ${name}`)
      const [about, ...examples] = known
      return `- ${code(name)}: ${about}. ${examples.map((one) => `${code(one)} → ${code(printed(one))}`).join(", ")}`
    })
    .join("\n")
