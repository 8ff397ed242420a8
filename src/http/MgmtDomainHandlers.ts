/** Handlers of management domains: the VLAN and gateway that a pair of devices gives the access switches below it. */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { makeSites, type MgmtDomainRecord, NetworkStore } from "../store/NetworkStore.ts"
import { answered, asCaller, transaction } from "./core/HandlerErrors.ts"
import { settingError, toId } from "../domain/fields/Values.ts"
import { makeListPage } from "./listing/ListPage.ts"
import * as Lists from "./listing/Lists.ts"
import type { MgmtDomain, MgmtDomainBody as NewMgmtDomain, MgmtDomainChange } from "../domain/MgmtDomain.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { refuse } from "./core/RequestBodies.ts"
import { lockDevices, makeNamedEnds, makeNeighbours } from "./devices/LinkedDevices.ts"
import { sentencesOf } from "../domain/fields/Body.ts"
import { BadRequest, enveloped, NotFound } from "../api/Answers.ts"

// POST /mgmtdomains (docs/api.md#management-domains).

const MISSING =
  "Not all required inputs were found: device_a, device_b, vlan, ipv4_gw OR device_a, device_b, vlan, ipv6_gw"

/** Creates a domain from a request body; both devices become unsynchronized. */
const makeMgmtDomainCreation = Effect.gen(function* () {
  const { domains } = yield* NetworkStore
  const lock = yield* lockDevices
  const namedEnds = yield* makeNamedEnds
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const create = Effect.fn("MgmtDomainCreation.create")(function* (
    sent: typeof NewMgmtDomain.checked.Type,
    by: string
  ) {
    const { a, b, judged } = yield* namedEnds(sent, (_key, hostname) => `Device with hostname ${hostname} not found`)
    const { description = null, ipv4_gw = null, ipv6_gw = null, vlan = null } = judged.fields
    const wrong = sentencesOf(judged.refusals)
    const complete = vlan !== null && (ipv4_gw !== null || ipv6_gw !== null)
    if (a === undefined || b === undefined || !complete || wrong.length > 0) return yield* refuse(...wrong, MISSING)
    if (a.id === b.id) return yield* refuse("device_a and device_b must be different devices")
    const ids = [a.id, b.id]
    yield* lock(ids)
    const added_mgmtdomain = yield* domains.insert({
      device_a_id: a.id,
      device_b_id: b.id,
      ipv4_gw,
      ipv6_gw,
      vlan,
      description,
      device_a_ip: null,
      device_b_ip: null,
      site_id: null,
      esi_mac: null
    })
    yield* unsynchronize(ids, "mgmtdomain_created", by)
    return enveloped({ added_mgmtdomain })
  })

  return (sent: typeof NewMgmtDomain.checked.Type, by: string) =>
    inTransaction(create(sent, by)).pipe(
      Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("A device was deleted meanwhile", MISSING)))
    )
})

// PUT and DELETE of management domains (docs/api.md#management-domains).

const membersOf = ({ device_a_id, device_b_id }: MgmtDomain) => [device_a_id, device_b_id] as const

const makeReferenceCheck = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const sites = yield* makeSites
  return Effect.fnUntraced(function* ({ device_a_id, device_b_id, site_id }: Partial<MgmtDomain>) {
    const message: Array<string> = []
    for (const [key, id] of [
      ["device_a_id", device_a_id],
      ["device_b_id", device_b_id]
    ] as const) {
      if (id !== undefined && (yield* devices.byIds([id])).length === 0) {
        message.push(...settingError(key, id, "No such device found in database"))
      }
    }
    if (typeof site_id === "number" && !(yield* sites.exists(site_id))) {
      message.push(...settingError("site_id", site_id, "No such site found in database"))
    }
    if (message.length > 0) return yield* refuse(...message)
  })
})

/** The domain, with both its devices locked. */
const makeLocked = Effect.gen(function* () {
  const { domains } = yield* NetworkStore
  const lock = yield* lockDevices
  return Effect.fnUntraced(function* <E>(id: Option.Option<number>, missing: () => E) {
    const find = Effect.flatMap(Effect.fromOption(id), (known) =>
      Effect.flatMap(domains.find(known), Effect.fromOption)
    )
    const orMissing = Effect.catchTag(find, "NoSuchElementError", () => Effect.fail(missing()))
    const found = yield* orMissing
    yield* Effect.catchTag(lock(membersOf(found)), "DeviceNotFound", () => Effect.fail(missing()))
    return yield* orMissing
  })
})

/** Changes and deletes domains; both devices become unsynchronized. */
const makeMgmtDomainChange = Effect.gen(function* () {
  const { domains } = yield* NetworkStore
  const lock = yield* lockDevices
  const locked = yield* makeLocked
  const checkReferences = yield* makeReferenceCheck
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const change = Effect.fn("MgmtDomainChange.change")(function* (
    id: Option.Option<number>,
    fields: typeof MgmtDomainChange.schema.Type,
    by: string
  ) {
    // one sentence with 400, unlike GET and DELETE
    const stored = yield* locked(id, () => new BadRequest({ message: "mgmtdomain not found" }))
    const after: MgmtDomainRecord = { ...stored, ...fields }
    if (JSON.stringify(after) === JSON.stringify(stored)) return enveloped({ unchanged_mgmtdomain: stored })
    yield* checkReferences(fields)
    if (after.device_a_id === after.device_b_id) {
      return yield* refuse("device_a and device_b must be different devices")
    }
    yield* lock(membersOf(after))
    const updated = yield* domains.update(stored.id, fields)
    yield* unsynchronize([...new Set([...membersOf(after), ...membersOf(stored)])], "mgmtdomain_updated", by)
    return enveloped({ updated_mgmtdomain: Option.getOrElse(updated, () => after) })
  })

  const remove = Effect.fn("MgmtDomainChange.remove")(function* (id: Option.Option<number>, by: string) {
    const stored = yield* locked(id, () => new NotFound({ message: "Management domain not found" }))
    yield* domains.remove(stored.id)
    yield* unsynchronize(membersOf(stored), "mgmtdomain_deleted", by)
    return enveloped({ deleted_mgmtdomain: stored })
  })

  return {
    change: (id: Option.Option<number>, fields: typeof MgmtDomainChange.schema.Type, by: string) =>
      inTransaction(change(id, fields, by)).pipe(
        Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("A device was deleted meanwhile")))
      ),
    remove: (id: Option.Option<number>, by: string) => inTransaction(remove(id, by))
  }
})

const notFound = () => new NotFound({ message: "Management domain not found" })

type Request = HttpServerRequest.HttpServerRequest

const makeHandlers = Effect.gen(function* () {
  const { domains } = yield* NetworkStore
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
