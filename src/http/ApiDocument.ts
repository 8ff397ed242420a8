/** The description of the API and the page that shows it. Both are made when first asked for: the page has 8 MB of script. */
import { Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"

const PAGE = "/api/doc/"

export const ApiDocument = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const description = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    const page = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: PAGE })).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.cached
    )
    yield* router.add("GET", "/api/openapi.json", description)
    yield* router.add("GET", PAGE, Effect.flatten(page))
  })
)
