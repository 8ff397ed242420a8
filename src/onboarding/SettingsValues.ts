/**
 * What running configurations say, in the words of the settings: the values that a reading of one gives (docs/onboarding.md#settings-from-what-runs),
 * and the parts that every notation shares. Pure.
 */

/** A value of a settings key, as JSON. */
export type Json = string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Keys of `base_system.yml` and of `routing.yml` that are read. */
export const baseKeys = [
  "domain_name",
  "ntp_servers",
  "dns_servers",
  "syslog_servers",
  "snmp_servers",
  "radius_servers",
  "users"
] as const
export const routingKeys = ["extroute_static", "extroute_bgp"] as const
export type ProposedKey = (typeof baseKeys)[number] | (typeof routingKeys)[number]

/** A VLAN with its name on the switch. */
export interface RunningVlan {
  readonly id: number
  readonly name: string
}

export interface RunningValues {
  readonly keys: Readonly<Partial<Record<ProposedKey, Json>>>
  readonly vlans: ReadonlyArray<RunningVlan>
  /** VNI by VLAN id. */
  readonly vnis: ReadonlyMap<number, number>
}

// Parts of values.

/** The values without those that were there before. */
export const once = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

/** The port of a server, if this word is one. */
export const port = (word: string | undefined): { readonly port?: number } =>
  word !== undefined && /^\d{1,5}$/.test(word) ? { port: Number(word) } : {}

/** A key with its list, if the list has anything. */
export const someOf = (key: ProposedKey, value: ReadonlyArray<Json>): Readonly<Partial<Record<ProposedKey, Json>>> =>
  value.length === 0 ? {} : { [key]: value }

/** VLANs that belong to the switch itself: the default one, and those of pairs of switches. */
export const isOwnVlan = (id: number): boolean => id === 1 || id >= 4090

/** What a configuration says about a BGP neighbour; undefined where it says nothing. */
interface ShownNeighbour {
  readonly as: string | undefined
  readonly routeMaps: readonly [inbound: string | undefined, outbound: string | undefined]
  readonly description: string | undefined
  readonly bfd: boolean
  readonly gracefulRestart: boolean
  readonly hops: string | undefined
  readonly mostRoutes: string | undefined
}

/** A BGP neighbour as the settings have it; undefined where they cannot have it, because its number or a route map is missing. */
export const bgpNeighbour = (
  peer: string,
  { as, bfd, description, gracefulRestart, hops, mostRoutes, routeMaps: [inbound, outbound] }: ShownNeighbour
): Json | undefined =>
  as === undefined || inbound === undefined || outbound === undefined
    ? undefined
    : {
        peer_ipv4: peer,
        peer_as: Number(as),
        route_map_in: inbound,
        route_map_out: outbound,
        ...(description === undefined ? {} : { description }),
        ...(bfd ? { bfd: true } : {}),
        ...(gracefulRestart ? { graceful_restart: true } : {}),
        ...(hops === undefined ? {} : { ebgp_multihop: Number(hops) }),
        ...(mostRoutes === undefined ? {} : { maximum_routes: Number(mostRoutes) })
      }

// Ports of an access switch, as the data of a port has them.

/** The proposed use of a port. */
export interface RunningPort {
  readonly name: string
  readonly configtype: "ACCESS_AUTO" | "ACCESS_UNTAGGED" | "ACCESS_TAGGED"
  readonly data: { readonly [key: string]: Json }
}

/** The settings name a VLAN; one that they do not have keeps its number. */
export type NameOf = (id: number) => string | number
