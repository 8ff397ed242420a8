/**
 * Where a request comes from, and where it believes it goes: the address, the scheme and the host that its client used. Behind
 * a proxy they stand in `X-Forwarded-For`, `-Proto` and `-Host`, which everybody can write: they count only when the
 * connection comes from one of TRUSTED_PROXIES (docs/security.md#proxies).
 */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import { makeContains, unmappedAddress } from "../../domain/access/HostLists.ts"
import type { ServerSettings } from "../../ServerConfig.ts"
import { recallClient, rememberClient } from "./RequestNotes.ts"

export interface Client {
  /** The address of whoever asks; null when the connection has none. */
  readonly address: string | null
  readonly scheme: "http" | "https"
  /** Name or address, and port unless it is that of the scheme. */
  readonly host: string
  /** The connection itself is encrypted, without a proxy. */
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

/** A function that finds the client of a request, whether or not a proxy is between. */
export const makeClientOf = ({ TRUSTED_PROXIES }: Pick<ServerSettings, "TRUSTED_PROXIES">) => {
  const isProxy = makeContains(TRUSTED_PROXIES)
  const isAddress = makeContains(["0.0.0.0/0", "::/0"])

  /** Each proxy appends whom it hears: the last one that is no proxy of ours is the client. */
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

/** Finds the client of a request and notes it for whoever asks later. */
export const makeMeetClient = (config: Pick<ServerSettings, "TRUSTED_PROXIES">) => {
  const clientOf = makeClientOf(config)
  return (request: Request): Client => {
    const client = clientOf(request)
    rememberClient(request, client)
    return client
  }
}

/** The client of a request that has come in by one of our listeners. */
export const clientOf = (request: Request): Client => recallClient(request) ?? directClient(request)

/** Scheme and host that the client used, such as `https://nms.example.org`: what links to this server begin with. */
export const baseUrlOf = (request: Request): string => {
  const { host, scheme } = clientOf(request)
  return `${scheme}://${host}`
}
