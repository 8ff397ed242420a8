/**
 * Admits connections of socket.io (docs/events.md#socketio). A connection is checked once like a request: its origin, the limits of its
 * client, and its token.
 */
import { isGuess, makeCallerOf } from "../core/Callers.ts"
import { Effect, Option, Result, Schema } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeIsTrustedOrigin, makeLoopbackRefusal, makeNoteClient } from "../core/Client.ts"
import { Limits } from "../core/Limits.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { mayHoldAnother } from "../../runtime/FairPlaces.ts"
import { makeRefusalAudit } from "../core/RequestLog.ts"
import { Unauthorized } from "../../api/Answers.ts"

type Request = HttpServerRequest.HttpServerRequest

// the address and headers of the real request replace these
const blank = () => HttpServerRequest.fromWeb(new globalThis.Request("http://localhost/"))

/** A Node request in the form that the API's checks need. */
const requestOf = ({ headers, socket, url = "" }: IncomingMessage): Request =>
  blank().modify({
    url,
    headers: Headers.fromInput(headers),
    remoteAddress: Option.fromUndefinedOr(socket.remoteAddress)
  })

const isUnauthorized = Schema.is(Unauthorized)

/** Counts connections by address. */
const makeCount = (total: number, perAddress: number) => {
  const counts = new Map<string, number>()
  let all = 0
  return {
    isFull: (address: string): boolean => all >= total || (counts.get(address) ?? 0) >= perAddress,
    add: (address: string): (() => void) => {
      counts.set(address, (counts.get(address) ?? 0) + 1)
      all += 1
      return () => {
        const left = (counts.get(address) ?? 1) - 1
        if (left === 0) counts.delete(address)
        else counts.set(address, left)
        all -= 1
      }
    }
  }
}

/** The checks of this server. */
export const makeSocketAdmission = Effect.gen(function* () {
  const config = yield* ServerConfig
  const limits = yield* Limits
  const callerOf = yield* makeCallerOf
  const refused = yield* makeRefusalAudit
  const refusalOfForeign = yield* makeLoopbackRefusal
  const isTrusted = yield* makeIsTrustedOrigin
  const meetClient = makeNoteClient(config)
  const count = makeCount(config.SOCKET_CLIENTS, config.SOCKET_CLIENTS_PER_ADDRESS)

  const addressOf = (request: Request): string => meetClient(request).address ?? ""

  const isTooOften = (request: Request, now: number): boolean => {
    const entered = limits.enter(request, now)
    if (Result.isSuccess(entered)) limits.leave(entered.success)
    return Result.isFailure(entered)
  }

  const named = (request: Request, jwt: string | Array<string> | undefined) =>
    Effect.provideService(callerOf(request), HttpServerRequest.ParsedSearchParams, jwt === undefined ? {} : { jwt })

  return {
    /**
     * Whether a caller may have one more connection in addition to those of these persons; without tokens callers cannot be distinguished.
     */
    mayJoin: ({ person, way }: Identity, persons: ReadonlyArray<string>): boolean =>
      way === "open" ||
      mayHoldAnother({
        own: persons.filter((one) => one === person).length,
        all: persons.length,
        most: config.SOCKET_CLIENTS
      }),
    /** Whether the token still identifies the caller with the same roles. Fails if that cannot be checked now. */
    stillIs: Effect.fn("SocketAdmission.stillIs")(function* (
      message: IncomingMessage,
      jwt: string | Array<string> | undefined,
      caller: Identity
    ) {
      const found = yield* Effect.result(named(requestOf(message), jwt))
      if (Result.isFailure(found)) return isUnauthorized(found.failure) ? false : yield* found.failure
      const { person, roles } = found.success
      return person === caller.person && roles.join("\n") === caller.roles.join("\n")
    }),
    /** Why a connection is refused before its token is checked, or undefined. `now` in epoch milliseconds. */
    refusalOf: (message: IncomingMessage, now: number): string | undefined => {
      const request = requestOf(message)
      const address = addressOf(request)
      const foreign = refusalOfForeign(request)
      if (foreign !== undefined) return foreign
      if (config.ALLOWED_ORIGINS.length > 0 && !isTrusted(request)) return "This origin is not in ALLOWED_ORIGINS"
      if (isTooOften(request, now)) return "Too many requests, try again later (RATE_LIMIT, REQUESTS_AT_ONCE)"
      if (count.isFull(address)) return "Too many connections (SOCKET_CLIENTS, SOCKET_CLIENTS_PER_ADDRESS)"
      return undefined
    },
    /** Counts a connection until the yielded function is called. */
    count: (message: IncomingMessage) => count.add(addressOf(requestOf(message))),
    /** The caller behind this token; null for an invalid token, which is noted. Fails with ServiceUnavailable. */
    callerOf: Effect.fn("SocketAdmission.callerOf")(function* (
      message: IncomingMessage,
      jwt: string | Array<string> | undefined
    ) {
      const request = requestOf(message)
      meetClient(request)
      const found = yield* Effect.result(named(request, jwt))
      if (Result.isSuccess(found)) return found.success.name === "" ? null : found.success
      if (!isUnauthorized(found.failure)) return yield* found.failure
      yield* refused.stranger(request, String(found.failure.message))
      if (isGuess(found.failure)) yield* limits.noteGuess(request)
      return null
    })
  }
})
