/**
 * Views of lists (docs/api.md#saved-views): filters, columns and order under a name. A view is its owner's; a shared one can be seen by everybody
 * and removed by whoever may remove views.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { SavedView } from "../domain/SavedView.ts"

/** No view with this id exists, or it is another person's own. */
export class ViewNotFound extends Schema.TaggedError<ViewNotFound>()("ViewNotFound", {}) {
  override get message() {
    return "View not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** Queries of views, each in the name of a person. */
export const makeSavedViews = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const shown = sql.literal(`id, owner, list, name, query, shared, iso_time(saved_at) as saved_at`)
  return {
    /** The shared ones and the person's own, by list and name. */
    list: Effect.fn("SavedViews.list")(
      (owner: string): Effect.Effect<ReadonlyArray<SavedView>, SqlError.SqlError> =>
        sql<SavedView>`select ${shown} from saved_view where shared or owner = ${owner} order by list, name, id`
    ),
    /** Saves a view; the person's own of that name is replaced. */
    save: Effect.fn("SavedViews.save")(function* (owner: string, view: Omit<SavedView, "id" | "owner" | "saved_at">) {
      const { list, name, query, shared } = view
      const rows = yield* sql<SavedView>`insert into saved_view (owner, list, name, query, shared)
        values (${owner}, ${list}, ${name}, ${query}, ${shared})
        on conflict (owner, list, name) do update set query = excluded.query, shared = excluded.shared, saved_at = now()
        returning ${shown}`
      return yield* Effect.orDie(Effect.fromNullishOr(rows[0]))
    }),
    /** Removes the person's own view, or a shared one. */
    remove: Effect.fn("SavedViews.remove")(function* (owner: string, id: number) {
      const [row] = yield* sql<SavedView>`delete from saved_view
        where id = ${id} and (shared or owner = ${owner}) returning ${shown}`
      return row ?? (yield* new ViewNotFound())
    })
  }
})
