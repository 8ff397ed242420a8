/** What `commit check` finds in a configuration beyond its syntax, in the words of the device. */
import * as Config from "./Config.ts"
import type { Entry, Issue } from "./Config.ts"
import * as Inheritance from "./Inheritance.ts"

const error = (path: string, badElement: string, message: string): Issue => ({
  severity: "error",
  path: `[edit${path === "" ? "" : ` ${path}`}]`,
  badElement,
  message
})

const vlansOf = (root: Entry) => Config.entriesOf(Config.at(root, "vlans"), "")

const interfacesOf = (root: Entry) => Config.entriesOf(Config.at(root, "interfaces"), "")

const rootLogin = (root: Entry): ReadonlyArray<Issue> =>
  Config.at(root, "system", "root-authentication") === undefined
    ? [error("system", "root-authentication", "Missing mandatory statement: 'root-authentication'")]
    : []

const members = (root: Entry): ReadonlyArray<Issue> => {
  const names = new Set(vlansOf(root).map(({ key }) => key))
  return interfacesOf(root).flatMap((port) =>
    Config.entriesOf(port, "unit").flatMap((unit) =>
      (Config.at(unit, "family", "ethernet-switching", "vlan", "members")?.values ?? []).flatMap((name) =>
        names.has(name) || name === "all" || name === "default" || /^\d+(?:-\d+)?$/.test(name)
          ? []
          : [
              error(
                `interfaces ${port.key} unit ${unit.key} family ethernet-switching vlan`,
                `members ${name}`,
                `vlan-member ${name} is not defined: referenced VLAN does not exist`
              )
            ]
      )
    )
  )
}

const tags = (root: Entry): ReadonlyArray<Issue> => {
  const seen = new Map<string, string>()
  return vlansOf(root).flatMap((vlan) => {
    const tag = Config.value(vlan, "vlan-id")
    if (tag === undefined || tag === "none") return []
    if (!/^\d+$/.test(tag) || Number(tag) < 1 || Number(tag) > 4094)
      return [error(`vlans ${vlan.key}`, `vlan-id ${tag}`, `VLAN-ID must be a number in the range 1..4094`)]
    const other = seen.get(tag)
    seen.set(tag, vlan.key ?? "")
    return other === undefined
      ? []
      : [error(`vlans ${vlan.key}`, `vlan-id ${tag}`, `duplicate vlan-id with vlan ${other}: Domain already exists`)]
  })
}

const routedPorts = (root: Entry): ReadonlyArray<Issue> =>
  vlansOf(root).flatMap((vlan) => {
    const name = Config.value(vlan, "l3-interface")
    const [port = "", unit = "0"] = name?.split(".") ?? []
    return name === undefined || Config.at(root, "interfaces", port, `unit ${unit}`) !== undefined
      ? []
      : [error(`vlans ${vlan.key}`, `l3-interface ${name}`, `l3-interface '${name}' is not defined`)]
  })

const bundles = (root: Entry): ReadonlyArray<Issue> =>
  interfacesOf(root).flatMap((port) => {
    const bundle = ["ether-options", "gigether-options"].flatMap((word) => Config.value(port, word, "802.3ad") ?? [])[0]
    const units = Config.entriesOf(port, "unit")
    return bundle === undefined || units.length === 0
      ? []
      : [error(`interfaces ${port.key}`, `unit ${units[0]?.key}`, "logical unit is not allowed on aggregated links")]
  })

const families = (root: Entry): ReadonlyArray<Issue> =>
  interfacesOf(root).flatMap((port) =>
    Config.entriesOf(port, "unit").flatMap((unit) => {
      const family = Config.at(unit, "family")
      return family === undefined || family.children.size < 2 || Config.at(family, "ethernet-switching") === undefined
        ? []
        : [
            error(
              `interfaces ${port.key} unit ${unit.key} family`,
              "ethernet-switching",
              "Family ethernet-switching and rest of the families are mutually exclusive"
            )
          ]
    })
  )

const FILTERS: ReadonlyArray<string> = ["input", "output"]

const filters = (root: Entry): ReadonlyArray<Issue> =>
  interfacesOf(root).flatMap((port) =>
    Config.entriesOf(port, "unit").flatMap((unit) =>
      [...(Config.at(unit, "family")?.children.values() ?? [])].flatMap((family) =>
        FILTERS.flatMap((way) => {
          const name = Config.value(family, "filter", way)
          const known =
            name === undefined ||
            Config.at(root, "firewall", "family", family.word, `filter ${name}`) !== undefined ||
            (family.word === "inet" && Config.at(root, "firewall", `filter ${name}`) !== undefined)
          return known
            ? []
            : [
                error(
                  `interfaces ${port.key} unit ${unit.key} family ${family.word}`,
                  "filter",
                  `Referenced filter '${name}' is not defined`
                )
              ]
        })
      )
    )
  )

const RULES = [rootLogin, members, tags, routedPorts, bundles, families, filters] as const

/** Everything that keeps this candidate from being committed; empty if nothing does. */
export const check = (candidate: Entry): ReadonlyArray<Issue> => {
  const root = Inheritance.effective(candidate)
  return [...Inheritance.missingGroups(candidate), ...RULES.flatMap((rule) => rule(root))]
}
