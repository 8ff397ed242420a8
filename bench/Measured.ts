/** One line of the bench's table; `data` is the same in numbers, for the JSON file. */
export interface Measured {
  readonly what: string
  readonly budget: string
  readonly measured: string
  readonly data: Readonly<Record<string, number>>
}

/** A line of the table. */
export const row = (what: string, budget: string, measured: string, data: Measured["data"]): Measured => ({
  what,
  budget,
  measured,
  data
})
