/** What surrounds the server: its disk, the clocks, the repositories after a restore, and receivers of alerts. */
import { type Finding, lengthOf } from "../Finding.ts"
import { type RestoredCommits, restoredSentence } from "../RestoredCommits.ts"

export interface MachineFacts {
  readonly disk: { readonly free: number; readonly size: number } | null
  /** Seconds by which the database's clock is before that of this process; below zero when it is behind. */
  readonly clock: number
  readonly dead_letters: number
  /** Commits that came with a restored backup and were not refreshed since; null when there are none. */
  readonly restored: RestoredCommits | null
}

const SKEW = 2
const FULL = 0.1

/** Disk, clocks, commits and messages that were given up. */
export const ofMachine = ({ clock, dead_letters, disk, restored }: MachineFacts): ReadonlyArray<Finding> => [
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
  ...(restored === null
    ? []
    : [
        {
          kind: "repository" as const,
          level: "warn" as const,
          about: restored.commits.map(({ name }) => name).join(", "),
          since: null,
          what: restoredSentence(restored),
          why: "A push would take back what was committed after the backup.",
          next: "Refresh both repositories (switchyard repo refresh), and look at a dry run of all devices.",
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
