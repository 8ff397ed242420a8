/** PUT and DELETE of links, and what they mean for the devices at both ends (contract api-rest.md §3.5, §3.6). */
import { Effect, Option } from "effect"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest, NotFound } from "../../api/Failures.ts"
import type { Linknet } from "../../domain/Linknet.ts"
import { isHostname } from "../../domain/Hostname.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { SiteStore } from "../../store/SiteStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { settingError } from "../../domain/fields/SettingErrors.ts"
import { transaction } from "../core/Unavailable.ts"
import { has, shown } from "../../domain/fields/Values.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices, makePortCheck } from "./LinknetEnds.ts"
import { type LinknetPatch, parseLinknetPatch } from "./LinknetRules.ts"

const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })
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

/** Device names beside the other keys are checked and otherwise ignored. */
const makeHostnameCheck = Effect.map(Effect.service(DeviceStore), (devices) =>
  Effect.fnUntraced(function* (body: JsonObject) {
    const message: Array<string> = []
    for (const key of ["device_a", "device_b"]) {
      if (!has(body, key)) continue
      const hostname = body[key]
      if (!isHostname(hostname)) message.push(`Bad parameter ${key}: Invalid hostname: ${shown(hostname)}`)
      else if ((yield* devices.byHostnames([hostname])).length === 0) {
        message.push(`Bad parameter ${key}: Hostname ${hostname} not found in database`)
      }
    }
    if (message.length > 0) return yield* refuse(...message)
  })
)

/** Changes the link by a request body. */
export const makeLinknetChange = Effect.gen(function* () {
  const links = yield* LinknetStore
  const devices = yield* DeviceStore
  const sites = yield* SiteStore
  const locked = yield* makeLocked
  const checkPorts = yield* makePortCheck
  const checkHostnames = yield* makeHostnameCheck
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const change = Effect.fnUntraced(function* (id: number, body: JsonObject, by: string) {
    const stored = yield* locked(id, notFound)
    yield* checkHostnames(body)
    const patch = yield* Effect.mapError(Effect.fromResult(parseLinknetPatch(stored, body)), (m) => refuse(...m))
    if (typeof patch.site_id === "number" && !(yield* sites.exists(patch.site_id))) {
      return yield* refuse(...settingError("site_id", patch.site_id, "No such site found in database"))
    }
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

  return Effect.fn("LinknetChange.change")((id: number, body: JsonObject, by: string) =>
    inTransaction(change(id, body, by)).pipe(
      Effect.catchTags({
        NetworkTaken: ({ network }) => Effect.fail(refuse(`Network ${network} is already used by another linknet`)),
        PortTaken: ({ port }) => Effect.fail(refuse(`Port ${port} is already used by another linknet`)),
        DeviceNotFound: () => Effect.fail(notFound())
      })
    )
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
