/** The hooks of DHCP clients on a new router (`deploy/frr`), with the real clients and a real DHCP server. */
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { type FabricPlan, hosts, type Node, router, START } from "../../../src/fabric/FabricPlan.ts"
import { describeReal } from "../../support/RealFabric.ts"

const hook = (name: string) => ({
  path: `/etc/switchyard/${name}`,
  text: readFileSync(path.resolve(import.meta.dirname, "../../../deploy/frr", name), "utf8")
})

const BOOT_FILE = "ip prefix-list BOOTED seq 5 permit 10.0.0.0/8"

interface Client {
  readonly name: string
  readonly program: string
  readonly start: string
  /** Calls the hook as the client does when it has renewed the lease of 10.99.0.150. */
  readonly renewed: string
}

const clients: ReadonlyArray<Client> = [
  {
    name: "udhcpc",
    program: "/usr/sbin/udhcpc",
    start: "udhcpc -b -i eth0 -V FRR -O bootfile -s /etc/switchyard/udhcpc-lease -t 100 -T 1 >/dev/null 2>&1 &",
    renewed: "interface=eth0 ip=10.99.0.150 mask=24 /etc/switchyard/udhcpc-lease renew"
  },
  {
    name: "dhclient",
    program: "/usr/sbin/dhclient",
    start: "dhclient -cf /etc/switchyard/dhclient.conf -sf /etc/switchyard/dhclient-lease eth0 >/dev/null 2>&1 &",
    renewed:
      "reason=RENEW interface=eth0 new_ip_address=10.99.0.150 new_subnet_mask=255.255.255.0 /etc/switchyard/dhclient-lease"
  }
]

const dhcpServer: Node = {
  name: "dhcp",
  management: "eth0",
  files: [
    ...hosts("dhcp"),
    {
      path: "/srv/boot.js",
      text: `require("http").createServer((_, to) => to.end("${BOOT_FILE}\\n")).listen(80, "10.99.0.2")`
    },
    {
      path: `${START}/20-network`,
      text: `ip addr add 10.99.0.2/24 dev eth0\nip link set eth0 up\n${process.execPath} /srv/boot.js >/dev/null 2>&1 &`
    },
    {
      path: `${START}/30-dnsmasq`,
      text: [
        "dnsmasq --conf-file=/dev/null --port=0 --interface=eth0 --bind-interfaces --no-ping --user=root",
        "--dhcp-vendorclass=set:frr,FRR --dhcp-range=tag:frr,10.99.0.150,10.99.0.150,1h --dhcp-authoritative",
        "--dhcp-option=tag:frr,option:bootfile-name,http://10.99.0.2/boot --dhcp-leasefile=/var/leases",
        "--pid-file=/run/dnsmasq.pid"
      ].join(" \\\n  ")
    }
  ]
}

const planOf = ({ start }: Client): FabricPlan => {
  const blank = router("blank", { _tag: "leased" })
  const files = [
    hook("udhcpc-lease"),
    hook("dhclient-lease"),
    {
      path: "/etc/switchyard/dhclient.conf",
      text: 'send vendor-class-identifier "FRR";\nalso request bootfile-name;'
    },
    { path: `${START}/60-dhcp`, text: `chmod 755 /etc/switchyard/*-lease\nmkdir -p /var/lib/dhcp\n${start}` }
  ]
  return { address: "10.99.0.1/24", nodes: [dhcpServer, { ...blank, files: [...blank.files, ...files] }], cables: [] }
}

const until = <E>(condition: Effect.Effect<boolean, E>): Effect.Effect<void, E> =>
  Effect.flatMap(condition, (holds) =>
    holds ? Effect.void : Effect.andThen(Effect.sleep("200 millis"), until(condition))
  )

describeReal("a new router", () => {
  for (const client of clients) {
    const lacks = existsSync(client.program) ? "" : ` (skipped: ${client.program} is not installed)`
    const tests = lacks === "" ? describe : describe.skip
    tests(`with ${client.name}${lacks}`, () => {
      it.live("uses the address and the boot file of its lease, and no lease once FRR has configured an address", () =>
        Effect.gen(function* () {
          const fabric = yield* Fabric.make(planOf(client))
          const onBlank = (line: string) => fabric.run("blank", line)
          yield* until(
            Effect.map(onBlank("cat /etc/frr/frr.conf; ls /etc/frr"), (said) =>
              [BOOT_FILE, "switchyard-booted"].every((text) => said.includes(text))
            )
          )
          expect(yield* onBlank("ip -br -4 addr show eth0")).toContain(" 10.99.0.150/24")
          expect(yield* onBlank("cat /run/switchyard-lease")).toMatch(/^eth0 10\.99\.0\.150\//)
          yield* onBlank("vtysh -c 'configure' -c 'interface eth0' -c 'ip address 10.99.0.77/24' 2>/dev/null")
          // what a commit of the base configuration does: without the first, the new address would go with the old one
          yield* onBlank("echo 1 >/proc/sys/net/ipv4/conf/all/promote_secondaries")
          yield* onBlank("read -r port address </run/switchyard-lease; ip addr del $address dev $port")
          yield* onBlank(client.renewed)
          const addresses = yield* onBlank("ip -br -4 addr show eth0")
          expect(addresses).toContain(" 10.99.0.77/24")
          expect(addresses).not.toContain("10.99.0.150")
        }).pipe(Effect.scoped)
      )
    })
  }
})
