/** PUT and DELETE of links, and what they mean for the devices at both ends (docs/api.md#linknets). */
import { Effect, Option } from "effect"
import { enveloped, NotFound } from "../../api/Answers.ts"
import { type Linknet, type LinknetChange, type LinknetPatch, patchOf } from "../../domain/Linknet.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { SiteStore } from "../../store/SiteStore.ts"
import { settingError } from "../../domain/fields/Values.ts"
import { refuse } from "../core/Refused.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices, makeNamedEnds, makePortCheck } from "./LinknetEnds.ts"

type Change = typeof LinknetChange.checked.Type

const notFound = () => new NotFound({ message: "linknet not found" })
const missing = () => new NotFound({ message: "No such linknet found in database" })
const endsOf = ({ device_a_id, device_b_id }: Linknet) => [device_a_id, device_b_id] as const

const same = (stored: Linknet, patch: LinknetPatch): boolean => {
  const after = { ...stored, ...patch }
  return JSON.stringify(after) === JSON.stringify(stored)
}

/** The link with both its devices locked. */
const makeLocked = Effect.gen(function* () {
  const links = yield* LinknetStore
  const lock = yield* lockDevices
  return Effect.fnUntraced(function* <E>(id: number, missing: () => E) {
    const found = yield* Effect.mapError(Effect.fromOption(yield* links.find(id)), missing)
    yield* Effect.catchTag(lock(endsOf(found)), "DeviceNotFound", () => Effect.fail(missing()))
    return yield* Effect.mapError(Effect.fromOption(yield* links.find(id)), missing)
  })
})

/** What a body changes at a stored link; device names beside the other keys are checked first, and otherwise ignored. */
const makePatch = Effect.gen(function* () {
  const sites = yield* SiteStore
  const namedEnds = yield* makeNamedEnds
  return Effect.fnUntraced(function* (stored: Linknet, sent: Change) {
    const { judged } = yield* namedEnds(
      sent,
      (key, hostname) => `Bad parameter ${key}: Hostname ${hostname} not found in database`
    )
    const wrong = ["device_a", "device_b"].flatMap((key) => judged.refusals.get(key) ?? [])
    if (wrong.length > 0) return yield* refuse(...wrong)
    const patch = yield* Effect.mapError(Effect.fromResult(patchOf(stored, sent)), (texts) => refuse(...texts))
    if (typeof patch.site_id === "number" && !(yield* sites.exists(patch.site_id))) {
      return yield* refuse(...settingError("site_id", patch.site_id, "No such site found in database"))
    }
    return patch
  })
})

/** Changes the link by a request body. */
export const makeLinknetChange = Effect.gen(function* () {
  const links = yield* LinknetStore
  const devices = yield* DeviceStore
  const locked = yield* makeLocked
  const patchFor = yield* makePatch
  const checkPorts = yield* makePortCheck
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const change = Effect.fnUntraced(function* (id: number, sent: Change, by: string) {
    const stored = yield* locked(id, notFound)
    const patch = yield* patchFor(stored, sent)
    if (same(stored, patch)) return enveloped({ unchanged_linknet: stored })
    const after = { ...stored, ...patch }
    const [a, b] = [yield* devices.get(stored.device_a_id), yield* devices.get(stored.device_b_id)]
    yield* checkPorts(
      [
        { device: a, port: after.device_a_port },
        { device: b, port: after.device_b_port }
      ],
      id
    )
    const updated_linknet = yield* Effect.mapError(Effect.fromOption(yield* links.update(id, patch)), notFound)
    yield* unsynchronize(endsOf(stored), "linknet_updated", by)
    return enveloped({ updated_linknet })
  })

  return Effect.fn("LinknetChange.change")((id: number, sent: Change, by: string) =>
    Effect.catchTag(inTransaction(change(id, sent, by)), "DeviceNotFound", () => Effect.fail(notFound()))
  )
})

/** Deletes the link. */
export const makeLinknetRemoval = Effect.gen(function* () {
  const links = yield* LinknetStore
  const locked = yield* makeLocked
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  return Effect.fn("LinknetChange.remove")((id: Option.Option<number>, by: string) =>
    inTransaction(
      Effect.gen(function* () {
        const stored = yield* locked(yield* Effect.mapError(Effect.fromOption(id), missing), missing)
        yield* links.remove(stored.id)
        yield* unsynchronize(endsOf(stored), "linknet_deleted", by)
        return enveloped({ deleted_linknet: stored })
      })
    )
  )
})
