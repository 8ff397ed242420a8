/**
 * Lists with filters, sorting and pages (docs/api.md#lists): parses the query, reads the page, shares reads between equal requests, and
 * adds the headers.
 */
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SqlError } from "effect/sql"
import { makeVisible } from "../core/Permits.ts"
import {
  type Counts,
  type Listable,
  type ListFilter,
  type ListQuery,
  ListQueryInvalid,
  makeListing,
  sortField
} from "../../store/Listing.ts"
import { baseUrlOf, rememberWarnings } from "../core/Client.ts"
import { BadRequest } from "../../api/Answers.ts"
import { FILTER } from "../../api/Documented.ts"
import { nameHint, shownName } from "../../domain/fields/KnownNames.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"

/** Query parameters as parsed by the router: several values for a repeated name. */
type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Defaults of a list: rows per page, and the number in X-Total-Count. */
interface ListDefaults {
  readonly list: string
  readonly perPage: number
  readonly totalCount: "unfiltered" | "matching"
  /** `limit` is another name of `per_page`. */
  readonly limitCounts: boolean
  /** Like `sort` in a request. Default: by id. */
  readonly sort?: string
}

/** Comparisons by the word in the second brackets; several words mean an exact match. */
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

/** All filters; each must match, also filters of the same name. */
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

/** The list query, or why per_page is refused. An invalid page or one below 1 is the first. */
const parseListQuery = (parameters: Parameters, defaults: ListDefaults): Result.Result<ListQuery, ListQueryInvalid> => {
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

/** What a client is told about the field of `sort`, if the list has none of this name and is sorted by id. */
const sortWarnings = ({ columns }: Listable, sort: string): ReadonlyArray<string> => {
  const field = sortField(sort)
  return field === "" || Object.hasOwn(columns, field)
    ? []
    : [`sort: there is no field ${shownName(field)}${nameHint(field, Object.keys(columns))}`]
}

const linkTo = (request: HttpServerRequest.HttpServerRequest, page: number): string => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost")
  const query = new URLSearchParams()
  for (const [name, value] of searchParams) if (FILTER.test(name) || !query.has(name)) query.append(name, value)
  query.set("page", String(page))
  return `<${baseUrlOf(request)}${pathname}?${query}>`
}

/** Headers of a page: the two counts, and links to the next and the last page. */
const pageHeaders = (
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

/** Adds devices to a filter that match for reasons outside the database. */
type Widening = (filters: ReadonlyArray<ListFilter>) => Effect.Effect<ReadonlyArray<ListFilter>, SqlError.SqlError>

/**
 * Yields a reader of the list's pages: rows and headers for the current request. Fails with 400 for an invalid query. `given` are filters
 * of the route.
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
    rememberWarnings(request, sortWarnings(list, query.sort))
    const [rows, counts] = yield* Effect.all(
      [sharedRows(compiled.rowsKey, compiled.rows), sharedCounts(compiled.countsKey, compiled.counts)],
      { concurrency: 2 }
    )
    return { rows, headers: pageHeaders(request, query, counts, defaults.totalCount) }
  })
})
