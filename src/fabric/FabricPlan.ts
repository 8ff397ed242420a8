/**
 * A fabric as data: its nodes with the files that each starts with, and the cables between them. Pure. The usual one has
 * two cores, four distribution routers with a cable to each core, a DHCP server, and a host behind the first and the last.
 */

/** A file of a node, with its whole path on it. */
interface NodeFile {
  readonly path: string
  readonly text: string
}

export interface Node {
  readonly name: string
  readonly files: ReadonlyArray<NodeFile>
  /** The port in the management network, if it has one. */
  readonly management?: string
  /** Memory that its files may take. Default 48m. */
  readonly size?: string
}

/** A cable from port to port. */
interface Cable {
  readonly a: readonly [node: string, port: string]
  readonly b: readonly [node: string, port: string]
}

export interface FabricPlan {
  /** The address of the server's place in the management network, with its length. */
  readonly address: string
  readonly nodes: ReadonlyArray<Node>
  readonly cables: ReadonlyArray<Cable>
}

const usualSize = "48m"

const nodeLines = ({ files, management, name, size = usualSize }: Node): ReadonlyArray<string> => [
  `node ${name} ${size}`,
  ...files.flatMap(({ path, text }) => [
    `file ${name} ${path}`,
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => ` ${line}`)
  ]),
  ...(management === undefined ? [] : [`management ${name} ${management}`])
]

/** The plan as `site.sh` reads it. */
export const planText = ({ address, cables, nodes }: FabricPlan): string =>
  [
    `address ${address}`,
    ...nodes.flatMap(nodeLines),
    ...cables.map(({ a, b }) => `link ${a.join(" ")} ${b.join(" ")}`),
    "end",
    ""
  ].join("\n")

/** How a node gets its management address: by its own startup configuration, or from the DHCP server. */
type Addressing = { readonly _tag: "configured"; readonly address: string } | { readonly _tag: "leased" }

/** The login of every router of a fabric. */
export const LOGIN = { username: "root", password: "fabric" }
/** The scripts that a node runs at its start, in order. */
export const START = "/etc/fabric/start"

/** An identity of 32 hexadecimal digits, unique for each node. */
const machineId = (name: string): string => Buffer.from(name.padEnd(16, ".")).toString("hex").slice(0, 32)

/** Files that give a node its name. */
export const hosts = (name: string): ReadonlyArray<NodeFile> => [
  { path: "/etc/hostname", text: name },
  { path: "/etc/machine-id", text: machineId(name) },
  { path: "/etc/hosts", text: `127.0.0.1 localhost\n127.0.1.1 ${name}` }
]

/** A host sends nothing on its own; it has its address on its only port. */
export const host = (name: string, address: string, gateway: string): Node => ({
  name,
  files: [
    ...hosts(name),
    {
      path: `${START}/20-network`,
      text: `ip addr add ${address} dev eth1\nip link set eth1 up\nip route add default via ${gateway}`
    }
  ]
})

const sshd = `Port 22
HostKey /etc/ssh/ssh_host_ed25519_key
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PidFile /run/sshd.pid`

/** The files of a router before any configuration: accounts, an SSH server, LLDP on all ports. */
const routerFiles = (name: string): ReadonlyArray<NodeFile> => [
  ...hosts(name),
  { path: "/etc/ssh/sshd_config", text: sshd },
  { path: "/etc/lldpd.d/fabric.conf", text: "configure lldp tx-interval 2\nconfigure lldp portidsubtype ifname" },
  { path: "/etc/frr/vtysh.conf", text: "service integrated-vtysh-config" },
  { path: "/etc/frr/daemons", text: 'bgpd=yes\nospfd=no\nvtysh_enable=yes\nzebra_options="-A 127.0.0.1"' },
  {
    path: `${START}/10-accounts`,
    text: [
      `printf '%s:%s\\n' '${LOGIN.username}' '${LOGIN.password}' | chpasswd -c SHA512`,
      "chown -R frr:frr /etc/frr",
      "chmod 640 /etc/frr/frr.conf",
      "mkdir -p /run/sshd /run/lldpd",
      "rm -f /etc/ssh/ssh_host_*_key.fabric",
      "[ -s /etc/fabric/key ] || { ssh-keygen -q -t ed25519 -N '' -f /etc/fabric/key; }",
      "cp -p /etc/fabric/key /etc/ssh/ssh_host_ed25519_key"
    ].join("\n")
  },
  {
    path: `${START}/20-network`,
    text: "sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1\nfor port in $(ls /sys/class/net); do ip link set $port up; done"
  },
  { path: `${START}/30-frr`, text: "/usr/lib/frr/frrinit.sh start" },
  { path: `${START}/40-lldpd`, text: "lldpd" },
  { path: `${START}/50-sshd`, text: "/usr/sbin/sshd" }
]

/** A router whose management port is eth0. */
export const router = (name: string, addressing: Addressing): Node => ({
  name,
  management: "eth0",
  files: [
    ...routerFiles(name),
    {
      path: "/etc/frr/frr.conf",
      text: [
        "frr defaults datacenter",
        `hostname ${name}`,
        "service integrated-vtysh-config",
        ...(addressing._tag === "leased" ? [] : ["!", "interface eth0", ` ip address ${addressing.address}`, "exit"]),
        "!"
      ].join("\n")
    }
  ]
})

/** The server's place, and the routers' addresses behind it. */
export const SERVER = "10.99.0.1"
const managementAddress = (index: number): string => `10.99.0.${11 + index}`

/** The routers of the usual fabric. */
export const cores = ["core1", "core2"]
export const dists = ["dist1", "dist2", "dist3", "dist4"]
export const routers = [...cores, ...dists]

/** The management address of an unprovisioned router of the usual fabric. */
export const addressOf = (name: string): string => managementAddress(routers.indexOf(name))

const uplinks: ReadonlyArray<Cable> = dists.flatMap((dist, index) =>
  cores.map((core, place) => ({ a: [core, `swp${index + 1}`], b: [dist, `swp${place + 1}`] }) satisfies Cable)
)

/** One router with its address, for tests of a single switch. */
export const single: FabricPlan = {
  address: `${SERVER}/24`,
  nodes: [router("core1", { _tag: "configured", address: `${addressOf("core1")}/24` })],
  cables: []
}

/** Two routers with a cable between them. */
export const pair: FabricPlan = {
  address: `${SERVER}/24`,
  nodes: ["core1", "core2"].map((name) => router(name, { _tag: "configured", address: `${addressOf(name)}/24` })),
  cables: [{ a: ["core1", "swp1"], b: ["core2", "swp1"] }]
}

const dhcpServer: Node = {
  name: "dhcp",
  management: "eth0",
  files: [
    ...hosts("dhcp"),
    { path: `${START}/20-network`, text: "ip addr add 10.99.0.2/24 dev eth0\nip link set eth0 up" },
    {
      path: `${START}/30-dnsmasq`,
      text: [
        "dnsmasq --conf-file=/dev/null --port=0 --interface=eth0 --bind-interfaces --no-ping --user=root",
        "--dhcp-range=10.99.0.100,10.99.0.199,1h --dhcp-leasefile=/var/fabric-leases --dhcp-authoritative",
        "--log-facility=/var/log/fabric-dnsmasq --log-dhcp --pid-file=/run/dnsmasq.pid"
      ].join(" \\\n  ")
    }
  ]
}

/** The whole fabric. */
export const usual = (addressing: Addressing["_tag"] = "configured"): FabricPlan => ({
  address: `${SERVER}/24`,
  nodes: [
    ...routers.map((name) =>
      router(
        name,
        addressing === "leased" ? { _tag: "leased" } : { _tag: "configured", address: `${addressOf(name)}/24` }
      )
    ),
    dhcpServer,
    host("host1", "10.98.1.2/24", "10.98.1.1"),
    host("host2", "10.98.4.2/24", "10.98.4.1")
  ],
  cables: [...uplinks, { a: ["dist1", "swp10"], b: ["host1", "eth1"] }, { a: ["dist4", "swp10"], b: ["host2", "eth1"] }]
})
