/** Files of a settings repository for a site whose fabric is the usual one. */
import { cores, dists, routers } from "./FabricPlan.ts"

const uplinks = "  - {name: 'swp[1-2]', ifclass: fabric}\n"
const toHost = (number: number) => `  - {name: swp10, ifclass: custom, config: ip address 10.98.${number}.1/24}\n`

const portsOf = (name: string): string => {
  if (cores.includes(name)) return "interfaces:\n  - {name: 'swp[1-4]', ifclass: fabric}\n"
  const number = dists.indexOf(name) + 1
  return `interfaces:\n${uplinks}${number === 1 || number === dists.length ? toHost(number) : ""}`
}

/** The networks of the underlay; `management` is the one that routers get their management addresses from. */
export const routing = (management: string): string => `---
underlay:
  infra_lo_net: 10.98.200.0/24
  infra_link_net: 10.98.201.0/24
  mgmt_lo_net: ${management}
`

/** Lines at the end of the configuration, as a file of base settings. Of several layers the innermost file alone counts. */
export const lastLines = (...lines: ReadonlyArray<string>): string =>
  `---\ncli_append_str: |\n${lines.map((line) => `  ${line}\n`).join("")}`

/** Text by path. Routers get their management addresses from 10.99.1.0/24. */
export const fabricSettings: Readonly<Record<string, string>> = {
  "global/routing.yml": routing("10.99.1.0/24"),
  ...Object.fromEntries(
    routers.flatMap((name) => [
      [`devices/${name}/interfaces.yml`, `---\n${portsOf(name)}`],
      [`devices/${name}/base_system.yml`, "---\n{}\n"],
      [`devices/${name}/routing.yml`, "---\n{}\n"]
    ])
  )
}
