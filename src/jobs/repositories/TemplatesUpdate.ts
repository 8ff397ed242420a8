/**
 * Checks a commit of the templates repository with the branches that groups ask for, and finds the devices that it concerns
 * (docs/templates.md#who-becomes-unsynchronized).
 */
import type { SqlError } from "effect/sql"
import type { GitFailed } from "../../git/GitCommand.ts"
import { Effect, Option } from "effect"
import { commitText, type GitCommit, type GitRefNotFound } from "../../git/GitCommit.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import type { Device } from "../../domain/Device.ts"
import { PluginRegistry } from "../../plugins/PluginRegistry.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { type SettingsSnapshot, templatesBranches } from "../../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type AppliedCommit, RepositoryStore } from "../../store/RepositoryStore.ts"
import { ActiveTemplates, compileAll, NoTemplates } from "../../templates/ActiveTemplates.ts"
import { asksPlugins } from "../../templates/ChecksFile.ts"
import { checkTemplates } from "../../templates/TemplateCheck.ts"
import {
  buildTemplateSnapshot,
  errorRemark,
  isTemplatePath,
  type TemplateSnapshot
} from "../../templates/TemplateSnapshot.ts"
import { UndefinedPrints } from "../../templates/UndefinedPrints.ts"
import { type CheckedCommit, RefreshRefused, refusedBySignature } from "./CheckedCommit.ts"
import { judgeSignature } from "./Signatures.ts"
import { makeStrictRendering } from "./SettingsUpdate.ts"
import { affectedTypes, changedTemplateFiles, devicesOfTypes } from "../../templates/TemplateReferences.ts"
import { type Remark, remarkText } from "../../domain/Repository.ts"

/** A branch with its commit, ready to be put in force, and the templates before and after. */
interface CheckedBranch {
  readonly row: AppliedCommit
  readonly before: TemplateSnapshot | undefined
  readonly after: TemplateSnapshot
  readonly ignored: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<Remark>
}

/** The prefix of paths in messages. */
const ROOT = "templates"

const snapshotOf = (files: ReadonlyMap<string, string>) => buildTemplateSnapshot({ files, root: ROOT })

/** The templates of these branches. */
const templatesOf = (branches: ReadonlyArray<CheckedBranch>) => {
  const snapshots = new Map(branches.map(({ after, row }) => [row.ref, after]))
  return (branch: string | null) =>
    Effect.mapError(Effect.fromNullishOr(snapshots.get(branch ?? "")), () => new NoTemplates({ branch: branch ?? "" }))
}

/** Branches that groups name, each once. */
const branchesOf = (settings: Option.Option<SettingsSnapshot>): ReadonlyArray<string> =>
  Option.match(settings, { onNone: () => [], onSome: templatesBranches })

/** What checks of these templates may ask outside the devices. Waits for the plugins to be loaded only if a check asks one. */
export const makeCheckSources = Effect.gen(function* () {
  const { CHECK_HOSTS } = yield* ServerConfig
  const { forChecks } = yield* PluginRegistry
  return ({ checks }: TemplateSnapshot) =>
    Effect.map(asksPlugins(checks) ? forChecks : Effect.succeed([]), (plugins) => ({ hosts: CHECK_HOSTS, plugins }))
})

/** The check of a templates commit. */
export const makeTemplatesUpdate = Effect.gen(function* () {
  const services = yield* Effect.context<ServerConfig>()
  const devices = yield* DeviceStore
  const repositories = yield* RepositoryStore
  const active = yield* ActiveSettings
  const config = yield* ServerConfig
  const templates = yield* ActiveTemplates
  const sourcesOf = yield* makeCheckSources
  const rendering = yield* makeStrictRendering
  const undefinedPrints = yield* UndefinedPrints

  const checkBranch = Effect.fnUntraced(function* (repository: GitRepository, commit: GitCommit, ref: string) {
    const judged = yield* Effect.provideContext(
      judgeSignature(repository, { name: "templates", ref, hash: commit.hash }),
      services
    )
    if (judged.refusal !== null) return yield* refusedBySignature(judged.refusal)
    const { files, ignored, refused } = yield* repository.readTree(commit.hash, isTemplatePath)
    const after = buildTemplateSnapshot({ files, refused, root: ROOT })
    yield* compileAll(after)
    const { problems, warnings } = checkTemplates(after, yield* sourcesOf(after))
    for (const warning of warnings) yield* Effect.logWarning(remarkText(warning))
    if (problems.length > 0) {
      const message = problems.map((problem) => `Error in repository: ${problem.message}`).join("\n")
      return yield* new RefreshRefused({ status: 500, message, problems: problems.map(errorRemark) })
    }
    const applied = yield* repositories.find("templates", ref)
    const before = Option.map(applied, ({ files }) => snapshotOf(new Map(Object.entries(files))))
    const row: AppliedCommit = {
      name: "templates",
      ref,
      url: repository.address,
      commit: commit.hash,
      description: commitText(commit),
      files: Object.fromEntries(files),
      signature: judged.signature
    }
    return {
      row,
      after,
      ignored,
      warnings: [...judged.warnings, ...warnings],
      before: Option.getOrUndefined(before)
    } satisfies CheckedBranch
  })

  const readBranch = Effect.fnUntraced(function* (repository: GitRepository, branch: string) {
    const described = yield* repository.describe(yield* repository.resolve(branch))
    return yield* checkBranch(repository, { ...described, name: branch }, branch)
  })

  const concerned = ({ after, before }: CheckedBranch, itsDevices: ReadonlyArray<Device>): ReadonlyArray<string> => {
    if (before === undefined) return []
    const types = affectedTypes(changedTemplateFiles(before, after), before, after)
    return devicesOfTypes(types, itsDevices).map((device) => device.hostname)
  }

  /** With STRICT_TEMPLATES every warning is an error, and so is an undefined variable in the rendering of any device. */
  const strict = Effect.fnUntraced(function* (
    settings: Option.Option<SettingsSnapshot>,
    branches: ReadonlyArray<CheckedBranch>
  ) {
    if (!config.STRICT_TEMPLATES) return
    const sources = { templates: templatesOf(branches) }
    const rendered = Option.isNone(settings) ? [] : yield* rendering.check({ settings: settings.value, ...sources })
    const problems = [...branches.flatMap(({ warnings }) => warnings), ...rendered]
    if (problems.length === 0) return
    const message = problems.map((problem) => `Refused by STRICT_TEMPLATES: ${remarkText(problem)}`).join("\n")
    return yield* new RefreshRefused({ status: 400, message, problems })
  })

  const check = Effect.fn("TemplatesUpdate.check")(function* (
    repository: GitRepository,
    commit: GitCommit
  ): Effect.fn.Return<CheckedCommit, RefreshRefused | GitFailed | GitRefNotFound | SqlError.SqlError> {
    const settings = yield* Effect.option(active.snapshot)
    const branchOf = (device: Device): string =>
      Option.match(settings, {
        onNone: () => "",
        onSome: (snapshot) => snapshot.layering.membership(device).primary.templates_branch ?? ""
      })
    const branches = [yield* checkBranch(repository, commit, "")]
    for (const branch of branchesOf(settings)) branches.push(yield* readBranch(repository, branch))
    yield* strict(settings, branches)
    const all = yield* devices.all
    const [own] = branches
    const changed = templatesOf(branches)
    const compared =
      Option.isNone(settings) || own?.before === undefined
        ? {}
        : {
            compared: {
              inForce: { settings: settings.value, templates: templates.snapshot },
              changed: { settings: settings.value, templates: changed },
              templates: { before: own.before, after: own.after }
            }
          }
    const again = undefinedPrints.remarks(branches.map(({ after }) => after))
    return {
      warnings: [...branches.flatMap(({ warnings }) => warnings), ...again],
      ...compared,
      commits: branches.map(({ row }) => row),
      ignored: [...new Set(branches.flatMap(({ ignored }) => ignored))],
      branches: [],
      affected: branches.flatMap((branch) =>
        concerned(
          branch,
          all.filter((device) => branchOf(device) === branch.row.ref)
        )
      )
    }
  })

  return {
    /** Fails with all problems of the commit; yields the rows to put in force and the devices that it concerns. */
    check,
    /** The present commit of a branch, checked and ready to be put in force. */
    branch: (repository: GitRepository, name: string) => Effect.map(readBranch(repository, name), ({ row }) => row)
  }
})
