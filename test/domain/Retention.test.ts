/** Retention of jobs: the rule alone, on random histories of a device. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ChangeFacts,
  keepsChange,
  keepsConfig,
  keepsJob,
  keepsJobDevice,
  keepsOperation,
  periodsOf
} from "../../src/domain/Retention.ts"
import { randomOf } from "../support/Random.ts"

const ROUNDS = 500
const PHASES = ["confirmed", "unchanged", "reverted", "discarded", "unknown", "armed"] as const

interface Change {
  readonly phase: (typeof PHASES)[number]
  readonly jobEnded: boolean
}

/** The facts of each change of one device, oldest first, as the statements of the store find them. */
const factsOf = (changes: ReadonlyArray<Change>): ReadonlyArray<ChangeFacts> => {
  const undoable = changes.findLastIndex(({ phase }) => phase === "confirmed")
  const ground = changes
    .slice(0, Math.max(undoable, 0))
    .findLastIndex(({ phase }) => /^(confirmed|unchanged)$/.test(phase))
  return changes.map(({ jobEnded, phase }, place) => ({
    job_over: jobEnded,
    is_open: phase === "armed" || phase === "unknown",
    is_newest: place === changes.length - 1,
    is_undoable: place === undoable,
    is_ground: place === ground
  }))
}

const history = (seed: number): ReadonlyArray<Change> => {
  const random = randomOf(seed)
  return Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
    phase: PHASES[Math.floor(random() * PHASES.length)] ?? "confirmed",
    jobEnded: random() < 0.9
  }))
}

describe("retained changes", () => {
  it("are the newest, the open ones, and those that an undo needs, in every history", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const changes = history(seed)
      const kept = factsOf(changes).map(keepsChange)
      assert.isTrue(kept.at(-1), `the newest, seed ${seed}`)
      for (const [place, { jobEnded, phase }] of changes.entries())
        if (!jobEnded || phase === "armed" || phase === "unknown") assert.isTrue(kept[place], `open, seed ${seed}`)
      const undoable = changes.findLastIndex(({ phase }) => phase === "confirmed")
      if (undoable >= 0) assert.isTrue(kept[undoable], `undoable, seed ${seed}`)
    }
  })

  it("do not depend on the number of runs, and are never more than three closed ones", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const changes = history(seed)
      const once = changes.filter((_, place) => factsOf(changes).map(keepsChange)[place])
      const twice = once.filter((_, place) => factsOf(once).map(keepsChange)[place])
      assert.deepStrictEqual(twice, once, `seed ${seed}`)
      const closed = once.filter(({ jobEnded, phase }) => jobEnded && phase !== "armed" && phase !== "unknown")
      assert.isAtMost(closed.length, 3, `seed ${seed}`)
    }
  })
})

describe("retained configurations", () => {
  const facts = { job_over: true, is_waiting: false, failed: false, is_live: true, device_exists: true, newer: 0 }

  it("include the last one of each device, whatever the count", () => {
    for (const count of [0, 1, 2, 10]) assert.isTrue(keepsConfig(facts, count))
  })
  it.each([
    ["the newest of three", 2, true],
    ["the third newest of three", 3, false]
  ])("%s of a count of three stays: %#", (_, newer, stays) => {
    assert.strictEqual(keepsConfig({ ...facts, newer }, 3), stays)
  })
  it("exclude deleted devices, failures and dry runs", () => {
    assert.isFalse(keepsConfig({ ...facts, device_exists: false }, 3))
    assert.isFalse(keepsConfig({ ...facts, failed: true }, 3))
    assert.isFalse(keepsConfig({ ...facts, is_live: false }, 3))
  })
  it("include all of a job that has not ended, or that will write the row again", () => {
    assert.isTrue(keepsConfig({ ...facts, job_over: false, failed: true, newer: 9 }, 3))
    assert.isTrue(keepsConfig({ ...facts, is_waiting: true, newer: 9 }, 3))
  })
})

describe("retained jobs", () => {
  const done = { job_over: true, parts: 0 }

  it.each([
    ["one that has ended and has no part left", done, false],
    ["one that runs or waits for an approval", { ...done, job_over: false }, true],
    ["one with a part that stays", { ...done, parts: 1 }, true]
  ])("%s", (_, facts, stays) => {
    assert.strictEqual(keepsJob(facts), stays)
  })
  it("include results of devices with a retained configuration or change, and running operations", () => {
    const row = { job_over: true, is_waiting: false, has_config: false, has_change: false }
    assert.isFalse(keepsJobDevice(row))
    for (const one of ["is_waiting", "has_config", "has_change"]) assert.isTrue(keepsJobDevice({ ...row, [one]: true }))
    assert.isTrue(keepsOperation({ job_over: true, is_done: false }))
    assert.isFalse(keepsOperation({ job_over: true, is_done: true }))
  })
})

describe("the retention time of each kind", () => {
  const all = { JOB_DAYS: 30, JOB_DEVICE_DAYS: 90, CHANGE_DAYS: 7, CONFIG_DAYS: 0, CONFIG_COUNT: 1, OPERATION_DAYS: 31 }

  it("is never longer than that of its job", () => {
    assert.deepStrictEqual(periodsOf(all), { job: 30, job_device: 30, change: 7, config: 30, operation: 30 })
  })
  it("is unlimited if no limit is set", () => {
    const kept = periodsOf({ ...all, JOB_DAYS: 0 })
    assert.deepStrictEqual(kept, { job: null, job_device: 90, change: 7, config: null, operation: 31 })
  })
})
