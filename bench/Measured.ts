import type { Figure } from "./Figures.ts"

/** One line of the bench's table; `data` is the same in numbers, for the JSON file. */
export interface Measured {
  readonly what: string
  readonly budget: string
  readonly measured: string
  readonly data: Readonly<Record<string, number>>
  /** Those that have a budget as a ratio, or are kept in the history. */
  readonly figures: ReadonlyArray<Figure>
}

/** A line of the table. */
export const row = (
  what: string,
  budget: string,
  measured: string,
  data: Measured["data"],
  figures: ReadonlyArray<Figure> = []
): Measured => ({
  what,
  budget,
  measured,
  data,
  figures
})
