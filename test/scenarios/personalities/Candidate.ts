/**
 * Additional lines of these tests' candidates: lines that switches spell in another form or do not keep, secrets that they salt, a text
 * that ends in `EOF`.
 */

/** A line as the templates have it, and what some switches make of it. */
interface Spelling {
  readonly given: string
  readonly shown: string
}

export const spellings: ReadonlyArray<Spelling> = [
  { given: "vlan 401,402,403", shown: "vlan 401-403" },
  { given: "desc loopback of the tests", shown: "description loopback of the tests" },
  { given: "ip address 192.0.2.77 255.255.255.255", shown: "ip address 192.0.2.77/32" },
  { given: "ipv6 address 2001:DB8:0:0::77/128", shown: "ipv6 address 2001:db8::77/128" },
  {
    given: "mac address-table static 02AA.BBCC.DD01 vlan 110 interface Ethernet1",
    shown: "mac address-table static 02:aa:bb:cc:dd:01 vlan 110 interface Ethernet1"
  }
]

/** Lines that say what is so anyway: some switches do not keep them. */
export const vanishing: ReadonlyArray<string> = ["mtu 1500", "spanning-tree mode mstp"]

/** Lines behind the configuration of every access switch. */
export const appended = `alias ports show interfaces status
username operator privilege 1 role network-operator secret plain-text-of-operator
ntp authentication-key 1 sha1 7 0832494D1B1C11
vlan 401,402,403
mac address-table static 02AA.BBCC.DD01 vlan 110 interface Ethernet1
event-handler watcher
   action bash
   echo up
   EOF
interface Loopback77
   desc loopback of the tests
   mtu 1500
   ip address 192.0.2.77 255.255.255.255
   ipv6 address 2001:DB8:0:0::77/128
`
