/**
 * Puts failures that no endpoint has made into the envelope: unknown routes, wrong methods (405 with Allow), unreadable requests, and
 * defects. Also answers requests without an endpoint: OPTIONS, and URLs that cannot be served. See docs/api.md#errors and
 * docs/api.md#requests.
 */
import { FindMyWay, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { documentPaths, pagePaths } from "../page/WebPages.ts"
import { textFault, visible } from "../../domain/Text.ts"
import { Authentication, Authorization, ScrapeAuthorization } from "../../api/Requests.ts"

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH"] as const
const MAX_URL = 8 * 1024

/** Paths match exactly. */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 1024
} as const

const isPath = (path: string): path is `/${string}` => path.startsWith("/")

/** Whether a route needs a caller. */
const asksWho = [Authentication, Authorization, ScrapeAuthorization]
const paths = FindMyWay.make<boolean>(routerConfig)
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const isGuarded = [...endpoint.middlewares].some((middleware) => asksWho.some(({ key }) => key === middleware.key))
    if (isPath(endpoint.path)) paths.on(endpoint.method, endpoint.path, isGuarded)
  }
})
for (const path of [...documentPaths, ...pagePaths]) paths.on("GET", path, false)

/** Methods of the route as `Allow` lists them; empty for an unknown path. */
const allowedMethods = (url: string): ReadonlyArray<string> => {
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

/** A failure that no endpoint has made; `message` if the name of the status is not enough. */
export const failure = (status: number, headers: Readonly<Record<string, string>> = {}, message = REASONS[status]) =>
  HttpServerResponse.jsonUnsafe({ status: "error", message: message ?? `Error ${status}` }, { status, headers })

/** Content types of answers that endpoints make themselves: data, and the page for a browser that may not sign on. */
const MADE = /^(?:application\/json|text\/html)/

/** Puts a failure into the envelope, unless an endpoint has made it. */
export const enveloped = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const made = MADE.test(response.headers["content-type"] ?? "")
  if (response.status < 400 || made) return response
  const allow = response.status === 404 ? allowedMethods(request.url) : []
  return allow.length > 0 && !allow.includes(request.method)
    ? failure(405, { allow: allow.join(", ") })
    : failure(response.status)
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    // fails for bytes that are not UTF-8, or a percent sign without two digits
    return undefined
  }
}

/** Why an address cannot be served: `Bad Request` if it cannot be read, else the part with a forbidden character. */
const refusalOf = (url: string): string | undefined => {
  const [path = "", query = ""] = url.split(/\?(.*)/s)
  for (const part of path.split("/")) {
    const text = decoded(part)
    if (text === undefined) return REASONS[400]
    const fault = textFault(text, "line")
    if (fault !== undefined) return `The path ${fault.message}`
  }
  for (const part of query.split("&")) {
    const [name, value] = [part.split("=", 1)[0] ?? "", part.slice(part.indexOf("=") + 1)].map(decoded)
    if (name === undefined || value === undefined) return REASONS[400]
    // users search for texts of several lines
    const fault = textFault(name, "line") ?? textFault(value, "lines")
    if (fault !== undefined) return `The parameter ${visible(name)} ${fault.message}`
  }
  return undefined
}

/** The address without its unreadable parts: enough to find the endpoint and the caller. */
const readable = (url: string): string => {
  const [path = "", query = ""] = url.split(/\?(.*)/s)
  const isGood = (part: string) => {
    const text = decoded(part)
    return text !== undefined && textFault(text, "line") === undefined
  }
  const shown = path.split("/").map((part) => (isGood(part) ? part : "_"))
  return `${shown.join("/")}?${query.split("&").filter(isGood).join("&")}`
}

/**
 * The fault of an unreadable address, and the address by which its endpoint is found. Such a request is refused after the caller and their
 * permission are known (docs/roles.md#how-a-call-is-judged).
 */
export interface UnreadableAddress {
  readonly message: string
  readonly readable: string
}

/** Undefined for a readable address, and for a route without callers. */
export const unreadableAddress = ({
  method,
  url
}: HttpServerRequest.HttpServerRequest): UnreadableAddress | undefined => {
  if (url.length > MAX_URL) return undefined
  const message = refusalOf(url)
  if (message === undefined) return undefined
  const address = readable(url)
  const asked = method === "HEAD" ? "GET" : method
  return isMethod(asked) && paths.find(asked, address)?.handler === true ? { message, readable: address } : undefined
}

const isMethod = (method: string): method is (typeof METHODS)[number] => METHODS.some((known) => known === method)

const options = (url: string) => {
  const allow = allowedMethods(url)
  return allow.length === 0
    ? failure(404)
    : HttpServerResponse.empty({ status: 200, headers: { allow: allow.join(", ") } })
}

/** The answer to a request that needs no endpoint; undefined for all others. */
export const answerWithoutEndpoint = ({
  method,
  url
}: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
  if (url.length > MAX_URL) return failure(414)
  const refusal = refusalOf(url)
  if (refusal !== undefined) return failure(400, {}, refusal)
  // the router would cut the path there, and match what precedes it
  if (/^[^?]*[;#]/.test(url)) return failure(404)
  return method === "OPTIONS" ? options(url) : undefined
}
