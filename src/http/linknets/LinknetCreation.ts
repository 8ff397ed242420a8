/**
 * POST /linknets (docs/api.md#linknets): links between CORE and DIST devices get the lowest free /31 of the settings; when
 * somebody else takes it first, the next one is tried.
 */
import { Effect } from "effect"
import { enveloped } from "../../api/Answers.ts"
import { type Device, isFabricType } from "../../domain/Device.ts"
import type * as Linknet from "../../domain/Linknet.ts"
import type { LinknetBody } from "../../domain/Linknet.ts"
import type { Network } from "../../domain/Network.ts"
import { addressing, freeLinkNetworks } from "../../provisioning/Links.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { complete, refuse } from "../core/Refused.ts"
import { transaction } from "../core/Unavailable.ts"
import { underlayOf } from "../devices/AutomaticAddresses.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { lockDevices, makeNamedEnds, makePortCheck } from "./LinknetEnds.ts"

const ATTEMPTS = 20

/** Somebody else was faster, so that the next free network may be tried. */
const isTaken = (tag: string): boolean => tag === "NetworkTaken" || tag === "IdentityTaken"

/** What a body asks for, with the devices that it names. */
interface Order {
  readonly a: Device
  readonly b: Device
  readonly portA: string
  readonly portB: string
  readonly network: Network | null
}

const makeOrder = Effect.map(makeNamedEnds, (namedEnds) =>
  Effect.fnUntraced(function* (sent: typeof LinknetBody.checked.Type) {
    const { a, b, judged } = yield* namedEnds(
      sent,
      (key, hostname) => `Bad parameter ${key}: Hostname ${hostname} not found in database`
    )
    const { device_a_port, device_b_port, ipv4_network } = yield* complete(judged)
    if (a === undefined || b === undefined) return yield* refuse("A device was deleted meanwhile")
    return { a, b, portA: device_a_port, portB: device_b_port, network: ipv4_network } satisfies Order
  })
)

/** A network that is given has to be a /31 between fabric devices. */
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

/** The network of a new link: the one that is given, the lowest free one of the settings, or none. */
const makeNetwork = Effect.gen(function* () {
  const links = yield* LinknetStore
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
  const links = yield* LinknetStore
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
    const link: Linknet.NewLinknet = {
      ...(network === null ? { ipv4_network: null, device_a_ip: null, device_b_ip: null } : addressing(network)),
      device_a_id: a.id,
      device_a_port: portA,
      device_b_id: b.id,
      device_b_port: portB,
      site_id: null,
      description: null
    }
    const created = yield* links.insert(link)
    yield* unsynchronize([a.id, b.id], "linknet_created", by)
    return created
  })
})

/** Creates a link from a request body. */
export const makeLinknetCreation = Effect.gen(function* () {
  const orderOf = yield* makeOrder
  const insert = yield* makeInsertion
  const inTransaction = yield* transaction
  return Effect.fn("LinknetCreation.create")(function* (sent: typeof LinknetBody.checked.Type, by: string) {
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
