/** Whether what a dry run has shown is so risky that somebody else has to approve it (docs/changes.md#approval). */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { AutoPushVerdict } from "./AutoPushVerdict.ts"

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const { brokenRule } = yield* AutoPushVerdict

  const of = Effect.fn("DryRunRisk.of")(function* (dryRunJob: number, limit: number) {
    const changed = (yield* jobs.devices(dryRunJob)).filter((row) => row.changed)
    for (const { hostname, result, score } of changed) {
      // what failed is not pushed; what has no score is not known to be harmless
      if (!result.failed && (score === null || score > limit)) {
        return `the change score of ${hostname} is ${score?.toFixed(1) ?? "not known"}, above ${limit}`
      }
    }
    for (const device of yield* devices.byHostnames(changed.map(({ hostname }) => hostname))) {
      const broken = yield* brokenRule(dryRunJob, device)
      if (broken !== null) return `${device.hostname} breaks the rule ${broken.refused}: ${broken.message}`
    }
    return null
  })

  return DryRunRisk.of({ of })
})

/** Risks of dry runs. */
export class DryRunRisk extends Context.Service<
  DryRunRisk,
  {
    /** Why a dry run is too risky: a device's score above the limit, or the first rule that is broken; null when it is not. */
    readonly of: (dryRunJob: number, limit: number) => Effect.Effect<string | null, SqlError.SqlError>
  }
>()("switchyard/jobs/DryRunRisk") {
  static readonly layer = Layer.effect(DryRunRisk, make)
}
