/** Answers one list request: parses it, reads the page, shares its reads with equal ones, and adds the headers. */
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SqlError } from "effect/sql"
import { BadRequest } from "../../api/Answers.ts"
import {
  type Counts,
  type Listable,
  type ListFilter,
  type ListQuery,
  ListQueryInvalid,
  makeListing
} from "../../store/Listing.ts"
import { makeVisible } from "../core/Permits.ts"
import { baseUrlOf } from "../core/Client.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"

// Reads the query of a list and writes the headers of its page (docs/api.md#lists).

/** Query parameters as the router has parsed them: several values when a name is repeated. */
export type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

/** What a list does when the client does not say: rows per page, and which number X-Total-Count carries. */
export interface ListDefaults {
  readonly list: string
  readonly perPage: number
  readonly totalCount: "unfiltered" | "matching"
  /** `limit` is another name of `per_page`. */
  readonly limitCounts: boolean
  /** As `sort` of a request. Default: by id. */
  readonly sort?: string
}

const FILTER = /^filter\[([a-zA-Z0-9_.]+)\](?:\[([^[\]]*)\])?$/

/** How values are compared, by the word in the second brackets; clients have several for an exact match. */
const OPERATORS: ReadonlyMap<string | undefined, Pick<ListFilter, "contains">> = new Map([
  [undefined, { contains: false }],
  ["contains", { contains: true }],
  ["equals", { contains: false }],
  ["ilike", { contains: false }]
])
const OPERATOR_NAMES = [...OPERATORS.keys()].filter((name) => name !== undefined).join(", ")
const MAX_PER_PAGE = 1000

/** The first value of a parameter. */
export const first = (parameters: Parameters, name: string): string | undefined => {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  return typeof value === "string" ? value : value?.[0]
}

/** All filters, of which each must hold: also of those with the same name. */
const filtersOf = (parameters: Parameters, list: string): Result.Result<ListQuery["filters"], ListQueryInvalid> => {
  const filters: Array<ListFilter> = []
  for (const [name, sent] of Object.entries(parameters)) {
    const [, field, operator] = FILTER.exec(name) ?? []
    if (field === undefined) continue
    const comparison = OPERATORS.get(operator)
    if (comparison === undefined) {
      const reason = `${operator} is not a filter operator, use one of: ${OPERATOR_NAMES}`
      return Result.fail(new ListQueryInvalid({ list, reason }))
    }
    const values = typeof sent === "string" ? [sent] : sent
    filters.push(...values.map((value) => ({ field: field.replaceAll(".", "_"), ...comparison, value })))
  }
  return Result.succeed(filters)
}

const pageOf = (text: string | undefined): number => {
  const page = /^[+-]?\d+$/.test(text ?? "") ? Number(text) : 1
  return Math.max(1, page)
}

/** The list query, or why per_page is refused. A page below 1 or no number is the first. */
export const parseListQuery = (
  parameters: Parameters,
  defaults: ListDefaults
): Result.Result<ListQuery, ListQueryInvalid> => {
  const asked = first(parameters, "per_page") ?? (defaults.limitCounts ? first(parameters, "limit") : undefined)
  const perPage = asked === undefined ? defaults.perPage : /^\d{1,9}$/.test(asked) ? Number(asked) : 0
  if (perPage < 1 || perPage > MAX_PER_PAGE) {
    const reason = `per_page argument must be integer between 1-${MAX_PER_PAGE}`
    return Result.fail(new ListQueryInvalid({ list: defaults.list, reason }))
  }
  return Result.map(filtersOf(parameters, defaults.list), (filters) => ({
    filters,
    sort: first(parameters, "sort") ?? defaults.sort ?? "",
    page: pageOf(first(parameters, "page")),
    perPage
  }))
}

const linkTo = (request: HttpServerRequest.HttpServerRequest, page: number): string => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost")
  const query = new URLSearchParams()
  for (const [name, value] of searchParams) if (FILTER.test(name) || !query.has(name)) query.append(name, value)
  query.set("page", String(page))
  return `<${baseUrlOf(request)}${pathname}?${query}>`
}

/** Headers of a page: the two counts, and the way to the next and the last page when there is a later one. */
export const pageHeaders = (
  request: HttpServerRequest.HttpServerRequest,
  query: ListQuery,
  counts: Counts,
  totalCount: ListDefaults["totalCount"]
) => {
  const { matching, total } = counts
  const last = Math.ceil(matching / query.perPage)
  return {
    "x-total-count": String(totalCount === "matching" ? matching : total),
    "x-matching-count": String(matching),
    ...(query.page < last
      ? { link: `${linkTo(request, query.page + 1)}; rel="next",${linkTo(request, last)}; rel="last"` }
      : {})
  }
}

/** Adds to a filter the devices that fit it for a reason that the database does not know. */
export type Widening = (
  filters: ReadonlyArray<ListFilter>
) => Effect.Effect<ReadonlyArray<ListFilter>, SqlError.SqlError>

/**
 * A reader of pages of this list: yields the rows and the headers of the page that the current request asks for. Fails with
 * 400 when the query does not fit. `given` are filters that the route has beside those of the request.
 */
export const makeListPage = Effect.fnUntraced(function* <Row extends object>(
  list: Listable,
  defaults: Omit<ListDefaults, "list">,
  widened: Widening = Effect.succeed
) {
  const compile = yield* makeListing<Row>(list)
  const visible = yield* makeVisible
  const sharedRows = makeSharedRead<ReadonlyArray<Row>, SqlError.SqlError>()
  const sharedCounts = makeSharedRead<Counts, SqlError.SqlError>()
  return Effect.fn("ListPage.read")(function* (
    request: HttpServerRequest.HttpServerRequest,
    given: ListQuery["filters"] = []
  ) {
    const parameters = yield* HttpServerRequest.ParsedSearchParams
    const within = yield* visible
    const asked = parseListQuery(parameters, { list: list.name, ...defaults })
    const own = yield* widened(Result.isSuccess(asked) ? asked.success.filters : [])
    const parsed = Result.flatMap(asked, (query) => {
      const filters = [...given, ...own]
      return Result.map(compile({ ...query, filters, ...within }), (compiled) => ({ query, compiled }))
    })
    const { compiled, query } = yield* Effect.mapError(
      Effect.fromResult(parsed),
      ({ message }) => new BadRequest({ message })
    )
    const [rows, counts] = yield* Effect.all(
      [sharedRows(compiled.rowsKey, compiled.rows), sharedCounts(compiled.countsKey, compiled.counts)],
      { concurrency: 2 }
    )
    return { rows, headers: pageHeaders(request, query, counts, defaults.totalCount) }
  })
})
