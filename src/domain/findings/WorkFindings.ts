/**
 * The doctor's findings about work: jobs, changes and locks that are stuck, configuration sessions, and disputed identities
 * (docs/operations.md#doctor). Pure.
 */
import { DAY, type Finding, lengthOf, look, MINUTE } from "../Finding.ts"

/** A job that has not ended. */
export interface JobFact {
  readonly id: number
  readonly function_name: string
  readonly status: string
  /** The kinds of its waits. */
  readonly reason: string | null
  /** The time at which it was due, or made its last progress: ISO 8601. */
  readonly since: string
  /** Seconds since then. */
  readonly quiet: number
  /** Seconds since the last heartbeat of its process. */
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
  /** Seconds since the timer on the switch must have expired; negative while it runs, null without a timer. */
  readonly overdue: number | null
}

export interface LockFact {
  readonly name: string
  readonly job_id: number
  readonly job_ended: boolean
  readonly since: string
  readonly held: number
}

/** A job without progress for so long is stuck; no step of a device takes longer without a message. */
const STUCK = 15 * MINUTE
/** A process writes a heartbeat for its job every two seconds. */
const UNSERVED = 2 * MINUTE
/** The server continues the changes of ended jobs within a minute. */
const LEFT = 5 * MINUTE
const PAUSED = DAY
const LOCKED = DAY

const abort = (id: number) => ({
  says: `Abort job ${id}`,
  method: "PUT" as const,
  path: `/job/${id}`,
  body: { action: "ABORT", abort_reason: "It made no progress" }
})

/** A job without progress. */
export const ofJob = ({
  function_name,
  id,
  quiet,
  reason,
  since,
  status,
  unserved
}: JobFact): ReadonlyArray<Finding> => {
  const finding = { kind: "job", about: `job ${id}`, since } as const
  if (reason === "pause") {
    if (quiet < PAUSED) return []
    return [
      {
        ...finding,
        level: "warn",
        what: `${function_name} has been paused for ${lengthOf(quiet)}`,
        why: "A user has paused it, and no user has resumed it. It holds its lock.",
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
        ? `${function_name} has been due for ${lengthOf(quiet)}, and no server has begun it`
        : `${function_name} has made no progress for ${lengthOf(quiet)}`,
      why:
        unserved >= UNSERVED
          ? "No process works on it. A healthy server takes it over within a minute; a server that only appears to run does not."
          : "A process works on it, and waits for a switch or another system that does not answer.",
      next:
        unserved >= UNSERVED
          ? "Look at the part `jobs` of the server's health, and restart a server that does not take work."
          : "Look at its devices. An abort finishes the running work, and begins nothing new.",
      repair: abort(id)
    }
  ]
}

/** A change whose end is unknown. */
export const ofChange = (fact: ChangeFact): ReadonlyArray<Finding> => {
  const { hostname, job_ended, job_id, overdue, phase, quiet, since } = fact
  const finding = { kind: "change", about: hostname, since, repair: look(hostname) } as const
  if (phase === "unknown") {
    return [
      {
        ...finding,
        kind: "device",
        level: "bad",
        what: `Its configuration is unknown since job ${job_id}`,
        why: "It was unreachable when the change had to be proved, or its answer was unclear.",
        next: "Read its configuration; this pushes nothing."
      }
    ]
  }
  if (job_ended && quiet >= LEFT) {
    return [
      {
        ...finding,
        level: "bad",
        what: `A change is still ${phase}, although job ${job_id} has ended`,
        why: "A fault of the database or of a process has interrupted it, or the switch is unreachable. A session may remain on it, which the next load removes.",
        next: "The server finishes it automatically as soon as the switch answers. Check whether it answers, and which configuration it runs."
      }
    ]
  }
  if (overdue !== null && overdue >= STUCK) {
    return [
      {
        ...finding,
        level: "bad",
        what: `Its timer must have run out ${lengthOf(overdue)} ago, and its result is unknown`,
        why: "The switch has been unreachable since the commit.",
        next: "Check whether it answers. If the timer has expired, it runs its previous configuration."
      }
    ]
  }
  return []
}

/** A lock whose holder no longer works, or that has been held for long. */
export const ofLock = ({ held, job_ended, job_id, name, since }: LockFact): ReadonlyArray<Finding> => {
  if (!job_ended && held < LOCKED) return []
  return [
    {
      kind: "lock",
      level: job_ended ? "bad" : "warn",
      about: name,
      since,
      what: `Job ${job_id} has held the lock ${name} for ${lengthOf(held)}`,
      why: job_ended
        ? "The job has ended. A healthy server releases the lock within seconds."
        : "The job is still running, and others wait for it.",
      next: job_ended ? "Clear the lock; its job no longer runs." : "Look at the job before anything else.",
      repair: job_ended ? { says: `Clear the lock ${name}`, method: "DELETE", path: "/joblocks", body: { name } } : null
    }
  ]
}

// Our sessions that remain on switches. A session may have ended since the last reading without our help (a restart, a user at
// the console), so the finding says what was seen, and at which time.

/** Similar sessions of a device. */
export interface SessionFact {
  readonly hostname: string
  readonly names: ReadonlyArray<string>
  /** They were committed, and their timer was running. */
  readonly is_timed: boolean
  /** The time at which the first of them was first seen: ISO 8601. */
  readonly since: string
  /** Seconds since the sessions of the device were read. */
  readonly seen: number
}

const ofTimer = ({ hostname, names, seen, since }: SessionFact): Finding => ({
  kind: "session",
  level: "warn",
  about: hostname,
  since,
  what: `One of our commit timers ran on it although no job waits for it: ${names.join(", ")}`,
  why: `It was seen ${lengthOf(seen)} ago. Its job has ended, and no change of the device waits for it. While it runs, the switch accepts no candidate; when it expires, the switch takes that commit back.`,
  next: "Wait until it has expired, then read the switch's configuration.",
  repair: look(hostname)
})

const ofOpen = ({ hostname, names, seen, since }: SessionFact): Finding => ({
  kind: "session",
  level: "warn",
  about: hostname,
  since,
  what:
    names.length === 1
      ? `One of our sessions remains open on it: ${names.join("")}`
      : `${names.length} of our sessions remain open on it: ${names.join(", ")}`,
  why: `No running job uses it: jobs remove their sessions, unless a fault interrupts them. It was last seen ${lengthOf(seen)} ago. It only takes places among the sessions of the switch.`,
  next: "A dry run removes it and pushes nothing. The next change removes it too.",
  repair: {
    says: `Clean up with a dry run of ${hostname}`,
    method: "POST",
    path: "/device_syncto",
    body: { hostname, dry_run: true }
  }
})

/** The sessions that remain on a device. */
export const ofSessions = (fact: SessionFact): Finding => (fact.is_timed ? ofTimer(fact) : ofOpen(fact))

// Records from before the rules that refuse them now: values that two records share (docs/api.md#what-is-unique), and tokens
// without bounds.

/** A value that a device shares with another record. */
export interface DisputeFact {
  readonly hostname: string
  /** The field of the device, such as `management_ip`. */
  readonly role: string
  readonly value: string
  /** The other record, such as `management_ip of lhv-acc2`. */
  readonly other: string
}

/** A network that overlaps another one. */
export interface OverlapFact {
  readonly network: string
  /** Such as `linknet 7`. */
  readonly owner: string
  readonly other_network: string
  readonly other: string
}

/** A token from before the bounds of tokens (docs/security.md#persons). */
export interface TokenFact {
  readonly id: number
  readonly name: string
  readonly created_by: string
  readonly created_at: string
  /** Days from its creation to its expiry. */
  readonly days: number
  /** Its owner is unknown, so that it does not end with a person. */
  readonly is_ownerless: boolean
}

/** A token that is valid for longer than new ones may be, or that does not end with a person. */
export const ofToken = (token: TokenFact): Finding => ({
  kind: "token",
  level: "warn",
  about: token.name,
  since: token.created_at,
  what: token.is_ownerless
    ? `The API token ${token.name}, made by ${token.created_by}, does not end with an owner`
    : `The API token ${token.name}, made by ${token.created_by}, is valid for ${token.days} days`,
  why: "New tokens end with the person who owns them, and are valid for API_TOKEN_DAYS at most. This one is older.",
  next: `Make another one for its program, and revoke this one: \`switchyard token revoke ${token.id}\``,
  repair: null
})

/** A device to which nothing is pushed because another record has the same value. */
export const ofDispute = ({ hostname, other, role, value }: DisputeFact): Finding => ({
  kind: "device",
  level: "bad",
  about: hostname,
  since: null,
  what: `${role} ${value} is also the ${other}`,
  why: "The server cannot decide which of the two records belongs to the switch at that address, so it pushes nothing to the device. Such records are refused now; these are older.",
  next: "Find out which record is right. Change the other one, set it to UNMANAGED, or delete it.",
  repair: null
})

/** Networks of management domains or links that overlap. */
export const ofOverlap = ({ network, other, other_network, owner }: OverlapFact): Finding => ({
  kind: "device",
  level: "warn",
  about: owner,
  since: null,
  what: `Its network ${network} overlaps ${other_network} of ${other}`,
  why: "A switch in one of them can be given an address that belongs to the other. Such networks are refused now; these are older.",
  next: "Change or delete one of the two.",
  repair: null
})
