/**
 * Every metric of the server, with its name, its sentence and its labels (docs/monitoring.md#metrics); `ProcessMetrics.ts` has those of the
 * process itself. A new metric is a family here and a place that writes to it.
 */
import { receiverTypes } from "../../domain/events/alerts/Receiver.ts"
import { jobOutcomes } from "../../domain/Job.ts"
import { Context, Metric } from "effect"

// Families of metrics: a name, a description, and labels, with the series that programs write to. They are kept in Effect's own registry,
// so that other exporters see them too. Labels have few values: templates, kinds and states, never hostnames, ids or free texts. Counters
// and histograms are there from the start at 0, with the values of labels that are known: Prometheus does not see the first value of a
// series as an increase, so that an alert would miss the first failure.

/** The definition of a family; the manual's table is generated from these (docs/monitoring.md#metrics). */
export interface Definition {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** One sentence without a full stop. */
  readonly help: string
  readonly labels: ReadonlyArray<string>
}

/** The destination of a value: the process's own registry, or one for a single answer. */
export type Place = Context.Context<never>

const ofProcess: Place = Context.empty()

/** A place for the values of one answer. */
export const makePlace = (registry: Metric.MetricRegistry): Place =>
  Context.add(Context.empty(), Metric.MetricRegistry, registry)

/** The registry of the process. */
export const registryOfProcess = (): Metric.MetricRegistry => Context.get(ofProcess, Metric.MetricRegistry)

const makeSeries = <Kept>(
  labels: ReadonlyArray<string>,
  make: (attributes: Readonly<Record<string, string>>) => Kept
) => {
  const known = new Map<string, Kept>()
  return (values: ReadonlyArray<string>): Kept => {
    const key = values.join("\n")
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(Object.fromEntries(labels.map((label, place) => [label, values[place] ?? ""])))
    known.set(key, made)
    return made
  }
}

/** Labels with all their values. */
type KnownLabels = Readonly<Record<string, ReadonlyArray<string>>>
/** Names alone if the values are known elsewhere. */
type Labels = KnownLabels | ReadonlyArray<string>

const isKnown = (labels: Labels): labels is KnownLabels => !Array.isArray(labels)
const namesOf = (labels: Labels): ReadonlyArray<string> => (isKnown(labels) ? Object.keys(labels) : labels)

/** Every combination of the values of these labels. */
const combinations = (labels: KnownLabels): ReadonlyArray<ReadonlyArray<string>> =>
  Object.values(labels).reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (begun, values) => begun.flatMap((one) => values.map((value) => [...one, value])),
    [[]]
  )

/** Makes the series whose labels are known exist, without a value yet. */
const begin = (labels: Labels, series: (values: ReadonlyArray<string>) => { valueUnsafe(place: Place): unknown }) => {
  if (isKnown(labels)) for (const values of combinations(labels)) series(values).valueUnsafe(ofProcess)
}

/** A number that only grows; the name ends in `_total`. */
export const counter = (name: string, help: string, labels: Labels = {}) => {
  const definition: Definition = { name, kind: "counter", help, labels: namesOf(labels) }
  const series = makeSeries(definition.labels, (attributes) =>
    Metric.counter(name, { description: help, attributes, incremental: true })
  )
  begin(labels, series)
  return {
    definition,
    add: (amount: number, ...values: ReadonlyArray<string>): void => series(values).updateUnsafe(amount, ofProcess),
    /** Makes a series exist at 0. */
    begin: (...values: ReadonlyArray<string>): void => void series(values).valueUnsafe(ofProcess),
    /** Writes a total that is counted elsewhere, for one answer. */
    record: (place: Place, total: number, ...values: ReadonlyArray<string>): void =>
      series(values).updateUnsafe(total, place)
  }
}

/** A number that goes up and down. */
export const gauge = (name: string, help: string, ...labels: ReadonlyArray<string>) => {
  const definition: Definition = { name, kind: "gauge", help, labels }
  const series = makeSeries(labels, (attributes) => Metric.gauge(name, { description: help, attributes }))
  return {
    definition,
    set: (value: number, ...values: ReadonlyArray<string>): void => series(values).updateUnsafe(value, ofProcess),
    add: (amount: number, ...values: ReadonlyArray<string>): void => series(values).modifyUnsafe(amount, ofProcess),
    /** Writes the values for one answer. */
    record: (place: Place, value: number, ...values: ReadonlyArray<string>): void =>
      series(values).updateUnsafe(value, place)
  }
}

/** Durations in seconds, counted by these upper bounds. */
const durations = (name: string, help: string, boundaries: ReadonlyArray<number>, labels: Labels = {}) => {
  const definition: Definition = { name, kind: "histogram", help, labels: namesOf(labels) }
  const series = makeSeries(definition.labels, (attributes) =>
    Metric.histogram(name, { description: help, attributes, boundaries })
  )
  begin(labels, series)
  return {
    definition,
    record: (seconds: number, ...values: ReadonlyArray<string>): void =>
      series(values).updateUnsafe(seconds, ofProcess),
    /** Makes a series exist, without a duration yet. */
    begin: (...values: ReadonlyArray<string>): void => void series(values).valueUnsafe(ofProcess)
  }
}

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000

// Requests of the API: how many, how long, how many at once.

/** The label of a request without an endpoint. */
export const NO_ROUTE = "other"

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** Clients can invent methods, which must not create series. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : "other")

export const requests = counter("switchyard_http_requests_total", "Requests that were answered", [
  "route",
  "method",
  "status"
])
export const requestSeconds = durations(
  "switchyard_http_request_duration_seconds",
  "Time from a request to its answer",
  [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  ["route", "method"]
)
export const requestsInFlight = gauge("switchyard_http_requests_in_flight", "Requests that are being worked on")

/** What a request of an endpoint may be answered although its caller has made no mistake. */
const OWN_FAILURES = ["500", "503"]

/** Starts the counters of an endpoint at zero: for its answers to a success, and for failures of the server. */
export const countRequestsFromZero = (route: string, method: string, successes: ReadonlyArray<string>): void => {
  for (const status of [...successes, ...OWN_FAILURES]) requests.add(0, route, methodLabel(method), status)
}

export const httpMetrics = [requests, requestSeconds, requestsInFlight]

// Jobs: those that have ended in this process, and the waiting and running ones of the database.

export const jobsEnded = counter("switchyard_jobs_ended_total", "Jobs that have ended in this process", [
  "function",
  "outcome"
])
export const jobDevices = counter("switchyard_job_devices_total", "Devices that jobs of this process have worked on", [
  "function",
  "result"
])
export const jobsUnfinished = gauge("switchyard_jobs_unfinished", "Jobs that wait or run", "function", "status")
export const queueAge = gauge(
  "switchyard_job_queue_age_seconds",
  "For how long the oldest job that is due has not begun; 0 when none waits"
)
/** `class`: person, schedule or upkeep. */
export const jobsWaiting = gauge(
  "switchyard_jobs_waiting_for_a_place",
  "Jobs of this process that wait for a place, by kind of work and class of service",
  "kind",
  "class"
)

export const repositoryCommits = counter(
  "switchyard_repository_commits_total",
  "Commits of repositories that refreshes of this process brought into force or refused for what they say",
  { repository: ["settings", "templates"], result: ["accepted", "refused"] }
)

export const jobMetrics = [jobsEnded, jobDevices, jobsUnfinished, queueAge, jobsWaiting, repositoryCommits]

/** Starts the counters of these functions' jobs at zero. */
export const countJobsFromZero = (functions: ReadonlyArray<string>): void => {
  for (const name of functions) {
    for (const outcome of jobOutcomes) jobsEnded.add(0, name, outcome)
    for (const result of ["succeeded", "failed"]) jobDevices.add(0, name, result)
  }
}

// Devices and their certificates, from the database.

export const devices = gauge(
  "switchyard_devices",
  "Devices by state, type and whether they are synchronized",
  "state",
  "type",
  "synchronized"
)
export const certificateEnd = gauge(
  "switchyard_certificate_end_timestamp_seconds",
  "When the first device is without a valid certificate; absent when no device has one"
)
export const unreachableDevices = gauge(
  "switchyard_devices_unreachable",
  "Managed devices that did not answer when the server last wanted something of them"
)
export const retainedRows = gauge(
  "switchyard_retained_rows",
  "Rows of a kind that has an end: audit, change, config, event, job, job_device, operation, stored_text",
  "kind"
)
export const retainedBytes = gauge(
  "switchyard_retained_bytes",
  "Size of the table of a kind with its indexes; absent for kinds in the table of another one",
  "kind"
)
export const retainedOldest = gauge(
  "switchyard_retained_oldest_timestamp_seconds",
  "When the oldest row of a kind was written; absent when there is none",
  "kind"
)
export const retainedDue = gauge(
  "switchyard_retained_due_rows",
  "Rows of a kind that retention removes within a day",
  "kind"
)

export const fleetMetrics = [
  devices,
  certificateEnd,
  unreachableDevices,
  retainedRows,
  retainedBytes,
  retainedOldest,
  retainedDue
]

// Changes of configurations: how long each phase took, and how they ended (docs/changes.md#the-way-of-a-change).

const ENDS: ReadonlySet<string> = new Set(["confirmed", "reverted", "unchanged", "discarded", "unknown"])

const phaseSeconds = durations(
  "switchyard_change_phase_duration_seconds",
  "Time that changes spent in a phase, as far as this process has moved them on",
  [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
  ["phase"]
)
const changesEnded = counter(
  "switchyard_changes_ended_total",
  "Changes of devices that have ended, by their last phase",
  { result: [...ENDS] }
)
const commits = counter("switchyard_commits_total", "Commits that switches have answered")

const CHECK_ENDS = ["held", "failed", "unread", "ignored"] as const
type CheckEnd = (typeof CHECK_ENDS)[number]

const checksEnded = counter(
  "switchyard_checks_total",
  "Checks of changes, upgrades and initialisations that have ended, by name; by end: held, failed, unread, ignored",
  ["name", "end"]
)
const checkSeconds = durations(
  "switchyard_check_duration_seconds",
  "Time from a commit, or from the return of a switch, to the last reading of a check",
  [1, 5, 15, 60, 300, 1800],
  { end: CHECK_ENDS }
)

/** Starts the counts of checks with these names at zero. */
export const countChecksFromZero = (names: Iterable<string>): void => {
  for (const name of names) for (const end of CHECK_ENDS) checksEnded.begin(name, end)
}

/** Counts a check that has ended, and the seconds since the commit or the return of the switch. */
export const checkEnded = (name: string, end: CheckEnd, seconds: number): void => {
  checksEnded.add(1, name, end)
  checkSeconds.record(seconds, end)
}

export const changeMetrics = [phaseSeconds, changesEnded, commits, checksEnded, checkSeconds]

/** Starts the times of these phases of changes at zero. */
export const countPhasesFromZero = (phases: ReadonlyArray<string>): void => {
  for (const phase of phases) if (!ENDS.has(phase)) phaseSeconds.begin(phase)
}

/** When the changes of this process entered their phase, by id. Those that another process takes over are removed as the oldest. */
const since = new Map<number, number>()
const MOST = 20_000

const remember = (id: number): void => {
  since.delete(id)
  since.set(id, performance.now())
  if (since.size <= MOST) return
  const [oldest] = since.keys()
  if (oldest !== undefined) since.delete(oldest)
}

/** Notes that a change has entered another phase, or progressed within one. */
export const moved = (id: number, from: string, to: string): void => {
  const began = since.get(id)
  if (began !== undefined) phaseSeconds.record(secondsSince(began), from)
  if (to === "committed") commits.add(1)
  if (!ENDS.has(to)) return remember(id)
  changesEnded.add(1, to)
  since.delete(id)
}

/** Notes that another process works on the change now. */
export const lost = (id: number): void => void since.delete(id)

// Sessions and handshakes with switches.

export const sshSessions = gauge("switchyard_ssh_sessions", "SSH sessions that are open")
export const handshakes = durations(
  "switchyard_ssh_handshake_duration_seconds",
  "Time of connecting and logging in with all attempts; by outcome: connected, unreachable, refused, host_key",
  [0.02, 0.1, 0.5, 2, 10, 30],
  { outcome: ["connected", "unreachable", "refused", "host_key"] }
)

const OUTCOMES: Readonly<Record<string, string>> = {
  ConnectAuthError: "refused",
  HostKeyChanged: "host_key",
  HostKeyNotApproved: "host_key",
  WrongDevice: "host_key"
}

/** The outcome of a handshake that failed with an error of this tag. */
export const outcomeOfFailure = (tag: string): string => OUTCOMES[tag] ?? "unreachable"

export const textRemoved = counter(
  "switchyard_device_text_removed_characters_total",
  "Characters in the output of devices that no text may contain, such as control characters; they were removed"
)

export const sshMetrics = [sshSessions, handshakes, textRemoved]

// The database: whether it answers, how fast, through how many connections, and the embedded server.

export const databaseUp = gauge("switchyard_database_up", "1 when the database has answered this scrape, else 0")
export const statementSeconds = durations(
  "switchyard_database_statement_duration_seconds",
  "Time of statements with their wait for a connection",
  [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]
)
export const statementsActive = gauge("switchyard_database_statements_active", "Statements that wait for their answer")
export const statementsFailed = counter("switchyard_database_statements_failed_total", "Statements that have failed")
export const databaseAway = counter(
  "switchyard_database_away_total",
  "How often work began to wait for an unreachable database"
)
export const databaseBlocked = gauge(
  "switchyard_database_blocked",
  "1 while work waits for a lock that another program's session holds"
)
export const databaseConnections = gauge(
  "switchyard_database_connections",
  "Connections of all replicas to the database, by their state",
  "state"
)
export const poolSize = gauge("switchyard_database_pool_size", "Connections that this process may have open")
export const embeddedUp = gauge(
  "switchyard_embedded_postgresql_up",
  "1 while the embedded PostgreSQL runs; absent with DATABASE_URL"
)
export const embeddedRestarts = counter(
  "switchyard_embedded_postgresql_restarts_total",
  "How often the embedded PostgreSQL had ended and was started again"
)

export const databaseMetrics = [
  databaseUp,
  statementSeconds,
  statementsActive,
  statementsFailed,
  databaseAway,
  databaseBlocked,
  databaseConnections,
  poolSize,
  embeddedUp,
  embeddedRestarts
]

// Live events and their recipients: the feed, its subscribers, webhooks.

const eventsLag = gauge(
  "switchyard_events_lag",
  "Numbers of the log that were assigned and not yet passed on, including those that an open transaction holds up; absent without followers"
)
export const eventsTold = counter(
  "switchyard_events_told_total",
  "Events that were handed to followers in this process"
)
/** The number up to which this process has passed the log on; null without followers. */
let handedOn: number | null = null

/** Notes how far the log was passed on; null means that there are no followers any more. */
export const noteHandedOn = (position: number | null): void => {
  handedOn = position
}

/** Writes how far followers are behind the newest number of the log, if there are any. */
export const recordEventsLag = (place: Place, newest: number): void => {
  if (handedOn !== null) eventsLag.record(place, Math.max(0, newest - handedOn))
}

/** `kind`: socket or sse. */
export const eventSubscribers = gauge(
  "switchyard_event_subscribers",
  "Clients that follow events, by kind: socket, sse",
  "kind"
)
/** `kind`: the type of the receiver; `none` if it has been removed since. */
export const webhookFailures = counter(
  "switchyard_webhook_failures_total",
  "Attempts to deliver an alert that failed, by kind of receiver",
  { kind: [...receiverTypes, "none"] }
)
export const deadLetters = gauge(
  "switchyard_alert_dead_letters",
  "Alerts that could not be delivered and were given up"
)

export const eventMetrics = [eventsLag, eventsTold, eventSubscribers, webhookFailures, deadLetters]
