/**
 * What a commit makes of a candidate where `service configuration session commit merge` is set: the candidate's changes since its
 * session was opened, on top of what others have made of the running configuration meanwhile.
 */
import * as Loader from "./ConfigLoader.ts"
import { empty, type Entry, render } from "./ConfigTree.ts"

const isSame = (a: Entry, b: Entry): boolean => {
  if (a.text !== b.text || a.body?.join("\n") !== b.body?.join("\n")) return false
  if (a.children?.size !== b.children?.size) return false
  for (const [key, child] of a.children ?? []) {
    const other = b.children?.get(key)
    if (other === undefined || !isSame(child, other)) return false
  }
  return true
}

const onTop = (base: Entry, mine: Entry, theirs: Entry): Entry => {
  const children = new Map(theirs.children)
  for (const key of base.children?.keys() ?? []) if (mine.children?.has(key) !== true) children.delete(key)
  for (const [key, entry] of mine.children ?? []) {
    const before = base.children?.get(key)
    if (before !== undefined && isSame(before, entry)) continue
    const their = children.get(key)
    const isSection = entry.children !== undefined && their?.children !== undefined
    children.set(key, isSection ? onTop(before ?? empty(), entry, their) : entry)
  }
  return { ...mine, children }
}

/** The printed configuration of such a commit; all three are printed configurations. */
export const merge = (base: string, candidate: string, running: string): string =>
  base === running ? candidate : render(onTop(Loader.parse(base), Loader.parse(candidate), Loader.parse(running)))
