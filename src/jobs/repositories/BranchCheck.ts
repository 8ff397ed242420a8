/**
 * Checks a branch before it is merged: fetches it, checks it as a refresh does, and renders the devices that it concerns from what
 * is in force and from the branch. Nothing comes into force. One check at a time, within bounds of time and number.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Option, Result, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { CheckedBranch } from "../../domain/BranchCheck.ts"
import type { Device } from "../../domain/Device.ts"
import { type Remark, remark } from "../../domain/Remark.ts"
import { diff } from "../../drivers/ConfigDiff.ts"
import type { GitCommit } from "../../git/GitCommit.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { buildSnapshot } from "../../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type AppliedCommit, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { configPreview } from "../../templates/ConfigPreview.ts"
import { buildTemplateSnapshot } from "../../templates/TemplateSnapshot.ts"
import { CandidateConfigs, type RenderedCandidate, type Sources } from "../sync/CandidateConfigs.ts"
import { BranchDiffs } from "./BranchDiffs.ts"
import type { CheckedCommit } from "./RefreshRefused.ts"
import { RepositoryCopies } from "./RepositoryCopies.ts"
import { SettingsUpdate } from "./SettingsUpdate.ts"
import { TemplatesUpdate } from "./TemplatesUpdate.ts"

/** The repository has no such branch. Another name helps, or a push. */
export class BranchUnknown extends Schema.TaggedError<BranchUnknown>()("BranchUnknown", { branch: Schema.String }) {
  override get message() {
    return `branch: the repository has no branch, tag or commit ${this.branch}`
  }
}

/** Another branch is being checked. Trying again later helps. */
export class BranchCheckBusy extends Schema.TaggedError<BranchCheckBusy>()("BranchCheckBusy", {}) {
  override get message() {
    return "Another branch is being checked, try again later"
  }
}

/** Git failed. `message` has its words. */
export class BranchUnreadable extends Schema.TaggedError<BranchUnreadable>()("BranchUnreadable", {
  message: Schema.String
}) {}

const DEVICES_AT_ONCE = 100
const MOST_MILLIS = 60_000
const MOST_FAILURES = 100
const SECRETS_ONLY = "Only secrets differ"
const NEW = "Cannot be rendered from what is in force"

/** What a refresh would say of the commit. */
interface Verdict {
  readonly checked: CheckedCommit | null
  readonly problems: ReadonlyArray<Remark>
}

/** What devices are rendered from now, and from the branch. */
interface Compared {
  readonly inForce: Sources
  readonly changed: Sources
}

const NOBODY = { concerned: 0, rendered: 0, changed: 0, failed: 0 }
const NOTHING = { devices: NOBODY, groups: [], failures: [], truncated: false }

const unreadable = ({ message }: { readonly message: string }) => Effect.fail(new BranchUnreadable({ message }))

/** What differs for people, who see no secrets. */
const shownDiff = Effect.fnUntraced(function* (hostname: string, before: RenderedCandidate, after: RenderedCandidate) {
  const one = configPreview(hostname, before, yield* before.secrets).generated_config
  const other = configPreview(hostname, after, yield* after.secrets).generated_config
  return one === other ? SECRETS_ONLY : diff(one, other)
})

/** Renders devices from both. */
const makeComparison = Effect.gen(function* () {
  const config = yield* ServerConfig
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const configs = yield* CandidateConfigs

  const sourcesWith = Effect.fnUntraced(function* (name: RepositoryName, commits: ReadonlyArray<AppliedCommit>) {
    const inForce: Sources = { settings: yield* settings.snapshot, templates: templates.snapshot }
    const files = new Map(Object.entries(commits.find(({ ref }) => ref === "")?.files ?? {}))
    if (name === "templates") {
      const own = buildTemplateSnapshot({ files, root: "templates", previous: yield* templates.snapshot(null) })
      const of: Sources["templates"] = (branch) => (branch === null ? Effect.succeed(own) : templates.snapshot(branch))
      return { inForce, changed: { ...inForce, templates: of } } satisfies Compared
    }
    const { SETTINGS_KEYS_TO_MERGE: keysToMerge } = config
    const built = buildSnapshot({ files, root: "settings", keysToMerge, previous: inForce.settings })
    if (Result.isFailure(built)) return undefined
    // a branch of the templates that only the checked commit asks for is not there yet
    const of: Sources["templates"] = (branch) =>
      Effect.catchTag(templates.snapshot(branch), "NoTemplates", () => templates.snapshot(null))
    return { inForce, changed: { settings: built.success, templates: of } } satisfies Compared
  })

  const compare = Effect.fnUntraced(function* ({ changed, inForce }: Compared, concerned: ReadonlyArray<Device>) {
    const began = yield* Clock.currentTimeMillis
    const groups = new BranchDiffs()
    const failures: Array<CheckedBranch["failures"][number]> = []
    const counts = { ...NOBODY, concerned: concerned.length }
    for (const some of Arr.chunksOf(concerned, DEVICES_AT_ONCE)) {
      if ((yield* Clock.currentTimeMillis) - began > MOST_MILLIS) break
      const before = yield* configs.prepareFrom(inForce, some)
      const after = yield* configs.prepareFrom(changed, some)
      for (const device of some) {
        // one after the other without a pause, thousands of renderings would be one long turn
        yield* Effect.yieldNow
        const was = yield* before(device)
        const will = yield* after(device)
        counts.rendered += 1
        if (Result.isFailure(will)) {
          counts.failed += 1
          const by_the_branch = Result.isSuccess(was)
          failures.push({ hostname: device.hostname, message: will.failure.message, by_the_branch })
          continue
        }
        if (Result.isSuccess(was) && was.success.text === will.success.text) continue
        counts.changed += 1
        groups.add(
          device.hostname,
          Result.isFailure(was) ? NEW : yield* shownDiff(device.hostname, was.success, will.success)
        )
      }
    }
    return {
      devices: counts,
      groups: groups.groups,
      failures: failures.toSorted((a, b) => Number(b.by_the_branch) - Number(a.by_the_branch)).slice(0, MOST_FAILURES),
      truncated: groups.isTruncated || counts.rendered < concerned.length || failures.length > MOST_FAILURES
    }
  })

  /** What devices would get; nothing while nothing can be rendered. */
  return Effect.fn("BranchCheck.differences")(
    function* (name: RepositoryName, commits: ReadonlyArray<AppliedCommit>, concerned: ReadonlyArray<Device>) {
      const compared = yield* sourcesWith(name, commits)
      return compared === undefined ? NOTHING : yield* compare(compared, concerned)
    },
    Effect.catchTag(["NoSettings", "NoTemplates", "SettingsInvalid", "NothingToRender"], () => Effect.succeed(NOTHING))
  )
})

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const updates = { settings: yield* SettingsUpdate, templates: yield* TemplatesUpdate }
  const devices = yield* DeviceStore
  const differences = yield* makeComparison
  const one = yield* Semaphore.make(1)

  const verdictOn = Effect.fnUntraced(function* (name: RepositoryName, commit: GitCommit) {
    const repository = yield* copies.of(name)
    const applied = yield* repositories.find(name, "")
    return yield* updates[name].check(repository, commit, applied).pipe(
      Effect.map((checked): Verdict => ({ checked, problems: [] })),
      Effect.catchTag("RefreshRefused", ({ message, problems = [remark(message)] }) =>
        Effect.succeed<Verdict>({ checked: null, problems })
      )
    )
  })

  const concernedBy = ({ affected }: CheckedCommit) =>
    Effect.map(devices.byHostnames(affected), (all) => all.filter(({ state }) => state === "MANAGED"))

  const check = Effect.fn("BranchCheck.check")(
    function* (name: RepositoryName, branch: string) {
      const repository = yield* copies.of(name)
      yield* repository.refresh
      const hash = yield* Effect.catchTag(repository.resolve(branch), "GitRefNotFound", () =>
        Effect.fail(new BranchUnknown({ branch: branch.slice(0, 100) }))
      )
      const [logged] = yield* repository.log(hash, 1)
      const described = yield* repository.describe(hash)
      const { checked, problems } = yield* verdictOn(name, { ...described, name: branch })
      const concerned = checked === null ? [] : yield* concernedBy(checked)
      const found = concerned.length === 0 ? NOTHING : yield* differences(name, checked?.commits ?? [], concerned)
      return {
        repository: name,
        branch,
        commit: hash,
        committer: described.committer,
        at: new Date((logged?.seconds ?? 0) * 1000).toISOString().slice(0, 19),
        in_force: Option.getOrNull(yield* repositories.commitOf(name, "")),
        accepted: checked !== null,
        problems,
        warnings: checked?.warnings ?? [],
        ignored: checked?.ignored ?? [],
        ...found
      } satisfies CheckedBranch
    },
    Effect.catchTags({
      GitFailed: unreadable,
      GitRefNotFound: unreadable,
      GitAddressInvalid: unreadable,
      RefreshRefused: unreadable
    })
  )

  return BranchCheck.of({
    check: (name, branch) =>
      Effect.flatMap(one.withPermitsIfAvailable(1)(check(name, branch)), (done) =>
        Effect.mapError(Effect.fromOption(done), () => new BranchCheckBusy())
      )
  })
})

/** Checks of branches. */
export class BranchCheck extends Context.Service<
  BranchCheck,
  {
    /** What a refresh would say of the branch, and what devices would get. */
    readonly check: (
      name: RepositoryName,
      branch: string
    ) => Effect.Effect<CheckedBranch, BranchUnknown | BranchCheckBusy | BranchUnreadable | SqlError.SqlError>
  }
>()("switchyard/jobs/BranchCheck") {
  static readonly layer = Layer.effect(BranchCheck, make)
}
