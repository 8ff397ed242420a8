/**
 * Many thousand configurations with commands among their lines, on the shell of a simulated switch: what the gate lets through
 * changes nothing but the candidate. A failure prints the seed, which makes the same configuration again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { refusedLines } from "../../../src/domain/CandidateGate.ts"
import { eos } from "../../../src/domain/platforms/eos/Platform.ts"
import { cutCandidate } from "../../../src/drivers/eos/CandidateUnits.ts"
import { pureShell, type PureShell } from "../../support/lab/PureShell.ts"
import { randomCandidate } from "../../support/lab/RandomCandidates.ts"

const RUNS = 20_000
/** Another campaign: `FIRST_SEED=… npx vitest …`. */
const FIRST_SEED = Number(process.env["FIRST_SEED"] ?? 1)

const RUNNING = "alias zap delete flash:notes.txt\n"

const fresh = () => pureShell({}, RUNNING)

/** The changes that a load has made to the switch and that a dry run may not make; empty on success. */
const damage = async (one: PureShell, text: string): Promise<string | null> => {
  const cut = cutCandidate(text)
  if (Result.isFailure(cut)) return null
  await one.type("configure session job1")
  const before = JSON.stringify(one.state("job1"))
  await one.type("rollback clean-config")
  for (const { line, text: more } of cut.success.units) {
    for (const typed of [line, ...more]) await one.type(typed)
  }
  clearTimeout(one.device.timer?.handle)
  const after = JSON.stringify(one.state("job1"))
  if (before !== after) return `${before}\nbecame\n${after}`
  const { mode } = one.shell
  if (mode.kind !== "session" || mode.session.name !== "job1") return `the shell stands in ${mode.kind}`
  const session = one.device.sessions.get("job1")
  return session?.state === "pending" ? null : `the session is ${session?.state ?? "gone"}`
}

describe("a configuration with commands among its lines", () => {
  it("changes nothing on a switch if the gate accepts it", async () => {
    let passed = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
      const { text } = randomCandidate(seed)
      if (refusedLines(eos, text, { running: RUNNING }).length > 0) continue
      passed++
      const found = await damage(fresh(), text)
      assert.isNull(found, `seed ${seed}: ${found}\n${text}`)
    }
    assert.isAbove(passed, RUNS / 50, "hardly anything passes the gate, so nothing is shown")
  })

  it("would change a switch in many ways without the gate", async () => {
    let harmed = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + 300; seed++) {
      const { text } = randomCandidate(seed)
      if ((await damage(fresh(), text)) !== null) harmed++
    }
    assert.isAbove(harmed, 50)
  })
})
