/** The operations on a switch of each personality, and their possible ends: one cell of the table in FAULTS.md. */

/** The operations, with their words in the documentation. `mode…` are live syncs in that confirm mode. */
export const operations = {
  dryRun: "Dry run",
  mode0: "Live, mode 0",
  mode1: "Live, mode 1",
  mode2: "Live, mode 2",
  undo: "Undo",
  init: "Init, step 1"
} as const
export type Operation = keyof typeof operations

export const operationNames: ReadonlyArray<Operation> = ["dryRun", "mode0", "mode1", "mode2", "undo", "init"]

/** A configuration of a switch: the previous one, the one of the templates, or neither. */
export type Which = "old" | "new" | "other"

/** How a cell ends. */
export interface CellEnding {
  /** Whether the record says that it went well. */
  readonly done: boolean
  readonly runs: Which
  readonly saved: Which
  readonly synchronized: boolean
  /** The parts of the failed tasks' texts, in this order; empty on success. */
  readonly says: ReadonlyArray<string>
}

/** How work on a usual switch ends. A sync is undone on a switch that was synchronized in mode 0. */
export const usualEndings: Readonly<Record<Operation, CellEnding>> = {
  dryRun: { done: true, runs: "old", saved: "old", synchronized: false, says: [] },
  mode0: { done: true, runs: "new", saved: "new", synchronized: true, says: [] },
  mode1: { done: true, runs: "new", saved: "new", synchronized: true, says: [] },
  mode2: { done: true, runs: "new", saved: "new", synchronized: true, says: [] },
  undo: { done: true, runs: "old", saved: "old", synchronized: false, says: [] },
  init: { done: true, runs: "new", saved: "new", synchronized: false, says: [] }
}

/** Nothing was committed. */
export const untouched = (...says: ReadonlyArray<string>): CellEnding => ({
  done: false,
  runs: "old",
  saved: "old",
  synchronized: false,
  says
})

/** It was committed and proved, and the next restart of the switch undoes it. */
export const unsaved = (...says: ReadonlyArray<string>): CellEnding => ({
  done: false,
  runs: "new",
  saved: "old",
  synchronized: false,
  says
})
