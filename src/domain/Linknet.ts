/**
 * A cable between two devices, with its addressing when it is a layer-3 link, and what clients may write about it
 * (docs/api.md#linknets). Handlers check whether the devices exist.
 */
import { Option, Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, otherwise, type Place, required, type Rule } from "./fields/Body.ts"
import * as Rules from "./fields/Rules.ts"
import { lengthOf, settingError, shown } from "./fields/Values.ts"
import {
  formatAddress,
  formatNetwork,
  hostAddresses,
  isHostname,
  Network,
  parseAddress,
  parseNetwork
} from "./Network.ts"
import { whyNoDeviceAddress } from "./DeviceIdentity.ts"

/** One link; for access-to-dist links end a is the access switch. */
export const Linknet = Schema.Struct({
  id: Schema.Int,
  ipv4_network: Schema.NullOr(Schema.String),
  device_a_id: Schema.Int,
  device_a_ip: Schema.NullOr(Schema.String),
  device_a_port: Schema.String,
  device_b_id: Schema.Int,
  device_b_ip: Schema.NullOr(Schema.String),
  device_b_port: Schema.String,
  site_id: Schema.NullOr(Schema.Int),
  description: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Linknet" })
export type Linknet = typeof Linknet.Type

/** The values of a new link. */
export type NewLinknet = Omit<Linknet, "id">

/** True when an end of the link is this port of this device. */
export const touches = (link: NewLinknet, deviceId: number, port: string): boolean =>
  (link.device_a_id === deviceId && link.device_a_port === port) ||
  (link.device_b_id === deviceId && link.device_b_port === port)

/** Names the cable of a link: the same text whichever end is called a. */
export const cableOf = (link: NewLinknet): string =>
  [`${link.device_a_id} ${link.device_a_port}`, `${link.device_b_id} ${link.device_b_port}`].toSorted().join("|")

/** A link seen from one of its ends. */
export interface LinkEnd {
  readonly linknet: Linknet
  readonly port: string
  readonly ip: string | null
  readonly peerId: number
  readonly peerPort: string
  readonly peerIp: string | null
}

/** The link as seen from the device with this id, or null when the device is at neither end. */
export const endOf = (linknet: Linknet, deviceId: number): LinkEnd | null => {
  const { device_a_id, device_a_ip, device_a_port, device_b_id, device_b_ip, device_b_port } = linknet
  if (device_a_id === deviceId) {
    return {
      linknet,
      port: device_a_port,
      ip: device_a_ip,
      peerId: device_b_id,
      peerPort: device_b_port,
      peerIp: device_b_ip
    }
  }
  if (device_b_id !== deviceId) return null
  return {
    linknet,
    port: device_b_port,
    ip: device_b_ip,
    peerId: device_a_id,
    peerPort: device_a_port,
    peerIp: device_a_ip
  }
}

// The fields that clients may write about a link, with the rules of the manual and the words in which they refuse
// (docs/api.md#linknets). Handlers check whether devices and sites exist.

const MAX_PORT = 64
const MAX_DESCRIPTION = 255
const DOTTED_QUAD = /^\d{1,3}(\.\d{1,3}){3}$/

/** An IPv4 network as text, a /32 when no length is given; or the reason why the text is not one, in the reference's words. */
const parseIpv4Network = (value: unknown): Result.Result<Network, string> => {
  const text = shown(value)
  const [address = "", mask] = text.split("/", 2)
  if (!DOTTED_QUAD.test(address) || Option.isNone(parseAddress(4, address))) {
    return Result.fail(`Expected 4 octets in '${address}'`)
  }
  if (mask !== undefined && (!/^\d{1,2}$/.test(mask) || Number(mask) > 32)) {
    return Result.fail(`'${mask}' is not a valid netmask`)
  }
  return parseNetwork(`${address}/${mask ?? "32"}`).pipe(
    Result.mapError(({ message }) => message),
    Result.filterOrFail(
      ({ address: given, first }) => given === first,
      () => `${text} has host bits set`
    )
  )
}

/** The name of a port: a text, or a number as text. */
const portName = (sent: unknown): Option.Option<string> => {
  const name = typeof sent === "number" ? String(sent) : sent
  return typeof name === "string" && name !== "" && lengthOf(name) <= MAX_PORT ? Option.some(name) : Option.none()
}

const nullableText = Schema.NullOr(Schema.String)
const missing = ({ key }: Place) => `Required field ${key} not found`
const hostname = Rules.accept(isHostname, ({ key, sent }) => `Bad parameter ${key}: Invalid hostname: ${shown(sent)}`)
const requiredHostname = required(Schema.String, missing, hostname)
const requiredPort = required(
  Schema.String,
  missing,
  Rules.convert(portName, ({ key, sent }) => `Bad parameter ${key}: ${shown(sent)}`)
)

/** Why the ends of a link can have no addresses of this network; none when they can. */
const whyUnusable = (network: Network): Option.Option<string> =>
  Option.map(whyNoDeviceAddress(formatAddress(4, network.first)), (why) => `${formatNetwork(network)} is ${why}`)

const givenNetwork: Rule<Network> = (sent) =>
  parseIpv4Network(sent).pipe(
    Result.flatMap((network) =>
      Option.match(whyUnusable(network), { onNone: () => Result.succeed(network), onSome: Result.fail })
    ),
    Result.mapError((reason) => `Invalid ipv4_network: ${reason}`)
  )

/** The body of POST /linknets: two devices by hostname. Other keys of a record have no effect. */
export const LinknetBody = Body.make(
  {
    device_a: requiredHostname,
    device_b: requiredHostname,
    device_a_port: requiredPort,
    device_b_port: requiredPort,
    ipv4_network: otherwise(Schema.NullOr(Network), null, Rules.emptyAsNull(givenNetwork), nullableText)
  },
  { ignored: ["id", "device_a_id", "device_b_id", "device_a_ip", "device_b_ip", "site_id", "description"] }
)

const VALUE_ERROR = "Value error,"

/** The network of a link that is changed: a /29, /30 or /31. Null and the empty text mean none. */
const linkNetwork = (sent: unknown): Result.Result<Network | null, string> => {
  if (sent === null || sent === "") return Result.succeed(null)
  const parsed = typeof sent === "string" ? parseIpv4Network(sent) : Result.fail("")
  if (Result.isFailure(parsed)) {
    return Result.fail(`${VALUE_ERROR} Invalid ipv4_network received. Must be IPv4 network address with mask`)
  }
  const { prefixLength } = parsed.success
  return prefixLength < 29 || prefixLength > 31
    ? Result.fail(`${VALUE_ERROR} Bad prefix length ${prefixLength} for linknet network`)
    : parsed
}

/** Device names in a change are checked and otherwise ignored. */
const ignoredHostname = optional(Schema.String, hostname)
const port = optional(
  Schema.String,
  Rules.convert(portName, () => `String should have 1 to ${MAX_PORT} characters`)
)
/** Judged with the network (`patchOf`), so any value passes here. */
const address = optional(
  Schema.Unknown,
  Rules.emptyAsNull((sent) => Result.succeed(sent)),
  nullableText
)

const NAMES: ReadonlyArray<string> = ["device_a", "device_b"]

/** The body of PUT /linknet/<id>: any subset. Keys of a record that cannot be set have no effect. */
export const LinknetChange = Body.make(
  {
    device_a: ignoredHostname,
    device_b: ignoredHostname,
    ipv4_network: optional(Schema.NullOr(Network), linkNetwork, nullableText),
    device_a_ip: address,
    device_b_ip: address,
    device_a_port: port,
    device_b_port: port,
    description: optional(
      nullableText,
      Rules.orNull(Rules.text(MAX_DESCRIPTION, () => `String should have at most ${MAX_DESCRIPTION} characters`))
    ),
    site_id: optional(Schema.NullOr(Schema.Int), Rules.orNull(Rules.integer(() => "Input should be a valid integer")))
  },
  {
    sentencesOf: (key, sent, text) => (NAMES.includes(key) ? [text] : settingError(key, sent, text)),
    ignored: ["id", "device_a_id", "device_b_id"]
  }
)

/** The body of DELETE /linknets. Other keys of a record have no effect. */
export const LinknetChoice = Body.make(
  {
    id: required(
      Schema.Finite,
      missing,
      Rules.accept(
        (sent): sent is number => Number.isInteger(sent),
        () => "Field id must be an integer"
      ),
      Schema.Int
    )
  },
  { ignored: ["device_a", "device_b", "device_a_port", "device_b_port", "ipv4_network"] }
)

/** Fields that a PUT may set, converted. */
export type LinknetPatch = Partial<
  Pick<
    Linknet,
    "ipv4_network" | "device_a_ip" | "device_b_ip" | "device_a_port" | "device_b_port" | "description" | "site_id"
  >
>

const addressError = (network: Network | null, sent: unknown): string | undefined => {
  if (sent === null) return undefined
  if (network === null) return `${VALUE_ERROR} ipv4_network must be set`
  const address = typeof sent === "string" ? parseAddress(4, sent) : Option.none<bigint>()
  if (Option.isNone(address)) return `${VALUE_ERROR} Invalid device IP or ipv4_network`
  const { first, last } = hostAddresses(network)
  return address.value < first || address.value > last
    ? `${VALUE_ERROR} device IP must be part of ipv4_network`
    : undefined
}

type Change = typeof LinknetChange.checked.Type

/** Refuses each address outside the network; equal addresses are reported for end b only. */
const withAddresses = (sent: Change, network: Network | null, a: unknown, b: unknown): Change => {
  const equal = a !== null && a === b ? `${VALUE_ERROR} device_a_ip and device_b_ip can not be the same` : undefined
  const errors = [
    ["device_a_ip", a, addressError(network, a)],
    ["device_b_ip", b, addressError(network, b) ?? equal]
  ] as const
  return errors.reduce(
    (checked, [key, value, text]) =>
      text === undefined ? checked : checked.refuse(key, settingError(key, value, text)),
    sent
  )
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The network that a link has after the change, or both texts of the reason against it. */
const networkOf = (stored: Linknet, sent: Change): Result.Result<Network | null, ReadonlyArray<string>> => {
  const [key, given] = ["ipv4_network", sent.fields.ipv4_network]
  const refusal = sent.refusals.get(key)
  if (refusal !== undefined) return Result.fail(refusal)
  const before = stored.ipv4_network
  if (given !== undefined) {
    // a client may send back a value of the record
    const why = given === null || formatNetwork(given) === before ? Option.none() : whyUnusable(given)
    return Option.match(why, {
      onNone: () => Result.succeed(given),
      onSome: (reason) =>
        Result.fail(settingError(key, given === null ? null : formatNetwork(given), `${VALUE_ERROR} ${reason}`))
    })
  }
  return Result.mapError(linkNetwork(before), (error) => settingError(key, before, error))
}

/** The changes of a body over the stored link, or both texts of every invalid field; an invalid network is then the only error. */
export const patchOf = (stored: Linknet, sent: Change): Result.Result<LinknetPatch, ReadonlyArray<string>> =>
  Result.flatMap(networkOf(stored, sent), (network) => {
    const { device_a_ip: a = stored.device_a_ip, device_b_ip: b = stored.device_b_ip } = sent.fields
    return Result.map(
      withAddresses(sent, network, a, b).complete,
      ({ device_a: _a, device_b: _b, ...patch }): LinknetPatch => ({
        ...patch,
        ipv4_network: network === null ? null : formatNetwork(network),
        device_a_ip: text(a),
        device_b_ip: text(b)
      })
    )
  })
