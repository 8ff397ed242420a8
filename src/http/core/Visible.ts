/** Which devices, and which jobs, the present caller may see (docs/roles.md#callers-of-some-devices). */
import { Effect } from "effect"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { NotPermitted, Permit } from "../../access/Permit.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { Within } from "../../store/Listing.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"

/** Yields the limits of a list for the caller, as a part of its query; empty for one who sees everything. */
export const makeVisible = Effect.map(Effect.service(AskedDevices), ({ reach }) =>
  Effect.gen(function* () {
    const permit = yield* Permit
    const reached = yield* Effect.catchTag(reach, ["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.fail(new SettingsUnavailable({ message }))
    )
    if (permit === null || reached === null) return {}
    const { name, way } = permit.caller
    return { within: { ...reached, caller: name, isProgram: way === "token" } satisfies Within }
  })
)

/** Asks whether the caller may see a job. Fails with NotPermitted, also for a job that is not there. */
export const makeJobVisible = Effect.gen(function* () {
  const visible = yield* makeVisible
  const store = yield* JobStore
  return Effect.fnUntraced(function* (id: number) {
    const { within } = yield* visible
    if (within === undefined || (yield* store.isWithin(id, within))) return
    const rule = `job ${id} is somebody else's, and is not known to be about your devices alone`
    return yield* new NotPermitted({ rule, roles: [] })
  })
})
