/**
 * The web pages: Switchyard's page at `/ui/` and at every address below it without a file, to which `/` redirects (docs/page.md), and the
 * description of the API.
 */
import { Effect, FileSystem, Path, Scope } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, randomBytes } from "node:crypto"
import { FirstStart, SETUP_PATH } from "../core/FirstStart.ts"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { Api } from "../../api/Api.ts"

// The files of the built page (`web/build`), read once: no other file can be requested. The page is optional: without it the server serves
// only the API.

/** A file with its compressed forms. */
interface PageFile {
  readonly type: string
  readonly etag: string
  readonly raw: Uint8Array
  readonly br: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

const COMPRESSED = /\.(br|gz)$/

/** The folder of the page after `npm run build` and in packages. */
const FOLDER = "../../../web/build"

/** All files by name; empty if the page was not built. */
const readPageFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(import.meta.dirname, FOLDER)
  const none: ReadonlyMap<string, PageFile> = new Map()
  if (!(yield* fs.exists(path.join(folder, "index.html")))) return none
  const read = (name: string) => fs.readFile(path.join(folder, name))
  const names = yield* fs.readDirectory(folder, { recursive: true })
  const compressed = new Set(names.filter((name) => COMPRESSED.test(name)))
  const readIfThere = (name: string) => (compressed.has(name) ? read(name) : Effect.succeed(undefined))
  const files = yield* Effect.forEach(
    names.filter((name) => TYPES[path.extname(name)] !== undefined),
    Effect.fnUntraced(function* (name) {
      const raw = yield* read(name)
      const file: PageFile = {
        type: TYPES[path.extname(name)] ?? "application/octet-stream",
        etag: `"${createHash("sha256").update(raw).digest("base64url").slice(0, 22)}"`,
        raw,
        br: yield* readIfThere(`${name}.br`),
        gzip: yield* readIfThere(`${name}.gz`)
      }
      return [name.replaceAll("\\", "/"), file] as const
    })
  )
  const all: ReadonlyMap<string, PageFile> = new Map(files)
  return all
}).pipe(Effect.orDie)

export const PAGE_BASE = "/ui/"

/** Paths of the page for the list of routes. The page of the first start is not listed, because it exists for one machine only. */
export const pagePaths = ["/", "/ui/*"] as const

/** The page may run its own files and call this server. Its components write styles, which carry the nonce of the answer. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; ")

const asPage = (html: string): HttpServerResponse.HttpServerResponse => {
  const nonce = randomBytes(16).toString("base64url")
  return HttpServerResponse.text(html.replaceAll("__NONCE__", nonce), {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policyOf(nonce), "cache-control": "no-store" }
  })
}

const codingOf = (file: PageFile, accepts: string): readonly [coding: string | undefined, body: Uint8Array] => {
  if (file.br !== undefined && /\bbr\b/.test(accepts)) return ["br", file.br]
  if (file.gzip !== undefined && /\bgzip\b/.test(accepts)) return ["gzip", file.gzip]
  return [undefined, file.raw]
}

const asFile = (file: PageFile, { headers }: HttpServerRequest.HttpServerRequest) => {
  const [coding, body] = codingOf(file, headers["accept-encoding"] ?? "")
  const own = {
    etag: file.etag,
    vary: "Accept-Encoding",
    // a changed file has another name
    "cache-control": "public, max-age=31536000, immutable",
    ...(coding === undefined ? {} : { "content-encoding": coding })
  }
  return headers["if-none-match"] === file.etag
    ? HttpServerResponse.empty({ status: 304, headers: own })
    : HttpServerResponse.uint8Array(body, { headers: own, contentType: file.type })
}

const NOT_BUILT = "The page was not built: npm start builds it. The API is at /api/doc/."

/** The name of the requested file. */
const nameOf = (url: string): string => (url.split("?", 1)[0] ?? "").slice(PAGE_BASE.length)

export const PageRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* readPageFiles
    const index = files.get("index.html")
    const html = index === undefined ? undefined : new TextDecoder().decode(index.raw)
    const page = () => (html === undefined ? HttpServerResponse.text(NOT_BUILT, { status: 404 }) : asPage(html))
    const answer = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
      const name = nameOf(request.url)
      const file = name === "index.html" ? undefined : files.get(name)
      if (file !== undefined) return asFile(file, request)
      return name.startsWith("assets/") ? HttpServerResponse.empty({ status: 404 }) : page()
    })
    const { isOpen } = yield* FirstStart
    const leading = Effect.map(isOpen, (isFirst) =>
      HttpServerResponse.redirect(isFirst ? SETUP_PATH : PAGE_BASE, { status: 302 })
    )
    yield* router.add("GET", "/", leading)
    yield* router.add("GET", "/ui/*", answer)
  })
)

// The description of the API and the page that shows it. Both are made at the first request, because the page has 8 MB of script.

const PAGE = "/api/doc/"
/** Existing clients use the second path. */
const DOCUMENT_PATHS = ["/api/openapi.json", "/api/v1.0/swagger.json"] as const

/** Paths of the description, which are no endpoints. */
export const documentPaths = [...DOCUMENT_PATHS, PAGE] as const

/** Scripts without a type; a browser hashes every line ending as one character. */
const SCRIPTS = /<script>([\s\S]*?)<\/script>/g

const hashOf = (script: string): string =>
  `'sha256-${createHash("sha256").update(script.replaceAll(/\r\n?/g, "\n")).digest("base64")}'`

/** The page may run its own scripts, known by their hashes, and call this server. Injected scripts do not run. */
const documentPolicy = (page: string): string =>
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
        "content-security-policy": documentPolicy(new TextDecoder().decode(response.body.body)),
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
