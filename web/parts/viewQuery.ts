/** What a view of a list is: the filters, columns and order of an address. Pure. */

export type Query = Readonly<Record<string, string | undefined>>

/** Parts of the address that belong to a moment, not to a view. */
const PASSING = new Set(["page", "row"])

const entriesOf = (query: Query): ReadonlyArray<readonly [string, string]> =>
  Object.entries(query)
    .flatMap(([name, value]) =>
      value === undefined || value === "" || PASSING.has(name) ? [] : [[name, value] as const]
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1))

/** The query as text; names in their order, so that equal views have equal texts. */
export const textOfQuery = (query: Query): string =>
  new URLSearchParams(entriesOf(query).map(([name, value]) => [name, value])).toString()

export const queryOf = (text: string): Query => Object.fromEntries(new URLSearchParams(text))

/** Whether the address shows this view. */
export const isViewOf = (view: Query, address: Query): boolean => textOfQuery(view) === textOfQuery(address)
