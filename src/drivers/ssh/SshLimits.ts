/**
 * The bounds that all SSH connections of this process share: how many sessions may be open, how
 * many handshakes may run at once (they cost CPU; beyond 16 the event loop lags), how a refused connection is retried, and how
 * addresses are rewritten when dialling. Data of switches is handled in the turns of background work.
 */
import { Context, Effect, Layer, Result, Semaphore } from "effect"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { IpNetwork, NetAddress } from "effect/net"

export interface SshLimitsOptions {
  /** Default 1,000. */
  readonly maxSessions?: number
  /** Default 16. */
  readonly maxHandshakes?: number
  /** Port of a target without one. Default 22. */
  readonly port?: number
  /** Default none. */
  readonly addressMap?: AddressMap
  /**
   * Further attempts after a refused TCP connection, and the seconds between. Default 3 and 2
   * (docs/switch-dialogues.md#connection).
   */
  readonly refusedRetries?: number
  readonly refusedDelay?: number
}

export class SshLimits extends Context.Service<
  SshLimits,
  {
    readonly sessions: Semaphore.Semaphore
    readonly handshakes: Semaphore.Semaphore
    readonly port: number
    readonly addressMap: AddressMap
    readonly refusedRetries: number
    readonly refusedDelay: number
    readonly inTurn: BackgroundWork["Service"]["inTurn"]
  }
>()("switchyard/drivers/ssh/SshLimits") {
  static readonly layer = (options: SshLimitsOptions = {}): Layer.Layer<SshLimits> =>
    Layer.effect(
      SshLimits,
      Effect.gen(function* () {
        return SshLimits.of({
          sessions: yield* Semaphore.make(options.maxSessions ?? 1000),
          handshakes: yield* Semaphore.make(options.maxHandshakes ?? 16),
          port: options.port ?? 22,
          addressMap: options.addressMap ?? [],
          refusedRetries: options.refusedRetries ?? 3,
          refusedDelay: options.refusedDelay ?? 2,
          inTurn: (yield* BackgroundWork).inTurn
        })
      })
    ).pipe(Layer.provide(BackgroundWork.layer))
}

// Rewrites device addresses when dialling (`SSH_ADDRESS_MAP`), for a management network behind NAT and for the lab, whose
// switches listen on 127.a.b.c for 10.a.b.c. A rule replaces the prefix and keeps the host part.

/** One rule: an address in `from` is dialled at the same host part of `to`. */
export interface AddressRule {
  readonly from: IpNetwork.IpNetwork
  readonly to: IpNetwork.IpNetwork
}

/** Rules, longest prefix first. */
export type AddressMap = ReadonlyArray<AddressRule>

const network = (text: string, rule: string): Result.Result<IpNetwork.IpNetwork, string> =>
  Result.mapError(
    IpNetwork.fromString(text.includes("/") ? text : `${text}/${text.includes(":") ? 128 : 32}`),
    () => `"${text}" in the address rule "${rule}" is not a network such as 10.0.0.0/8 without host bits`
  )

const parseRule = (rule: string): Result.Result<AddressRule, string> => {
  const sides = rule.split("=").map((side) => side.trim())
  const [left, right] = sides
  if (sides.length !== 2 || left === undefined || right === undefined) {
    return Result.fail(`the address rule "${rule}" is not of the form 10.0.0.0/8=127.0.0.0/8`)
  }
  return Result.flatMap(network(left, rule), (from) =>
    Result.flatMap(network(right, rule), (to) => {
      if (NetAddress.familyOf(from.address) !== NetAddress.familyOf(to.address)) {
        return Result.fail(`the address rule "${rule}" mixes IPv4 and IPv6`)
      }
      return from.prefixLength === to.prefixLength
        ? Result.succeed({ from, to })
        : Result.fail(`the two prefixes of the address rule "${rule}" differ in length`)
    })
  )
}

/** Parses comma separated rules such as `10.0.0.0/8=127.0.0.0/8`. Empty text: no rules. Fails with a sentence. */
export const parseAddressMap = (text: string): Result.Result<AddressMap, string> => {
  const rules: Array<AddressRule> = []
  for (const part of text.split(",").map((rule) => rule.trim())) {
    if (part === "") continue
    const rule = parseRule(part)
    if (Result.isFailure(rule)) return Result.fail(rule.failure)
    rules.push(rule.success)
  }
  return Result.succeed(rules.toSorted((a, b) => b.from.prefixLength - a.from.prefixLength))
}

const octets = (address: NetAddress.IpAddress): ReadonlyArray<number> =>
  NetAddress.isIpv4Address(address) ? NetAddress.ipv4ToOctets(address) : NetAddress.ipv6ToOctets(address)

const replacePrefix = (address: NetAddress.IpAddress, to: IpNetwork.IpNetwork): string => {
  const prefix = octets(to.address)
  const bytes = Uint8Array.from(octets(address), (octet, index) => {
    const bits = Math.min(8, Math.max(0, to.prefixLength - index * 8))
    const mask = (0xff << (8 - bits)) & 0xff
    return ((prefix[index] ?? 0) & mask) | (octet & ~mask & 0xff)
  })
  return NetAddress.formatIp(
    bytes.length === 4 ? NetAddress.ipv4FromBytesUnsafe(bytes) : NetAddress.ipv6FromBytesUnsafe(bytes)
  )
}

/** The address to dial for a device's address. Names and addresses without a rule stay unchanged. */
export const rewriteAddress = (map: AddressMap, address: string): string => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return address
  const rule = map.find(({ from }) => IpNetwork.contains(from, parsed.success))
  return rule === undefined ? address : replacePrefix(parsed.success, rule.to)
}
