/** One line of the bench's table; `data` is the same in numbers, for the JSON file. */
export interface Measured {
  readonly what: string
  readonly budget: string
  readonly measured: string
  readonly data: Readonly<Record<string, number>>
}
