/** Handlers of the link routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Authorization.ts"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { withBody } from "../core/BodyRequest.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { answered } from "../core/Unavailable.ts"
import { has, toId, toInteger } from "../../domain/fields/Values.ts"
import { makeLinknetChange, makeLinknetRemoval } from "./LinknetChange.ts"
import { makeLinknetCreation } from "./LinknetCreation.ts"

const notFound = () => new NotFound({ message: "Linknet not found" })
const unknownOnPut = () => new NotFound({ message: "linknet not found" })

const makeReading = Effect.gen(function* () {
  const links = yield* LinknetStore
  return {
    list: Effect.map(links.all, (linknets) => enveloped({ linknets })),
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
      .handle("list", () => answered(reading.list))
      .handle("get", ({ params }) => answered(reading.get(params.id)))
      .handleRaw("create", ({ request }) => withBody(request, writing.create))
      .handleRaw("update", ({ params, request }) =>
        withBody(request, (body, user) => writing.update(params.id, body, user))
      )
      .handle("remove", ({ params }) => answered(writing.remove(params.id)))
      .handleRaw("removeById", ({ request }) => withBody(request, writing.removeById))
  })
)
