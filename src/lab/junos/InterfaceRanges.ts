/** Ranges of interfaces: what a range says goes to each of its members that does not say it itself. */
import * as Config from "./Config.ts"
import type { Entry } from "./Config.ts"

const LAST_NUMBER = /^(.*[/-])(\d+)$/

/** `ge-0/0/3 to ge-0/0/5` → the three names. */
const between = (first: string, last: string): ReadonlyArray<string> => {
  const [, start = "", from = ""] = LAST_NUMBER.exec(first) ?? []
  const [, end, to = ""] = LAST_NUMBER.exec(last) ?? []
  if (start === "" || start !== end) return [first, last]
  return Array.from(
    { length: Math.max(0, Number(to) - Number(from) + 1) },
    (_, index) => `${start}${Number(from) + index}`
  )
}

const membersOf = (range: Entry): ReadonlyArray<string> => [
  ...Config.entriesOf(range, "member").flatMap(({ key }) => key ?? []),
  ...Config.entriesOf(range, "member-range").flatMap(({ children, key = "" }) =>
    [...children.values()].flatMap(({ word }) => between(key, word.replace(/^to /, "")))
  )
]

const addMissing = (into: Entry, from: Entry): void => {
  for (const [id, child] of from.children) {
    if (child.word.startsWith("member")) continue
    const known = into.children.get(id)
    if (known === undefined) into.children.set(id, Config.clone(child))
    else addMissing(known, child)
  }
}

/** Gives the members of each range what the range says. Changes the configuration, which must be a copy. */
export const spread = (root: Entry): void => {
  const interfaces = Config.at(root, "interfaces")
  if (interfaces === undefined) return
  for (const range of Config.entriesOf(interfaces, "interface-range")) {
    for (const name of membersOf(range)) {
      const step = Config.follow(interfaces, [name], true)
      if (!Config.isIssue(step)) addMissing(step.entry, range)
    }
  }
}
