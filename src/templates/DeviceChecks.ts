/**
 * The checks of a device for a change (docs/checks.md): those of the commit that its configuration is rendered from, chosen by its groups,
 * type and platform. Their times must fit into the commit timer, which no check extends.
 */
import { Effect, Result } from "effect"
import { type CheckOfChange, secondsForChecks } from "../../machines/change/ChangeChecks.ts"
import { isFor, storedCheck } from "../domain/checks/Check.ts"
import type { Device } from "../domain/Device.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import { selectionGroups } from "../settings/SettingsGroups.ts"
import { ActiveTemplates } from "./ActiveTemplates.ts"
import type { PlacedCheck, TemplateChecks } from "./ChecksFile.ts"

const chooses = ({ check }: PlacedCheck): boolean => check.for.groups !== null

/** The groups of a device; none if the settings cannot be read, and then checks for groups are for no device. */
const groupsOf = Effect.fnUntraced(function* (device: Device) {
  const settings = yield* ActiveSettings
  return yield* settings.membership(device).pipe(
    Effect.map((membership) => selectionGroups(membership, device)),
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed<ReadonlyArray<string>>([]))
  )
})

/** The checks of a file that are for this device. */
export const checksFor = Effect.fnUntraced(function* (
  { checks }: TemplateChecks,
  device: Device
): Effect.fn.Return<ReadonlyArray<PlacedCheck>, SqlErrorOf, ActiveSettings> {
  if (checks.length === 0) return []
  const { device_type, platform } = device
  const groups = checks.some(chooses) ? yield* groupsOf(device) : []
  return checks.filter(({ check }) => isFor(check, { device_type, platform, groups }))
})

type SqlErrorOf = Effect.Error<ReturnType<typeof groupsOf>>

/** The checks of the templates in force that are for this device; none without templates. */
export const placedInForce = Effect.fnUntraced(function* (device: Device) {
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const branch = yield* settings.membership(device).pipe(
    Effect.map(({ primary }) => primary.templates_branch ?? null),
    Effect.catchTag(["NoSettings", "SettingsInvalid"], () => Effect.succeed(null))
  )
  const snapshot = yield* Effect.result(templates.snapshot(branch))
  if (Result.isSuccess(snapshot)) return yield* checksFor(snapshot.success.checks, device)
  if (snapshot.failure._tag === "NoTemplates") return []
  return yield* snapshot.failure
})

/** The same as the row of a change keeps them, for a change that is not rendered. */
export const checksInForce = (device: Device) => Effect.map(placedInForce(device), stored)

/** The checks as the row of a change keeps them. */
export const stored = (checks: ReadonlyArray<PlacedCheck>): ReadonlyArray<CheckOfChange> =>
  checks.map(({ check }) => storedCheck(check))

/**
 * Why a check can never be read within the commit timer, as a sentence; null if each can. `timerSeconds` is null without a timer, which
 * limits nothing.
 */
export const tooSlow = (checks: ReadonlyArray<CheckOfChange>, timerSeconds: number | null): string | null => {
  const seconds = secondsForChecks(timerSeconds)
  const slow = seconds === null ? undefined : checks.find(({ settle }) => settle >= seconds)
  return slow === undefined
    ? null
    : `The check ${slow.name} settles for ${slow.settle} s, but the commit timer of ${timerSeconds} s leaves ${seconds} s for checks`
}
