/**
 * Puts every failure into the envelope that no endpoint has made: unknown routes, wrong methods (405 with Allow), requests that
 * cannot be read, and defects. Also answers what belongs to no endpoint: OPTIONS, and URLs that cannot be served. See
 * docs/api.md#errors and docs/api.md#requests.
 */
import { FindMyWay, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Authentication, Authorization, ScrapeAuthorization } from "../../api/Requests.ts"
import { textFault, visible } from "../../domain/Text.ts"
import { documentPaths, pagePaths } from "../page/WebPages.ts"

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

/** Whether a caller is asked for at a route. */
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

/** What endpoints make themselves: data, and the page of a browser that may not sign on. */
const MADE = /^(?:application\/json|text\/html)/

/** Puts an answer into the envelope; one that an endpoint has made is left alone. */
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
    // the only failure: bytes that are no UTF-8, or a percent sign without two digits
    return undefined
  }
}

/** What keeps an address from being served: `Bad Request` when it cannot be read, else the part that may not travel. */
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
    // people search what was written in several lines
    const fault = textFault(name, "line") ?? textFault(value, "lines")
    if (fault !== undefined) return `The parameter ${visible(name)} ${fault.message}`
  }
  return undefined
}

/** The address without what cannot be read: enough to find out which endpoint is meant, and who calls. */
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
 * What is wrong with an address that cannot be read, for an endpoint that asks first who calls and what they may
 * (docs/roles.md#how-a-call-is-judged), and the address that it is found by.
 */
export interface UnreadableAddress {
  readonly message: string
  readonly readable: string
}

/** Undefined for an address that can be read, and where nobody is asked who they are. */
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

/** The answer to a request that no endpoint has to see; undefined for the others. */
export const answerWithoutEndpoint = ({
  method,
  url
}: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
  if (url.length > MAX_URL) return failure(414)
  const refusal = refusalOf(url)
  if (refusal !== undefined) return failure(400, {}, refusal)
  // the router would cut the path there, and find what stands before it
  if (/^[^?]*[;#]/.test(url)) return failure(404)
  return method === "OPTIONS" ? options(url) : undefined
}
