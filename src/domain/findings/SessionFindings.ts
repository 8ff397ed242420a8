/**
 * Sessions of ours that were left behind on switches. What was seen may be gone by now, without us (a restart, somebody at the console),
 * so it is told as what was seen, and when.
 */
import { type Finding, lengthOf, look } from "../Finding.ts"

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
