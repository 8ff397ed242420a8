/** Handlers of saved views (docs/api.md#saved-views). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { enveloped } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import { toId } from "../domain/fields/Values.ts"
import { makeSavedViews, ViewNotFound } from "../store/SavedViewStore.ts"
import { asCaller } from "./core/HandlerErrors.ts"

/** Handlers of `ViewsGroup`. */
export const ViewsLive = HttpApiBuilder.group(Api, "views", (handlers) =>
  Effect.gen(function* () {
    const views = yield* makeSavedViews
    const remove = Effect.fn("Views.remove")(function* (user: string, digits: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new ViewNotFound())
      return enveloped({ removed_view: yield* views.remove(user, id) })
    })
    return handlers
      .handle("list", () => asCaller((user) => Effect.map(views.list(user), (found) => enveloped({ views: found }))))
      .handle("save", ({ payload: { list, name, query, shared = false } }) =>
        asCaller((user) =>
          Effect.map(views.save(user, { list, name, query, shared }), (saved_view) => enveloped({ saved_view }))
        )
      )
      .handle("remove", ({ params }) => asCaller((user) => remove(user, params.id)))
  })
)
