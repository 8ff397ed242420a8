/**
 * What is stuck or about to break (docs/operations.md#doctor): for each finding what it is about, since when, why, the safe next step, and
 * where there is one the call that repairs it, which asks first. Pure rules over facts that the store reads.
 */
import { Schema } from "effect"

export const findingKinds = [
  "job",
  "change",
  "device",
  "lock",
  "certificate",
  "database",
  "disk",
  "clock",
  "alert"
] as const

/** A call of the API that repairs it, for people to say yes to. */
export const Repair = Schema.Struct({
  /** What it does, as a button says it. */
  says: Schema.String,
  method: Schema.Literals(["POST", "PUT", "DELETE"]),
  /** Below /api/v1.0. */
  path: Schema.String,
  body: Schema.Record(Schema.String, Schema.Unknown)
})

export const Finding = Schema.Struct({
  kind: Schema.Literals(findingKinds),
  /** `bad`: something is stuck or lost now; `warn`: it will be. */
  level: Schema.Literals(["bad", "warn"]),
  /** What it is about, such as `job 12` or a hostname. */
  about: Schema.String,
  /** ISO 8601 without a zone, UTC; null when nobody knows. */
  since: Schema.NullOr(Schema.String),
  what: Schema.String,
  why: Schema.String,
  next: Schema.String,
  repair: Schema.NullOr(Repair)
})
export type Finding = typeof Finding.Type

/** A job that has not ended. */
export interface JobFact {
  readonly id: number
  readonly function_name: string
  readonly status: string
  /** Of what it says that it waits for. */
  readonly reason: string | null
  /** When it was due, or went on last: ISO 8601. */
  readonly since: string
  /** Seconds since then. */
  readonly quiet: number
  /** Seconds since a process said that it works on it. */
  readonly unserved: number
}

/** The newest change of a device. */
export interface ChangeFact {
  readonly hostname: string
  readonly job_id: number
  readonly phase: string
  readonly job_ended: boolean
  readonly since: string
  readonly quiet: number
  /** Seconds since the timer on the switch must have run out; below zero while it runs, null without one. */
  readonly overdue: number | null
}

export interface LockFact {
  readonly name: string
  readonly job_id: number
  readonly job_ended: boolean
  readonly since: string
  readonly held: number
}

export interface CertificateFact {
  readonly hostname: string
  readonly ends: string
  /** Seconds; below zero when it has ended. */
  readonly left: number
}

/** The certificate by which this server is known to its callers. */
export interface ServerTlsFact {
  /** Where it is. */
  readonly path: string
  /** Why the files cannot be used as they are now; null when they can. */
  readonly problem: string | null
  /** Until when it is good, and the seconds until then, below zero when it has ended; null when nobody can say. */
  readonly ends: string | null
  readonly left: number | null
}

export interface DatabaseFact {
  /** Transactions since the oldest row that was not frozen. */
  readonly age: number
  /** Seconds for which the oldest transaction is open. */
  readonly oldest_transaction: number
  /** Tables with many dead rows. */
  readonly bloated: ReadonlyArray<{ readonly table: string; readonly dead: number; readonly live: number }>
}

/** All of them at one moment. */
export interface Facts {
  readonly jobs: ReadonlyArray<JobFact>
  readonly changes: ReadonlyArray<ChangeFact>
  readonly locks: ReadonlyArray<LockFact>
  readonly certificates: ReadonlyArray<CertificateFact>
  readonly database: DatabaseFact
  /** Null for a server without TLS of its own. */
  readonly tls: ServerTlsFact | null
  readonly disk: { readonly free: number; readonly size: number } | null
  /** Seconds by which the database's clock is before that of this process; below zero when it is behind. */
  readonly clock: number
  readonly dead_letters: number
}

const MINUTE = 60
const DAY = 86_400
/** A job that does nothing for so long is stuck; no step of a device takes longer without a word. */
const STUCK = 15 * MINUTE
/** A process says every two seconds that it works on a job. */
const UNSERVED = 2 * MINUTE
/** The server looks after changes of jobs that have ended within a minute. */
const LEFT = 5 * MINUTE
const PAUSED = DAY
const LOCKED = DAY
const ENDING = 30 * DAY
/** Of two thousand million transactions, after which PostgreSQL takes no more. */
const OLD_ROWS = 1_000_000_000
const LONG_TRANSACTION = 60 * MINUTE
const SKEW = 2
const FULL = 0.1

/** `21 minutes`, `3 hours`, `2 days`. */
export const lengthOf = (seconds: number): string => {
  const [count, unit] =
    seconds >= 2 * DAY
      ? [seconds / DAY, "day"]
      : seconds >= 2 * 60 * MINUTE
        ? [seconds / (60 * MINUTE), "hour"]
        : seconds >= MINUTE
          ? [seconds / MINUTE, "minute"]
          : [seconds, "second"]
  const whole = Math.floor(count)
  return `${whole} ${unit}${whole === 1 ? "" : "s"}`
}

const look = (hostname: string) => ({
  says: `Look what ${hostname} runs`,
  method: "POST" as const,
  path: "/device_drift",
  body: { hostname }
})

const abort = (id: number) => ({
  says: `Abort job ${id}`,
  method: "PUT" as const,
  path: `/job/${id}`,
  body: { action: "ABORT", abort_reason: "It did not go on" }
})

const ofJob = ({ function_name, id, quiet, reason, since, status, unserved }: JobFact): ReadonlyArray<Finding> => {
  const finding = { kind: "job", about: `job ${id}`, since } as const
  if (reason === "pause") {
    if (quiet < PAUSED) return []
    return [
      {
        ...finding,
        level: "warn",
        what: `${function_name} has been paused for ${lengthOf(quiet)}`,
        why: "Somebody has paused it, and nobody has said that it goes on. It holds its lock.",
        next: "Ask who paused it; resume or abort it.",
        repair: { says: `Resume job ${id}`, method: "PUT", path: `/job/${id}`, body: { action: "RESUME" } }
      }
    ]
  }
  if (reason !== null || quiet < STUCK) return []
  const isDue = status === "SCHEDULED"
  return [
    {
      ...finding,
      level: "bad",
      what: isDue
        ? `${function_name} has been due for ${lengthOf(quiet)}, and nobody has begun it`
        : `${function_name} has not come further for ${lengthOf(quiet)}`,
      why:
        unserved >= UNSERVED
          ? "No process works on it. One that runs takes it over within a minute; a server that only looks as if it ran does not."
          : "A process works on it, and waits for a switch or another system that says nothing.",
      next:
        unserved >= UNSERVED
          ? "Look at the part `jobs` of the server's health, and restart a server that does not take work."
          : "Look at its devices. An abort brings what is under way to its end, and begins nothing new.",
      repair: abort(id)
    }
  ]
}

const ofChange = (fact: ChangeFact): ReadonlyArray<Finding> => {
  const { hostname, job_ended, job_id, overdue, phase, quiet, since } = fact
  const finding = { kind: "change", about: hostname, since, repair: look(hostname) } as const
  if (phase === "unknown") {
    return [
      {
        ...finding,
        kind: "device",
        level: "bad",
        what: `Nobody knows what it runs since job ${job_id}`,
        why: "It could not be reached when the change had to be proved, or said something that was not understood.",
        next: "Look what it runs; nothing is pushed by that."
      }
    ]
  }
  if (job_ended && quiet >= LEFT) {
    return [
      {
        ...finding,
        level: "bad",
        what: `A change is still ${phase}, although job ${job_id} has ended`,
        why: "A fault of the database or of a process has cut it off, or the switch cannot be reached. A session may be left on it, which the next load removes.",
        next: "The server looks after it by itself as soon as the switch answers. Look what it runs, and whether it answers."
      }
    ]
  }
  if (overdue !== null && overdue >= STUCK) {
    return [
      {
        ...finding,
        level: "bad",
        what: `Its timer must have run out ${lengthOf(overdue)} ago, and nobody has seen what came of it`,
        why: "The switch has not been reached since the commit.",
        next: "Find out whether it answers. When the timer ran out it runs what it ran before."
      }
    ]
  }
  return []
}

const ofLock = ({ held, job_ended, job_id, name, since }: LockFact): ReadonlyArray<Finding> => {
  if (!job_ended && held < LOCKED) return []
  return [
    {
      kind: "lock",
      level: job_ended ? "bad" : "warn",
      about: name,
      since,
      what: `Job ${job_id} has held the lock ${name} for ${lengthOf(held)}`,
      why: job_ended
        ? "The job has ended. A server that works gives the lock back within seconds."
        : "The job is still under way, and others wait for it.",
      next: job_ended ? "Clear the lock; no job is under way behind it." : "Look at the job before anything else.",
      repair: job_ended ? { says: `Clear the lock ${name}`, method: "DELETE", path: "/joblocks", body: { name } } : null
    }
  ]
}

const ofCertificate = ({ ends, hostname, left }: CertificateFact): ReadonlyArray<Finding> =>
  left >= ENDING
    ? []
    : [
        {
          kind: "certificate",
          level: left < 0 ? "bad" : "warn",
          about: hostname,
          since: null,
          what: left < 0 ? `Its certificate ended ${lengthOf(-left)} ago` : `Its certificate ends in ${lengthOf(left)}`,
          why: `It is good until ${ends}.`,
          next: "Renew it; the switch gets a new one, and keeps the old one until then.",
          repair: {
            says: `Renew the certificate of ${hostname}`,
            method: "POST",
            path: "/device_cert",
            body: { action: "RENEW", hostname }
          }
        }
      ]

const ofServerTls = ({ ends, left, path, problem }: ServerTlsFact): ReadonlyArray<Finding> => {
  const finding = { kind: "certificate", about: "TLS_CERT", since: null, repair: null } as const
  if (problem !== null) {
    return [
      {
        ...finding,
        level: "bad",
        what: "The files of this server's own certificate cannot be used",
        why: `${problem}. The ones that were read before stay in force until the server stops, and it does not start with these.`,
        next: "Put a certificate with its chain and its key into the two files. They are read again within seconds."
      }
    ]
  }
  if (left === null || left >= ENDING) return []
  return [
    {
      ...finding,
      level: left < 0 ? "bad" : "warn",
      what:
        left < 0
          ? `This server's own certificate ended ${lengthOf(-left)} ago`
          : `This server's own certificate ends in ${lengthOf(left)}`,
      why: `The one in ${path} is good until ${ends}. Clients refuse it from then on.`,
      next: "Renew it where it comes from, and replace both files. They are read again within seconds."
    }
  ]
}

const ofDatabase = ({ age, bloated, oldest_transaction }: DatabaseFact): ReadonlyArray<Finding> => {
  const finding = { kind: "database", since: null, repair: null } as const
  return [
    ...(age < OLD_ROWS
      ? []
      : [
          {
            ...finding,
            level: "bad" as const,
            about: "transactions",
            what: `The oldest rows are ${Math.floor(age / 1_000_000)} million transactions old`,
            why: "PostgreSQL takes no transaction any more at about 2,100 million. Its vacuum does not come through.",
            next: "Run `vacuum freeze` when nothing else is under way, and look for transactions that are never ended."
          }
        ]),
    ...(oldest_transaction < LONG_TRANSACTION
      ? []
      : [
          {
            ...finding,
            level: "warn" as const,
            about: "transactions",
            what: `A transaction has been open for ${lengthOf(oldest_transaction)}`,
            why: "While it is open nothing that was removed gives its room back.",
            next: "Find it in pg_stat_activity; a backup or a forgotten console ends by itself or by pg_terminate_backend."
          }
        ]),
    ...bloated.map(({ dead, live, table }) => ({
      ...finding,
      level: "warn" as const,
      about: table,
      what: `The table ${table} has ${dead} dead rows beside ${live}`,
      why: "Rows were removed or changed faster than the vacuum comes after.",
      next: `Run \`vacuum (analyze) ${table}\`.`
    }))
  ]
}

const ofMachine = ({ clock, dead_letters, disk }: Facts): ReadonlyArray<Finding> => [
  ...(disk === null || disk.free >= disk.size * FULL
    ? []
    : [
        {
          kind: "disk" as const,
          level: "bad" as const,
          about: "DATA_DIR",
          since: null,
          what: `${Math.floor((disk.free / disk.size) * 100)} % of the disk are free`,
          why: "A full disk stops the database and every job.",
          next: "Make room, or keep less: docs/operations.md#retention.",
          repair: null
        }
      ]),
  ...(Math.abs(clock) < SKEW
    ? []
    : [
        {
          kind: "clock" as const,
          level: "warn" as const,
          about: "clock",
          since: null,
          what: `The clock of the database is ${lengthOf(Math.abs(clock))} ${clock > 0 ? "before" : "behind"} that of the server`,
          why: "Timers, tokens and the order of events are told by clocks.",
          next: "Let both be set by the same time servers (chrony, systemd-timesyncd).",
          repair: null
        }
      ]),
  ...(dead_letters === 0
    ? []
    : [
        {
          kind: "alert" as const,
          level: "warn" as const,
          about: "alerts",
          since: null,
          what: `${dead_letters} ${dead_letters === 1 ? "message was" : "messages were"} given up`,
          why: "Their receivers did not take them for days.",
          next: "Mend the receiver (switchyard alerts test NAME), then try them again.",
          repair: { says: "Try all of them again", method: "POST" as const, path: "/alerts/replay", body: {} }
        }
      ])
]

/** What is found in the facts, what is bad first. */
export const findingsOf = (facts: Facts): ReadonlyArray<Finding> =>
  [
    ...facts.jobs.flatMap(ofJob),
    ...facts.changes.flatMap(ofChange),
    ...facts.locks.flatMap(ofLock),
    ...facts.certificates.flatMap(ofCertificate),
    ...(facts.tls === null ? [] : ofServerTls(facts.tls)),
    ...ofDatabase(facts.database),
    ...ofMachine(facts)
  ].toSorted((one, other) => Number(one.level === "warn") - Number(other.level === "warn"))
