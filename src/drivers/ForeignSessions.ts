/**
 * Which of other people's open sessions are in the way of a load (docs/switch-dialogues.md#other-peoples-sessions). Management
 * platforms leave sessions open for ever, so by default only one that may be in use is waited for: one that was seen for the first
 * time a short while ago, unless the switch shows that it is older or that nobody is in it.
 */
import { Context, Layer } from "effect"
import { jobOf } from "./Candidate.ts"
import type { ConfigSession } from "./Driver.ts"

/** `wait`: every open session is in the way. `ignore-old`: those that may be in use are. */
export type ForeignSessionRule = "ignore-old" | "wait"

/** For so long a session may be in use after it was seen for the first time, in milliseconds. */
const IN_USE = 120_000

export interface ForeignSessions {
  /** Those of the open sessions on a device that are in the way now, in epoch milliseconds. */
  readonly inTheWay: (hostname: string, open: ReadonlyArray<ConfigSession>, now: number) => ReadonlyArray<ConfigSession>
}

/** Remembers in memory when a session was seen first: a device is served by one process. */
export const make = (rule: ForeignSessionRule): ForeignSessions => {
  const firstSeen = new Map<string, ReadonlyMap<string, number>>()

  const see = (hostname: string, open: ReadonlyArray<ConfigSession>, now: number): ReadonlyMap<string, number> => {
    const before = firstSeen.get(hostname)
    const seen = new Map(open.map(({ name }) => [name, before?.get(name) ?? now]))
    if (seen.size === 0) firstSeen.delete(hostname)
    else firstSeen.set(hostname, seen)
    return seen
  }

  return {
    inTheWay: (hostname, open, now) => {
      if (rule === "wait") return open
      const seen = see(hostname, open, now)
      const isOld = ({ attended, name, since }: ConfigSession): boolean =>
        attended === false || now - Math.min(since ?? now, seen.get(name) ?? now) >= IN_USE
      // a session of a job that is not over is never old
      return open.filter((session) => jobOf(session.name) !== null || !isOld(session))
    }
  }
}

/** The rule and the memory of this process. */
export const ForeignSessions = Context.Reference<ForeignSessions>("switchyard/drivers/ForeignSessions", {
  defaultValue: () => make("ignore-old")
})

/** The memory of a process with this rule. */
export const layer = (rule: ForeignSessionRule): Layer.Layer<never> => Layer.sync(ForeignSessions, () => make(rule))
