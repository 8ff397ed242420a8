/** The web page (docs/page.md): at `/ui/` and every address below it that is no file; `/` leads there. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { FirstStart, SETUP_PATH } from "../setup/FirstStart.ts"
import { type PageFile, readPageFiles } from "./PageFiles.ts"

/** Where the page is. */
export const PAGE_BASE = "/ui/"

/** Paths of the page, for whoever lists routes. That of the first start is none: to almost everybody it is not there. */
export const pagePaths = ["/", "/ui/*"] as const

/** What the page may do: run its own files, and ask this server. Its parts write styles, which they sign with the nonce of the answer. */
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
    // a file with other content has another name
    "cache-control": "public, max-age=31536000, immutable",
    ...(coding === undefined ? {} : { "content-encoding": coding })
  }
  return headers["if-none-match"] === file.etag
    ? HttpServerResponse.empty({ status: 304, headers: own })
    : HttpServerResponse.uint8Array(body, { headers: own, contentType: file.type })
}

const NOT_BUILT = "The page was not built: npm start builds it. The API is at /api/doc/."

/** The name of the file that an address asks for. */
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
