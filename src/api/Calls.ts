/** Calls of the API as data: the call that a method and path mean, the devices that it concerns, and its types for clients. */
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Api, BASE } from "./Api.ts"
import type { Schema } from "effect"
import { type Subject, subjectOf } from "../domain/access/CallSubjects.ts"

/** A call: its subject (nothing for calls that are closed to callers of some devices), and the value of its parameter. */
export interface Call {
  readonly subject: Subject | undefined
  readonly parameter: string | undefined
}

interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly subject: Subject | undefined
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/:\w+(\([^)]*\))?/g, (_, rule) => (rule === undefined ? "([^/]+)" : "(\\d+)"))}$`)

/** Paths without a parameter first, since the router prefers them. */
const routes: ReadonlyArray<Route> = (() => {
  const found: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      const behind = path.slice(BASE.length)
      found.push({ method, pattern: patternOf(behind), subject: subjectOf(method, behind) })
    }
  })
  return found.toSorted((a, b) => Number(a.pattern.source.includes("(")) - Number(b.pattern.source.includes("(")))
})()

/** The call for a method and a path below the base; none for an unknown endpoint. */
export const callOf = (method: string, path: string): Call | undefined => {
  for (const { method: own, pattern, subject } of routes) {
    const match = own === method ? pattern.exec(path) : null
    if (match !== null) return { subject, parameter: match[1] }
  }
  return undefined
}

// The calls of the API by method and path, as types only: the page and the command line are checked against them.

type Groups = typeof Api extends HttpApi.HttpApi<string, infer G> ? G : never
type Endpoint = HttpApiGroup.Endpoints<Groups>

/** The path below `/api/v1.0`, without the patterns of its parameters. */
type Shown<Path extends string> = Path extends `/api/v1.0${infer Rest}`
  ? Shown<Rest>
  : Path extends `${infer Before}(${string})${infer After}`
    ? `${Before}${Shown<After>}`
    : Path

type ByName = { [E in Endpoint as `${E["method"]} ${Shown<E["path"]>}`]: E }

/** `GET /devices`, `PUT /device/:id` and so on. */
export type CallName = keyof ByName

type BodyOf<S> = S extends { readonly schema: infer Inner extends Schema.Top; readonly headers: unknown }
  ? Inner["Type"]
  : S extends Schema.Top
    ? S["Type"]
    : never

/** The answer of a call. The records of the API are plain JSON: the values that handlers return are those on the wire. */
export type Answer<Name extends CallName> = BodyOf<ByName[Name]["~Success"]>

/** The data in the envelope of an answer. */
export type Data<Name extends CallName> = Answer<Name> extends { readonly data: infer D } ? D : Answer<Name>

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Parameters<Name extends string> = { readonly [P in ParameterNames<Name>]: string | number }
