/**
 * POST /linknets (contract api-rest.md §3.4): links between CORE and DIST devices get the lowest free /31 of the settings;
 * when somebody else takes it first, the next one is tried.
 */
import { Effect, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { type Device, isFabricType } from "../../domain/Device.ts"
import { isHostname } from "../../domain/Hostname.ts"
import type { NewLinknet } from "../../domain/Linknet.ts"
import { formatNetwork, type Network } from "../../domain/Network.ts"
import { addressing, freeLinkNetworks } from "../../provisioning/Links.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { transaction } from "../core/Unavailable.ts"
import { has, own, shown } from "../../domain/fields/Values.ts"
import { underlayOf } from "../devices/AutomaticAddresses.ts"
import { makeNeighbours } from "../devices/Neighbours.ts"
import { parseIpv4Network, portName } from "./LinknetRules.ts"
import { lockDevices, makePortCheck } from "./LinknetEnds.ts"

const ATTEMPTS = 20
const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })

/** What a body asks for, with devices by hostname; or all that is wrong with it. */
interface Request {
  readonly a: Device
  readonly b: Device
  readonly portA: string
  readonly portB: string
  readonly network: Network | null
}

const portOf = (body: JsonObject, key: "device_a_port" | "device_b_port"): Result.Result<string, string> => {
  if (!has(body, key)) return Result.fail(`Required field ${key} not found`)
  return Result.fromOption(portName(body[key]), () => `Bad parameter ${key}: ${shown(body[key])}`)
}

const networkOf = (body: JsonObject): Result.Result<Network | null, string> => {
  const sent = own(body, "ipv4_network") ?? ""
  return sent === ""
    ? Result.succeed(null)
    : Result.mapError(parseIpv4Network(sent), (reason) => `Invalid ipv4_network: ${reason}`)
}

const makeParse = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const deviceOf = Effect.fnUntraced(function* (
    body: JsonObject,
    key: "device_a" | "device_b"
  ): Effect.fn.Return<Result.Result<Device, string>, SqlError.SqlError> {
    if (!has(body, key)) return Result.fail(`Required field ${key} not found`)
    const hostname = body[key]
    if (!isHostname(hostname)) return Result.fail(`Bad parameter ${key}: Invalid hostname: ${shown(hostname)}`)
    return yield* devices.getByHostname(hostname).pipe(
      Effect.map((device) => Result.succeed(device)),
      Effect.catchTag("DeviceNotFound", () =>
        Effect.succeed(Result.fail(`Bad parameter ${key}: Hostname ${hostname} not found in database`))
      )
    )
  })
  return Effect.fnUntraced(function* (body: JsonObject) {
    const parts = [
      yield* deviceOf(body, "device_a"),
      yield* deviceOf(body, "device_b"),
      portOf(body, "device_a_port"),
      portOf(body, "device_b_port"),
      networkOf(body)
    ] as const
    const [a, b, portA, portB, network] = parts
    const errors = parts.flatMap((part) => (part._tag === "Failure" ? [part.failure] : []))
    const request = Result.all({ a, b, portA, portB, network })
    return Result.isFailure(request) ? yield* refuse(...errors) : (request.success satisfies Request)
  })
})

const taken = (network: string | null) => refuse(`Network ${network} is already used by another linknet`)

/** A network that is given has to be a /31 between fabric devices. */
const checkGiven = ({ a, b, network }: Request) => {
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

/** Creates a link from a request body. */
export const makeLinknetCreation = Effect.gen(function* () {
  const links = yield* LinknetStore
  const parse = yield* makeParse
  const lock = yield* lockDevices
  const checkPorts = yield* makePortCheck
  const underlay = yield* underlayOf
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  const networkFor = Effect.fnUntraced(function* ({ a, b, network }: Request) {
    if (network !== null) return network
    if (!isFabricType(a.device_type) || !isFabricType(b.device_type)) return null
    const pool = (yield* underlay)("infra_link_net")
    const free = freeLinkNetworks(pool, yield* links.all, 1)
    const [lowest] = yield* Effect.mapError(Effect.fromResult(free), ({ message }) => refuse(message))
    return lowest ?? null
  })

  const insert = Effect.fnUntraced(function* (request: Request, by: string) {
    const { a, b, portA, portB } = request
    yield* lock([a.id, b.id])
    yield* checkPorts([
      { device: a, port: portA },
      { device: b, port: portB }
    ])
    const network = yield* networkFor(request)
    const link: NewLinknet = {
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

  return Effect.fn("LinknetCreation.create")(function* (body: JsonObject, by: string) {
    const request = yield* parse(body)
    yield* checkGiven(request)
    const given = Option.map(Option.fromNullOr(request.network), formatNetwork)
    const created = yield* inTransaction(insert(request, by)).pipe(
      Effect.retry({
        times: ATTEMPTS,
        while: (error) => "_tag" in error && error._tag === "NetworkTaken" && Option.isNone(given)
      }),
      Effect.catchTags({
        NetworkTaken: ({ network }) => Effect.fail(taken(network)),
        PortTaken: ({ port }) => Effect.fail(refuse(`Port ${port} is already used by another linknet`)),
        DeviceNotFound: () => Effect.fail(refuse("Bad parameter device_a: a device was deleted meanwhile"))
      })
    )
    return enveloped(created)
  })
})
