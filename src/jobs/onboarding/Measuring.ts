/**
 * Measures how far onboarded switches are from their generated configurations (docs/onboarding.md#distance): from the texts that were read, without a
 * session on any switch. Looks every two seconds for a commit that came into force or a record that changed, and renders in the turns
 * that other work leaves.
 */
import { Array as Arr, Effect, Layer, Ref, Result, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { distanceOf } from "../../onboarding/Distance.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { EventStore } from "../../store/EventStore.ts"
import { makeOnboarding, type MeasuredDevice, type StoredRunning } from "../../store/OnboardingStore.ts"
import { SecretTexts } from "../../store/SecretStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { type Candidate, CandidateConfigs, NothingToRender, type Sources } from "../../templates/CandidateConfigs.ts"
import { noSecrets } from "../../templates/TemplateSecrets.ts"

/** Devices whose inputs are read together. */
const AT_ONCE = 50

const PAUSE = "2 seconds"

const unmeasured = (device_id: number, unrendered: string): MeasuredDevice => ({
  device_id,
  unrendered,
  lines: null,
  extra: null,
  missing: null,
  difference: null,
  secrets: null
})

/** The sources in force, as a rendering of what is not pushed reads them: nothing of it is published. */
export const sourcesInForce = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  return Effect.map(
    Effect.mapError(settings.snapshot, (error) =>
      SqlError.isSqlError(error) ? error : new NothingToRender({ message: error.message })
    ),
    (snapshot): Sources => ({ settings: snapshot, templates: templates.snapshot })
  )
})

/** Yields a function that measures devices against their candidates. */
export const makeMeasure = Effect.gen(function* () {
  const { hide } = yield* SecretTexts

  return Effect.fnUntraced(function* ({ config, device }: StoredRunning, candidate: Candidate) {
    const platform = platformOf(device.platform)
    if (platform === undefined) return unmeasured(device.id, `The platform ${device.platform} is not known`)
    if (Result.isFailure(candidate))
      return unmeasured(device.id, `${candidate.failure.type}: ${candidate.failure.message}`)
    const { extra, lines, missing, pieces, secrets } = distanceOf(platform, config, candidate.success.text)
    // what templates derive from secrets is known only by a second rendering
    const derived = missing === 0 ? noSecrets : yield* candidate.success.secrets
    return {
      device_id: device.id,
      unrendered: null,
      lines,
      extra,
      missing,
      difference: hide(pieces.map(({ diff }) => diff).join("\n"), derived),
      secrets: secrets.map((line) => hide(line, derived))
    } satisfies MeasuredDevice
  })
})

/** Yields an effect that measures everything that is to be measured, and adds to the history. */
const makeMeasurement = Effect.gen(function* () {
  const store = yield* makeOnboarding
  const configs = yield* CandidateConfigs
  const background = yield* BackgroundWork
  const sources = yield* sourcesInForce
  const measure = yield* makeMeasure

  const renderAll = Effect.fnUntraced(function* (known: ReadonlyArray<StoredRunning>) {
    const prepared = yield* Effect.result(
      Effect.flatMap(sources, (inForce) =>
        configs.prepareFrom(
          inForce,
          known.map(({ device }) => device)
        )
      )
    )
    if (Result.isFailure(prepared)) {
      if (SqlError.isSqlError(prepared.failure)) return yield* prepared.failure
      const { message } = prepared.failure
      return known.map(({ device }) => unmeasured(device.id, message))
    }
    return yield* Effect.forEach(known, (one) =>
      background.beginning(Effect.flatMap(prepared.success(one.device), (candidate) => measure(one, candidate)))
    )
  })

  return Effect.gen(function* () {
    const commits = yield* store.inForce
    const ids = yield* store.toMeasure(commits)
    if (ids.length === 0) return
    for (const some of Arr.chunksOf(ids, AT_ONCE)) {
      const known = yield* store.withConfig(some)
      yield* store.measured(commits, yield* renderAll(known))
    }
    yield* store.record(commits)
  }).pipe(Effect.withSpan("Onboarding.measure"))
})

/** The records in the database from which candidates are made have changed: each look reads only the events since the one before. */
const makeStaleness = Effect.gen(function* () {
  const store = yield* makeOnboarding
  const { log } = yield* EventStore
  const seen = yield* Ref.make(yield* log.complete)
  return Effect.gen(function* () {
    const [after, complete] = [yield* Ref.get(seen), yield* log.complete]
    if (complete <= after) return
    if (yield* store.isConcerned(after, complete)) yield* store.stale
    yield* Ref.set(seen, complete)
  })
})

/** Measures for as long as the scope is open. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const measure = yield* makeMeasurement
    const look = yield* Effect.catch(makeStaleness, () => Effect.succeed(Effect.void))
    yield* Effect.andThen(look, measure).pipe(
      Effect.tapCause((cause) => Effect.logWarning("Onboarded switches could not be measured", cause)),
      Effect.ignoreCause,
      Effect.repeat(Schedule.spaced(PAUSE)),
      Effect.forkScoped
    )
  })
)
