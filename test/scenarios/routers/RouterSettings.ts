/** The settings of a site whose fabric is the usual one of `src/fabric`. */
export const cores = ["core1", "core2"]
export const dists = ["dist1", "dist2", "dist3", "dist4"]
/** All of them, in the order in which they are provisioned. */
export const routers = [...cores, ...dists]

const uplinks = "  - {name: 'swp[1-2]', ifclass: fabric}\n"
const toHost = (number: number) => `  - {name: swp10, ifclass: custom, config: ip address 10.98.${number}.1/24}\n`

const settingsOf = (name: string): string => {
  if (cores.includes(name)) return "interfaces:\n  - {name: 'swp[1-4]', ifclass: fabric}\n"
  const number = dists.indexOf(name) + 1
  return `interfaces:\n${uplinks}${number === 1 || number === 4 ? toHost(number) : ""}`
}

/** Of switches that this site does not have. */
export const elsewhere = Object.fromEntries(
  ["lhv-dist1", "lhv-dist2"].flatMap((name) =>
    ["base_system", "interfaces", "routing"].map((file) => [`devices/${name}/${file}.yml`, null])
  )
)

/** The networks of the underlay, with this one for management. */
export const routing = (management: string): string => `---
underlay:
  infra_lo_net: 10.98.200.0/24
  infra_link_net: 10.98.201.0/24
  mgmt_lo_net: ${management}
`

/** Files of the settings repository. */
export const routerSettings = {
  ...elsewhere,
  "global/routing.yml": routing("10.99.1.0/24"),
  ...Object.fromEntries(
    routers.flatMap((name) => [
      [`devices/${name}/interfaces.yml`, `---\n${settingsOf(name)}`],
      [`devices/${name}/base_system.yml`, "---\n{}\n"],
      [`devices/${name}/routing.yml`, "---\n{}\n"]
    ])
  )
}
