/** Answers one list request: parses it, reads the page, shares the read with equal requests, and adds the headers. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { BadRequest } from "../../api/Failures.ts"
import { makeListing, type Listable, type ListedPage, type ListQueryInvalid } from "../../store/Listing.ts"
import { makeSharedRead } from "../../store/SharedRead.ts"
import type { SqlError } from "effect/sql"
import { type ListDefaults, pageHeaders, parseListQuery } from "./ListRequest.ts"

const refuse = ({ message }: ListQueryInvalid) => new BadRequest({ message })

/**
 * A reader of pages of this list: yields the rows and the headers of the page that the current request asks for. Fails with
 * 400 when the query does not fit.
 */
export const makeListPage = Effect.fnUntraced(function* <Row extends object>(
  list: Listable,
  defaults: Omit<ListDefaults, "list">
) {
  const read = yield* makeListing<Row>(list)
  const shared = makeSharedRead<ListedPage<Row>, SqlError.SqlError | ListQueryInvalid>()
  return Effect.fn("ListPage.read")(function* (request: HttpServerRequest.HttpServerRequest) {
    const parameters = yield* HttpServerRequest.ParsedSearchParams
    const query = yield* Effect.mapError(
      Effect.fromResult(parseListQuery(parameters, { list: list.name, ...defaults })),
      refuse
    )
    const listed = yield* shared(JSON.stringify(query), read(query)).pipe(
      Effect.catchTag("ListQueryInvalid", (error) => Effect.fail(refuse(error)))
    )
    return { rows: listed.rows, headers: pageHeaders(request, query, listed, defaults.totalCount) }
  })
})
