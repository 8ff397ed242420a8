/**
 * Names in a request that its endpoint does not know (docs/api.md#unknown-keys-and-parameters). An endpoint that changes something refuses
 * them, because a misspelt safety option would be taken for an absent one. Every other endpoint answers, and its answer names them under
 * `warnings`. What an endpoint knows is read from its definition: the schemas of its query and body, and its path.
 */
import { Context, Effect, Option, Schema, SchemaAST } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Document, FILTER } from "../../api/Documented.ts"
import { Authentication, Authorization, ScrapeAuthorization } from "../../api/Requests.ts"
import { type BodyKeys, keysOf, withoutEffect } from "../../domain/fields/Body.ts"
import { noSuchField, noSuchParameter, shownName } from "../../domain/fields/KnownNames.ts"
import { isObject, type JsonObject, shown } from "../../domain/fields/Values.ts"
import { recall, rememberWarnings } from "./Client.ts"
import { failure } from "./ErrorEnvelope.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** What one endpoint knows. */
interface Known {
  readonly parameters: ReadonlySet<string>
  readonly takesFilters: boolean
  /** The keys of the body; undefined without one. */
  readonly body: BodyKeys | undefined
  /** Nobody is asked for a permission first. */
  readonly isOpen: boolean
  readonly refuses: boolean
}

/** A token in the address (docs/api.md#tokens); whether it is taken is decided with the caller. */
const TOKEN = "jwt"

const fieldsOf = (query: unknown): ReadonlyArray<string> => {
  if (!Schema.isSchema(query)) return []
  const ast = SchemaAST.toEncoded(query.ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const bodyOf = (endpoint: HttpApiEndpoint.Top): BodyKeys | undefined =>
  [...endpoint.payload.values()]
    .flatMap(({ schemas }) => [...schemas])
    .map((schema) => (Schema.isSchema(schema) ? keysOf(schema) : undefined))
    .find((keys) => keys !== undefined)

/** Middlewares that find a caller. Calls without one change nothing but a session. */
const CALLED: ReadonlySet<string> = new Set([Authentication.key, Authorization.key, ScrapeAuthorization.key])

const knownBy = (endpoint: HttpApiEndpoint.Top): Known => {
  const document = Context.getOption(endpoint.annotations, Document)
  const listed = Option.match(document, { onNone: () => [], onSome: ({ query = {} }) => Object.keys(query) })
  const body = bodyOf(endpoint)
  const names = [...fieldsOf(endpoint.query), ...listed]
  const isOpen = ![...endpoint.middlewares].some(({ key }) => CALLED.has(key))
  return {
    parameters: new Set(names.filter((name) => !FILTER.test(name))),
    takesFilters: names.some((name) => FILTER.test(name)),
    body,
    isOpen,
    refuses: endpoint.method !== "GET" && !isOpen && body?.refusesOthers !== false
  }
}

const all = new WeakMap<HttpApiEndpoint.Top, Known>()

/** Computed once for each endpoint. */
const knownOf = (endpoint: HttpApiEndpoint.Top): Known => {
  const found = all.get(endpoint)
  if (found !== undefined) return found
  const known = knownBy(endpoint)
  all.set(endpoint, known)
  return known
}

const parameterFault = ({ body, parameters }: Known, name: string): string =>
  body?.known.has(name) === true
    ? `${shownName(name)}: there is no such parameter, it belongs into the body`
    : noSuchParameter(name, parameters)

/** Sentences about the parameters of the address that the endpoint does not know. */
const parameterFaults = Effect.fnUntraced(function* (known: Known) {
  const sent = yield* HttpServerRequest.ParsedSearchParams
  return Object.keys(sent)
    .filter((name) => !known.parameters.has(name) && name !== TOKEN && !(known.takesFilters && FILTER.test(name)))
    .map((name) => parameterFault(known, name))
})

/** Runs the rest of a request whose caller may make it: refuses unknown parameters, or notes them for the answer. */
export const withKnownParameters = <E, R>(
  request: Request,
  endpoint: HttpApiEndpoint.Top,
  httpEffect: Effect.Effect<Response, E, R>
): Effect.Effect<Response, E, R | HttpServerRequest.ParsedSearchParams> => {
  if (!request.url.includes("?")) return httpEffect
  const known = knownOf(endpoint)
  return Effect.flatMap(parameterFaults(known), (faults) => {
    const [first] = faults
    if (known.refuses && first !== undefined) return Effect.succeed(failure(400, {}, first))
    rememberWarnings(request, faults)
    return httpEffect
  })
}

/** Endpoints without a caller have nobody whose permission comes first. */
export const isOpen = (endpoint: HttpApiEndpoint.Top): boolean => knownOf(endpoint).isOpen

type Parameters = Readonly<Record<string, string | undefined>>

/** A body as its rules see it, and why it is refused before them. */
interface KnownBody {
  readonly text: string
  readonly fault: string | undefined
}

/**
 * The body without keys that repeat the path: some clients send every argument of a call in its body. With another value than the path
 * has, such a key is an unknown one. The keys without effect are noted for the answer. `sent` are the fields of the text.
 */
export const knownBody = (
  request: Request,
  endpoint: HttpApiEndpoint.Top,
  params: Parameters,
  text: string,
  sent: JsonObject
): KnownBody => {
  const { body } = knownOf(endpoint)
  const repeats = (key: string) =>
    body?.known.has(key) !== true && Object.hasOwn(params, key) && shown(sent[key]) === params[key]
  const repeated = Object.keys(params).filter((key) => Object.hasOwn(sent, key) && repeats(key))
  const left: JsonObject =
    repeated.length === 0 ? sent : Object.fromEntries(Object.entries(sent).filter(([key]) => !repeated.includes(key)))
  if (body === undefined) {
    const [other] = Object.keys(left)
    return { text, fault: other === undefined ? undefined : noSuchField(other, []) }
  }
  rememberWarnings(request, withoutEffect(body, left))
  return { text: repeated.length === 0 ? text : JSON.stringify(left), fault: undefined }
}

const JSON_TYPE = /^application\/json/

const parsed = (response: Response): JsonObject | undefined => {
  const { body } = response
  if (body._tag !== "Uint8Array" || !JSON_TYPE.test(body.contentType)) return undefined
  const value: unknown = JSON.parse(new TextDecoder().decode(body.body))
  return isObject(value) ? value : undefined
}

/** The answer with what was noted under `warnings`. Answers without an envelope are data that clients store, and stay as they are. */
export const withWarnings = (request: Request, response: Response): Response => {
  const { warnings } = recall(request)
  if (warnings === undefined || response.status >= 400) return response
  const answer = parsed(response)
  if (answer === undefined || !Object.hasOwn(answer, "status")) return response
  return HttpServerResponse.setHeaders(
    HttpServerResponse.jsonUnsafe({ ...answer, warnings }, { status: response.status }),
    Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== "content-length"))
  )
}
