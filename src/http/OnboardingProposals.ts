/**
 * Proposes settings and ports from what onboarded switches run (docs/onboarding.md#settings-from-what-runs). Each proposal is measured by
 * rendering with it, and kept only if no more lines differ with it than without. Nothing is committed; ports are stored when a person accepts them.
 */
import { Effect, Option, Result } from "effect"
import { SqlError } from "effect/sql"
import { BadRequest, enveloped, ServiceUnavailable } from "../api/Answers.ts"
import { isObject, type JsonObject } from "../domain/fields/Values.ts"
import { changePort, PortChanges } from "../domain/Interface.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import type { OnboardedRequest } from "../domain/requests/OnboardingRequests.ts"
import { distanceOf, percentOf, portOfPiece } from "../onboarding/Distance.ts"
import { runningPorts, runningValues } from "../onboarding/RunningValues.ts"
import type { RunningPort } from "../onboarding/SettingsValues.ts"
import { type Files, patchOf } from "../onboarding/SettingsEdits.ts"
import { type Edit, editSteps, effectiveOf, type Trial, type Wanted } from "../onboarding/SettingsProposal.ts"
import * as FairPlaces from "../runtime/FairPlaces.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { buildSnapshot, type SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { NetworkStore } from "../store/NetworkStore.ts"
import { makeOnboarding, type StoredRunning } from "../store/OnboardingStore.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { SecretTexts } from "../store/SecretStore.ts"
import { ActiveTemplates } from "../templates/ActiveTemplates.ts"
import { CandidateConfigs, type Render } from "../templates/CandidateConfigs.ts"
import { transaction } from "./core/HandlerErrors.ts"
import { RolledBack, vlansOf } from "./InterfaceHandlers.ts"

type Ports = ReadonlyMap<number, ReadonlyArray<RunningPort>>
const NO_PORTS: Ports = new Map()

/** Lines that differ and lines in all, of all devices and by device and port. */
interface Measure {
  readonly differing: number
  readonly lines: number
  /** Lines that differ in the section of a port, by device id and port. */
  readonly ports: ReadonlyMap<string, number>
  /** Whether the description of a port differs, by device id and port. */
  readonly described: ReadonlySet<string>
}

const placeOf = (id: number, port: string) => `${id} ${port}`

/** Yields a function that renders devices with other settings and other ports, which are not stored, and measures them. */
const makeMeasuring = Effect.gen(function* () {
  const configs = yield* CandidateConfigs
  const templates = yield* ActiveTemplates
  const interfaces = yield* InterfaceStore
  const inTransaction = yield* transaction

  /** The inputs of the renderings with these ports; the ports themselves are rolled back. */
  const prepared = Effect.fnUntraced(function* (
    { snapshot }: Trial,
    known: ReadonlyArray<StoredRunning>,
    ports: Ports
  ): Effect.fn.Return<Render, ServiceUnavailable | SqlError.SqlError> {
    const render = configs.prepareFrom(
      { settings: snapshot, templates: templates.snapshot },
      known.map(({ device }) => device)
    )
    const reading = Effect.gen(function* () {
      for (const [id, all] of ports)
        for (const { configtype, data, name } of all) yield* interfaces.put(id, name, configtype, data)
      return yield* Effect.fail(new RolledBack(yield* render))
    })
    return yield* Effect.catch(inTransaction(reading), (error) =>
      error instanceof RolledBack
        ? Effect.succeed(error.found)
        : Effect.fail(SqlError.isSqlError(error) ? error : new ServiceUnavailable({ message: error.message }))
    )
  })

  return Effect.fnUntraced(function* (trial: Trial, known: ReadonlyArray<StoredRunning>, ports: Ports) {
    const render = yield* prepared(trial, known, ports)
    let [differing, lines] = [0, 0]
    const byPort = new Map<string, number>()
    const described = new Set<string>()
    for (const { config, device } of known) {
      yield* Effect.yieldNow
      const candidate = yield* render(device)
      const platform = platformOf(device.platform)
      if (platform === undefined || Result.isFailure(candidate)) continue
      const found = distanceOf(platform, config, candidate.success.text)
      differing += found.extra + found.missing
      lines += found.lines
      for (const piece of found.pieces) {
        const port = portOfPiece(piece)
        if (port === undefined) continue
        byPort.set(placeOf(device.id, port), piece.lines)
        if (/^[-+]\s+description /m.test(piece.diff)) described.add(placeOf(device.id, port))
      }
    }
    return { differing, lines, ports: byPort, described } satisfies Measure
  })
})

type Measuring = Effect.Success<typeof makeMeasuring>

/** Switches on which single edits are tried. */
const TRIED = 30

const makeSettingsProposal = Effect.gen(function* () {
  const { SETTINGS_KEYS_TO_MERGE } = yield* ServerConfig
  const { domains } = yield* NetworkStore

  const trialOf = (files: Files, previous: SettingsSnapshot): Trial | undefined => {
    const snapshot = buildSnapshot({ files, root: "settings", keysToMerge: SETTINGS_KEYS_TO_MERGE, previous })
    return Result.isSuccess(snapshot) ? { files, snapshot: snapshot.success } : undefined
  }

  return Effect.fnUntraced(function* (
    from: Trial,
    known: ReadonlyArray<StoredRunning>,
    wanted: ReadonlyArray<Wanted>,
    measure: Measuring
  ) {
    const managements = new Set((yield* domains.all).flatMap(({ vlan }) => (vlan === null ? [] : [vlan])))
    const sample = known.slice(0, TRIED)
    const inSample = new Set(sample.map(({ device }) => device.hostname))
    let trial = from
    let best = (yield* measure(trial, sample, NO_PORTS)).differing
    const kept: Array<Edit> = []
    for (const step of editSteps(wanted, managements))
      for (const edit of step(trial)) {
        const next = trialOf(edit.apply(trial.files), trial.snapshot)
        if (next === undefined) continue
        const isTried =
          !edit.file.startsWith("devices/") || [...inSample].some((name) => edit.file.includes(`/${name}/`))
        const differing = isTried ? (yield* measure(next, sample, NO_PORTS)).differing : best
        if (differing > best) continue
        best = differing
        trial = next
        kept.push(edit)
      }
    return { trial, kept }
  })
})

// Ports: uses and data of the ports of access switches.

const withoutDescription = ({ data, ...port }: RunningPort): RunningPort => {
  const { description: _, ...others } = data
  return { ...port, data: others }
}

/** The ports of each device with which fewer of their lines differ, without descriptions that templates write anyway. */
const bestPorts = Effect.fnUntraced(function* (
  trial: Trial,
  known: ReadonlyArray<StoredRunning>,
  candidates: Ports,
  measure: Measuring
) {
  const plain = new Map([...candidates].map(([id, ports]) => [id, ports.map(withoutDescription)]))
  const before = yield* measure(trial, known, NO_PORTS)
  const bare = yield* measure(trial, known, plain)
  const full = new Map(
    [...candidates].map(([id, ports]) => [
      id,
      ports.map((port) => (bare.described.has(placeOf(id, port.name)) ? port : withoutDescription(port)))
    ])
  )
  const after = yield* measure(trial, known, full)
  const linesAt = (measured: Measure, id: number, port: string) => measured.ports.get(placeOf(id, port)) ?? 0
  const better = new Map(
    [...full].map(([id, ports]) => [
      id,
      ports.filter(({ name }) => linesAt(after, id, name) < linesAt(before, id, name))
    ])
  )
  return new Map([...better].filter(([, ports]) => ports.length > 0))
})

/** Names of VLANs that a port of a device may name; the names on the switch come before the keys. */
const namesOfVlans = (settings: JsonObject): ReadonlyMap<number, string> => {
  const vxlans = isObject(settings["vxlans"]) ? settings["vxlans"] : {}
  return new Map(
    Object.values(vxlans).flatMap((vxlan) =>
      isObject(vxlan) && typeof vxlan["vlan_id"] === "number" && typeof vxlan["vlan_name"] === "string"
        ? [[vxlan["vlan_id"], vxlan["vlan_name"]] as const]
        : []
    )
  )
}

const portCandidates = Effect.fnUntraced(function* (trial: Trial, known: ReadonlyArray<StoredRunning>) {
  const interfaces = yield* InterfaceStore
  const found = new Map<number, ReadonlyArray<RunningPort>>()
  for (const { config, device } of known) {
    const platform = platformOf(device.platform)
    if (platform === undefined || device.device_type !== "ACCESS") continue
    const names = namesOfVlans(effectiveOf(trial, device))
    const stored = new Map((yield* interfaces.ofDevice(device.id)).map((port) => [port.name, port.configtype]))
    const ports = runningPorts(platform, config, (id) => names.get(id) ?? id).filter(
      // cables to other switches follow the links
      ({ name }) => ["ACCESS_AUTO", "ACCESS_UNTAGGED", "ACCESS_TAGGED"].includes(stored.get(name) ?? "")
    )
    if (ports.length > 0) found.set(device.id, ports)
  }
  return found
})

/** The handlers of proposals. One runs at a time: each renders all onboarded switches several times. */
export const makeProposals = Effect.gen(function* () {
  const store = yield* makeOnboarding
  const repositories = yield* RepositoryStore
  const interfaces = yield* InterfaceStore
  const { logins, SETTINGS_KEYS_TO_MERGE } = yield* ServerConfig
  const measure = yield* makeMeasuring
  const propose = yield* makeSettingsProposal
  const inTransaction = yield* transaction
  const { hide } = yield* SecretTexts
  const one = FairPlaces.make({ what: "proposals", places: 1, waiting: 8 })
  const ours = new Set([...logins.values()].map(({ username }) => username))

  const inForce = Effect.gen(function* () {
    const applied = yield* repositories.find("settings", "")
    if (Option.isNone(applied)) return yield* new ServiceUnavailable({ message: "No settings are in force" })
    const files = new Map(Object.entries(applied.value.files))
    const snapshot = buildSnapshot({ files, root: "settings", keysToMerge: SETTINGS_KEYS_TO_MERGE })
    if (Result.isFailure(snapshot))
      return yield* new ServiceUnavailable({ message: "The settings in force are not valid" })
    return { files, snapshot: snapshot.success } satisfies Trial
  })

  const known = Effect.flatMap(store.open, store.withConfig)

  const portsOf = Effect.fnUntraced(function* (trial: Trial, all: ReadonlyArray<StoredRunning>) {
    const candidates = yield* Effect.provideService(portCandidates(trial, all), InterfaceStore, interfaces)
    return yield* bestPorts(trial, all, candidates, measure)
  })

  const settings = Effect.gen(function* () {
    const all = yield* known
    if (all.length === 0) return yield* new BadRequest({ message: "No onboarded switch has a configuration" })
    const trial = yield* inForce
    const wanted = all.flatMap(({ config, device }): ReadonlyArray<Wanted> => {
      const platform = platformOf(device.platform)
      return platform === undefined ? [] : [{ device, values: runningValues(platform, config, ours) }]
    })
    const before = yield* measure(trial, all, NO_PORTS)
    const { kept, trial: edited } = yield* propose(trial, all, wanted, measure)
    const ports = yield* portsOf(edited, all)
    const after = yield* measure(edited, all, ports)
    const names = new Map(all.map(({ device }) => [device.id, device.hostname]))
    return enveloped({
      patch: patchOf(trial.files, edited.files, hide),
      files: [...edited.files].flatMap(([path, text]) => (trial.files.get(path) === text ? [] : [path])).toSorted(),
      keys: kept.map(({ file, key, why }) => ({ file, key, why })),
      ports: Object.fromEntries(
        [...ports].map(([id, some]) => [
          names.get(id) ?? "",
          Object.fromEntries(some.map(({ configtype, data, name }) => [name, { configtype, data }]))
        ])
      ),
      before: before.differing,
      after: after.differing,
      distance_before: percentOf({ lines: before.lines, extra: before.differing, missing: 0 }),
      distance_after: percentOf({ lines: after.lines, extra: after.differing, missing: 0 })
    })
  })

  const accept = Effect.fnUntraced(function* ({ hostnames }: OnboardedRequest) {
    const all = yield* known
    const unknown = (hostnames ?? []).find((name) => !all.some(({ device }) => device.hostname === name))
    if (unknown !== undefined)
      return yield* new BadRequest({ message: `${unknown} is not onboarded, or its configuration was not read yet` })
    const chosen = hostnames === undefined ? all : all.filter(({ device }) => hostnames.includes(device.hostname))
    const trial = yield* inForce
    const proposed = yield* portsOf(trial, chosen)
    const errors: Array<string> = []
    const done: Array<string> = []
    let ports = 0
    const writing = Effect.gen(function* () {
      for (const { device } of chosen) {
        const some = proposed.get(device.id) ?? []
        if (some.length === 0) continue
        const context = { hostname: device.hostname, platform: device.platform, ...vlansOf(effectiveOf(trial, device)) }
        const stored = new Map((yield* interfaces.ofDevice(device.id)).map((port) => [port.name, port]))
        for (const { configtype, data, name } of some) {
          const port = stored.get(name)
          const sent = PortChanges.check({ interfaces: { [name]: { configtype, data } } }).fields.interfaces?.[name]
          if (port === undefined || sent === undefined || sent === null) continue
          const changed = changePort(port, sent, context)
          errors.push(...changed.errors.map((error) => `${device.hostname} ${name}: ${error}`))
          yield* interfaces.put(device.id, name, changed.configtype, changed.data)
          ports += 1
        }
        done.push(device.hostname)
      }
      if (errors.length > 0) return yield* new BadRequest({ message: { errors } })
      yield* store.stale
    })
    yield* inTransaction(writing)
    return enveloped({ hostnames: done, ports })
  })

  const busy = () => new ServiceUnavailable({ message: "Other proposals are being made, try again later" })
  return {
    settings: Effect.catchTag(one.within(settings), "PlacesFull", () => Effect.fail(busy())),
    accept: Effect.fn("Onboarding.acceptPorts")((request: OnboardedRequest) =>
      Effect.catchTag(one.within(accept(request)), "PlacesFull", () => Effect.fail(busy()))
    )
  }
})
