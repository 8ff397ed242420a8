/**
 * What a person needs who decides over a job (docs/changes.md#review): what the job is about, who may approve it, and the list of approvals.
 * An approver sees it also where the job itself is out of sight: a decision requires more rights.
 */
import { Clock, Effect, Option, Schema, Struct } from "effect"
import { ChangeWindows, haveWindows, judgeDevices } from "../../access/ChangeWindows.ts"
import { NotFound } from "../../api/Answers.ts"
import { Caller } from "../../api/Requests.ts"
import { closedSentence } from "../../domain/access/Windows.ts"
import { isObject } from "../../domain/fields/Values.ts"
import type { Device } from "../../domain/Device.ts"
import { groupDiffs } from "../../domain/DiffGroups.ts"
import { riskRulesOf } from "../../domain/platforms/Platforms.ts"
import { finalStatuses, functionOf } from "../../domain/Job.ts"
import {
  countsOf,
  highestRisk,
  type JobApproval,
  type JobScope,
  type RolloutPlan,
  secondsOf,
  uplinksTouched
} from "../../domain/JobScope.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { windowChoiceOf } from "../../domain/jobs/JobDefinition.ts"
import { namesInOrder } from "../../domain/Natural.ts"
import { manageableOf, subjectsOf } from "../../jobs/requests/JobSubjects.ts"
import { canariesOf, planOf, stagesOf } from "../../jobs/sync/SyncPlan.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { type ListedApproval, makeJobApprovals } from "../../store/ApprovalStore.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { makeJobDiffs } from "../../store/JobResults.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { makeReviewRows } from "../../store/ReviewRows.ts"
import { WatchStore } from "../../store/WatchStore.ts"
import { makeJobVisible, makeVisible } from "../core/Permits.ts"
import { makeApprovers, makeMayDecide } from "./JobDecisions.ts"

/** Names that a plan and a scope show. */
const NAMED = 100
const NAMED_IN_STAGE = 10
const MOST_GROUPS = 20

const shownTime = (millis: number | null): string | null =>
  millis === null ? null : new Date(millis).toISOString().slice(0, 19)

/** Yields the approvals of jobs in the form of the API. */
const makeShownApproval = Effect.gen(function* () {
  const mayDecide = yield* makeMayDecide
  const approversOf = yield* makeApprovers
  const diffsOf = yield* makeJobDiffs

  const differences = Effect.fnUntraced(function* (dryRun: number | null) {
    if (dryRun === null) return { devices: null, risk: null }
    const groups = groupDiffs((yield* diffsOf.of(dryRun)).diffs, riskRulesOf)
    return {
      devices: groups.reduce((sum, { hostnames }) => sum + hostnames.length, 0),
      risk: highestRisk(groups)
    }
  })

  return Effect.fnUntraced(function* (listed: ListedApproval) {
    const { asked_person, since, until, ...rest } = listed
    const shown = Struct.omit(rest, ["asked", "asked_at", "token_makers"])
    const isOpen = shown.decision === null
    const { name, person } = yield* Caller
    const refusal = isOpen
      ? yield* mayDecide(shown.job_id, listed).pipe(
          Effect.as(null),
          Effect.catchTag("NotPermitted", ({ message }) => Effect.succeed(message))
        )
      : null
    return {
      ...shown,
      asked_at: since,
      expires_at: until,
      is_yours: asked_person === null ? shown.asked_by === name : asked_person === person,
      may_decide: isOpen && refusal === null,
      why_not: refusal,
      approvers: isOpen ? yield* approversOf(shown.job_id, listed) : [],
      ...(isOpen ? yield* differences(shown.dry_run_job) : { devices: null, risk: null })
    } satisfies JobApproval
  })
})

/** Where the devices of a job are, and what its differences touch. */
const makeWhere = Effect.gen(function* () {
  const rows = yield* makeReviewRows
  const diffsOf = yield* makeJobDiffs
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const settings = yield* ActiveSettings
  const { proved } = yield* ConfigStore

  /** The running text of the first device of each difference, by which the section of its lines is found. */
  const before = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
    const known = yield* devices.byHostnames(hostnames)
    const texts = yield* Effect.forEach(known, ({ hostname, id }) =>
      Effect.map(proved.of(id), (found) =>
        Option.toArray(Option.map(found, ({ config }) => [hostname, config] as const))
      )
    )
    return new Map(texts.flat())
  })

  const uplinks = Effect.fnUntraced(function* (id: number, hostnames: ReadonlyArray<string>) {
    const { diffs } = yield* diffsOf.of(id)
    if (diffs.length === 0) return []
    const ends = Map.groupBy(yield* rows.linkEnds(hostnames), ({ hostname }) => hostname)
    return uplinksTouched(
      diffs,
      new Map([...ends].map(([hostname, own]) => [hostname, new Set(own.map(({ port }) => port))])),
      yield* before(diffs.flatMap((diff) => diff.hostnames.slice(0, 1)))
    )
  })

  /** The groups of the settings, each with its size; without settings none. */
  const groups = Effect.fnUntraced(
    function* (chosen: ReadonlyArray<Device>) {
      const { layering } = yield* settings.snapshot
      const namesOf = (rows: ReadonlyArray<Device>) =>
        countsOf(rows.flatMap((device) => layering.membership(device).groups))
      const sizes = new Map(namesOf(yield* devices.selectManaged({})).map(({ count, name }) => [name, count]))
      return namesOf(chosen)
        .slice(0, MOST_GROUPS)
        .map(({ count, name }) => ({ name, count, of: Math.max(count, sizes.get(name) ?? 0) }))
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed([]))
  )

  return Effect.fnUntraced(function* (id: number, dryRun: number | null, chosen: ReadonlyArray<Device>) {
    const hostnames = namesInOrder(chosen.map(({ hostname }) => hostname))
    const shown = dryRun === null ? null : yield* jobs.devices(dryRun)
    return {
      devices: hostnames.length,
      hostnames: hostnames.slice(0, NAMED),
      would_change: shown === null ? null : shown.filter(({ changed, result }) => changed && !result.failed).length,
      not_compared: shown === null ? null : shown.filter(({ result }) => result.failed).length,
      outdated: dryRun === null ? [] : namesInOrder(yield* rows.outdated(dryRun)),
      device_types: countsOf(chosen.map(({ device_type }) => device_type)),
      groups: yield* groups(chosen),
      sites: countsOf(yield* rows.sites(hostnames)),
      machines: yield* rows.machines(hostnames),
      uplinks: yield* uplinks(dryRun ?? id, hostnames)
    }
  })
})

const readSync = Schema.decodeUnknownOption(SyncDevices.Args)

/** How a synchronization rolls out. */
const makePlan = Effect.gen(function* () {
  const rows = yield* makeReviewRows
  const watched = yield* WatchStore
  const { COMMIT_CONFIRMED_MODE, COMMIT_CONFIRMED_TIMEOUT, SYNC_CONCURRENCY } = yield* ServerConfig

  return Effect.fnUntraced(function* (head: JobHead, chosen: ReadonlyArray<Device>) {
    const args = Option.getOrUndefined(readSync(head.start_arguments))
    if (functionOf(head.function_name) !== SyncDevices.name || args === undefined || args.dry_run) return null
    const silent = yield* watched.silent
    const unreachable = new Set(chosen.flatMap(({ hostname, id }) => (silent.has(id) ? [hostname] : [])))
    const { canary } = args
    const canaries = typeof canary === "number" ? canariesOf(chosen, canary, unreachable) : canary
    const stages = stagesOf(
      chosen.map(({ hostname }) => hostname),
      {
        ...(args.batch_size === undefined ? {} : { batch_size: args.batch_size }),
        ...(canaries === undefined ? {} : { canary: canaries })
      }
    ).map(({ hostnames, isCanary }) => ({
      is_canary: isCanary,
      count: hostnames.length,
      hostnames: namesInOrder(hostnames).slice(0, NAMED_IN_STAGE)
    }))
    const { maxFailures, mode, takesBack } = planOf(args, COMMIT_CONFIRMED_MODE)
    const atOnce = Math.min(SYNC_CONCURRENCY, args.batch_size ?? SYNC_CONCURRENCY)
    const each = yield* rows.secondsOfChange
    const choice = windowChoiceOf(args)
    return {
      stages,
      at_once: atOnce,
      confirm_mode: mode,
      timer_seconds: mode === 0 ? null : COMMIT_CONFIRMED_TIMEOUT,
      stops_at: maxFailures,
      takes_back: takesBack,
      urgent: args.urgent,
      emergency: choice.emergency ?? null,
      waits_for_window: choice.wait_for_window === true,
      seconds: each === null ? null : secondsOf(stages, atOnce, each)
    } satisfies RolloutPlan
  })
})

/** The windows of devices at present; null without windows. */
const windowOf = Effect.fnUntraced(
  function* (chosen: ReadonlyArray<Device>) {
    if (!(yield* haveWindows)) return null
    const verdict = yield* judgeDevices(chosen, yield* Clock.currentTimeMillis)
    return verdict.isOpen
      ? { is_open: true, closes_at: shownTime(verdict.until), opens_at: null, why: null }
      : { is_open: false, closes_at: null, opens_at: shownTime(verdict.next), why: closedSentence(verdict) }
  },
  Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
)

const Selected = Schema.Struct({ hostnames: Schema.Array(Schema.String) })
const readSelected = Schema.decodeUnknownOption(Selected)
const Fenced = Schema.Struct({ dry_run_job: Schema.Int })
const readFenced = Schema.decodeUnknownOption(Fenced)
const Resync = Schema.Struct({ resync: Schema.Literal(true) })
const isResync = Schema.is(Resync)

/** Keys of arguments that name devices; a job without any of them is about no single devices. */
const NAMING = ["hostname", "hostnames", "device_id", "device_type", "group", "job_id"]
const namesDevices = (args: unknown): boolean => isObject(args) && NAMING.some((key) => Object.hasOwn(args, key))

/** The scope of jobs, and the list of their approvals. */
export const makeJobReview = Effect.gen(function* () {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const approvals = yield* makeJobApprovals
  const visible = yield* makeJobVisible
  const limits = yield* makeVisible
  const mayDecide = yield* makeMayDecide
  const shownApproval = yield* makeShownApproval
  const where = yield* makeWhere
  const planOfJob = yield* makePlan
  const services = yield* Effect.context<
    Effect.Services<ReturnType<typeof subjectsOf>> | Effect.Services<ReturnType<typeof windowOf>> | ChangeWindows
  >()

  /** The devices that the job has chosen, or would choose now. */
  const chosenBy = Effect.fnUntraced(function* ({ function_name, id, start_arguments, status }: JobHead) {
    const memo = yield* jobs.memo(id)
    const selected = Option.flatMap(memo, readSelected)
    if (Option.isSome(selected)) return yield* devices.byHostnames(selected.value.hostnames)
    const name = functionOf(function_name)
    if (finalStatuses.includes(status)) {
      return yield* devices.byHostnames((yield* jobs.devices(id)).map(({ hostname }) => hostname))
    }
    if (name !== SyncDevices.name && !namesDevices(start_arguments)) return []
    const isWhole = name !== SyncDevices.name || isResync(start_arguments)
    const found = yield* subjectsOf(start_arguments, isWhole).pipe(
      Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed({ devices: [] }))
    )
    return name === SyncDevices.name && Option.isNone(readSelected(start_arguments))
      ? manageableOf({}, found.devices).devices
      : found.devices
  })

  /** Fails for a caller who may neither see the job nor decide over it. */
  const admit = Effect.fnUntraced(function* (id: number, approval: ListedApproval | undefined) {
    yield* Effect.catchTag(visible(id), "NotPermitted", (refused) =>
      approval === undefined || approval.decision !== null
        ? Effect.fail(refused)
        : Effect.asVoid(Effect.catchTag(mayDecide(id, approval), "NotPermitted", () => Effect.fail(refused)))
    )
  })

  return {
    scope: Effect.fn("JobReview.scope")(function* (id: number) {
      const [listed] = yield* approvals.listed([id])
      yield* admit(id, listed)
      const head = yield* Effect.catchTag(jobs.head(id), "JobNotFound", ({ message }) =>
        Effect.fail(new NotFound({ message }))
      )
      const chosen = yield* Effect.provideContext(chosenBy(head), services)
      const isPreview = head.function_name !== functionOf(head.function_name)
      const fenced = Option.getOrUndefined(readFenced(head.start_arguments))?.dry_run_job ?? null
      return {
        ...(yield* where(id, isPreview ? id : fenced, chosen)),
        rollout: yield* planOfJob(head, chosen),
        window: yield* Effect.provideContext(windowOf(chosen), services),
        approval: listed === undefined ? null : yield* shownApproval(listed)
      } satisfies JobScope
    }),
    approvals: Effect.gen(function* () {
      const { within } = yield* limits
      const all = yield* Effect.forEach(yield* approvals.listed(), shownApproval)
      if (within === undefined) return { approvals: all }
      const seen = yield* Effect.filter(all, ({ is_yours, job_id, may_decide }) =>
        is_yours || may_decide ? Effect.succeed(true) : jobs.isWithin(job_id, within)
      )
      return { approvals: seen }
    })
  }
})
