/** Views of lists that people save (docs/api.md#saved-views). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { SavedView, SaveViewRequest } from "../domain/SavedView.ts"
import { BadRequest, Enveloped, NotFound } from "./Answers.ts"
import { documented } from "./Documented.ts"
import { Authorization, RequestBody } from "./Requests.ts"

const view: typeof SavedView.Type = {
  id: 4,
  owner: "maria",
  list: "devices",
  name: "South, out of sync",
  query: "filter[group]=SOUTH&filter[synchronized]=false&sort=hostname",
  shared: true,
  saved_at: "2026-03-02T09:12:07"
}

const endpoints = HttpApiGroup.make("views").add(
  HttpApiEndpoint.get("list", "/views", {
    success: Enveloped(Schema.Struct({ views: Schema.Array(SavedView) }))
  }).annotateMerge(
    documented({
      name: "listViews",
      summary: "List saved views",
      description: "The shared views of all lists, and the caller's own.",
      example: { response: { status: "success", data: { views: [view] } } }
    })
  ),
  HttpApiEndpoint.post("save", "/views", {
    payload: SaveViewRequest.schema,
    success: Enveloped(Schema.Struct({ saved_view: SavedView })).pipe(HttpApiSchema.status(201)),
    error: BadRequest
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "saveView",
        summary: "Save a view of a list",
        description:
          "`query` has the filters, the columns and the order as the address of the page has them. With `shared` everybody sees the view. The caller's own view of that name is replaced.",
        example: {
          request: { list: view.list, name: view.name, query: view.query, shared: true },
          response: { status: "success", data: { saved_view: view } }
        }
      })
    ),
  HttpApiEndpoint.delete("remove", "/views/:id(^\\d+$)", {
    params: { id: Parameter.id },
    success: Enveloped(Schema.Struct({ removed_view: SavedView })),
    error: NotFound
  })
    .middleware(RequestBody)
    .annotateMerge(
      documented({
        name: "deleteView",
        summary: "Remove a saved view",
        description: "The caller's own, or a shared one.",
        example: { response: { status: "success", data: { removed_view: view } } }
      })
    )
)

/** Endpoints of saved views, all with a token. */
export class ViewsGroup extends endpoints.middleware(Authorization) {}
