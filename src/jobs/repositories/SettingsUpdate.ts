/**
 * Checks a commit of the settings repository, and finds the devices whose settings it changes
 * (docs/settings-repository.md#checks-of-a-commit and docs/settings-repository.md#who-becomes-unsynchronized).
 */
import type { SqlError } from "effect/sql"
import type { GitFailed } from "../../git/GitCommand.ts"
import { Array as Arr, Effect, Equal, Option, Result } from "effect"
import { commitText, type GitCommit, type GitRefNotFound } from "../../git/GitCommit.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import type { TreeFiles } from "../../git/GitTree.ts"
import type { Device } from "../../domain/Device.ts"
import { placeText, type Remark, remark, RemarkList, remarkText } from "../../domain/Repository.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import type { LayeringResult } from "../../settings/Layering.ts"
import { isWithinSettings } from "../../settings/RepositoryPaths.ts"
import { checkSettingsGently } from "../../settings/SettingsCheck.ts"
import {
  located,
  problemRemarks,
  refreshAnswer,
  type SettingsProblem,
  strictProblems
} from "../../settings/SettingsProblem.ts"
import {
  affectedDevices,
  buildSnapshot,
  changedFiles,
  downstreamDevices,
  type SettingsSnapshot,
  templatesBranches
} from "../../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type AppliedCommit, RepositoryStore } from "../../store/RepositoryStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { UndefinedLedger, UndefinedPrints } from "../../templates/UndefinedPrints.ts"
import { type CheckedCommit, RefreshRefused, refusedBySignature } from "./CheckedCommit.ts"
import { judgeSignature } from "./Signatures.ts"
import type { TemplateSnapshot } from "../../templates/TemplateSnapshot.ts"
import { CandidateConfigs, type Sources } from "../../templates/CandidateConfigs.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

// Renders all managed devices from settings and templates that are not in force yet, to find before a refresh the devices whose
// rendering fails and undefined variables. For STRICT_SETTINGS and STRICT_TEMPLATES.

const DEVICES_AT_ONCE = 200
const MAX_PRINTS = 200

/** Yields the errors and the undefined variables of renderings; nothing if there is nothing to render. */
export const makeStrictRendering = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const configs = yield* CandidateConfigs

  const check = Effect.fn("StrictRendering.check")(
    function* (sources: Sources) {
      const managed = (yield* devices.all).filter(({ state }) => state === "MANAGED")
      const found = new RemarkList(MAX_PRINTS)
      const ledger = new UndefinedLedger()
      const snapshots = new Set<TemplateSnapshot>()
      for (const some of Arr.chunksOf(managed, DEVICES_AT_ONCE)) {
        const render = yield* configs.prepareFrom(sources, some)
        for (const device of some) {
          // one after the other without a pause, thousands of renderings would be one long turn
          yield* Effect.yieldNow
          const candidate = yield* render(device)
          if (Result.isFailure(candidate)) {
            const { message, place, type } = candidate.failure
            found.add([place ?? remark(`${device.hostname}: ${type}: ${message}`)])
          } else {
            const { snapshot, undefinedPrints } = candidate.success
            snapshots.add(snapshot)
            ledger.note(device.hostname, snapshot, device.platform ?? "", undefinedPrints)
          }
        }
      }
      found.add(ledger.remarks([...snapshots]))
      return found.remarks
    },
    Effect.catchTag("NothingToRender", () => Effect.succeed<ReadonlyArray<Remark>>([]))
  )

  return { check }
})

// The inventory that the checks of settings read in addition to the files: devices, cables and management domains of the database.

/** Reads it, with full device records for other uses. */
export const readInventory = Effect.gen(function* () {
  const { GLOBAL_UNIQUE_VLANS: globalUniqueVlans } = yield* ServerConfig
  const devices = yield* (yield* DeviceStore).all
  const { domains, links } = yield* NetworkStore
  const linknets = yield* links.all
  const managementDomains = yield* domains.all
  return { devices, linknets, managementDomains, globalUniqueVlans }
})

type Texts = ReadonlyMap<string, { readonly text: string }>

/** All problems in one answer: the first one decides the status, the text has every message, then every place. */
const refused = (problems: ReadonlyArray<SettingsProblem>, files: Texts): RefreshRefused => {
  const answers = problems.map(refreshAnswer)
  const remarks = problemRemarks(problems, files).slice(0, MAX_REMARKS)
  const places = remarks.filter(({ line }) => line !== null).map((one) => `${placeText(one)}: ${one.path ?? ""}`)
  return new RefreshRefused({
    status: answers[0]?.status ?? 500,
    message: [...answers.map(({ message }) => message), ...places].join("\n"),
    problems: remarks
  })
}

const MAX_REMARKS = 500

/** Files with settings that are empty now: a mistake, because all their settings would be lost silently. */
const emptied = (before: SettingsSnapshot, after: SettingsSnapshot): ReadonlyArray<SettingsProblem> =>
  [...after.files].flatMap(([path, { text }]) => {
    const content = text.trim() === "" ? before.files.get(path)?.content : undefined
    if (content === undefined || Result.isFailure(content) || content.success.values.size === 0) return []
    const message = "the file is empty and was not before: write {} where it is to say nothing"
    const found = remark(message, { file: path, line: 1, column: 1 })
    return [{ kind: "content" as const, message: remarkText(found), findings: [located(found)] }]
  })

/** Whether two sets of settings render the same. */
const sameSettings =
  (compared: WeakMap<object, WeakMap<object, boolean>>) =>
  (before: LayeringResult, after: LayeringResult): boolean => {
    if (Result.isFailure(before) || Result.isFailure(after)) return false
    const [one, other] = [before.success.settings, after.success.settings]
    const known = compared.get(one)?.get(other)
    if (known !== undefined) return known
    // the settings of logins, the profiles that ports may be given, and the place of a switch are not rendered
    const { location: _onePlace, port_profiles: _one, ssh: _oneLogin, ...rendered } = one
    const { location: _otherPlace, port_profiles: _other, ssh: _otherLogin, ...renderedThen } = other
    const same = Equal.equals(rendered, renderedThen)
    const row = compared.get(one) ?? new WeakMap<object, boolean>()
    compared.set(one, row.set(other, same))
    return same
  }

/** The branch of the templates that the device is rendered from; null is the repository's own ref. */
const branchOf = (settings: SettingsSnapshot, device: Device) =>
  settings.layering.membership(device).primary.templates_branch

/** The check of a settings commit: all its problems, or the rows to put in force and the devices that it concerns. */
export const makeSettingsUpdate = Effect.gen(function* () {
  const services = yield* Effect.context<DeviceStore | NetworkStore | ServerConfig>()
  const config = yield* ServerConfig
  const active = yield* ActiveSettings
  const repositories = yield* RepositoryStore
  const templates = yield* ActiveTemplates
  const rendering = yield* makeStrictRendering
  const undefinedPrints = yield* UndefinedPrints

  const snapshotOf = (files: ReadonlyMap<string, string>, refusedFiles?: TreeFiles["refused"]) =>
    buildSnapshot({
      files,
      root: "settings",
      keysToMerge: config.SETTINGS_KEYS_TO_MERGE,
      ...(refusedFiles === undefined ? {} : { refused: refusedFiles })
    })

  /** Devices in changed files whose settings really differ; a device whose configuration cannot change is skipped. */
  const concerned = Effect.fnUntraced(function* (
    before: SettingsSnapshot,
    after: SettingsSnapshot,
    inventory: ReadonlyArray<Device>,
    below: ReadonlyMap<number, ReadonlyArray<Device>>
  ) {
    const { hostnames, warnings } = affectedDevices(changedFiles(before, after), after, inventory)
    for (const warning of warnings) yield* Effect.logWarning(warning)
    const named = new Set(hostnames)
    const same = sameSettings(new WeakMap())
    const changed: Array<string> = []
    for (const [index, device] of inventory.entries()) {
      if (index % 200 === 0) yield* Effect.yieldNow
      if (!named.has(device.hostname) || device.device_type === "UNKNOWN") continue
      const under = below.get(device.id)
      const isSame =
        branchOf(before, device) === branchOf(after, device) &&
        same(before.layering.forDevice(device, under), after.layering.forDevice(device, under))
      if (!isSame) changed.push(device.hostname)
    }
    return changed
  })

  /** The settings in force, which are usually cached; undefined before the first commit. */
  const snapshotBefore = Effect.fnUntraced(function* (applied: Option.Option<AppliedCommit>) {
    if (Option.isNone(applied)) return undefined
    const { commit, files } = applied.value
    const known = yield* Effect.option(active.snapshot)
    const isSame = Option.contains(yield* repositories.commitOf("settings", ""), commit)
    if (isSame && Option.isSome(known)) return known.value
    return Result.getOrUndefined(snapshotOf(new Map(Object.entries(files))))
  })

  // a branch that the commit asks for comes into force with it, and is checked then
  const templatesOf = (branch: string | null) =>
    Effect.catchTag(templates.snapshot(branch), "NoTemplates", () => templates.snapshot(null))

  /** With STRICT_SETTINGS every warning is a problem, and so is an undefined variable in the rendering of any device. */
  const strict = Effect.fnUntraced(function* (settings: SettingsSnapshot, warnings: ReadonlyArray<Remark>) {
    if (!config.STRICT_SETTINGS) return []
    return strictProblems([...warnings, ...(yield* rendering.check({ settings, templates: templatesOf }))])
  })

  const check = Effect.fn("SettingsUpdate.check")(function* (
    repository: GitRepository,
    commit: GitCommit,
    applied: Option.Option<AppliedCommit>
  ): Effect.fn.Return<CheckedCommit, RefreshRefused | GitFailed | GitRefNotFound | SqlError.SqlError> {
    const judged = yield* Effect.provideContext(
      judgeSignature(repository, { name: "settings", ref: "", hash: commit.hash }),
      services
    )
    if (judged.refusal !== null) return yield* refusedBySignature(judged.refusal)
    const tree = yield* repository.readTree(commit.hash, isWithinSettings)
    const built = snapshotOf(tree.files, tree.refused)
    if (Result.isFailure(built)) {
      return yield* refused(built.failure, new Map([...tree.files].map(([file, text]) => [file, { text }])))
    }
    const snapshot = built.success
    const before = yield* snapshotBefore(applied)
    const empty = before === undefined ? [] : emptied(before, snapshot)
    if (empty.length > 0) return yield* refused(empty, snapshot.files)
    const checked = yield* Effect.provideContext(readInventory, services)
    const { devices: inventory, linknets } = checked
    const { problems, warnings } = yield* checkSettingsGently(snapshot, checked)
    for (const warning of warnings) yield* Effect.logWarning(remarkText(warning))
    if (problems.length > 0) return yield* refused(problems, snapshot.files)
    const strictly = yield* strict(snapshot, warnings)
    if (strictly.length > 0) return yield* refused(strictly, snapshot.files)
    const below = downstreamDevices(inventory, linknets)
    const affected = before === undefined ? [] : yield* concerned(before, snapshot, inventory, below)
    const files = Object.fromEntries(tree.files)
    const description = commitText(commit)
    const row: AppliedCommit = {
      name: "settings",
      ref: "",
      url: repository.address,
      commit: commit.hash,
      description,
      files,
      signature: judged.signature
    }
    return {
      commits: [row],
      affected,
      branches: templatesBranches(snapshot),
      ignored: [...tree.ignored, ...snapshot.ignored],
      warnings: [...judged.warnings, ...warnings, ...(yield* undefinedPrints.inForce)],
      ...(before === undefined
        ? {}
        : {
            compared: {
              inForce: { settings: before, templates: templates.snapshot },
              changed: { settings: snapshot, templates: templatesOf },
              settings: { before, after: snapshot, devices: inventory, below }
            }
          })
    }
  })

  return { check }
})
