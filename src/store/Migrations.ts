/**
 * All migrations in order. They run at the start, under a lock, in one transaction; a released migration never changes.
 * Each names the oldest release that can work with the database afterwards, and the database stores that name with
 * it: during a rolling upgrade older servers continue with a newer schema, and a server refuses only if it cannot work with it.
 */
import { Effect, Record, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { compareReleases, release } from "../domain/Release.ts"
import { mayStandStill } from "./DatabaseClient.ts"
import devices from "./migrations/0001_devices.ts"
import links from "./migrations/0002_links.ts"
import jobs from "./migrations/0003_jobs.ts"
import changes from "./migrations/0004_changes.ts"
import events from "./migrations/0005_events.ts"
import repositories from "./migrations/0006_repositories.ts"
import undo from "./migrations/0007_undo.ts"
import firmware from "./migrations/0008_firmware.ts"
import operations from "./migrations/0009_operations.ts"
import diff from "./migrations/0010_diff.ts"
import briefTasks from "./migrations/0011_brief_tasks.ts"
import attempts from "./migrations/0012_attempts.ts"
import readiness from "./migrations/0013_readiness.ts"
import jobCommits from "./migrations/0014_job_commits.ts"
import outcomes from "./migrations/0015_outcomes.ts"
import unknownDevices from "./migrations/0016_unknown_devices.ts"
import waiting from "./migrations/0017_waiting.ts"
import logins from "./migrations/0022_logins.ts"
import provedSecrets from "./migrations/0019_proved_secrets.ts"
import learnedLines from "./migrations/0020_learned_lines.ts"
import approvals from "./migrations/0027_approvals.ts"
import eventLog from "./migrations/0024_event_log.ts"
import signOn from "./migrations/0026_sign_on.ts"
import audit from "./migrations/0028_audit.ts"
import strangers from "./migrations/0029_strangers.ts"
import traces from "./migrations/0033_traces.ts"
import liveEvents from "./migrations/0030_live_events.ts"
import alerts from "./migrations/0031_alerts.ts"
import eventsAfter from "./migrations/0036_events_after.ts"
import places from "./migrations/0040_places.ts"
import eventRetention from "./migrations/0034_event_retention.ts"
import pause from "./migrations/0037_pause.ts"
import truthfulEvents from "./migrations/0035_truthful_events.ts"
import secrets from "./migrations/0025_secrets.ts"
import stations from "./migrations/0038_stations.ts"
import retention from "./migrations/0043_retention.ts"
import restores from "./migrations/0046_restores.ts"
import identity from "./migrations/0050_identity.ts"
import leftSessions from "./migrations/0047_left_sessions.ts"
import identities from "./migrations/0049_identities.ts"
import sealedPorts from "./migrations/0054_sealed_ports.ts"
import foundBy from "./migrations/0057_found_by.ts"
import serviceClasses from "./migrations/0058_service_classes.ts"
import waitingCommits from "./migrations/0052_waiting_commits.ts"
import storedTexts from "./migrations/0044_stored_texts.ts"
import pluginCalls from "./migrations/0032_plugin_calls.ts"
import persons from "./migrations/0055_persons.ts"
import proved from "./migrations/0053_proved.ts"
import installation from "./migrations/0056_installation.ts"
import pageSessions from "./migrations/0061_page_sessions.ts"
import lockTurn from "./migrations/0066_lock_turn.ts"
import textsOnce from "./migrations/0070_texts_once.ts"
import resultsOnce from "./migrations/0071_results_once.ts"
import safeValues from "./migrations/0059_secure_defaults.ts"
import toldPhases from "./migrations/0072_told_phases.ts"
import leases from "./migrations/0073_leases.ts"
import learnedLineIds from "./migrations/0067_learned_lines.ts"
import identityPlans from "./migrations/0074_identity_plans.ts"
import naturalNames from "./migrations/0075_natural_names.ts"
import overviewHistory from "./migrations/0076_overview_history.ts"
import portReadings from "./migrations/0080_port_readings.ts"
import acknowledgedAlerts from "./migrations/0083_acknowledged_alerts.ts"
import endsOfAlerts from "./migrations/0084_ends_of_alerts.ts"
import onboarding from "./migrations/0096_onboarding.ts"
import proposals from "./migrations/0100_proposals.ts"
import viewedGroups from "./migrations/0081_viewed_groups.ts"
import identityKeys from "./migrations/0104_identity_keys.ts"
import signersTold from "./migrations/0105_signers_told.ts"
import ignoredDevices from "./migrations/0087_ignored_devices.ts"
import savedViews from "./migrations/0077_saved_views.ts"
import commitSignatures from "./migrations/0093_commit_signatures.ts"

/**
 * Every migration in order. `oldest` is the oldest release that can work with the database afterwards. A migration that only
 * adds objects which older releases ignore keeps the release of its predecessor; a migration that removes or changes objects in use
 * names its own release.
 */
export const migrations = [
  { name: "0001_devices", oldest: "0.1.0", up: devices },
  { name: "0002_links", oldest: "0.1.0", up: links },
  { name: "0003_jobs", oldest: "0.1.0", up: jobs },
  { name: "0004_changes", oldest: "0.1.0", up: changes },
  { name: "0005_events", oldest: "0.1.0", up: events },
  { name: "0006_repositories", oldest: "0.1.0", up: repositories },
  { name: "0007_undo", oldest: "0.1.0", up: undo },
  { name: "0008_firmware", oldest: "0.1.0", up: firmware },
  { name: "0009_operations", oldest: "0.1.0", up: operations },
  { name: "0010_diff", oldest: "0.1.0", up: diff },
  { name: "0011_brief_tasks", oldest: "0.1.0", up: briefTasks },
  { name: "0012_attempts", oldest: "0.1.0", up: attempts },
  { name: "0013_readiness", oldest: "0.1.0", up: readiness },
  { name: "0014_job_commits", oldest: "0.1.0", up: jobCommits },
  { name: "0015_outcomes", oldest: "0.1.0", up: outcomes },
  { name: "0016_unknown_devices", oldest: "0.1.0", up: unknownDevices },
  { name: "0017_waiting", oldest: "0.1.0", up: waiting },
  { name: "0019_proved_secrets", oldest: "0.1.0", up: provedSecrets },
  { name: "0020_learned_lines", oldest: "0.1.0", up: learnedLines },
  { name: "0022_logins", oldest: "0.1.0", up: logins },
  { name: "0024_event_log", oldest: "0.1.0", up: eventLog },
  // an older server would send sealed texts to switches
  { name: "0025_secrets", oldest: "0.2.0", up: secrets },
  { name: "0026_sign_on", oldest: "0.2.0", up: signOn },
  { name: "0027_approvals", oldest: "0.2.0", up: approvals },
  { name: "0028_audit", oldest: "0.2.0", up: audit },
  { name: "0029_strangers", oldest: "0.2.0", up: strangers },
  { name: "0030_live_events", oldest: "0.2.0", up: liveEvents },
  { name: "0031_alerts", oldest: "0.2.0", up: alerts },
  { name: "0032_plugin_calls", oldest: "0.2.0", up: pluginCalls },
  { name: "0033_traces", oldest: "0.2.0", up: traces },
  { name: "0034_event_retention", oldest: "0.2.0", up: eventRetention },
  { name: "0035_truthful_events", oldest: "0.2.0", up: truthfulEvents },
  { name: "0036_events_after", oldest: "0.2.0", up: eventsAfter },
  { name: "0037_pause", oldest: "0.2.0", up: pause },
  { name: "0038_stations", oldest: "0.2.0", up: stations },
  { name: "0040_places", oldest: "0.2.0", up: places },
  { name: "0043_retention", oldest: "0.2.0", up: retention },
  { name: "0044_stored_texts", oldest: "0.2.0", up: storedTexts },
  { name: "0046_restores", oldest: "0.2.0", up: restores },
  { name: "0047_left_sessions", oldest: "0.2.0", up: leftSessions },
  { name: "0049_identities", oldest: "0.2.0", up: identities },
  { name: "0050_identity", oldest: "0.2.0", up: identity },
  { name: "0052_waiting_commits", oldest: "0.2.0", up: waitingCommits },
  { name: "0053_proved", oldest: "0.2.0", up: proved },
  { name: "0054_sealed_ports", oldest: "0.2.0", up: sealedPorts },
  { name: "0055_persons", oldest: "0.2.0", up: persons },
  { name: "0056_installation", oldest: "0.2.0", up: installation },
  { name: "0057_found_by", oldest: "0.2.0", up: foundBy },
  { name: "0058_service_classes", oldest: "0.2.0", up: serviceClasses },
  { name: "0059_secure_defaults", oldest: "0.2.0", up: safeValues },
  { name: "0061_page_sessions", oldest: "0.2.0", up: pageSessions },
  { name: "0066_lock_turn", oldest: "0.2.0", up: lockTurn },
  { name: "0067_learned_lines", oldest: "0.2.0", up: learnedLineIds },
  { name: "0070_texts_once", oldest: "0.2.0", up: textsOnce },
  { name: "0071_results_once", oldest: "0.2.0", up: resultsOnce },
  { name: "0072_told_phases", oldest: "0.2.0", up: toldPhases },
  { name: "0073_leases", oldest: "0.2.0", up: leases },
  { name: "0074_identity_plans", oldest: "0.2.0", up: identityPlans },
  { name: "0075_natural_names", oldest: "0.2.0", up: naturalNames },
  { name: "0076_overview_history", oldest: "0.2.0", up: overviewHistory },
  { name: "0077_saved_views", oldest: "0.2.0", up: savedViews },
  { name: "0080_port_readings", oldest: "0.2.0", up: portReadings },
  { name: "0081_viewed_groups", oldest: "0.2.0", up: viewedGroups },
  { name: "0083_acknowledged_alerts", oldest: "0.2.0", up: acknowledgedAlerts },
  { name: "0084_ends_of_alerts", oldest: "0.2.0", up: endsOfAlerts },
  { name: "0087_ignored_devices", oldest: "0.2.0", up: ignoredDevices },
  { name: "0093_commit_signatures", oldest: "0.2.0", up: commitSignatures },
  { name: "0096_onboarding", oldest: "0.2.0", up: onboarding },
  { name: "0100_proposals", oldest: "0.2.0", up: proposals },
  { name: "0104_identity_keys", oldest: "0.2.0", up: identityKeys },
  { name: "0105_signers_told", oldest: "0.2.0", up: signersTold }
] as const

/** A newer release migrated the database with a change that this release cannot work with; only an upgrade helps. */
export class ReleaseTooOld extends Schema.TaggedError<ReleaseTooOld>()("ReleaseTooOld", {
  release: Schema.String,
  oldest: Schema.String,
  migration: Schema.String
}) {
  override get message() {
    return `the database has migration ${this.migration}, which needs release ${this.oldest} or newer, and this is release ${this.release}: upgrade this server, or restore the database from before that migration`
  }
}

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('switchyard_migrations') is not null as found`
  if (table?.found !== true) return []
  // the column does not exist before migration 13
  return yield* sql<{ name: string; oldest: string }>`
    select lpad(migration_id::text, 4, '0') || '_' || name as name, to_jsonb(m) ->> 'oldest_compatible' as oldest
    from switchyard_migrations m where to_jsonb(m) ->> 'oldest_compatible' is not null`
})

/** Fails if the database needs a newer release than `own`. */
export const checkRelease = Effect.fn("Migrations.checkRelease")(function* (own: string) {
  const [newest] = (yield* applied).toSorted((a, b) => compareReleases(b.oldest, a.oldest))
  if (newest === undefined || compareReleases(own, newest.oldest) >= 0) return
  return yield* new ReleaseTooOld({ release: own, oldest: newest.oldest, migration: newest.name })
})

/** Also for earlier migrations, which were applied before the column existed. */
const recordOldest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = migrations.map(({ name, oldest }) => ({ id: idOf(name), oldest }))
  yield* sql`update switchyard_migrations m set oldest_compatible = known.oldest
    from jsonb_to_recordset(${JSON.stringify(known)}::jsonb) as known(id integer, oldest text)
    where m.migration_id = known.id and m.oldest_compatible is null`
})

const idOf = (name: string) => Number(name.slice(0, 4))

/** The migration that created the column. */
const FIRST_RECORDED = idOf("0013_readiness" satisfies (typeof migrations)[number]["name"])

const recorded = Object.fromEntries(
  migrations.map(({ name, up }) => [name, idOf(name) < FIRST_RECORDED ? up : Effect.andThen(up, recordOldest)])
)

const migrateBy = (loaded: typeof recorded) =>
  Migrator.make({})({ table: "switchyard_migrations", loader: Migrator.fromRecord(loaded) })

const FIRST: string = migrations[0].name

/** Tells later migrations of this transaction that the database is new. A restore recreates old tables, so it does not set this. */
const madeNew = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql`select set_config('switchyard.made_new', 'true', true)`
)

/** A starting server also does other work than its migrations. */
const migrate = migrateBy(
  Record.map(recorded, (up, name) => {
    const patient = Effect.andThen(mayStandStill, up)
    return name === FIRST ? Effect.andThen(madeNew, patient) : patient
  })
)

/** Creates the table as the migrator does. The migrator itself would try a second time after an error, which hides the cause inside a transaction. */
const makeTable = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql`create table if not exists switchyard_migrations (
    migration_id integer primary key, created_at timestamp with time zone not null default now(), name text not null)`
)

/** Applies migrations up to this number, for rows that were dumped at that schema; in a transaction. */
export const runTo = (last: number) =>
  Effect.andThen(
    makeTable,
    migrateBy(Object.fromEntries(Object.entries(recorded).filter(([name]) => idOf(name) <= last)))
  )

/** Applies missing migrations, unless the database needs a newer release. Yields the id and name of each applied migration. */
export const run: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  ReleaseTooOld | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  yield* checkRelease(release)
  const added = yield* migrate
  // a newer server may have migrated in the meantime
  yield* checkRelease(release)
  return added
}).pipe(Effect.withSpan("Migrations.run"))

/** Whether unset settings have their safe values: in a database that a release with this rule created. */
export const secureDefaults = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ counts: boolean }>`select counts from secure_defaults`
  return row?.counts === true
})
