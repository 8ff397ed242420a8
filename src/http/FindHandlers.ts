/** Handlers of the search for addresses, devices, ports and VLANs (docs/api.md#find). */
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { type Findings, type FindQuestion, portNamed, questionOf } from "../api/FindApi.ts"
import type { ReadTablesRequest } from "../domain/requests/OperationRequests.ts"
import { type Bounds, type FoundRow, makeFindQueries, type VlansAsked } from "../store/FleetViews.ts"
import { answered, asCaller } from "./core/HandlerErrors.ts"
import { makeVisible } from "./core/Permits.ts"
import type { SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { locationText, type Settings } from "../settings/SettingsModel.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { makeSelectDevices } from "./provisioning/DeviceTargets.ts"
import { BadRequest, enveloped, jobStartedOnDevices } from "../api/Answers.ts"
import { macWithColons } from "../domain/Network.ts"
import { ReadTables } from "../domain/jobs/UpkeepJobs.ts"
import { targetOf } from "../domain/requests/RequestFields.ts"
import { JobRequests } from "../jobs/requests/JobRequests.ts"

// VLANs and ports of distribution and core switches over all devices, from the settings in force.

/** Reading the settings of ten thousand devices takes a while, and they seldom change. */
const KEPT = "20 seconds"

/** A port of the settings; `vlans` verbatim. */
interface SettingsPort {
  readonly hostname: string
  readonly port: string
  readonly description: string
  readonly vlans: ReadonlyArray<string>
}

/** Names of VLANs by id with their names on switches first, the ports, and the places of devices by hostname. */
interface SettingsPorts {
  readonly names: ReadonlyMap<number, ReadonlySet<string>>
  readonly ports: ReadonlyArray<SettingsPort>
  readonly locations: ReadonlyMap<string, string>
}

const nothing: SettingsPorts = { names: new Map(), ports: [], locations: new Map() }

const portsOf = ({ hostname }: Device, { interfaces }: Settings): ReadonlyArray<SettingsPort> =>
  interfaces.map(({ description, name, tagged_vlan_list, untagged_vlan }) => ({
    hostname,
    port: name,
    description: description ?? "",
    vlans: [untagged_vlan, ...(tagged_vlan_list ?? [])].flatMap((vlan) =>
      vlan === null || vlan === undefined ? [] : [String(vlan)]
    )
  }))

/** Yields the ports and VLANs; none without settings in force. */
const makeSettingsPorts = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const devices = yield* DeviceStore

  const gather = Effect.gen(function* () {
    const snapshot = yield* settings.snapshot
    const names = new Map<number, Set<string>>()
    const seen = new Set<Settings["vxlans"]>()
    const ports: Array<SettingsPort> = []
    const locations = new Map<string, string>()
    for (const device of yield* devices.all) {
      const found = Result.getOrUndefined(snapshot.layering.forDevice(device))
      if (found === undefined) continue
      const location = locationText(found.settings.location)
      if (location !== null) locations.set(device.hostname, location)
      if (device.device_type !== "ACCESS") ports.push(...portsOf(device, found.settings))
      if (seen.has(found.settings.vxlans)) continue
      seen.add(found.settings.vxlans)
      for (const [key, { vlan_id: id, vlan_name: name }] of found.settings.vxlans) {
        names.set(id, (names.get(id) ?? new Set<string>()).add(name).add(key))
      }
    }
    return { names, ports, locations } satisfies SettingsPorts
  })
  const orNothing: Effect.Effect<SettingsPorts, SqlError.SqlError> = Effect.catchTag(
    gather,
    ["NoSettings", "SettingsInvalid"],
    () => Effect.succeed(nothing)
  )
  return yield* Effect.cachedWithTTL(orNothing, KEPT)
})

/** The most hits of each kind. */
const MOST = 200

const KINDS = ["mac", "arp", "device", "port", "vlan"] as const

/** VLANs that a question may mean: an id with all its names, or VLANs whose name contains the text. */
const vlansOf = ({ text, vlan }: FindQuestion, { names }: SettingsPorts): VlansAsked => {
  if (vlan !== null) return { ids: [vlan], names: [...(names.get(vlan) ?? [])] }
  const asked = text.toLowerCase()
  const meant = [...names].filter(([, known]) => [...known].some((name) => name.toLowerCase().includes(asked)))
  return { ids: meant.map(([id]) => id), names: meant.flatMap(([, known]) => [...known]) }
}

/** Matching ports of the settings. */
const settingsHits = (
  { text }: FindQuestion,
  { ids, names }: VlansAsked,
  { ports }: SettingsPorts,
  { within }: Bounds
): ReadonlyArray<FoundRow> => {
  const vlans = new Set([...names, ...ids.map(String)])
  const asked = text.toLowerCase()
  return ports
    .filter(({ hostname }) => within === undefined || within.names.has(hostname))
    .filter((port) => port.description.toLowerCase().includes(asked) || port.vlans.some((vlan) => vlans.has(vlan)))
    .map(({ description, hostname, port }) => ({
      kind: "port",
      hostname,
      port,
      vlan: null,
      mac: null,
      ip: null,
      description: description === "" ? null : description,
      first_seen: null,
      last_seen: null,
      on_uplink: null
    }))
}

/** Hostnames of devices whose place contains the text, or the text behind the word "room" or "rack". */
const placedAt = (text: string, { locations }: SettingsPorts): ReadonlyArray<string> => {
  const asked = text.toLowerCase()
  const isNamed = /\b(?:room|rack) \S/.test(asked)
  return [...locations]
    .filter(([, shown]) => {
      const place = shown.toLowerCase()
      return (isNamed ? place : place.replaceAll(/\b(?:room|rack) /g, "")).includes(asked)
    })
    .map(([hostname]) => hostname)
}

const withColons = (mac: string | null): string | null =>
  mac === null ? null : Option.getOrElse(macWithColons(mac), () => mac)

const sameHit = (hit: FoundRow): string => [hit.hostname, hit.port, hit.vlan, hit.mac, hit.ip].join("\n")

/** The first hits of each kind, without duplicates. */
const bounded = (found: ReadonlyArray<FoundRow>, { locations, names }: SettingsPorts) => {
  const byKind = KINDS.map((kind) => [
    ...new Map(found.filter((hit) => hit.kind === kind).map((hit) => [sameHit(hit), hit] as const)).values()
  ])
  return {
    hits: byKind
      .flatMap((hits) => hits.slice(0, MOST))
      .map((hit) => ({
        ...hit,
        mac: withColons(hit.mac),
        vlan_name: [...(names.get(hit.vlan ?? 0) ?? [])][0] ?? null,
        location: locations.get(hit.hostname) ?? null
      })),
    truncated: byKind.some((hits) => hits.length > MOST)
  } satisfies Omit<Findings, "tables">
}

const makeFind = Effect.gen(function* () {
  const store = yield* makeFindQueries
  const visible = yield* makeVisible
  const settingsPorts = yield* makeSettingsPorts

  const look = Effect.fnUntraced(function* (question: FindQuestion, bounds: Bounds) {
    const { ip, mac, text } = question
    const known = yield* settingsPorts
    // a complete address is no name
    if (ip !== null) return bounded(yield* store.byIp(ip, bounds), known)
    const named = portNamed(text)
    const vlans = vlansOf(question, known)
    const found = [
      ...(mac === null ? [] : yield* store.byMac(mac, bounds)),
      ...(yield* store.byText(text, placedAt(text, known), bounds)),
      ...(named === undefined ? [] : yield* store.byPort(named, bounds)),
      ...(yield* store.ports(text, vlans, bounds)),
      ...settingsHits(question, vlans, known, bounds),
      ...(yield* store.vlans(vlans.ids, bounds))
    ]
    return bounded(found, known)
  })

  return Effect.fn("Find.find")(function* (q: string) {
    const question = yield* Effect.mapError(Effect.fromResult(questionOf(q)), (message) => new BadRequest({ message }))
    const { within } = yield* visible
    const found = yield* look(question, { within, most: MOST + 1 })
    return enveloped({ ...found, tables: yield* store.read(within) })
  })
})

/** Starts `read_tables` for the selected devices; all without a selector. */
const makeReadTables = Effect.gen(function* () {
  const requests = yield* JobRequests
  const selectDevices = yield* makeSelectDevices
  return Effect.fn("ReadTables.start")(function* (request: ReadTablesRequest, user: string) {
    const { args, count, what } = yield* selectDevices(targetOf(request))
    const job = yield* requests.start(ReadTables, args, { user })
    return jobStartedOnDevices(`Scheduled job to read tables of ${what}`, job, count)
  })
})

/** Handlers of `FindGroup`. */
export const FindLive = HttpApiBuilder.group(Api, "find", (handlers) =>
  Effect.gen(function* () {
    const find = yield* makeFind
    const readTables = yield* makeReadTables
    return handlers
      .handle("find", ({ query }) => answered(find(query.q ?? "")))
      .handle("readTables", ({ payload }) => asCaller((user) => readTables(payload, user)))
  })
)
