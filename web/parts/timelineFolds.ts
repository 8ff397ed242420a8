/** Neighbours of a timeline that say the same become one entry. Pure. */

/** What makes an entry equal to its neighbours, and what they say together. */
export interface Fold {
  readonly key: string
  /** `18 switches confirmed`. */
  readonly said: (count: number) => string
}

/** Runs of entries with the same fold, in their order; an entry without one stands alone. */
export const inFolds = <Entry extends { readonly fold?: Fold }>(
  entries: ReadonlyArray<Entry>
): ReadonlyArray<readonly [Entry, ...ReadonlyArray<Entry>]> => {
  const runs: Array<[Entry, ...Array<Entry>]> = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last !== undefined && entry.fold !== undefined && last[0].fold?.key === entry.fold.key) last.push(entry)
    else runs.push([entry])
  }
  return runs
}
