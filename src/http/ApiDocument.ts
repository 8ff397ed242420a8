/** The description of the API and the page that shows it. Both are made when first asked for: the page has 8 MB of script. */
import { Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"

const PAGE = "/api/doc/"
/** The second is where existing clients look for it. */
const DOCUMENT_PATHS = ["/api/openapi.json", "/api/v1.0/swagger.json"] as const

/** Paths of routes that are no endpoints. */
export const documentPaths = [...DOCUMENT_PATHS, PAGE] as const

export const ApiDocument = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const description = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    const page = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: PAGE })).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.cached
    )
    for (const path of DOCUMENT_PATHS) yield* router.add("GET", path, description)
    yield* router.add("GET", PAGE, Effect.flatten(page))
  })
)
