/**
 * What a configuration comes to: groups expanded where they are applied, patterns in their names included, and inactive statements
 * left out. A statement of the section itself wins over a group, an earlier group over a later one.
 */
import * as Config from "./Config.ts"
import type { Entry, Issue } from "./Config.ts"
import { spread } from "./InterfaceRanges.ts"

/** The section of a group that corresponds to one of the configuration. */
interface Source {
  readonly group: string
  readonly section: Entry
}

const isPattern = (key: string | undefined): key is string => key !== undefined && /^<.*>$/.test(key)

/** `<ge-*>`, `<ge-0/0/[0-9]>`, `<*>` against a name. */
const fits = (pattern: string, name: string): boolean =>
  new RegExp(
    `^${pattern
      .slice(1, -1)
      .replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`
  ).test(name)

const counterparts = (source: Entry, one: Entry): ReadonlyArray<Entry> =>
  [...source.children.values()].filter(
    (other) =>
      !other.inactive &&
      other.word === one.word &&
      (other.key === one.key || (isPattern(other.key) && one.key !== undefined && fits(other.key, one.key)))
  )

const copied = (from: Entry, group: string): Entry => ({
  ...from,
  from: group,
  values: from.values,
  children: new Map()
})

/** Adds what the groups have for this section, then goes on in its sections. */
const inherit = (
  section: Entry,
  groups: ReadonlyMap<string, Entry>,
  sources: ReadonlyArray<Source>,
  path: ReadonlyArray<Entry>
): void => {
  const without = new Set(Config.at(section, "apply-groups-except")?.values)
  const applied = Config.at(section, "apply-groups")
  const own = applied === undefined || applied.inactive ? [] : applied.values
  const here = own.flatMap((name) => sourceAt(groups.get(name), name, path))
  const all = [...here, ...sources].filter(({ group }) => !without.has(group))
  for (const { group, section: from } of all)
    for (const [id, child] of from.children) {
      if (isPattern(child.key) || child.inactive || id.startsWith("apply-groups")) continue
      if (!section.children.has(id)) section.children.set(id, copied(child, group))
    }
  section.children.delete("apply-groups")
  section.children.delete("apply-groups-except")
  for (const child of section.children.values()) {
    if (child.grammar !== undefined && child.grammar.kind !== "container" && child.grammar.kind !== "entry") continue
    const deeper = all.flatMap(({ group, section: from }) =>
      counterparts(from, child).map((counterpart) => ({ group, section: counterpart }))
    )
    inherit(child, groups, deeper, [...path, child])
  }
}

/** The sections of a group at a path of the configuration. */
const sourceAt = (group: Entry | undefined, name: string, path: ReadonlyArray<Entry>): ReadonlyArray<Source> => {
  if (group === undefined || group.inactive) return []
  return path
    .reduce<ReadonlyArray<Entry>>((sections, one) => sections.flatMap((section) => counterparts(section, one)), [group])
    .map((section) => ({ group: name, section }))
}

/** A copy with groups expanded; inherited statements know their group. */
export const expanded = (root: Entry): Entry => {
  const copy = Config.clone(root)
  const groups = new Map(Config.entriesOf(Config.at(root, "groups"), "").map((group) => [group.key ?? "", group]))
  copy.children.delete("groups")
  inherit(copy, groups, [], [])
  Config.prune(copy)
  return copy
}

const dropInactive = (section: Entry): void => {
  for (const [id, child] of section.children) {
    if (child.inactive) section.children.delete(id)
    else dropInactive(child)
  }
}

/** What the switch does with a configuration: groups and ranges expanded, and without what is inactive. */
export const effective = (root: Entry): Entry => {
  const copy = expanded(root)
  dropInactive(copy)
  spread(copy)
  return copy
}

/** Groups that are applied and do not exist. */
export const missingGroups = (root: Entry): ReadonlyArray<Issue> => {
  const known = new Set(Config.entriesOf(Config.at(root, "groups"), "").map(({ key }) => key))
  const found: Array<Issue> = []
  const walk = (section: Entry, path: string) => {
    for (const child of section.children.values()) {
      if (child.word === "apply-groups")
        for (const name of child.values)
          if (!known.has(name) && name !== "junos-defaults")
            found.push({
              severity: "error",
              message: `Group '${name}' is not defined`,
              badElement: `apply-groups ${name}`,
              path: `[edit${path}]`
            })
      walk(child, `${path} ${Config.wordsOf(child)}`)
    }
  }
  walk(root, "")
  return found
}
