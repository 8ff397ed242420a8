/** Small labs for tests: nodes by name, admin/admin, one management address each. */
import { Effect } from "effect"
import { makeLab, type LabOptions } from "../../../src/lab/Lab.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Topology from "../../../src/lab/Topology.ts"
import { openShell, type Shell } from "./Client.ts"

/** A start configuration with a login, exec authorization and a management address. */
export const baseConfig = (hostname: string, address: string, more = "") => `hostname ${hostname}
username admin privilege 15 role network-admin secret admin
aaa authorization exec default local
${more}interface Vlan600
   ip address ${address}/24
`

export interface OneSwitch {
  readonly port: number
  readonly device: LabSwitch
  readonly host: string
  readonly shell: Effect.Effect<Shell>
}

/** A lab of one switch `acc1` at 10.9.1.1, closed with the scope. */
export const oneSwitch = Effect.fnUntraced(function* (node: Partial<Topology.Node> = {}, options: LabOptions = {}) {
  const lab = yield* makeLab(
    { name: "one", topology: { nodes: { acc1: { "startup-config": baseConfig("acc1", "10.9.1.1"), ...node } } } },
    options
  )
  const device = yield* lab.get("acc1")
  const host = "127.9.1.1"
  return { port: lab.port, device, host, shell: login(host, lab.port) } satisfies OneSwitch
})

/** A shell as admin, closed with the scope. */
export const login = (host: string, port: number) => Effect.promise(() => openShell({ host, port }))

/** A configuration of an access switch with so many ports, about six lines each. */
export const manyPorts = (ports: number) =>
  Array.from(
    { length: ports },
    (_, index) => `interface Ethernet${index + 1}
   description user port ${index + 1}
   switchport access vlan ${100 + (index % 7)}
   spanning-tree portfast
   spanning-tree bpduguard enable
   storm-control broadcast level 5
!
`
  ).join("")
