/** Interface names in the order in which people count them: Ethernet2 before Ethernet10 (docs/templates.md#composition). */

const PARTS = /\d+|\D+/g

type Part = number | string

const partsOf = (name: string): ReadonlyArray<Part> =>
  (name.match(PARTS) ?? []).map((part) => (part >= "0" && part < ":" ? Number(part) : part))

const compareParts = (a: Part | undefined, b: Part | undefined): number => {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  if (typeof a === "number") return typeof b === "number" ? a - b : -1
  if (typeof b === "number") return 1
  return a < b ? -1 : 1
}

const compare = (a: ReadonlyArray<Part>, b: ReadonlyArray<Part>): number => {
  const length = Math.max(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const order = compareParts(a[at], b[at])
    if (order !== 0) return order
  }
  return 0
}

/** The same elements, in natural order of their names. */
export const inNaturalOrder = <A extends { readonly name: string }>(elements: ReadonlyArray<A>): ReadonlyArray<A> =>
  elements
    .map((element) => ({ element, parts: partsOf(element.name) }))
    .toSorted((a, b) => compare(a.parts, b.parts))
    .map(({ element }) => element)
