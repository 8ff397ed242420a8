/** The order of names as people count: `acc2` before `acc10`, whatever their case. */

const collator = new Intl.Collator("en", { numeric: true })

/** Compares two names. */
export const inNaturalOrder = (one: string, other: string): number => collator.compare(one, other)

/** Names in their natural order, each once. */
export const namesInOrder = (names: Iterable<string>): ReadonlyArray<string> =>
  [...new Set(names)].toSorted(inNaturalOrder)

/** The rows in the order of their names. */
export const sortedBy = <Row>(rows: ReadonlyArray<Row>, nameOf: (row: Row) => string): ReadonlyArray<Row> =>
  rows.toSorted((one, other) => inNaturalOrder(nameOf(one), nameOf(other)))
