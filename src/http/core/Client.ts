/**
 * The client of a request: its address, and the scheme and the host that it used. Behind a proxy they come from `X-Forwarded-For`, `-Proto`
 * and `-Host`, which any client can write: they count only if the connection comes from one of TRUSTED_PROXIES (docs/security.md#proxies).
 */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { makeContains, unmappedAddress } from "../../domain/access/HostLists.ts"

// Notes about a request: its client, and for the log its caller, route and body.

interface Notes {
  client?: Client
  caller?: string
  route?: string
  body?: Readonly<Record<string, unknown>>
  fault?: string
  text?: string
  warnings?: ReadonlyArray<string>
}

// Keyed by Node's request object, which stays the same when the router changes the request.
const notes = new WeakMap<object, Notes>()

const notesOf = (request: HttpServerRequest.HttpServerRequest): Notes => {
  const known = notes.get(request.source)
  if (known !== undefined) return known
  const fresh: Notes = {}
  notes.set(request.source, fresh)
  return fresh
}

/** Notes where the request comes from. */
const rememberClient = (request: HttpServerRequest.HttpServerRequest, client: Client): void => {
  notesOf(request).client = client
}

/** The client of the request, if it was noted. */
const recallClient = (request: HttpServerRequest.HttpServerRequest): Client | undefined =>
  notes.get(request.source)?.client

/** Notes the caller's name. */
export const rememberCaller = (request: HttpServerRequest.HttpServerRequest, caller: string): void => {
  notesOf(request).caller = caller
}

/** Notes the path of the endpoint, such as `/api/v1.0/device/:id`. */
export const rememberRoute = (request: HttpServerRequest.HttpServerRequest, route: string): void => {
  notesOf(request).route = route
}

/** Notes the body, unmasked. */
export const rememberBody = (
  request: HttpServerRequest.HttpServerRequest,
  body: Readonly<Record<string, unknown>>
): void => {
  notesOf(request).body = body
}

/** Notes why the address cannot be read. */
export const rememberFault = (request: HttpServerRequest.HttpServerRequest, fault: string): void => {
  notesOf(request).fault = fault
}

/** Notes names in the request that have no effect, for the answer. */
export const rememberWarnings = (
  request: HttpServerRequest.HttpServerRequest,
  warnings: ReadonlyArray<string>
): void => {
  if (warnings.length === 0) return
  const noted = notesOf(request)
  noted.warnings = [...(noted.warnings ?? []), ...warnings]
}

/** Notes the text of a JSON body of any size. */
export const rememberText = (request: HttpServerRequest.HttpServerRequest, text: string): void => {
  notesOf(request).text = text
}

/** All notes of the request. */
export const recall = (request: HttpServerRequest.HttpServerRequest): Readonly<Notes> => notes.get(request.source) ?? {}

interface Client {
  /** The client's address; null if the connection has none. */
  readonly address: string | null
  readonly scheme: "http" | "https"
  /** Name or address, with the port unless it is the default of the scheme. */
  readonly host: string
  /** The connection to this server is encrypted. */
  readonly isEncrypted: boolean
}

type Request = HttpServerRequest.HttpServerRequest

const isEncryptedConnection = ({ source }: Request): boolean =>
  source instanceof IncomingMessage && source.socket instanceof TLSSocket

const directClient = (request: Request): Client => {
  const address = Option.getOrUndefined(request.remoteAddress)
  const isEncrypted = isEncryptedConnection(request)
  return {
    address: address === undefined ? null : unmappedAddress(address),
    scheme: isEncrypted ? "https" : "http",
    host: request.headers["host"] ?? "localhost",
    isEncrypted
  }
}

const lastOf = (list: string | undefined): string | undefined => list?.split(",").at(-1)?.trim()

/** `10.0.0.7`, `10.0.0.7:4711` and `[2001:db8::7]:4711` to the address. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\]/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const HOST = /^[\w.:[\]-]{1,255}$/

/** Yields a function that finds the client of a request, with or without a proxy. */
const makeClientOf = ({ TRUSTED_PROXIES }: Pick<ServerSettings, "TRUSTED_PROXIES">) => {
  const isProxy = makeContains(TRUSTED_PROXIES)
  const isAddress = makeContains(["0.0.0.0/0", "::/0"])

  /** Each proxy appends the address that it received the request from: the last one that is no trusted proxy's is the client's. */
  const firstStranger = (list: string, peer: string): string => {
    let found = peer
    for (const item of list.split(",").toReversed()) {
      const address = unmappedAddress(withoutPort(item.trim()))
      if (!isAddress(address)) return found
      found = address
      if (!isProxy(address)) return found
    }
    return found
  }

  return (request: Request): Client => {
    const direct = directClient(request)
    const { "x-forwarded-for": chain, "x-forwarded-host": hosts, "x-forwarded-proto": schemes } = request.headers
    if (chain === undefined && hosts === undefined && schemes === undefined) return direct
    if (direct.address === null || !isProxy(direct.address)) return direct
    const scheme = lastOf(schemes)
    const host = lastOf(hosts)
    return {
      address: chain === undefined ? direct.address : firstStranger(chain, direct.address),
      scheme: scheme === "https" || scheme === "http" ? scheme : direct.scheme,
      host: host !== undefined && HOST.test(host) ? host : direct.host,
      isEncrypted: direct.isEncrypted
    }
  }
}

/** Yields a function that finds the client of a request and notes it. */
export const makeNoteClient = (config: Pick<ServerSettings, "TRUSTED_PROXIES">) => {
  const clientOf = makeClientOf(config)
  return (request: Request): Client => {
    const client = clientOf(request)
    rememberClient(request, client)
    return client
  }
}

/** The client of a request that one of our listeners received. */
export const clientOf = (request: Request): Client => recallClient(request) ?? directClient(request)

/** Scheme and host that the client used, such as `https://nms.example.org`, for links to this server. */
export const baseUrlOf = (request: Request): string => {
  const { host, scheme } = clientOf(request)
  return `${scheme}://${host}`
}

// Names and addresses of this machine itself.

/** Whether an address or a name (without a port) is loopback. */
export const isLoopback = (host: string): boolean =>
  host === "::1" || /^(?:[^:]+\.)?localhost\.?$/i.test(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The host of a `Host` header, without its port and brackets: `::1` of `[::1]:5000`. */
export const hostOf = (authority: string): string =>
  authority.startsWith("[") ? authority.slice(1).split("]", 1).join("") : authority.replace(/:\d*$/, "")

// Which web pages may call (docs/security.md#web-pages). A page of another origin is answered without credentials unless ALLOWED_ORIGINS
// names it. Requests with a cookie are accepted only from our own page and from those origins. Without tokens only this machine may call: a
// page that binds its own name to our address (DNS rebinding) still sends that name.

const parse = (origin: string): URL | undefined => {
  try {
    return new URL(origin)
  } catch {
    return undefined
  }
}

/** Whether a page comes from this server, as its client sees it. `https` is accepted too, because a proxy may not announce TLS. */
const isOwn = (request: Request, origin: string): boolean => {
  const page = parse(origin)
  if (page === undefined) return false
  const { host, scheme } = clientOf(request)
  const own = parse(`${page.protocol}//${host}`)
  return own !== undefined && own.host === page.host && (page.protocol === "https:" || scheme === "http")
}

const trusting =
  (allowed: ReadonlySet<string>) =>
  (request: Request): boolean => {
    const { origin, "sec-fetch-site": site } = request.headers
    if (origin !== undefined) return site === "same-origin" || allowed.has(origin) || isOwn(request, origin)
    return site === undefined || site === "same-origin" || site === "none"
  }

/**
 * A check for requests that are authenticated by a cookie, such as `POST /auth/refresh`: true if no page of another site sends it. Programs
 * send no `Origin`; every browser sends it with a POST, and `Sec-Fetch-Site` as well.
 */
export const makeIsTrustedOrigin = Effect.map(ServerConfig, ({ ALLOWED_ORIGINS }) => trusting(new Set(ALLOWED_ORIGINS)))

/** The same for requests that only Switchyard's own page sends. */
export const isOwnPage = trusting(new Set())

/** Whether the browser uses TLS, even if a proxy does not say so. */
export const isOverTls = (request: Request): boolean =>
  clientOf(request).scheme === "https" || request.headers["origin"]?.startsWith("https:") === true

/** Paths that never need a token. */
const OPEN = /^\/(?:api\/health|firmware\/|templates\/)/

const refusal = (what: string, name: string): string =>
  `${what} is ${name.slice(0, 255)}, which is not this machine: while JWT_ENABLED is false, only this machine may call, as http://127.0.0.1 or http://localhost. Set JWT_ENABLED=true, or ALLOW_OPEN_API=true if everybody may call`

/** A check for servers without tokens: the reason to refuse a request that does not come from this machine, or undefined. */
export const makeLoopbackRefusal = Effect.map(ServerConfig, ({ ALLOW_OPEN_API, JWT_ENABLED }) => {
  if (JWT_ENABLED || ALLOW_OPEN_API) return () => undefined
  return (request: Request): string | undefined => {
    if (OPEN.test(request.url)) return undefined
    const { host, origin } = request.headers
    const forwarded = clientOf(request).host
    if (host !== undefined && !isLoopback(hostOf(host))) return refusal("Host", host)
    if (!isLoopback(hostOf(forwarded))) return refusal("X-Forwarded-Host", forwarded)
    if (origin === undefined) return undefined
    const page = parse(origin)
    return page !== undefined && isLoopback(hostOf(page.host)) ? undefined : refusal("Origin", origin)
  }
})
