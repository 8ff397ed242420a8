/** Handlers of the link routes. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import type { Linknet } from "../../domain/Linknet.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { withBody } from "../core/BodyRequest.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { has, toId, toInteger } from "../core/Values.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { makeLinknetChange, makeLinknetRemoval } from "./LinknetChange.ts"
import { makeLinknetCreation } from "./LinknetCreation.ts"

const notFound = () => new NotFound({ message: "Linknet not found" })
const unknownOnPut = () => new NotFound({ message: "linknet not found" })

type Request = HttpServerRequest.HttpServerRequest

const makeReading = Effect.gen(function* () {
  const links = yield* LinknetStore
  const page = yield* makeListPage<Linknet>(Lists.linknets(links.columns), {
    perPage: null,
    totalCount: "matching",
    limitCounts: true
  })
  return {
    list: Effect.fnUntraced(function* (request: Request) {
      const { headers, rows } = yield* page(request)
      return HttpApiSchema.withHeaders({ body: enveloped({ linknets: rows }), headers })
    }),
    get: Effect.fnUntraced(function* (digits: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), notFound)
      const link = yield* Effect.mapError(Effect.fromOption(yield* links.find(id)), notFound)
      return enveloped({ linknets: [link] })
    })
  }
})

const makeWriting = Effect.gen(function* () {
  const create = yield* makeLinknetCreation
  const change = yield* makeLinknetChange
  const remove = yield* makeLinknetRemoval
  return {
    create,
    update: Effect.fnUntraced(function* (digits: string, body: JsonObject, name: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknownOnPut)
      return yield* change(id, body, name)
    }),
    remove: Effect.fnUntraced(function* (digits: string) {
      const { name } = yield* Caller
      return yield* remove(toId(digits), name)
    }),
    removeById: Effect.fnUntraced(function* (body: JsonObject, name: string) {
      if (!has(body, "id")) return yield* new BadRequest({ message: ["Required field id not found"] })
      const { id } = body
      if (typeof id !== "number" || !Number.isInteger(id)) {
        return yield* new BadRequest({ message: ["Field id must be an integer"] })
      }
      return yield* remove(toInteger(id), name)
    })
  }
})

/** Handlers of `LinknetsGroup`. */
export const LinknetsLive = HttpApiBuilder.group(Api, "linknets", (handlers) =>
  Effect.gen(function* () {
    const reading = yield* makeReading
    const writing = yield* makeWriting
    return handlers
      .handle("list", ({ request }) => answered(reading.list(request)))
      .handle("get", ({ params }) => answered(reading.get(params.id)))
      .handleRaw("create", ({ request }) => withBody(request, writing.create))
      .handleRaw("update", ({ params, request }) =>
        withBody(request, (body, user) => writing.update(params.id, body, user))
      )
      .handle("remove", ({ params }) => answered(writing.remove(params.id)))
      .handleRaw("removeById", ({ request }) => withBody(request, writing.removeById))
  })
)
