/** What is found out about a request on its way: where it comes from, and for the log who called, and with which body. */
import type { HttpServerRequest } from "effect/http"
import type { Client } from "./Client.ts"

interface Notes {
  client?: Client
  caller?: string
  route?: string
  body?: Readonly<Record<string, unknown>>
  fault?: string
  text?: string
}

// Keyed by the connection's own request object, which stays the same when the router changes the request.
const notes = new WeakMap<object, Notes>()

const notesOf = (request: HttpServerRequest.HttpServerRequest): Notes => {
  const known = notes.get(request.source)
  if (known !== undefined) return known
  const fresh: Notes = {}
  notes.set(request.source, fresh)
  return fresh
}

/** Notes where the request comes from. */
export const rememberClient = (request: HttpServerRequest.HttpServerRequest, client: Client): void => {
  notesOf(request).client = client
}

/** Where the request comes from, when that was noted. */
export const recallClient = (request: HttpServerRequest.HttpServerRequest): Client | undefined =>
  notes.get(request.source)?.client

/** Notes the caller's name. */
export const rememberCaller = (request: HttpServerRequest.HttpServerRequest, caller: string): void => {
  notesOf(request).caller = caller
}

/** Notes the endpoint as it is defined, such as `/api/v1.0/device/:id`. */
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

/** Notes what keeps the address from being read. */
export const rememberFault = (request: HttpServerRequest.HttpServerRequest, fault: string): void => {
  notesOf(request).fault = fault
}

/** Notes the text of a body that is JSON, whatever its size. */
export const rememberText = (request: HttpServerRequest.HttpServerRequest, text: string): void => {
  notesOf(request).text = text
}

/** What was noted. */
export const recall = (request: HttpServerRequest.HttpServerRequest): Readonly<Notes> => notes.get(request.source) ?? {}
