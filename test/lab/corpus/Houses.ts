/**
 * How five organisations manage their switches: logins, AAA, time, logs, SNMP, telemetry. All names, addresses and secrets are
 * invented.
 */
import { type Part, section } from "./Part.ts"

/** What a house must know of a switch. */
export interface Box {
  readonly name: string
  /** Number in the corpus. */
  readonly number: number
  /** The interface that management uses. */
  readonly management: string
  /** Its VRF; undefined where management is in the default one. */
  readonly vrf: string | undefined
}

const hash = (user: string) => `$6$invented${user}$notAHashOfAnything${user}0123456789abcdefghijklmnopqrstuv`
const key = (user: string) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIInventedKeyOf${user}0000000000 ${user}@example.org`
const of = (vrf: string | undefined) => (vrf === undefined ? "" : `vrf ${vrf} `)

const banner = (kind: string, ...lines: ReadonlyArray<string>) => [`banner ${kind}`, ...lines, "EOF"].join("\n")

/** A university: RADIUS for people, a management platform on the switch, SNMP for readers of a list. */
const university = ({ management, name, number, vrf }: Box): ReadonlyArray<Part> => [
  `username admin privilege 15 role network-admin secret sha512 ${hash("admin")}`,
  "username guest privilege 1 role network-operator nopassword",
  section(
    "daemon TerminAttr",
    `exec /usr/bin/TerminAttr -cvaddr=10.40.0.${(number % 40) + 10}:9910 -cvauth=token,/tmp/token -taillogs -disableaaa`,
    "no shutdown"
  ),
  "alias ship show interfaces description",
  "logging buffered 10000",
  "logging console errors",
  `logging ${of(vrf)}host 10.40.0.21`,
  `logging ${of(vrf)}source-interface ${management}`,
  `hostname ${name}`,
  `ip name-server ${of(vrf)}10.40.0.53`,
  `ip name-server ${of(vrf)}10.40.1.53`,
  "dns domain net.university.example",
  `ntp ${of(vrf).replace("vrf", "local-interface vrf")}${vrf === undefined ? "local-interface " : ""}${management}`,
  `ntp server ${of(vrf)}10.40.0.1 prefer iburst`,
  `ntp server ${of(vrf)}10.40.0.2 iburst`,
  `radius-server host 10.40.0.31 ${of(vrf)}key 7 0832494D1B1C11`,
  `radius-server host 10.40.1.31 ${of(vrf)}timeout 5 retransmit 2 key 7 0832494D1B1C11`,
  section(
    "aaa group server radius STAFF",
    `server 10.40.0.31 ${of(vrf)}`.trim(),
    `server 10.40.1.31 ${of(vrf)}`.trim()
  ),
  "aaa authentication login default group STAFF local",
  "aaa authentication login console local",
  "aaa authorization exec default group STAFF local",
  "aaa accounting exec default start-stop group STAFF",
  `snmp-server contact noc@university.example`,
  `snmp-server location campus building ${number}`,
  "snmp-server community readers-of-the-example ro SNMP-READERS",
  `snmp-server host 10.40.0.41 ${of(vrf)}version 2c readers-of-the-example`,
  "snmp-server enable traps",
  "clock timezone Europe/Oslo",
  section(
    "management api http-commands",
    "no shutdown",
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown", "ip access-group MANAGERS in")])
  ),
  section(
    "ip access-list standard SNMP-READERS",
    "10 remark pollers of both sites",
    "20 permit host 10.40.0.41",
    "30 permit 10.40.1.32/29"
  ),
  section(
    "ip access-list MANAGERS",
    "10 permit tcp 10.40.0.0/23 any eq https",
    "20 permit icmp any any",
    "30 deny ip any any log"
  ),
  section(
    "management ssh",
    "idle-timeout 30",
    "ip access-group MANAGERS in",
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown")])
  )
]

/** A carrier: TACACS+, gNMI over TLS, sFlow, banners. */
const carrier = ({ management, name, number, vrf }: Box): ReadonlyArray<Part> => [
  "no aaa root",
  `username rescue privilege 15 role network-admin secret sha512 ${hash("rescue")}`,
  `username rescue ssh-key ${key("rescue")}`,
  section(
    "role first-line",
    "10 permit mode exec command show.*",
    "20 permit command ping.*",
    "30 deny mode config command .*"
  ),
  "hardware counter feature acl out mac",
  "service routing protocols model multi-agent",
  "logging synchronous level critical",
  "logging format timestamp high-resolution",
  "logging format hostname fqdn",
  `logging ${of(vrf)}host 172.20.9.1 protocol tcp`,
  `logging ${of(vrf)}host 172.20.9.2 6514 protocol tcp`,
  "logging facility local5",
  `hostname ${name}`,
  `ip name-server ${of(vrf)}172.20.9.53`,
  "ip domain-list core.carrier.example",
  `dns domain pop${number % 9}.carrier.example`,
  "ntp authentication-key 5 sha1 7 0832494D1B1C11",
  "ntp trusted-key 5",
  "ntp authenticate servers",
  `ntp server ${of(vrf)}172.20.9.123 prefer iburst key 5`,
  "tacacs-server timeout 4",
  `tacacs-server host 172.20.9.49 ${of(vrf)}key 7 0832494D1B1C11`,
  `tacacs-server host 172.20.10.49 ${of(vrf)}timeout 8 key 7 0832494D1B1C11`,
  "sflow sample 65536",
  `sflow ${of(vrf)}destination 172.20.9.60`,
  `sflow ${of(vrf)}source-interface ${management}`,
  "sflow extension bgp",
  "sflow run",
  section(
    "aaa group server tacacs+ NOC",
    `server 172.20.9.49 ${of(vrf)}`.trim(),
    `server 172.20.10.49 ${of(vrf)}`.trim()
  ),
  "aaa authentication login default group NOC local",
  "aaa authentication enable default group NOC local",
  "aaa authorization exec default group NOC local",
  "aaa authorization commands all default group NOC local",
  "aaa accounting commands all default start-stop group NOC",
  "aaa authentication policy on-success log",
  "aaa authentication policy lockout failure 5 window 900 duration 300",
  "clock timezone UTC",
  section(
    "management api gnmi",
    "provider eos-native",
    section(
      "transport grpc default",
      "ssl profile TELEMETRY",
      ...(vrf === undefined ? [] : [`vrf ${vrf}`]),
      "notification timestamp send-time"
    )
  ),
  section(
    "management api models",
    section("provider sysdb", "path cell/1/agent disabled"),
    section("provider smash", "path routing/bgp")
  ),
  section(
    "management security",
    "entropy source hardware",
    "password encryption-key common",
    section("password policy STRONG", "minimum length 14", "minimum digits 1", "maximum repetitive 2"),
    section(
      "ssl profile TELEMETRY",
      "tls versions 1.2 1.3",
      "certificate node.crt key node.key",
      "trust certificate noc.crt"
    )
  ),
  "ip tacacs vrf default source-interface Loopback0",
  banner("login", "Property of the carrier of this example.", "Everything is recorded! % not an error", ""),
  banner("motd", `pop ${number % 9}, call the first line before any change`),
  section(
    "management ssh",
    "idle-timeout 10",
    "cipher aes256-gcm@openssh.com aes256-ctr",
    "key-exchange curve25519-sha256",
    "mac hmac-sha2-512-etm@openssh.com",
    "log-level verbose",
    "connection limit 10",
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown")])
  )
]

/** A hosting company: keys instead of passwords, an API with its own certificate, handlers of events. */
const hosting = ({ name, number, vrf }: Box): ReadonlyArray<Part> => [
  ...["ada", "grace", "edsger"].flatMap((user): ReadonlyArray<Part> => [
    `username ${user} privilege 15 role network-admin secret sha512 ${hash(user)}`,
    `username ${user} ssh-key ${key(user)}`
  ]),
  "agent KernelFib environment KERNELFIB_PROGRAM_ALL_ECMP=1",
  "transceiver qsfp default-mode 4x10G",
  "load-interval default 30",
  "service routing protocols model multi-agent",
  "queue-monitor length",
  "queue-monitor length log 60",
  section("event-handler backup", "trigger on-startup-config", "action bash /mnt/flash/backup.sh", "delay 10"),
  section(
    "event-handler uplinks",
    "action log",
    "delay 30",
    section(
      "trigger on-counters",
      "poll interval 20",
      "condition ( Ethernet1.inErrors.delta > 50 )",
      "granularity per-source"
    )
  ),
  section("event-handler start", ["trigger on-boot", "action bash\n/mnt/flash/hello.sh\nsync\nEOF", "asynchronous"]),
  "logging monitor warnings",
  "logging trap informational",
  `logging ${of(vrf)}host 198.51.100.${(number % 50) + 20}`,
  `hostname ${name}`,
  `ip name-server ${of(vrf)}198.51.100.53`,
  "ip host deploy 198.51.100.8",
  `dns domain dc${(number % 4) + 1}.hosting.example`,
  `ntp server ${of(vrf)}198.51.100.123`,
  "lldp timer 10",
  "lldp hold-time 60",
  "aaa authorization exec default local",
  section("management accounts", "password policy KEYS"),
  section(
    "management api http-commands",
    "protocol https port 8443",
    "no protocol http",
    "protocol https ssl profile API",
    "no shutdown",
    section("vrf default", "shutdown"),
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown")])
  ),
  section("management console", "idle-timeout 15"),
  section(
    "management security",
    section("password policy KEYS", "minimum length 20"),
    section("ssl profile API", "certificate api.crt key api.key")
  ),
  "ip ssh client source-interface Loopback0 vrf default",
  section(
    "management ssh",
    "authentication protocol public-key",
    "fips restrictions",
    "hostkey server ed25519",
    section("vrf default", "shutdown")
  ),
  section("management tech-support", section("policy show tech-support", "include command show interfaces counters"))
]

/** A hospital: SNMP version 3, levels of logs, planned work, careful recovery of ports. */
const hospital = ({ management, name, number, vrf }: Box): ReadonlyArray<Part> => [
  `enable secret sha512 ${hash("enable")}`,
  `username biomed privilege 15 role network-admin secret sha512 ${hash("biomed")}`,
  "schedule config max-log-files 10",
  "schedule tech-support at 03:10:00 interval 1440 max-log-files 30 command show tech-support",
  section("alias health", "10 show environment all", "20 show processes top once", "30 show logging last 1 hours"),
  "errdisable recovery cause bpduguard",
  "errdisable recovery cause link-flap",
  "errdisable recovery interval 600",
  "errdisable detect cause link-change",
  "logging level AAA warnings",
  "logging level STP notifications",
  "logging event storm-control discards global",
  `logging ${of(vrf)}host 10.60.0.9`,
  `hostname ${name}`,
  "ip domain lookup source-interface Loopback0",
  `ip name-server ${of(vrf)}10.60.0.53`,
  "dns domain wards.hospital.example",
  `ntp server ${of(vrf)}10.60.0.1`,
  `ntp server ${of(vrf)}10.60.0.2`,
  "snmp-server engineID local f5717f001122334455",
  `snmp-server location ward ${number}, cabinet "B"`,
  `snmp-server ${of(vrf)}local-interface ${management}`,
  "snmp-server view ALL iso included",
  "snmp-server view ALL snmpUsmMIB excluded",
  "snmp-server group CARE v3 priv read ALL",
  "snmp-server user poller CARE v3 localized f5717f001122334455 auth sha 8da526cd35b9 priv aes 8da526cd35b9",
  `snmp-server host 10.60.0.41 ${of(vrf)}version 3 priv poller`,
  "snmp-server enable traps snmp link-down",
  "aaa authorization exec default local",
  "aaa accounting system default start-stop logging",
  "clock timezone Europe/Paris",
  section(
    "management api http-commands",
    "no shutdown",
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown")])
  ),
  section("management console", "idle-timeout 5"),
  banner("exec", "Patients depend on this network.", "   Indented lines stay as they are.", "! and so do these"),
  section("system control-plane", "tcp mss ceiling ipv4 1344 ipv6 1366", "ip access-group CONTROL in"),
  section(
    "ip access-list CONTROL",
    "counters per-entry",
    "10 permit ospf any any",
    "20 permit tcp any any eq bgp",
    "30 permit tcp 10.60.0.0/24 any eq ssh",
    "40 permit udp any any eq ntp snmp",
    "50 permit icmp any any",
    "60 deny ip any any log"
  )
]

/** A factory: management in the default VRF or out of band, time for machines, a name-server group, link tracking. */
const factory = ({ name, number, vrf }: Box): ReadonlyArray<Part> => [
  `username plant privilege 15 role network-admin secret sha512 ${hash("plant")}`,
  "prompt %H[%D{%H:%M}]%P",
  "ptp clock-identity 00:1c:73:00:00:99",
  "ptp domain 7",
  "ptp mode boundary",
  "ptp priority1 120",
  "ptp source ip 10.80.0.7",
  section("link tracking group UPLINKS", "links minimum 1", "recovery delay 60"),
  section("monitor layer1", "logging transceiver", "logging mac fault"),
  section(
    "match-list input string NOISE",
    "10 match regex ^.*LINEPROTO.*Ethernet4[0-9].*$",
    "20 match regex ^.*dhcp.*$"
  ),
  "logging policy match match-list NOISE discard",
  `logging ${of(vrf)}host 10.80.0.20`,
  section(
    "ip name-server group PLANT",
    "name-server vrf default 10.80.0.53",
    "name-server vrf default 10.80.1.53 priority 2",
    "dns domain plant.example"
  ),
  `hostname ${name}`,
  `dns domain line${(number % 6) + 1}.factory.example`,
  `ntp server ${of(vrf)}10.80.0.1`,
  `track CORE interface Ethernet1 line-protocol`,
  "lacp system-priority 4096",
  "aaa authorization exec default local",
  section(
    "management api http-commands",
    "no shutdown",
    ...(vrf === undefined ? [] : [section(`vrf ${vrf}`, "no shutdown")])
  ),
  section(
    "monitor connectivity",
    "interval 10",
    "no shutdown",
    "interface set PLANT Vlan10-20",
    "local-interfaces PLANT address-only default",
    section("host historian", "ip 10.80.0.99", "url http://historian.plant.example")
  ),
  section("management ssh", "idle-timeout 60", "login timeout 90")
]

/** The houses, in the order in which the corpus gives switches to them. */
export const houses: ReadonlyArray<(box: Box) => ReadonlyArray<Part>> = [
  university,
  carrier,
  hosting,
  hospital,
  factory
]
