/** PUT and DELETE of management domains (docs/api.md#management-domains). */
import { Effect, Option } from "effect"
import { BadRequest, enveloped, NotFound } from "../../api/Answers.ts"
import type { MgmtDomain, MgmtDomainChange } from "../../domain/MgmtDomain.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type MgmtDomainRecord, MgmtDomainStore } from "../../store/MgmtDomainStore.ts"
import { SiteStore } from "../../store/SiteStore.ts"
import { settingError } from "../../domain/fields/Values.ts"
import { refuse } from "../core/Refused.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices } from "../linknets/LinknetEnds.ts"

const membersOf = ({ device_a_id, device_b_id }: MgmtDomain) => [device_a_id, device_b_id] as const

const makeReferenceCheck = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const sites = yield* SiteStore
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

/** The domain with both its devices locked. */
const makeLocked = Effect.gen(function* () {
  const domains = yield* MgmtDomainStore
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

/** Changes and deletes domains, both of whose devices become unsynchronized. */
export const makeMgmtDomainChange = Effect.gen(function* () {
  const domains = yield* MgmtDomainStore
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
    // one sentence and 400, unlike GET and DELETE
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
