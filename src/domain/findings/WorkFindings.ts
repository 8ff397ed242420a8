/** Work that does not go on: jobs, changes of devices, and locks. */
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
