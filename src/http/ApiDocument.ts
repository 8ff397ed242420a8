/** The description of the API and the page that shows it. Both are made when first asked for: the page has 8 MB of script. */
import { Effect, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { Api } from "../api/Api.ts"

const PAGE = "/api/doc/"
/** The second is where existing clients look for it. */
const DOCUMENT_PATHS = ["/api/openapi.json", "/api/v1.0/swagger.json"] as const

/** Paths of routes that are no endpoints. */
export const documentPaths = [...DOCUMENT_PATHS, PAGE] as const

/** Scripts without a type; a browser counts every end of a line as one character. */
const SCRIPTS = /<script>([\s\S]*?)<\/script>/g

const hashOf = (script: string): string =>
  `'sha256-${createHash("sha256").update(script.replaceAll(/\r\n?/g, "\n")).digest("base64")}'`

/**
 * What the page may do: run its own scripts, known by their hashes, and ask this server. What somebody manages to write into
 * the page is not run.
 */
const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${[...page.matchAll(SCRIPTS)].map(([, script = ""]) => hashOf(script)).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const withPolicy = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.setHeaders(response, {
        "content-security-policy": policyOf(new TextDecoder().decode(response.body.body)),
        "cache-control": "private, max-age=3600"
      })
    : response

export const ApiDocument = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const scope = yield* Effect.scope
    const description = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    const page = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: PAGE })).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.flatMap(Effect.map(withPolicy)),
      Effect.cached
    )
    for (const path of DOCUMENT_PATHS) yield* router.add("GET", path, description)
    yield* router.add("GET", PAGE, page)
  })
)
