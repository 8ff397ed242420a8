/**
 * Which events a caller may hear of now (docs/events.md#who-hears-what): the devices within their reach, jobs that they may see, and the kinds
 * of the audit only with the right to read all of it.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AskedDevices } from "../../access/AskedDevices.ts"
import { Permissions } from "../../access/Permissions.ts"
import { NotPermitted, Permit } from "../../access/Permit.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { isForSomeDevices, isWhole } from "../../domain/access/PermissionRule.ts"
import { coversCall } from "../../domain/access/Glob.ts"
import { isForAudit } from "../../domain/events/Event.ts"
import type { ToldThing } from "../../runtime/Told.ts"
import type { SettingsError } from "../../settings/ActiveSettings.ts"
import { SettingsUnavailable } from "../../settings/SettingsView.ts"
import type { Within } from "../../store/Listing.ts"
import type { ScannedEvent } from "../../store/EventStore.ts"
import { jobsWithin } from "../../store/JobStore.ts"

/** What a caller may hear of. */
export interface EventAccess {
  /** Null for one who sees all devices. */
  readonly within: Within | null
  readonly seesAudit: boolean
  /** The same when devices that came since are known as well; the map has hostnames of events with the newest number of each. */
  readonly knowing: (
    named: ReadonlyMap<string, number>
  ) => Effect.Effect<EventAccess, SettingsUnavailable | SqlError.SqlError>
}

/** Whether something may be heard of; a number: if the caller may see this job. */
export type Verdict = boolean | number

/** What is about more than single devices, and closed to callers of some. */
const BEYOND: ReadonlySet<string> = new Set(["linknet", "mgmtdomain"])

/** Judges an event. A job is told to those who may see it, and what it does on a device also to those who may see the device. */
export const judgeEvent = (
  { seesAudit, within }: Pick<EventAccess, "seesAudit" | "within">,
  { action, hostname, job_id, kind }: Omit<ScannedEvent, "id" | "device_id">
): Verdict => {
  if (isForAudit(kind) && !seesAudit) return false
  if (within === null) return true
  if (BEYOND.has(kind)) return false
  if (hostname !== null && within.names.has(hostname) && (kind !== "job" || action === "device")) return true
  return kind === "job" && job_id !== null ? job_id : false
}

/** Judges what is told and not kept. */
export const judgeTold = ({ within }: EventAccess, thing: ToldThing): Verdict => {
  if (within === null) return true
  if (thing.kind === "step") return within.names.has(thing.hostname)
  return thing.job ?? false
}

/** The hostnames of events, each with the number of its newest one. */
export const hostnamesIn = (
  events: ReadonlyArray<{ readonly id: number; readonly hostname: string | null }>
): ReadonlyMap<string, number> =>
  new Map(events.flatMap(({ hostname, id }) => (hostname === null ? [] : [[hostname, id] as const])))

const ofEverything = (seesAudit: boolean): EventAccess => {
  const sight: EventAccess = { within: null, seesAudit, knowing: () => Effect.succeed(sight) }
  return sight
}

const withoutSettings = <A>(work: Effect.Effect<A, SettingsError | SqlError.SqlError>) =>
  Effect.catchTag(work, ["NoSettings", "SettingsInvalid"], ({ message }) =>
    Effect.fail(new SettingsUnavailable({ message }))
  )

/** Finds what a caller may hear of. Fails with NotPermitted when they may not read events any more. */
export const makeAccessOf = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  const { learn, reach } = yield* AskedDevices

  const ofSome = (
    permit: Permit,
    seesAudit: boolean
  ): Effect.Effect<EventAccess, SettingsUnavailable | SqlError.SqlError> =>
    Effect.map(withoutSettings(Effect.provideService(reach, Permit, permit)), (reached) => {
      if (reached === null) return ofEverything(seesAudit)
      const { name, way } = permit.caller
      const sight: EventAccess = {
        seesAudit,
        within: { ...reached, caller: name, isProgram: way === "token" },
        // another caller may have learned of them, which this one does not know yet
        knowing: (named) =>
          named.size === 0
            ? Effect.succeed(sight)
            : Effect.andThen(withoutSettings(learn(named)), ofSome(permit, seesAudit))
      }
      return sight
    })

  return Effect.fn("EventSight.of")(function* (
    caller: Identity
  ): Effect.fn.Return<EventAccess, NotPermitted | SettingsUnavailable | SqlError.SqlError> {
    const all = yield* heldBy(caller)
    if (all === null) return ofEverything(true)
    const held = all.filter(({ permission }) => coversCall(permission, "GET", "/events"))
    if (held.length === 0) return yield* new NotPermitted({ rule: "no role of yours reads events", roles: [] })
    const seesAudit = all.some(
      ({ permission }) => coversCall(permission, "GET", "/audit") && !isForSomeDevices(permission)
    )
    if (held.some(({ permission }) => isWhole(permission))) return ofEverything(seesAudit)
    return yield* ofSome({ caller, held, method: "GET", path: "/events", allowedBy: () => [] }, seesAudit)
  })
})

/** Asks which of these jobs a caller of some devices may see. */
export const makeVisibleJobs = Effect.map(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.fnUntraced(function* ({ within }: EventAccess, verdicts: ReadonlyArray<Verdict>) {
    const ids = [...new Set(verdicts.filter((verdict) => typeof verdict === "number"))]
    if (ids.length === 0 || within === null) return new Set<number>()
    const rows = yield* sql<{ id: number }>`select job.id from job
        where job.id = any(${ids}::integer[]) and ${jobsWithin(sql, within)}`
    return new Set(rows.map(({ id }) => id))
  })
)

/** Whether a verdict lets something through, when these jobs may be seen. */
export const isAllowed = (verdict: Verdict, jobs: ReadonlySet<number>): boolean =>
  typeof verdict === "number" ? jobs.has(verdict) : verdict
