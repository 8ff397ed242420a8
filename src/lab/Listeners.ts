/**
 * The TCP listeners of the switches: one per management address, all on one port, each configured address mapped to a loopback
 * address. When the configuration moves an address the listener moves, and connections to the old one fall silent. See
 * docs/switch-dialogues.md#the-simulated-switch.
 */
import * as net from "node:net"
import { networkInterfaces } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { Result } from "effect"
import { NetAddress } from "effect/net"
import * as SshFront from "./SshFront.ts"
import type { Switch } from "./Switch.ts"

/**
 * The addresses to which configured ones are rewritten: first octets of IPv4 (`["10", "127"]` maps 10.a.b.c to 127.a.b.c), networks
 * of IPv6 (`["2001:db8:17::/112", "::ffff:127.96.0.0/112"]`), for which a machine has loopback addresses in that form only.
 */
export type AddressMap = ReadonlyArray<readonly [string, string]>

export interface Listeners {
  readonly port: number
  readonly map: AddressMap
  readonly open: Map<Switch, Map<string, net.Server>>
  /** Addresses that could not be opened, with the reason; bounded. */
  readonly problems: Map<string, string>
  /** Bind operations under way. */
  readonly pending: Set<Promise<void>>
}

const MAX_ADDRESSES = 16
const MAX_PROBLEMS = 1000
const RETRIES = 20
const RETRY_MS = 250

/** No listeners yet. */
export const make = (port: number, map: AddressMap): Listeners => ({
  port,
  map,
  open: new Map(),
  problems: new Map(),
  pending: new Set()
})

const BITS = 128n

const valueOf = (address: string): bigint | undefined => {
  const parsed = NetAddress.ipv6FromString(address)
  if (Result.isFailure(parsed)) return undefined
  return NetAddress.ipv6ToSegments(parsed.success).reduce((sum, segment) => (sum << 16n) | BigInt(segment), 0n)
}

const textOf = (value: bigint): string =>
  NetAddress.formatIp(
    NetAddress.ipv6FromBytesUnsafe(
      Uint8Array.from({ length: 16 }, (_, index) => Number((value >> BigInt(8 * (15 - index))) & 0xffn))
    )
  )

/** An IPv6 address of one network in the place that it has in another of the same length; undefined when it is not of it. */
const intoNetwork = (from: string, to: string, address: string): string | undefined => {
  const [prefix = "", length = "128"] = from.split("/")
  const host = BITS - BigInt(length)
  const [source, target, value] = [valueOf(prefix), valueOf(to.split("/")[0] ?? ""), valueOf(address)]
  if (source === undefined || target === undefined || value === undefined) return undefined
  return source >> host === value >> host
    ? textOf(((target >> host) << host) | (value & ((1n << host) - 1n)))
    : undefined
}

/** The address on which the lab answers for a configured one; undefined if this machine does not have it. */
const mapped = (map: AddressMap, address: string): string | undefined => {
  for (const [from, to] of map) {
    if (from.includes(":")) {
      const found = intoNetwork(from, to, address)
      if (found !== undefined) return found
    } else if (address.startsWith(`${from}.`)) return to + address.slice(from.length)
  }
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some((entry) => entry.address === address) ? address : undefined
}

/** Addresses on which a switch should answer now. */
export const wanted = (listeners: Listeners, device: Switch): ReadonlyArray<string> => {
  if (device.power !== "on") return []
  const { addresses, wantsDhcp } = device.facts
  const all = wantsDhcp && device.lease !== undefined ? [...addresses, device.lease] : addresses
  return [...new Set(all.slice(0, MAX_ADDRESSES).flatMap((address) => mapped(listeners.map, address) ?? []))]
}

/** Opens and closes listeners until they fit the configuration and power of the switch. */
export const follow = (listeners: Listeners, device: Switch): void => {
  const open = listeners.open.get(device) ?? new Map<string, net.Server>()
  listeners.open.set(device, open)
  const addresses = wanted(listeners, device)
  for (const [address, server] of open) {
    if (addresses.includes(address)) continue
    server.close()
    open.delete(address)
    for (const connection of device.connections) if (connection.address === address) connection.silence()
  }
  for (const address of addresses) if (!open.has(address)) listen(listeners, device, open, address)
}

const listen = (listeners: Listeners, device: Switch, open: Map<string, net.Server>, address: string) => {
  const server = net.createServer({ noDelay: true }, (socket) => SshFront.serve(device, socket, address))
  open.set(address, server)
  const bound = bind(listeners, server, address, () => open.get(address) === server, RETRIES)
  listeners.pending.add(bound)
  void bound.finally(() => listeners.pending.delete(bound))
}

const bind = async (
  listeners: Listeners,
  server: net.Server,
  address: string,
  needed: () => boolean,
  retries: number
): Promise<void> => {
  const failure = await attempt(server, address, listeners.port)
  if (!needed()) {
    server.close()
    return undefined
  }
  if (failure === undefined) {
    listeners.problems.delete(address)
    return undefined
  }
  if (listeners.problems.size < MAX_PROBLEMS) listeners.problems.set(address, failure.message)
  if (retries === 0) return undefined
  await sleep(RETRY_MS)
  return needed() ? bind(listeners, server, address, needed, retries - 1) : undefined
}

const attempt = (server: net.Server, host: string, port: number): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const failed = (error: Error) => resolve(error)
    server.once("error", failed)
    server.listen({ host, port, backlog: 16 }, () => {
      server.off("error", failed)
      server.on("error", () => undefined)
      resolve(undefined)
    })
  })

/** Resolves when every listener that was asked for is open or has failed. */
export const settled = async (listeners: Listeners): Promise<void> => {
  while (listeners.pending.size > 0) await Promise.all(listeners.pending)
}

/** Closes all of them. */
export const close = (listeners: Listeners): void => {
  for (const open of listeners.open.values()) {
    for (const server of open.values()) server.close()
    open.clear()
  }
}

/** Loopback addresses for the reservation of a port: the first one belongs to no switch, but only Linux has it. */
const RESERVING = ["127.255.255.254", "127.0.0.1"]

/** A port that no other lab of this machine gets before it is released: another one on the same address would answer for our switch. */
export const reservePort = async (): Promise<{ readonly port: number; readonly release: () => void }> => {
  let failure: Error | undefined
  for (const host of RESERVING) {
    const holder = net.createServer().unref()
    failure = await attempt(holder, host, 0)
    const address = holder.address()
    if (failure !== undefined || typeof address !== "object" || address === null) continue
    return { port: address.port, release: () => void holder.close() }
  }
  throw failure ?? new Error("no loopback address can be listened on")
}
