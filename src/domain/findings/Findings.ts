/** All findings of the doctor, and those about the server itself: its machine and its database (docs/operations.md#doctor). Pure. */
import { type Finding, lengthOf, MINUTE } from "../Finding.ts"
import { type RestoredCommits, restoredSentence } from "../Repository.ts"
import { type CertificateFact, ofCertificate, ofServerTls, type ServerTlsFact } from "../Certificate.ts"
import {
  type ChangeFact,
  type DisputeFact,
  type JobFact,
  type LockFact,
  ofChange,
  ofDispute,
  ofJob,
  ofLock,
  ofOverlap,
  ofSessions,
  ofToken,
  type OverlapFact,
  type SessionFact,
  type TokenFact
} from "./WorkFindings.ts"

interface MachineFacts {
  readonly disk: { readonly free: number; readonly size: number } | null
  /** Seconds by which the database's clock is ahead of this process; negative when it is behind. */
  readonly clock: number
  readonly dead_letters: number
  /** Resources that the server's machine lacks, and since when (ISO 8601, UTC). */
  readonly lacking?: ReadonlyArray<{ readonly message: string; readonly since: string }>
  /** Commits that came with a restored backup and have not been refreshed since; null without any. */
  readonly restored: RestoredCommits | null
  /** What is in force without a verified signature although signatures are verified; null without any. */
  readonly unsigned?: string | null
  /** Roles of the site that have the right `free_lines` without naming it. */
  readonly impliedFreeLines?: ReadonlyArray<string>
}

const SKEW = 2
const FULL = 0.1

/** Disk, clocks, commits, messages whose delivery has ended without success, and roles that allow more than they name. */
const ofMachine = ({
  clock,
  dead_letters,
  disk,
  lacking = [],
  restored,
  unsigned = null,
  impliedFreeLines = []
}: MachineFacts): ReadonlyArray<Finding> => [
  ...lacking.map(({ message, since }) => ({
    kind: "machine" as const,
    level: "bad" as const,
    about: "server",
    since,
    what: message,
    why: "Work that needs it waits. No device is blamed for it, and nothing is lost.",
    next: "Repair it; the work continues automatically within some seconds.",
    repair: null
  })),
  ...impliedFreeLines.map((role) => ({
    kind: "role" as const,
    level: "warn" as const,
    about: role,
    since: null,
    what: `The role ${role} may write free lines into ports (cli_append_str) without naming the right free_lines`,
    why: "It may push whole configurations (POST /device/{hostname}/apply_config), and both were one right in earlier releases.",
    next: "Add rights: [free_lines] to its endpoints in permissions.yml, or remove apply_config from it: docs/roles.md#free-lines.",
    repair: null
  })),
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
          why: "Timers, tokens and the order of events depend on clocks.",
          next: "Synchronize both with the same time servers (chrony, systemd-timesyncd).",
          repair: null
        }
      ]),
  ...(restored === null
    ? []
    : [
        {
          kind: "repository" as const,
          level: "warn" as const,
          about: restored.commits.map(({ name }) => name).join(", "),
          since: null,
          what: restoredSentence(restored),
          why: "A push would undo changes that were committed after the backup.",
          next: "Refresh both repositories (switchyard repo refresh), and look at a dry run of all devices.",
          repair: null
        }
      ]),
  ...(unsigned === null
    ? []
    : [
        {
          kind: "repository" as const,
          level: "warn" as const,
          about: "signatures",
          since: null,
          what: `No allowed signer has signed what is in force: ${unsigned}`,
          why: "Anyone who may push to the repository could have written it. Where signatures are required, nothing of it is pushed.",
          next: "Push a signed commit, then refresh the repository: docs/settings-repository.md#signed-commits.",
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
          why: "Their receivers did not accept them for days.",
          next: "Repair the receiver (switchyard alerts test NAME), then try them again.",
          repair: { says: "Try all of them again", method: "POST" as const, path: "/alerts/replay", body: {} }
        }
      ])
]

// Problems that PostgreSQL cannot solve alone.

export interface DatabaseFact {
  /** Transactions since the oldest row that is still unfrozen. */
  readonly age: number
  /** Seconds for which the oldest transaction has been open. */
  readonly oldest_transaction: number
  /** Tables with many dead rows. */
  readonly bloated: ReadonlyArray<{ readonly table: string; readonly dead: number; readonly live: number }>
}

/** Of two thousand million transactions, after which PostgreSQL accepts no more. */
const OLD_ROWS = 1_000_000_000
const LONG_TRANSACTION = 60 * MINUTE

/** A lock of another program that blocks work; `sentence` names its holder. */
export const ofBlockade = (sentence: string): Finding => ({
  kind: "database",
  level: "bad",
  about: "database",
  since: null,
  what: sentence,
  why: "Requests that need it get 503, and jobs wait.",
  next: "Ask its user to end it, or call pg_terminate_backend with its process: docs/operations.md#locks-of-others.",
  repair: null
})

/** Rows, transactions and tables. */
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
            why: "PostgreSQL stops accepting transactions at about 2,100 million. Its vacuum does not finish.",
            next: "Run `vacuum freeze` when nothing else is running, and look for transactions that never end."
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
            why: "While it is open, the space of removed rows stays occupied.",
            next: "Find it in pg_stat_activity; a backup ends automatically, a forgotten console by pg_terminate_backend."
          }
        ]),
    ...bloated.map(({ dead, live, table }) => ({
      ...finding,
      level: "warn" as const,
      about: table,
      what: `The table ${table} has ${dead} dead and ${live} live rows`,
      why: "Rows were removed or changed faster than the vacuum can follow.",
      next: `Run \`vacuum (analyze) ${table}\`.`
    }))
  ]
}

// Work that is stuck or about to break (docs/operations.md#doctor), by pure rules over facts that the store reads. Each concept
// has a file of its own; this one combines them.

/** All facts at one moment. */
export interface Facts extends MachineFacts {
  readonly jobs: ReadonlyArray<JobFact>
  readonly changes: ReadonlyArray<ChangeFact>
  readonly sessions: ReadonlyArray<SessionFact>
  readonly locks: ReadonlyArray<LockFact>
  readonly disputes: ReadonlyArray<DisputeFact>
  readonly overlaps: ReadonlyArray<OverlapFact>
  readonly tokens: ReadonlyArray<TokenFact>
  readonly certificates: ReadonlyArray<CertificateFact>
  readonly database: DatabaseFact
  /** Null for a server without TLS of its own. */
  readonly tls: ServerTlsFact | null
}

/** The findings from the facts, the worst first. */
export const findingsOf = (facts: Facts): ReadonlyArray<Finding> =>
  [
    ...facts.jobs.flatMap(ofJob),
    ...facts.changes.flatMap(ofChange),
    ...facts.sessions.map(ofSessions),
    ...facts.disputes.map(ofDispute),
    ...facts.overlaps.map(ofOverlap),
    ...facts.tokens.map(ofToken),
    ...facts.locks.flatMap(ofLock),
    ...facts.certificates.flatMap(ofCertificate),
    ...(facts.tls === null ? [] : ofServerTls(facts.tls)),
    ...ofDatabase(facts.database),
    ...ofMachine(facts)
  ].toSorted((one, other) => Number(one.level === "warn") - Number(other.level === "warn"))
