/** Handlers of the link routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped, NotFound } from "../../api/Answers.ts"
import type { LinknetChange } from "../../domain/Linknet.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { toId, toInteger } from "../../domain/fields/Values.ts"
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
    update: Effect.fnUntraced(function* (digits: string, sent: typeof LinknetChange.checked.Type, user: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknownOnPut)
      return yield* change(id, sent, user)
    }),
    remove
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
      .handle("create", ({ payload }) => asCaller((user) => writing.create(payload, user)))
      .handle("update", ({ params, payload }) => asCaller((user) => writing.update(params.id, payload, user)))
      .handle("remove", ({ params }) => asCaller((user) => writing.remove(toId(params.id), user)))
      .handle("removeById", ({ payload }) => asCaller((user) => writing.remove(toInteger(payload.id), user)))
  })
)
