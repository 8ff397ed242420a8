/**
 * How slow the machine is when a run of the tests begins: work of the processor and the start of a program, each against what it takes on
 * the machine of the pipeline when that is idle. The slower of the two says how patient tests are (`Patience.ts`).
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"

/** Milliseconds on a machine of the pipeline that does nothing else. */
const REFERENCE = { hash: 60, start: 30 }

/** More would hide that something does not end at all. */
const MOST = 8

/** A machine that others use a little is no slow one. */
const USUAL = 1.5

/** Enough that other programs have their turns meanwhile. */
const ROUNDS = 8

const millisOf = (work: () => void): number => {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

const block = Buffer.alloc(1 << 20, "switchyard")
const hash = () => {
  const made = createHash("sha256")
  for (let count = 0; count < 96; count++) made.update(block)
  made.digest()
}
const start = () => void execFileSync(process.execPath, ["-e", "0"], { stdio: "ignore" })

const slownessBy = (work: () => void, reference: number): number => {
  const millis = millisOf(() => {
    for (let round = 0; round < ROUNDS; round++) work()
  })
  return millis / ROUNDS / reference
}

/** Sets TEST_SLOWNESS for this run, unless it is already set. */
export const calibrate = (): void => {
  if (process.env["TEST_SLOWNESS"] !== undefined) return
  const found = Math.max(slownessBy(hash, REFERENCE.hash), slownessBy(start, REFERENCE.start))
  const slowness = found < USUAL ? 1 : Math.min(MOST, Math.round(found * 10) / 10)
  process.env["TEST_SLOWNESS"] = String(slowness)
  if (slowness > 1) process.stderr.write(`This machine is slow now: tests wait ${slowness} times as long as usual\n`)
}
