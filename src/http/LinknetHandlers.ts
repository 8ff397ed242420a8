/** Handlers of links between devices. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { NetworkStore, makeSites } from "../store/NetworkStore.ts"
import { answered, asCaller, transaction } from "./core/HandlerErrors.ts"
import { settingError, toId, toInteger } from "../domain/fields/Values.ts"
import {
  type Linknet,
  type LinknetBody as NewLinknet,
  type LinknetChange,
  type LinknetPatch,
  patchOf
} from "../domain/Linknet.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { complete, refuse } from "./core/RequestBodies.ts"
import { lockDevices, makeNamedEnds, makeNeighbours, makePortCheck } from "./devices/LinkedDevices.ts"
import { type Device, isFabricType } from "../domain/Device.ts"
import type { Network } from "../domain/Network.ts"
import { addressing, freeLinkNetworks } from "../provisioning/Links.ts"
import { underlayOf } from "./devices/DeviceRecords.ts"
import { enveloped, NotFound } from "../api/Answers.ts"

// POST /linknets (docs/api.md#linknets): links between CORE and DIST devices get the lowest free /31 of the settings. If another request
// takes it first, the next one is tried.

const ATTEMPTS = 20

/** Another request was faster, so the next free network may be tried. */
const isTaken = (tag: string): boolean => tag === "NetworkTaken" || tag === "IdentityTaken"

/** The content of a body, with the devices that it names. */
interface Order {
  readonly a: Device
  readonly b: Device
  readonly portA: string
  readonly portB: string
  readonly network: Network | null
}

const makeOrder = Effect.map(makeNamedEnds, (namedEnds) =>
  Effect.fnUntraced(function* (sent: typeof NewLinknet.checked.Type) {
    const { a, b, judged } = yield* namedEnds(
      sent,
      (key, hostname) => `Bad parameter ${key}: Hostname ${hostname} not found in database`
    )
    const { device_a_port, device_b_port, ipv4_network } = yield* complete(judged)
    if (a === undefined || b === undefined) return yield* refuse("A device was deleted meanwhile")
    return { a, b, portA: device_a_port, portB: device_b_port, network: ipv4_network } satisfies Order
  })
)

/** A network in the body must be a /31 between fabric devices. */
const checkGiven = ({ a, b, network }: Order) => {
  if (network === null) return Effect.void
  if (network.prefixLength !== 31) {
    return Effect.fail(refuse("Linknet must be an IPv4Network with prefix length of 31"))
  }
  for (const [end, device] of [
    ["a", a],
    ["b", b]
  ] as const) {
    if (isFabricType(device.device_type)) continue
    const type = `hostname_${end} is DeviceType.${device.device_type}`
    return Effect.fail(refuse(`Linknets can only be added between two core/dist devices (${type})`))
  }
  return Effect.void
}

/** The network of a new link: that of the body, the lowest free one of the settings, or none. */
const makeNetwork = Effect.gen(function* () {
  const { links } = yield* NetworkStore
  const underlay = yield* underlayOf
  return Effect.fnUntraced(function* ({ a, b, network }: Order) {
    if (network !== null) return network
    if (!isFabricType(a.device_type) || !isFabricType(b.device_type)) return null
    const pool = (yield* underlay)("infra_link_net")
    const free = freeLinkNetworks(pool, [...(yield* links.all), ...(yield* links.occupied)], 1)
    const [lowest] = yield* Effect.mapError(Effect.fromResult(free), ({ message }) => refuse(message))
    return lowest ?? null
  })
})

/** Stores a link; both devices become unsynchronized. */
const makeInsertion = Effect.gen(function* () {
  const { links } = yield* NetworkStore
  const lock = yield* lockDevices
  const checkPorts = yield* makePortCheck
  const networkFor = yield* makeNetwork
  const { unsynchronize } = yield* makeNeighbours

  return Effect.fnUntraced(function* (order: Order, by: string) {
    const { a, b, portA, portB } = order
    yield* lock([a.id, b.id])
    yield* checkPorts([
      { device: a, port: portA },
      { device: b, port: portB }
    ])
    const network = yield* networkFor(order)
    const created = yield* links.insert({
      ...(network === null ? { ipv4_network: null, device_a_ip: null, device_b_ip: null } : addressing(network)),
      device_a_id: a.id,
      device_a_port: portA,
      device_b_id: b.id,
      device_b_port: portB,
      site_id: null,
      description: null
    })
    yield* unsynchronize([a.id, b.id], "linknet_created", by)
    return created
  })
})

/** Creates a link from a request body. */
const makeLinknetCreation = Effect.gen(function* () {
  const orderOf = yield* makeOrder
  const insert = yield* makeInsertion
  const inTransaction = yield* transaction
  return Effect.fn("LinknetCreation.create")(function* (sent: typeof NewLinknet.checked.Type, by: string) {
    const order = yield* orderOf(sent)
    yield* checkGiven(order)
    const created = yield* inTransaction(insert(order, by)).pipe(
      Effect.retry({
        times: ATTEMPTS,
        while: (error) => "_tag" in error && isTaken(error._tag) && order.network === null
      }),
      Effect.catchTag("DeviceNotFound", () =>
        Effect.fail(refuse("Bad parameter device_a: a device was deleted meanwhile"))
      )
    )
    return enveloped(created)
  })
})

// PUT and DELETE of links (docs/api.md#linknets).

type Change = typeof LinknetChange.checked.Type

const unknownOnPut = () => new NotFound({ message: "linknet not found" })
const missing = () => new NotFound({ message: "No such linknet found in database" })
const endsOf = ({ device_a_id, device_b_id }: Linknet) => [device_a_id, device_b_id] as const

const same = (stored: Linknet, patch: LinknetPatch): boolean => {
  const after = { ...stored, ...patch }
  return JSON.stringify(after) === JSON.stringify(stored)
}

/** The link, with both its devices locked. */
const makeLocked = Effect.gen(function* () {
  const { links } = yield* NetworkStore
  const lock = yield* lockDevices
  return Effect.fnUntraced(function* <E>(id: number, missing: () => E) {
    const found = yield* Effect.mapError(Effect.fromOption(yield* links.find(id)), missing)
    yield* Effect.catchTag(lock(endsOf(found)), "DeviceNotFound", () => Effect.fail(missing()))
    return yield* Effect.mapError(Effect.fromOption(yield* links.find(id)), missing)
  })
})

/** The changes of a body to a stored link. Device names in it are checked first, and otherwise ignored. */
const makePatch = Effect.gen(function* () {
  const sites = yield* makeSites
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
const makeLinknetChange = Effect.gen(function* () {
  const { links } = yield* NetworkStore
  const devices = yield* DeviceStore
  const locked = yield* makeLocked
  const patchFor = yield* makePatch
  const checkPorts = yield* makePortCheck
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const change = Effect.fnUntraced(function* (id: number, sent: Change, by: string) {
    const stored = yield* locked(id, unknownOnPut)
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
    const updated_linknet = yield* Effect.mapError(Effect.fromOption(yield* links.update(id, patch)), unknownOnPut)
    yield* unsynchronize(endsOf(stored), "linknet_updated", by)
    return enveloped({ updated_linknet })
  })

  return Effect.fn("LinknetChange.change")((id: number, sent: Change, by: string) =>
    Effect.catchTag(inTransaction(change(id, sent, by)), "DeviceNotFound", () => Effect.fail(unknownOnPut()))
  )
})

/** Deletes the link. */
const makeLinknetRemoval = Effect.gen(function* () {
  const { links } = yield* NetworkStore
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

const notFound = () => new NotFound({ message: "Linknet not found" })

const makeReading = Effect.gen(function* () {
  const { links } = yield* NetworkStore
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
