/** Puts devices together that would get the same difference, within bounds. Pure but for what it has collected. */
import type { DiffGroup } from "../../domain/CommitEffects.ts"
import { changeKey } from "../../domain/DiffGroups.ts"

const MOST_GROUPS = 100
const MOST_HOSTNAMES = 100
const MOST_CHARACTERS = 20_000

interface Collected {
  readonly diff: string
  readonly hostnames: Array<string>
  count: number
}

const linesWith = (diff: string, sign: string): number =>
  diff.split("\n").filter((line) => line.startsWith(sign)).length

/** The beginning of a difference, at the end of a line. */
const beginning = (diff: string): string =>
  diff.length <= MOST_CHARACTERS ? diff : diff.slice(0, diff.lastIndexOf("\n", MOST_CHARACTERS))

/** Differences of devices; a group shows that of its first one. */
export class BranchDiffs {
  readonly #groups = new Map<string, Collected>()
  #isTruncated = false

  add(hostname: string, diff: string): void {
    const key = changeKey(diff) || diff
    const group = this.#groups.get(key)
    if (group === undefined && this.#groups.size >= MOST_GROUPS) {
      this.#isTruncated = true
      return
    }
    const known = group ?? { diff, hostnames: [], count: 0 }
    this.#groups.set(key, known)
    known.count += 1
    if (known.hostnames.length < MOST_HOSTNAMES) known.hostnames.push(hostname)
    if (diff.length > MOST_CHARACTERS) this.#isTruncated = true
  }

  get isTruncated(): boolean {
    return this.#isTruncated
  }

  /** The smallest groups first. */
  get groups(): ReadonlyArray<DiffGroup> {
    return [...this.#groups.values()]
      .toSorted((a, b) => a.count - b.count)
      .map(({ count, diff, hostnames }) => ({
        count,
        hostnames,
        added: linesWith(diff, "+"),
        removed: linesWith(diff, "-"),
        diff: beginning(diff)
      }))
  }
}
