/**
 * What a look for drift reads of a switch (docs/changes.md#drift): what it runs, and then its sessions, by which those of ours that were
 * left behind are found.
 */
import { Effect, Result } from "effect"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import type { OurSession } from "../domain/DeviceActivity.ts"
import { jobOf } from "../drivers/Candidate.ts"
import type { ConfigSession, ConfigSessions } from "../drivers/Driver.ts"
import type { LoggedIn } from "./DeviceLogin.ts"
import * as UnifiedDiff from "../drivers/UnifiedDiff.ts"

/** What the device is compared with; `withJobs`: after a restore the jobs that have left candidates have to be known. */
export interface DriftQuestion {
  readonly config: string
  readonly hash: string
  readonly withJobs?: boolean
}

/** Jobs whose candidates a switch lists, committed ones too. */
const jobsOf = ({ sessions }: ConfigSessions): ReadonlyArray<number> => [
  ...new Set(sessions.map(({ name }) => jobOf(name)).filter((job) => job !== null))
]

const ours = ({ name, state }: ConfigSession): ReadonlyArray<OurSession> => {
  const job = jobOf(name)
  return job === null || state === "done" ? [] : [{ name, job, state }]
}

/** Those of ours, and whose they are. A switch that does not list its sessions says nothing of them. */
const told = (found: ConfigSessions, withJobs: boolean) => ({
  ...(found.isListed ? { sessions: found.sessions.flatMap(ours) } : {}),
  ...(withJobs ? { jobs: jobsOf(found) } : {})
})

/**
 * Reads a device. What it runs is known before its sessions are asked for, so a list that cannot be read takes nothing away from that,
 * unless the jobs have to be known.
 */
export const read =
  ({ config, hash, withJobs = false }: DriftQuestion) =>
  ({ driver, session }: LoggedIn) =>
    Effect.gen(function* () {
      const running = yield* session.runningConfig
      const found = driver.configHash(running)
      const plain = (text: string) => withoutOwnLines(driver.platform.configuration, text)
      const diff = found === hash ? "" : UnifiedDiff.diff(plain(config), plain(running))
      const listed = yield* Effect.result(session.sessions)
      if (Result.isSuccess(listed)) return { hash: found, diff, ...told(listed.success, withJobs) }
      if (withJobs) return yield* listed.failure
      yield* Effect.logDebug("The sessions of a device could not be read", { error: listed.failure.message })
      return { hash: found, diff }
    })
