/**
 * Handlers of checks (docs/checks.md): those in force, by the branches of the templates that groups use, with the devices of each; and what
 * those of a device, and of its neighbours, say now.
 */
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BadRequest, enveloped } from "../api/Answers.ts"
import { Api } from "../api/Api.ts"
import type { ShownCheck } from "../api/ChecksApi.ts"
import { type Check, isFor } from "../domain/checks/Check.ts"
import { unanswered } from "../domain/checks/Readings.ts"
import { tried, type TriedCheck, withoutCommit } from "../domain/checks/TriedChecks.ts"
import type { Device } from "../domain/Device.ts"
import { conditionSentence } from "../domain/checks/CheckSentences.ts"
import { answersTo, READING_LIMIT } from "../devices/CheckAnswers.ts"
import { makeAskOutside, makeNeighbours, makePortsOf } from "../devices/CheckReadings.ts"
import { LiveDevices } from "../devices/LiveDevices.ts"
import { requireManageable } from "../domain/platforms/Platforms.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { placedInForce } from "../templates/DeviceChecks.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { selectionGroups } from "../settings/SettingsGroups.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { ActiveTemplates } from "../templates/ActiveTemplates.ts"
import { CHECKS_FILE, type PlacedCheck } from "../templates/ChecksFile.ts"
import { answered } from "./core/HandlerErrors.ts"
import { makeDeviceLookup, makeVisible } from "./core/Permits.ts"

/** A device with what chooses its checks. */
interface Chosen {
  readonly device: Device
  readonly groups: ReadonlyArray<string>
  readonly branch: string | null
}

const show = ({ check, line }: PlacedCheck, branch: string | null, devices: ReadonlyArray<Chosen>): ShownCheck => ({
  ...check,
  sentence: conditionSentence(check),
  file: check.set === null ? CHECKS_FILE : null,
  line,
  branch,
  devices: devices
    .filter(({ device: { device_type, platform }, groups }) => isFor(check, { device_type, platform, groups }))
    .map(({ device }) => device.hostname)
    .toSorted()
})

const makeChecks = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const repositories = yield* RepositoryStore
  const devices = yield* DeviceStore
  const visible = yield* makeVisible

  /** The managed devices of these names, or all; without settings they are in no group. */
  const chosen = Effect.fnUntraced(function* (names: ReadonlySet<string> | null) {
    const rows = (yield* devices.all).filter(
      ({ hostname, state }) => state === "MANAGED" && (names === null || names.has(hostname))
    )
    const snapshot = yield* Effect.option(settings.snapshot)
    return rows.map((device): Chosen => {
      const membership = Option.map(snapshot, ({ layering }) => layering.membership(device))
      return {
        device,
        groups: Option.match(membership, { onNone: () => [], onSome: (found) => selectionGroups(found, device) }),
        branch: Option.match(membership, {
          onNone: () => null,
          onSome: ({ primary }) => primary.templates_branch ?? null
        })
      }
    })
  })

  return Effect.gen(function* () {
    const { within } = yield* visible
    const all = yield* chosen(within?.names ?? null)
    const checks: Array<ShownCheck> = []
    for (const branch of new Set([null, ...all.map((one) => one.branch)])) {
      const snapshot = yield* Effect.result(templates.snapshot(branch))
      if (Result.isFailure(snapshot)) {
        if (snapshot.failure._tag !== "NoTemplates") return yield* snapshot.failure
        continue
      }
      const own = all.filter((one) => one.branch === branch)
      checks.push(...snapshot.success.checks.checks.map((placed) => show(placed, branch, own)))
    }
    // to a caller of some devices a check of others alone is none
    const seen = within === undefined ? checks : checks.filter((check) => check.devices.length > 0)
    return enveloped({ commit: Option.getOrNull(yield* repositories.commitOf("templates", "")), checks: seen })
  })
})

const masked = (check: TriedCheck): TriedCheck => ({
  ...check,
  now: check.now === null ? null : maskSecrets(check.now),
  why: maskSecrets(check.why)
})

/** Tries checks on a device, over one login; a device that cannot be read is an answer to all of its questions. */
const makeTrials = Effect.gen(function* () {
  const live = yield* LiveDevices
  const askOutside = yield* makeAskOutside
  const portsOf = yield* makePortsOf
  return Effect.fnUntraced(function* (target: Device, checks: ReadonlyArray<Check>) {
    // the log has nothing to read without a commit
    const asked = checks.map(({ question }) => question).filter(({ reads }) => reads !== "log")
    const answerTo = yield* answersTo(asked, 0, {
      device: (list) =>
        Effect.catch(live.state(target, list), ({ message, type }) =>
          Effect.succeed(unanswered(list, { type, message }))
        ),
      outside: (list) => askOutside(target.id, list, READING_LIMIT)
    })
    return yield* Effect.forEach(
      checks,
      Effect.fnUntraced(function* (check) {
        const { question } = check
        if (question.reads === "log") return { check, end: withoutCommit(check) }
        const role = "role" in question ? question.role : undefined
        const ports = role === undefined ? null : yield* portsOf(target.id, role)
        return { check, end: tried(check, answerTo(question), ports) }
      })
    )
  })
})

/** How many devices are read at the same time for one request. */
const AT_ONCE = 8

const makeTry = Effect.gen(function* () {
  const { byHostname } = yield* makeDeviceLookup
  const devices = yield* DeviceStore
  const neighboursOf = yield* makeNeighbours
  const visible = yield* makeVisible
  const trialsOf = yield* makeTrials
  const context = yield* Effect.context<ActiveSettings | ActiveTemplates>()

  /** The neighbours that the caller may see: the others are none of the caller's devices. */
  const seenNeighbours = Effect.fnUntraced(function* (device: Device) {
    const { within } = yield* visible
    const found = yield* Effect.forEach(yield* neighboursOf(device.id), ({ id }) =>
      devices.get(id).pipe(
        Effect.map((neighbour) => [neighbour]),
        Effect.catchTag("DeviceNotFound", () => Effect.succeed([]))
      )
    )
    return found.flat().filter(({ hostname }) => within === undefined || within.names.has(hostname))
  })

  return Effect.fn("Checks.try")(function* (hostname: string) {
    const device = yield* byHostname(hostname)
    if (device.state !== "MANAGED") {
      return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
    }
    yield* requireManageable(device)
    const checks = (yield* Effect.provideContext(placedInForce(device), context)).map(({ check }) => check)
    const beyond = checks.filter((check) => check.also_neighbours)
    const neighbours = beyond.length === 0 ? [] : yield* seenNeighbours(device)
    const trials = [{ target: device, checks }, ...neighbours.map((target) => ({ target, checks: beyond }))]
    const found = yield* Effect.forEach(
      trials,
      Effect.fnUntraced(function* ({ checks: wanted, target }) {
        const on = target.id === device.id ? {} : { on: target.hostname }
        const ended = yield* trialsOf(target, wanted)
        return ended.map(({ check, end }) => ({ check, end: { ...end, ...on } }))
      }),
      { concurrency: AT_ONCE }
    )
    // the neighbours of a check follow the device
    const inOrder = checks.flatMap((check) => found.flat().filter((one) => one.check === check))
    return enveloped({ checks: inOrder.map(({ end }) => masked(end)) })
  })
})

/** Handlers of `ChecksGroup`. */
export const ChecksLive = HttpApiBuilder.group(Api, "checks", (handlers) =>
  Effect.gen(function* () {
    const list = yield* makeChecks
    const tryNow = yield* makeTry
    return handlers
      .handle("list", () => answered(list))
      .handle("tried", ({ params }) => answered(tryNow(params.hostname)))
  })
)
