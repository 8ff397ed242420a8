/** Handlers of the management domain routes. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped, NotFound } from "../../api/Answers.ts"
import { type MgmtDomainRecord, MgmtDomainStore } from "../../store/MgmtDomainStore.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { toId } from "../../domain/fields/Values.ts"
import { makeListPage } from "../listing/ListPage.ts"
import * as Lists from "../listing/Lists.ts"
import { makeMgmtDomainChange } from "./MgmtDomainChange.ts"
import { makeMgmtDomainCreation } from "./MgmtDomainCreation.ts"

const notFound = () => new NotFound({ message: "Management domain not found" })

type Request = HttpServerRequest.HttpServerRequest

const makeHandlers = Effect.gen(function* () {
  const domains = yield* MgmtDomainStore
  const create = yield* makeMgmtDomainCreation
  const { change, remove } = yield* makeMgmtDomainChange
  const page = yield* makeListPage<MgmtDomainRecord>(Lists.mgmtdomains(domains.columns, domains.tables), {
    perPage: 50,
    totalCount: "matching",
    limitCounts: false
  })
  return {
    list: Effect.fnUntraced(function* (request: Request) {
      const { headers, rows } = yield* page(request)
      return HttpApiSchema.withHeaders({ body: enveloped({ mgmtdomains: rows }), headers })
    }),
    get: Effect.fnUntraced(function* (digits: string) {
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), notFound)
      const domain = yield* Effect.mapError(Effect.fromOption(yield* domains.find(id)), notFound)
      return enveloped({ mgmtdomains: [domain] })
    }),
    create,
    change,
    remove
  }
})

/** Handlers of `MgmtDomainsGroup`. */
export const MgmtDomainsLive = HttpApiBuilder.group(Api, "mgmtdomains", (handlers) =>
  Effect.gen(function* () {
    const { change, create, get, list, remove } = yield* makeHandlers
    return handlers
      .handle("list", ({ request }) => answered(list(request)))
      .handle("get", ({ params }) => answered(get(params.id)))
      .handle("create", ({ payload }) => asCaller((user) => create(payload, user)))
      .handle("update", ({ params, payload }) => asCaller((user) => change(toId(params.id), payload, user)))
      .handle("remove", ({ params }) => asCaller((user) => remove(toId(params.id), user)))
  })
)
