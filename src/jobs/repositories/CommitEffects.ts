/**
 * Finds the effects of a checked commit before it is in force (docs/settings-repository.md#effects): groups, rules and VLANs from
 * the settings, lines from the configurations of devices. The check of a branch renders every affected device; a refresh renders a
 * sample for a bounded time, because users wait for its answer.
 */
import { Array as Arr, Clock, Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { ChangeWindows } from "../../access/ChangeWindows.ts"
import { Permissions } from "../../access/Permissions.ts"
import {
  type BranchCheck,
  type CheckedBranch,
  type CommitEffects,
  type ConfigurationEffect,
  type DiffGroup,
  MANY_LINES,
  MOST_LISTED,
  MOST_NAMES,
  NO_CONFIGURATIONS,
  type UndefinedName
} from "../../domain/CommitEffects.ts"
import { appliesTo, isFor } from "../../domain/checks/Check.ts"
import { conditionSentence } from "../../domain/checks/CheckSentences.ts"
import { type EffectLimits, reasonsToAsk } from "../../domain/words/EffectSentences.ts"
import type { Device } from "../../domain/Device.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import {
  type EffectDevice,
  type GroupRule,
  removedOf,
  type SettingsChange,
  settingsEffects,
  type VlanLosses
} from "../../settings/SettingsEffects.ts"
import { selectionGroups } from "../../settings/SettingsGroups.ts"
import type { SettingsSnapshot } from "../../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import type { TemplateSnapshot } from "../../templates/TemplateSnapshot.ts"
import { UndefinedLedger } from "../../templates/UndefinedPrints.ts"
import {
  CandidateConfigs,
  makeConfigsAside,
  type RenderedCandidate,
  type Sources
} from "../../templates/CandidateConfigs.ts"
import { deviceScore } from "../../domain/ChangeRisk.ts"
import { changeKey, riskOf, risksOf } from "../../domain/DiffGroups.ts"
import { platformOf, riskRulesOf } from "../../domain/platforms/Platforms.ts"
import { diff } from "../../drivers/UnifiedDiff.ts"
import { configPreview } from "../../templates/Rendering.ts"

// Groups devices that would get the same difference, within bounds. Pure except for the collected groups.

const MOST_GROUPS = 100
const MOST_HOSTNAMES = 100
const MOST_CHARACTERS = 20_000

interface Collected {
  readonly diff: string
  readonly hostnames: Array<string>
  count: number
  score: number | null
}

const linesWith = (diff: string, sign: string): ReadonlyArray<string> =>
  diff.split("\n").filter((line) => line.startsWith(sign))

/** The group as it is shown, with its risk by the riskiest line and the highest score. */
const shownGroup = (key: string, { count, diff, hostnames, score }: Collected): DiffGroup => {
  const [added, removed] = [linesWith(diff, "+"), linesWith(diff, "-")]
  const risks = risksOf([...added, ...removed], riskRulesOf)
  const counts = { added: added.length, removed: removed.length, score, risks }
  return { key: shortKey(key), count, hostnames, diff: beginning(diff), ...counts, risk: riskOf(counts) }
}

const shortKey = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 16)

/** The beginning of a difference, at the end of a line. */
const beginning = (diff: string): string =>
  diff.length <= MOST_CHARACTERS ? diff : diff.slice(0, diff.lastIndexOf("\n", MOST_CHARACTERS))

/** Differences of devices; a group shows that of its first one. */
export class BranchDiffs {
  readonly #groups = new Map<string, Collected>()
  #isTruncated = false

  /** `score` is the risk of this device's change; null if it cannot be computed. */
  add(hostname: string, diff: string, score: number | null): void {
    const key = changeKey(diff) || diff
    const group = this.#groups.get(key)
    if (group === undefined && this.#groups.size >= MOST_GROUPS) {
      this.#isTruncated = true
      return
    }
    const known = group ?? { diff, hostnames: [], count: 0, score }
    this.#groups.set(key, known)
    known.count += 1
    if (score === null || (known.score ?? score) < score) known.score = score
    if (known.hostnames.length < MOST_HOSTNAMES) known.hostnames.push(hostname)
    if (diff.length > MOST_CHARACTERS) this.#isTruncated = true
  }

  get isTruncated(): boolean {
    return this.#isTruncated
  }

  /** The smallest groups first. */
  get groups(): ReadonlyArray<DiffGroup> {
    return [...this.#groups].toSorted(([, a], [, b]) => a.count - b.count).map(([key, group]) => shownGroup(key, group))
  }
}

/** The sources with which a commit is compared. */
export interface Compared {
  /** The present sources of renderings, and those of the commit. */
  readonly inForce: Sources
  readonly changed: Sources
  readonly settings?: Omit<SettingsChange, "affected" | "rules" | "devices"> & {
    readonly devices: ReadonlyArray<Device>
  }
  /** The templates of the repository's own ref. */
  readonly templates?: { readonly before: TemplateSnapshot; readonly after: TemplateSnapshot }
}

/** A rendered device, and the devices that it represents, itself included. */
interface Sampled {
  readonly device: Device
  readonly hostnames: ReadonlyArray<string>
}

const DEVICES_AT_ONCE = 100
const MOST_FAILURES = 100
const MOST_PORTS = 50_000
const SECRETS_ONLY = "Only secrets differ"
const NEW = "Cannot be rendered from what is in force"

/**
 * How much is rendered. `sample`: a refresh, for whose answer a user waits. `whole`: the check of a branch, which may take a minute.
 * `patient`: a proposal, for which nobody waits: in a thread of low priority.
 */
type Extent = "sample" | "whole" | "patient"

const BOUNDS: Readonly<Record<Extent, { readonly devices: number; readonly millis: number }>> = {
  sample: { devices: 100, millis: 1_500 },
  whole: { devices: Number.POSITIVE_INFINITY, millis: 60_000 },
  patient: { devices: Number.POSITIVE_INFINITY, millis: 900_000 }
}

const NOBODY = { concerned: 0, rendered: 0, changed: 0, failed: 0 }

/** The checks of rollouts with the devices on which they would be made, within bounds. */
class PlannedChecks {
  readonly #checks = new Map<string, { readonly sentence: string; count: number; readonly hostnames: Array<string> }>()

  /** Adds the checks of these templates that the difference of a device calls for. */
  add(templates: TemplateSnapshot, settings: SettingsSnapshot, device: Device, difference: string): void {
    const { checks } = templates.checks
    if (checks.length === 0) return
    const groups = selectionGroups(settings.layering.membership(device), device)
    const { device_type, hostname, platform } = device
    for (const { check } of checks) {
      if (!isFor(check, { device_type, groups, platform }) || !appliesTo(check, difference)) continue
      const known = this.#checks.get(check.name) ?? { sentence: conditionSentence(check), count: 0, hostnames: [] }
      this.#checks.set(check.name, known)
      known.count += 1
      if (known.hostnames.length < MOST_HOSTNAMES) known.hostnames.push(hostname)
    }
  }

  /** Those of most devices first. */
  get all(): ReadonlyArray<BranchCheck> {
    return [...this.#checks]
      .map(([name, { count, hostnames, sentence }]) => ({ name, sentence, devices: count, hostnames }))
      .toSorted((one, other) => other.devices - one.devices)
  }
}

/** The findings of renderings; filled while they run, so that findings in time count. */
class Renderings {
  readonly groups = new BranchDiffs()
  readonly checks = new PlannedChecks()
  readonly failures: Array<CheckedBranch["failures"][number]> = []
  readonly ledger = new UndefinedLedger()
  readonly snapshots = new Set<TemplateSnapshot>()
  readonly devices: Array<ConfigurationEffect["devices"][number]> = []
  readonly members = new Map<string, ReadonlyArray<string>>()
  readonly counts = { ...NOBODY }
  /** Devices that the rendered ones represent. */
  readonly stood = { rendered: 0, changed: 0, losing: 0, failed: 0 }
  added = 0
  removed = 0

  note({ device: { hostname }, hostnames }: Sampled, before: string, after: string): void {
    const lines = diff(before, after).split("\n")
    const added = lines.filter((line) => line.startsWith("+")).length
    const removed = lines.filter((line) => line.startsWith("-")).length
    this.added += added
    this.removed += removed
    this.stood.changed += hostnames.length
    if (removed - added >= MANY_LINES) this.stood.losing += hostnames.length
    this.devices.push({ hostname, added, removed })
  }

  /** The effect on all devices, estimated from the rendered ones: each represents the devices with its settings. */
  configurations(managed: number, concerned: number, isSample: boolean): ConfigurationEffect {
    const { rendered } = this.stood
    const scaled = (count: number) => (rendered === 0 ? 0 : Math.round((count * concerned) / rendered))
    return {
      managed,
      concerned,
      rendered: this.counts.rendered,
      is_sample: isSample || this.counts.rendered < concerned,
      changed: scaled(this.stood.changed),
      losing: scaled(this.stood.losing),
      failed: scaled(this.stood.failed),
      added: this.added,
      removed: this.removed,
      devices: this.devices
        .toSorted((a, b) => b.removed - a.removed || (a.hostname < b.hostname ? -1 : 1))
        .slice(0, MOST_NAMES)
    }
  }

  get undefinedNames(): ReadonlyArray<UndefinedName> {
    return this.ledger.entries([...this.snapshots]).map(({ hostnames, ...one }) => {
      const all = hostnames.flatMap((hostname) => this.members.get(hostname) ?? [hostname])
      return { ...one, devices: all.length, hostnames: all.slice(0, MOST_NAMES) }
    })
  }
}

/** The difference for users, without secrets. */
const shownDiff = Effect.fnUntraced(function* (hostname: string, before: RenderedCandidate, after: RenderedCandidate) {
  const one = configPreview(hostname, before, yield* before.secrets).generated_config
  const other = configPreview(hostname, after, yield* after.secrets).generated_config
  return one === other ? SECRETS_ONLY : diff(one, other)
})

const settingsObject = (snapshot: SettingsSnapshot, device: Device, below: ReadonlyArray<EffectDevice> | undefined) =>
  Result.getOrUndefined(Result.map(snapshot.layering.forDevice(device, below), ({ settings }) => settings))

/** Devices with the same settings, templates and model: a commit probably has the same effect on all of them. */
const classesOf = ({ changed, inForce, settings }: Compared, devices: ReadonlyArray<Device>) => {
  const numbers = new Map<unknown, number>()
  const numberOf = (object: unknown) => {
    const number = numbers.get(object) ?? numbers.size
    numbers.set(object, number)
    return number
  }
  return Map.groupBy(devices, (device) => {
    const below = settings?.below.get(device.id)
    const { primary } = changed.settings.layering.membership(device)
    return [
      numberOf(settingsObject(inForce.settings, device, below)),
      numberOf(settingsObject(changed.settings, device, below)),
      primary.templates_branch,
      device.platform,
      device.device_type,
      device.model
    ].join("\0")
  })
}

/** One of each class, the largest first, then more of each, until there are enough. */
const sampleOf = (classes: ReadonlyArray<ReadonlyArray<Device>>, most: number): ReadonlyArray<Sampled> => {
  const sorted = classes.toSorted((a, b) => b.length - a.length)
  const total = sorted.reduce((sum, alike) => sum + alike.length, 0)
  const shares = sorted.map((alike) => Math.max(1, Math.floor((alike.length * most) / Math.max(total, 1))))
  return sorted
    .flatMap((alike, index) => {
      const parts = Math.min(total <= most ? alike.length : (shares[index] ?? 1), alike.length)
      return Array.from({ length: parts }, (_, part) => {
        const hostnames = alike.filter((_, place) => place % parts === part).map(({ hostname }) => hostname)
        return { device: alike[part], hostnames, part }
      })
    })
    .toSorted((a, b) => a.part - b.part)
    .slice(0, most)
    .flatMap(({ device, hostnames }) => (device === undefined ? [] : [{ device, hostnames }]))
}

/** Windows and roles by the groups that they name. */
const makeRules = Effect.gen(function* () {
  const windows = yield* ChangeWindows
  const permissions = yield* Permissions
  return Effect.gen(function* () {
    const times = (yield* windows.inForce).rules
    const roles = (yield* permissions.rules)?.roles ?? new Map()
    const scoped = [
      ...(times?.windows ?? []).map((window) => ({ kind: "window" as const, ...window })),
      ...(times?.freezes ?? []).map((freeze) => ({ kind: "freeze" as const, ...freeze }))
    ]
    return [
      ...scoped.map(({ deviceTypes, groups, kind, name }): GroupRule => ({ kind, name, groups, deviceTypes })),
      ...[...roles].flatMap(([name, held]) =>
        held.map(({ device_types = null, groups = null }): GroupRule => ({
          kind: "role",
          name,
          groups,
          deviceTypes: device_types
        }))
      )
    ].filter(({ groups }) => groups !== null)
  })
})

/** The effects, the renderings that the check of a branch shows in addition, and the VLAN renames of ports. */
interface FoundEffects {
  readonly effects: CommitEffects
  readonly renderings: Pick<CheckedBranch, "devices" | "groups" | "checks" | "failures" | "truncated">
  readonly renames: VlanLosses["renames"]
}

/** What is known of the renderings before any. */
export const NO_RENDERINGS = { devices: NOBODY, groups: [], checks: [], failures: [], truncated: false }

/** Runs a calculation in steps, giving way to other work between them. */
const gently = Effect.fnUntraced(function* <A>(steps: Generator<void, A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** Yields a function that finds the effects of a commit on these devices. */
export const makeEffects = Effect.gen(function* () {
  const { REFRESH_MAX_LOSING, REFRESH_MAX_REMOVED } = yield* ServerConfig
  const limits: EffectLimits = { removed: REFRESH_MAX_REMOVED, losing: REFRESH_MAX_LOSING }
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const configs = yield* CandidateConfigs
  const aside = yield* makeConfigsAside
  const rules = yield* makeRules

  const renderOne = Effect.fnUntraced(function* (
    found: Renderings,
    sampled: Sampled,
    settings: SettingsSnapshot,
    was: Result.Result<RenderedCandidate, { readonly message: string }>,
    will: Result.Result<RenderedCandidate, { readonly message: string }>,
    extent: Extent
  ) {
    const { device, hostnames } = sampled
    const { hostname } = device
    found.counts.rendered += 1
    found.stood.rendered += hostnames.length
    found.members.set(hostname, hostnames)
    if (Result.isFailure(will)) {
      found.counts.failed += 1
      found.stood.failed += hostnames.length
      found.failures.push({ hostname, message: will.failure.message, by_the_branch: Result.isSuccess(was) })
      return
    }
    const { snapshot, undefinedPrints } = will.success
    found.snapshots.add(snapshot)
    found.ledger.note(hostname, snapshot, device.platform ?? "", undefinedPrints)
    if (Result.isSuccess(was) && was.success.text === will.success.text) return
    found.counts.changed += 1
    if (Result.isSuccess(was)) found.note(sampled, was.success.text, will.success.text)
    if (extent === "sample") return
    if (Result.isFailure(was)) {
      found.checks.add(snapshot, settings, device, "")
      return found.groups.add(hostname, NEW, null)
    }
    const shown = yield* shownDiff(hostname, was.success, will.success)
    const isText = shown !== SECRETS_ONLY
    found.checks.add(snapshot, settings, device, isText ? shown : "")
    const score = isText ? deviceScore(was.success.text, shown, platformOf(device.platform)?.risk) : null
    found.groups.add(hostname, shown, score)
  })

  /** Renders until the time has passed. */
  const render = Effect.fnUntraced(
    function* (found: Renderings, { changed, inForce }: Compared, sample: ReadonlyArray<Sampled>, extent: Extent) {
      const began = yield* Clock.currentTimeMillis
      const { millis } = BOUNDS[extent]
      const { prepareFrom } = extent === "patient" ? aside : configs
      for (const some of Arr.chunksOf(sample, DEVICES_AT_ONCE)) {
        const asked = some.map(({ device }) => device)
        const before = yield* prepareFrom(inForce, asked)
        const after = yield* prepareFrom(changed, asked)
        for (const one of some) {
          if ((yield* Clock.currentTimeMillis) - began > millis) return
          // one after the other without a pause, thousands of renderings would be one long turn
          yield* Effect.yieldNow
          yield* renderOne(found, one, changed.settings, yield* before(one.device), yield* after(one.device), extent)
        }
      }
    },
    // no device can be rendered
    Effect.catchTag("NothingToRender", () => Effect.void)
  )

  /** An endless template ends the sample of a refresh, not the refresh. */
  const rendered = Effect.fnUntraced(function* (compared: Compared, concerned: ReadonlyArray<Device>, extent: Extent) {
    const found = new Renderings()
    found.counts.concerned = concerned.length
    const all = concerned.map((device) => ({ device, hostnames: [device.hostname] }))
    const { devices: most, millis } = BOUNDS[extent]
    const isSample = concerned.length > most
    const sample = isSample ? sampleOf([...classesOf(compared, concerned).values()], most) : all
    const rendering = render(found, compared, sample, extent)
    yield* extent === "sample" ? Effect.asVoid(Effect.timeoutOption(rendering, 2 * millis)) : rendering
    return { found, isSample }
  })

  const settingsPart = Effect.fnUntraced(function* (
    { settings }: Compared,
    affected: ReadonlyArray<string>
  ): Effect.fn.Return<
    Pick<CommitEffects, "groups" | "rules" | "vlans" | "keys" | "removed"> &
      Pick<VlanLosses, "renames"> & { cut: boolean },
    SqlError.SqlError
  > {
    if (settings === undefined) {
      return { groups: [], rules: [], vlans: [], keys: [], removed: [], renames: [], cut: false }
    }
    const change = { ...settings, affected: new Set(affected), rules: yield* rules }
    const { vlans, ...part } = yield* gently(settingsEffects(change))
    const ports = yield* interfaces.namingVlans([...vlans.pairs.keys()], vlans.names, MOST_PORTS)
    return { ...part, vlans: vlans.effects(ports), renames: vlans.renames, cut: ports.length === MOST_PORTS }
  })

  const removedTemplates = ({ templates }: Compared) => {
    if (templates === undefined) return []
    const paths = ({ platforms }: TemplateSnapshot) =>
      [...platforms.values()].flatMap(({ files, name }) => [...files.keys()].map((file) => `${name}/${file}`))
    const removed = removedOf("templates", paths(templates.before), paths(templates.after))
    return removed.removed > 0 ? [removed] : []
  }

  return Effect.fn("CommitEffects.find")(function* (
    compared: Compared,
    affected: ReadonlyArray<string>,
    extent: Extent
  ): Effect.fn.Return<FoundEffects, SqlError.SqlError> {
    const { cut, renames, ...part } = yield* settingsPart(compared, affected)
    const concerned = (yield* devices.byHostnames(affected)).filter(({ state }) => state === "MANAGED")
    const managed = compared.settings?.devices ?? (concerned.length === 0 ? [] : yield* devices.all)
    const { found, isSample } = yield* rendered(compared, concerned, extent)
    const all = {
      ...part,
      removed: [...part.removed, ...removedTemplates(compared)],
      configurations:
        concerned.length === 0
          ? NO_CONFIGURATIONS
          : found.configurations(managed.filter(({ state }) => state === "MANAGED").length, concerned.length, isSample),
      undefined_names: found.undefinedNames
    }
    const bounded = {
      ...all,
      groups: all.groups.slice(0, MOST_LISTED),
      rules: all.rules.slice(0, MOST_LISTED),
      vlans: all.vlans.slice(0, MOST_LISTED),
      keys: all.keys.slice(0, MOST_LISTED),
      undefined_names: all.undefined_names.slice(0, MOST_NAMES)
    }
    const truncated = cut || [all.groups, all.rules, all.vlans, all.keys].some(({ length }) => length > MOST_LISTED)
    const { checks, counts, failures, groups } = found
    const effects = { ...bounded, truncated }
    return {
      effects: { ...effects, confirm: reasonsToAsk({ ...all, truncated }, limits) },
      renames,
      renderings:
        counts.concerned === 0
          ? NO_RENDERINGS
          : {
              devices: counts,
              groups: groups.groups,
              checks: checks.all,
              failures: failures
                .toSorted((a, b) => Number(b.by_the_branch) - Number(a.by_the_branch))
                .slice(0, MOST_FAILURES),
              truncated: groups.isTruncated || counts.rendered < concerned.length || failures.length > MOST_FAILURES
            }
    }
  })
})
