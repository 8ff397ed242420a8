/**
 * What the doctor finds about work: jobs, changes and locks that are stuck, configuration sessions, and disputed identities
 * (docs/operations.md#doctor). Pure.
 */
import { DAY, type Finding, lengthOf, look, MINUTE } from "../Finding.ts"

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

/** A job that does nothing for so long is stuck; no step of a device takes longer without a word. */
const STUCK = 15 * MINUTE
/** A process says every two seconds that it works on a job. */
const UNSERVED = 2 * MINUTE
/** The server looks after changes of jobs that have ended within a minute. */
const LEFT = 5 * MINUTE
const PAUSED = DAY
const LOCKED = DAY

const abort = (id: number) => ({
  says: `Abort job ${id}`,
  method: "PUT" as const,
  path: `/job/${id}`,
  body: { action: "ABORT", abort_reason: "It did not go on" }
})

/** A job that does not go on. */
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

/** A change of which nobody knows how it ends. */
export const ofChange = (fact: ChangeFact): ReadonlyArray<Finding> => {
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

/** A lock that is held for nothing, or for long. */
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
        ? "The job has ended. A server that works gives the lock back within seconds."
        : "The job is still under way, and others wait for it.",
      next: job_ended ? "Clear the lock; no job is under way behind it." : "Look at the job before anything else.",
      repair: job_ended ? { says: `Clear the lock ${name}`, method: "DELETE", path: "/joblocks", body: { name } } : null
    }
  ]
}

// Sessions of ours that were left behind on switches. What was seen may be gone by now, without us (a restart, somebody at the console),
// so it is told as what was seen, and when.

/** Those of a device that are alike. */
export interface SessionFact {
  readonly hostname: string
  readonly names: ReadonlyArray<string>
  /** They were committed, and their timer ran. */
  readonly is_timed: boolean
  /** When the first of them was seen first: ISO 8601. */
  readonly since: string
  /** Seconds since the device was looked at. */
  readonly seen: number
}

const ofTimer = ({ hostname, names, seen, since }: SessionFact): Finding => ({
  kind: "session",
  level: "warn",
  about: hostname,
  since,
  what: `A commit timer of ours ran on it that nobody waits for: ${names.join(", ")}`,
  why: `It was seen ${lengthOf(seen)} ago. Its job is not under way any more, and no change of the device waits for it. Nothing can be loaded while it runs, and when it runs out the switch takes that commit back.`,
  next: "Let it run out, then look what the switch runs.",
  repair: look(hostname)
})

const ofOpen = ({ hostname, names, seen, since }: SessionFact): Finding => ({
  kind: "session",
  level: "warn",
  about: hostname,
  since,
  what:
    names.length === 1
      ? `A session of ours was left open on it: ${names.join("")}`
      : `${names.length} sessions of ours were left open on it: ${names.join(", ")}`,
  why: `No job that is under way works with what was left: jobs remove their sessions, unless a fault cuts them off. This was seen last ${lengthOf(seen)} ago. What is left holds places among the sessions of the switch, and nothing else.`,
  next: "Remove what was left by a dry run, which pushes nothing. The next change removes it too.",
  repair: {
    says: `Remove what was left by a dry run of ${hostname}`,
    method: "POST",
    path: "/device_syncto",
    body: { hostname, dry_run: true }
  }
})

/** What was left behind on a device. */
export const ofSessions = (fact: SessionFact): Finding => (fact.is_timed ? ofTimer(fact) : ofOpen(fact))

// What is older than the rule that refuses it now: what two records share (docs/api.md#what-is-unique), and tokens without bounds.

/** Something that a device shares with another record. */
export interface DisputeFact {
  readonly hostname: string
  /** What it is of the device, such as `management_ip`. */
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

/** A token of before the bounds of tokens (docs/security.md#persons). */
export interface TokenFact {
  readonly id: number
  readonly name: string
  readonly created_by: string
  readonly created_at: string
  /** Days from its making to its end. */
  readonly days: number
  /** Nobody is known whose it is, so that it ends with nobody. */
  readonly is_nobodys: boolean
}

/** A token that is valid for longer than new ones may be, or that ends with nobody. */
export const ofToken = (token: TokenFact): Finding => ({
  kind: "token",
  level: "warn",
  about: token.name,
  since: token.created_at,
  what: token.is_nobodys
    ? `The API token ${token.name}, made by ${token.created_by}, has no owner with whom it would end`
    : `The API token ${token.name}, made by ${token.created_by}, is valid for ${token.days} days`,
  why: "New tokens end with the person whose they are, and are valid for API_TOKEN_DAYS at most. This one is older.",
  next: `Make another one for its program, and revoke this one: \`switchyard token revoke ${token.id}\``,
  repair: null
})

/** A device that gets nothing pushed because another record has the same. */
export const ofDispute = ({ hostname, other, role, value }: DisputeFact): Finding => ({
  kind: "device",
  level: "bad",
  about: hostname,
  since: null,
  what: `${role} ${value} is also the ${other}`,
  why: "Nobody knows which of the two records the switch at that address is, so nothing is pushed to the device. Such records are refused now; these are older.",
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
