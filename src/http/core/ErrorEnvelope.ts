/**
 * Puts every failure into the envelope that no endpoint has made: unknown routes, wrong methods (405 with Allow), requests that
 * cannot be read, and defects. Also answers what belongs to no endpoint: OPTIONS, and URLs that cannot be served. See
 * docs/api.md#errors and docs/api.md#requests.
 */
import { FindMyWay, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { documentPaths } from "../ApiDocument.ts"
import { pagePaths } from "../page/PageRoutes.ts"
import { isStorable } from "../../domain/fields/Values.ts"

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH"] as const
const MAX_URL = 8 * 1024

/** How paths are matched: exactly. */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 1024
} as const

const isPath = (path: string): path is `/${string}` => path.startsWith("/")

const paths = FindMyWay.make<true>(routerConfig)
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    if (isPath(endpoint.path)) paths.on(endpoint.method, endpoint.path, true)
  }
})
for (const path of [...documentPaths, ...pagePaths]) paths.on("GET", path, true)

/** Methods of the route as `Allow` lists them; empty for a path that is no route. */
export const allowedMethods = (url: string): ReadonlyArray<string> => {
  const methods = METHODS.filter((method) => paths.find(method, url) !== undefined)
  if (methods.length === 0) return []
  return [...(methods.includes("GET") ? ["HEAD"] : []), ...methods, "OPTIONS"]
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Request Entity Too Large",
  414: "Request URI Too Long",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
}

/** A failure that no endpoint has made; `message` when the name of the status is not enough. */
export const failure = (status: number, headers: Readonly<Record<string, string>> = {}, message = REASONS[status]) =>
  HttpServerResponse.jsonUnsafe({ status: "error", message: message ?? `Error ${status}` }, { status, headers })

/** Puts an answer into the envelope; one that an endpoint has made is left alone. */
export const enveloped = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const made = response.headers["content-type"]?.startsWith("application/json") === true
  if (response.status < 400 || made) return response
  const allow = response.status === 404 ? allowedMethods(request.url) : []
  return allow.length > 0 && !allow.includes(request.method)
    ? failure(405, { allow: allow.join(", ") })
    : failure(response.status)
}

const isReadable = (url: string): boolean => {
  try {
    return isStorable(decodeURIComponent(url.replaceAll("+", " ")))
  } catch {
    return false
  }
}

const options = (url: string) => {
  const allow = allowedMethods(url)
  return allow.length === 0
    ? failure(404)
    : HttpServerResponse.empty({ status: 200, headers: { allow: allow.join(", ") } })
}

/** The answer to a request that no endpoint has to see; undefined for the others. */
export const answerOutside = ({
  method,
  url
}: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
  if (url.length > MAX_URL) return failure(414)
  if (!isReadable(url)) return failure(400)
  // the router would cut the path there, and find what stands before it
  if (/^[^?]*[;#]/.test(url)) return failure(404)
  return method === "OPTIONS" ? options(url) : undefined
}
