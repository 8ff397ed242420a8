/**
 * The events that a caller may read now (docs/events.md#who-hears-what): those of devices and jobs that they may see, and events of the
 * audit only with the right to read the whole audit.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { Permissions } from "../../access/Permissions.ts"
import { NotPermitted, Permit } from "../../access/Permit.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { isForSomeDevices, isWhole } from "../../domain/access/PermissionRule.ts"
import type { LiveItem } from "../../runtime/LiveFeed.ts"
import { requiringSettings, SettingsUnavailable } from "../../settings/SettingsView.ts"
import type { Within } from "../../store/Listing.ts"
import type { ScannedEvent } from "../../store/EventStore.ts"
import { jobsWithin } from "../../store/JobStore.ts"
import { coversCall } from "../../domain/access/Glob.ts"
import { isForAudit } from "../../domain/events/Event.ts"

/** The events that a caller may read. */
export interface EventAccess {
  /** Null for a caller of all devices. */
  readonly within: Within | null
  readonly seesAudit: boolean
  /** The same, with devices that were created since. The map has the hostnames of events with the newest number of each. */
  readonly knowing: (
    named: ReadonlyMap<string, number>
  ) => Effect.Effect<EventAccess, SettingsUnavailable | SqlError.SqlError>
}

/** Whether the caller may read it; a number means: if they may see this job. */
type Verdict = boolean | number

/** Kinds of events that concern more than single devices; callers of some devices do not get them. */
const BEYOND: ReadonlySet<string> = new Set(["linknet", "mgmtdomain"])

/** Judges an event. Callers who may see a job get its events; callers who may see a device also get the job's events about it. */
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

/** Judges a live message, which is not stored. */
export const judgeTold = ({ within }: EventAccess, thing: LiveItem): Verdict => {
  if (within === null) return true
  if (thing.kind === "step") return within.names.has(thing.hostname)
  return thing.job ?? false
}

/** The hostnames of events, with the number of the newest event of each. */
export const hostnamesIn = (
  events: ReadonlyArray<{ readonly id: number; readonly hostname: string | null }>
): ReadonlyMap<string, number> =>
  new Map(events.flatMap(({ hostname, id }) => (hostname === null ? [] : [[hostname, id] as const])))

const ofEverything = (seesAudit: boolean): EventAccess => {
  const access: EventAccess = { within: null, seesAudit, knowing: () => Effect.succeed(access) }
  return access
}

/** Finds the events that a caller may read. Fails with NotPermitted if they may not read events any more. */
export const makeAccessOf = Effect.gen(function* () {
  const { heldBy } = yield* Permissions
  const { learn, reach } = yield* CallerDevices

  const ofSome = (
    permit: Permit,
    seesAudit: boolean
  ): Effect.Effect<EventAccess, SettingsUnavailable | SqlError.SqlError> =>
    Effect.map(requiringSettings(Effect.provideService(reach, Permit, permit)), (reached) => {
      if (reached === null) return ofEverything(seesAudit)
      const { name, way } = permit.caller
      const access: EventAccess = {
        seesAudit,
        within: { ...reached, caller: name, isProgram: way === "token" },
        // another caller may have loaded them, but this one has not
        knowing: (named) =>
          named.size === 0
            ? Effect.succeed(access)
            : Effect.andThen(requiringSettings(learn(named)), ofSome(permit, seesAudit))
      }
      return access
    })

  return Effect.fn("EventAccess.of")(function* (
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

/** Finds the jobs of these verdicts that a caller of some devices may see. */
export const makeVisibleJobs = Effect.map(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.fnUntraced(function* ({ within }: EventAccess, verdicts: ReadonlyArray<Verdict>) {
    const ids = [...new Set(verdicts.filter((verdict) => typeof verdict === "number"))]
    if (ids.length === 0 || within === null) return new Set<number>()
    const rows = yield* sql<{ id: number }>`select job.id from job
        where job.id = any(${ids}::integer[]) and ${jobsWithin(sql, within)}`
    return new Set(rows.map(({ id }) => id))
  })
)

/** Whether a verdict allows it, given the visible jobs. */
export const isAllowed = (verdict: Verdict, jobs: ReadonlySet<number>): boolean =>
  typeof verdict === "number" ? jobs.has(verdict) : verdict
