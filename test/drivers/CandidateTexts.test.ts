/** The texts of candidates: that ours are recognised, also those that the machine of a change makes. */
import { expect, it } from "@effect/vitest"
import { MAX_ROUNDS } from "../../machines/change/ChangeSetup.ts"
import * as Candidate from "../../src/drivers/Candidate.ts"

const rounds = Array.from({ length: MAX_ROUNDS }, (_, round) =>
  round === 0 ? Candidate.ofJob(412) : `${Candidate.ofJob(412)}-${round + 1}`
)

it.each([...rounds, ...rounds.map(Candidate.checkOf), ...rounds.map(Candidate.probeOf)])(
  "recognises %s as job 412's",
  (candidate) => {
    expect(Candidate.jobOf(candidate)).toBe(412)
  }
)

it("gives the halves of bounces an unused job number, and each a text of its own", () => {
  const halves = [Candidate.ofBounce("d", 1_000), Candidate.ofBounce("u", 1_000), Candidate.ofBounce("d", 1_001)]
  expect(halves.map(Candidate.jobOf)).toEqual([0, 0, 0])
  expect(new Set(halves).size).toBe(3)
})

it.each(["operator", "job", "jobs412", "job412 x", "job-412", "cfg-1-job412", "JOB412"])(
  "recognises %j as another user's",
  (session) => {
    expect(Candidate.jobOf(session)).toBeNull()
  }
)
