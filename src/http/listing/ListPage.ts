/** Answers one list request: parses it, reads the page, shares its reads with equal ones, and adds the headers. */
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SqlError } from "effect/sql"
import { makeVisible } from "../core/Visible.ts"
import { BadRequest } from "../../api/Answers.ts"
import { type Counts, type Listable, type ListFilter, type ListQuery, makeListing } from "../../store/Listing.ts"
import { makeSharedRead } from "../../store/SharedRead.ts"
import { type ListDefaults, pageHeaders, parseListQuery } from "./ListRequest.ts"

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
