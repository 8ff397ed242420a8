/** The calls of the API by method and path, as types alone: what the page and the command line are checked against. */
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import type { Schema } from "effect"
import type { Api } from "./Api.ts"

type Groups = typeof Api extends HttpApi.HttpApi<string, infer G> ? G : never
type Endpoint = HttpApiGroup.Endpoints<Groups>

/** The path behind `/api/v1.0`, without the patterns of its parameters. */
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

/** What a call answers with. The records of the API are plain JSON: what handlers give is what is on the wire. */
export type Answer<Name extends CallName> = BodyOf<ByName[Name]["~Success"]>

/** What is in the envelope of an answer. */
export type Data<Name extends CallName> = Answer<Name> extends { readonly data: infer D } ? D : Answer<Name>

type ParameterNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type Parameters<Name extends string> = { readonly [P in ParameterNames<Name>]: string | number }
