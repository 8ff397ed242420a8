/** What a timeline makes of equal neighbours. */
import { expect, it } from "vitest"
import { type Fold, inFolds } from "../../../web/parts/timelineFolds.ts"

const confirmed = { key: "confirmed", said: (count: number) => `${count} switches confirmed` }
const failed = { key: "failed", said: (count: number) => `${count} switches failed` }

interface Case {
  readonly entries: ReadonlyArray<{ readonly key: number; readonly fold?: Fold }>
  readonly runs: ReadonlyArray<ReadonlyArray<number>>
}

it.each<Case>([
  { entries: [], runs: [] },
  { entries: [{ key: 1 }, { key: 2 }], runs: [[1], [2]] },
  { entries: [1, 2, 3].map((key) => ({ key, fold: confirmed })), runs: [[1, 2, 3]] },
  {
    entries: [
      { key: 1, fold: confirmed },
      { key: 2, fold: failed },
      { key: 3, fold: confirmed },
      { key: 4, fold: confirmed }
    ],
    runs: [[1], [2], [3, 4]]
  }
])("joins equal neighbours, and keeps the order: $runs", ({ entries, runs }) => {
  expect(inFolds(entries).map((run) => run.map(({ key }) => key))).toEqual(runs)
})
