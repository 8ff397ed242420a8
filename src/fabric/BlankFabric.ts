/**
 * The usual fabric with routers that nobody has configured, and a DHCP server that calls the hook as a site installs it: dnsmasq
 * with the files of `deploy`. The server has to run in the site's network, at `SERVER` and the ports below.
 */
import { readFile } from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import { type FabricPlan, hosts, type Node, router, routers, SERVER, START, usual } from "./FabricPlan.ts"

/** The port of the API that the hook of the DHCP server calls. */
export const API_PORT = 5000

const root = path.resolve(import.meta.dirname, "../..")
const CLIENT_HOOK = "/etc/fabric/udhcpc-lease"

/** A router that asks for an address, and is called by its MAC address until it has a name. */
const blankRouter = (name: string, clientHook: string): Node => {
  const { files, ...rest } = router(name, { _tag: "leased" })
  return {
    ...rest,
    files: [
      ...files.filter(({ path }) => !["/etc/frr/frr.conf", "/etc/hostname", "/etc/hosts"].includes(path)),
      { path: "/etc/hostname", text: "blank" },
      { path: "/etc/hosts", text: "127.0.0.1 localhost\n127.0.1.1 blank" },
      { path: "/etc/frr/frr.conf", text: "frr defaults datacenter\nservice integrated-vtysh-config\n!" },
      { path: CLIENT_HOOK, text: clientHook },
      {
        path: `${START}/60-dhcp`,
        text: [
          `chmod 755 ${CLIENT_HOOK}`,
          "# a configured router has its address from FRR and needs no lease",
          "grep -q '^ ip address' /etc/frr/frr.conf && exit 0",
          `udhcpc -b -i eth0 -V FRR -O bootfile -s ${CLIENT_HOOK} -p /run/udhcpc.pid -t 100 -T 1 -A 1 >/dev/null 2>&1 &`
        ].join("\n")
      }
    ]
  }
}

const dnsmasq = `port=0
interface=eth0
bind-interfaces
dhcp-authoritative
dhcp-leasefile=/var/lib/switchyard/leases
dhcp-range=tag:frr,10.99.0.100,10.99.0.199,255.255.255.0,300
dhcp-option=3
dhcp-vendorclass=set:frr,FRR
dhcp-option=tag:frr,option:bootfile-name,http://${SERVER}/templates/frr/dhcp-init.j2
dhcp-script=/etc/switchyard/dnsmasq-lease
script-on-renewal
log-dhcp
log-facility=/var/log/dnsmasq`

const hookEnvironment = `SWITCHYARD=${root}
SWITCHYARD_NODE=${process.execPath}
SWITCHYARD_URL=http://${SERVER}:${API_PORT}
SWITCHYARD_HOOK_LOG=/var/log/hook
DATA_DIR=/var/lib/switchyard`

const deployed = (file: string) => Effect.promise(() => readFile(path.join(root, "deploy", file), "utf8"))

const inSite = (name: string, text: string) => ({ path: `/etc/switchyard/${name}`, text })

const dhcpServer = Effect.gen(function* () {
  const node: Node = {
    name: "dhcp",
    management: "eth0",
    files: [
      ...hosts("dhcp"),
      inSite("dnsmasq.conf", dnsmasq),
      inSite("dhcp-hook.env", hookEnvironment),
      inSite("platform-of", "platform_of() { echo frr; }"),
      inSite("dnsmasq-lease", yield* deployed("dhcp/dnsmasq-lease")),
      inSite("switchyard-lease", yield* deployed("dhcp/switchyard-lease")),
      {
        path: `${START}/20-network`,
        text: "ip addr add 10.99.0.2/16 dev eth0\nip link set eth0 up\nmkdir -p /var/lib/switchyard\nchmod -R a+rx /etc/switchyard"
      },
      { path: `${START}/30-dnsmasq`, text: "dnsmasq --conf-file=/etc/switchyard/dnsmasq.conf --no-ping --user=root" }
    ]
  }
  return node
})

/** The plan: the cables and hosts of the usual fabric. Management addresses are leased from 10.99.0.100 on. */
export const plan: Effect.Effect<FabricPlan> = Effect.gen(function* () {
  const { cables, nodes } = usual()
  const clientHook = yield* deployed("frr/udhcpc-lease")
  return {
    address: `${SERVER}/16`,
    cables,
    nodes: [
      ...routers.map((name) => blankRouter(name, clientHook)),
      yield* dhcpServer,
      ...nodes.filter(({ name }) => name.startsWith("host"))
    ]
  }
})
