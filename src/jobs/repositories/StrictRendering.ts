/**
 * Renders all managed devices from settings and templates that are not in force yet, to tell before a refresh whom they break
 * and which undefined variables they print. For STRICT_SETTINGS and STRICT_TEMPLATES.
 */
import { Array as Arr, Context, Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql"
import { type Remark, remark, RemarkList } from "../../domain/Repository.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { UndefinedLedger } from "../../templates/UndefinedPrints.ts"
import type { TemplateSnapshot } from "../../templates/TemplateSnapshot.ts"
import { CandidateConfigs, type Sources } from "../sync/CandidateConfigs.ts"

const DEVICES_AT_ONCE = 200
const MAX_REMARKS = 200

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const configs = yield* CandidateConfigs

  const check = Effect.fn("StrictRendering.check")(
    function* (sources: Sources) {
      const managed = (yield* devices.all).filter(({ state }) => state === "MANAGED")
      const found = new RemarkList(MAX_REMARKS)
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

  return StrictRendering.of({ check })
})

/** Renderings before a refresh. */
export class StrictRendering extends Context.Service<
  StrictRendering,
  {
    /** Whatever a rendering failed with, and what it printed for undefined variables; nothing while there is nothing to render. */
    readonly check: (sources: Sources) => Effect.Effect<ReadonlyArray<Remark>, SqlError.SqlError>
  }
>()("switchyard/jobs/StrictRendering") {
  static readonly layer = Layer.effect(StrictRendering, make)
}
