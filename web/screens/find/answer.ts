/**
 * The answer to a question of Find: the one port where a machine is plugged in, or several, or none. It never guesses: a machine that two ports
 * may have is on both. Pure.
 */
import type { Data } from "../../../src/api/Calls.ts"

export type Found = Data<"GET /find">
export type Hit = Found["hits"][number]

/** A port on which something was found. */
export type Place = Hit & { readonly port: string }

export type Answer =
  | {
      readonly is: "one"
      readonly place: Place
      /** Where the machine was before, the newest first. */
      readonly before: ReadonlyArray<Place>
      /** Ports between switches that learnt it too. */
      readonly way: ReadonlyArray<Place>
    }
  | { readonly is: "several"; readonly places: ReadonlyArray<Place> }
  | { readonly is: "other" }

const isPlace = (hit: Hit): hit is Place => hit.port !== null

const newestFirst = (one: Place, other: Place): number => (other.last_seen ?? "").localeCompare(one.last_seen ?? "")

/** Whether the newest reading of every switch may still have the entry: it is not older than the oldest of these readings. */
const mayBeThere = ({ last_seen }: Hit, { oldest }: Found["tables"]): boolean =>
  last_seen === null || oldest === null || last_seen >= oldest

/** The answer for all results; `chosen`, `switch port`, is the place that a person has named, or picked of several. */
export const answerOf = ({ hits, tables }: Found, chosen = ""): Answer => {
  const machines = hits.filter(({ kind }) => kind === "mac").filter(isPlace)
  const edge = machines.filter(({ on_uplink }) => on_uplink === false).toSorted(newestFirst)
  const way = machines.filter(({ on_uplink }) => on_uplink === true)
  const ports = hits
    .filter(({ kind, on_uplink }) => kind === "port" && on_uplink !== true)
    .filter(isPlace)
    .filter(({ hostname, port }) => !edge.some((one) => one.hostname === hostname && one.port === port))
  const all = [...edge, ...ports]
  const picked = all.find(({ hostname, port }) => `${hostname} ${port}`.toLowerCase() === chosen.toLowerCase())
  const one = (place: Place): Answer => ({
    is: "one",
    place,
    before: place.mac === null ? [] : edge.filter((other) => other !== place && other.mac === place.mac),
    way: place.mac === null ? [] : way.filter(({ mac }) => mac === place.mac)
  })
  if (picked !== undefined) return one(picked)
  const macs = new Set(edge.map(({ mac }) => mac))
  const present = edge.filter((hit) => mayBeThere(hit, tables))
  const [only = edge[0]] = present
  if (macs.size === 1 && present.length <= 1 && ports.length === 0 && only !== undefined) return one(only)
  if (all.length === 1 && all[0] !== undefined && !hits.some(({ kind }) => kind === "vlan" || kind === "device"))
    return one(all[0])
  return all.length === 0 ? { is: "other" } : { is: "several", places: all }
}
