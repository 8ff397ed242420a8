import { assert, describe, it } from "@effect/vitest"
import { type Held, losses } from "../../src/backup/Backup.ts"

const before: Held = { devices: 40, ports: 2000, jobs: 500, newest_job: 812 }

describe("A backup", () => {
  const usual: ReadonlyArray<readonly [string, Held]> = [
    ["holds the same", before],
    ["holds more", { devices: 41, ports: 2100, jobs: 600, newest_job: 900 }],
    ["holds half of the devices", { ...before, devices: 20 }],
    ["holds fewer jobs because old ones were removed", { ...before, jobs: 300 }]
  ]
  for (const [what, now] of usual)
    it(`is written when it ${what}`, () => assert.deepStrictEqual(losses(before, now), []))

  it("with few rows is written when some of them were deleted", () => {
    const few = { devices: 2, ports: 8, jobs: 9, newest_job: 9 }
    assert.deepStrictEqual(losses(few, { devices: 1, ports: 1, jobs: 1, newest_job: 9 }), [])
  })

  const lost: ReadonlyArray<readonly [string, Held, string]> = [
    ["no device", { ...before, devices: 0 }, "0 devices instead of 40"],
    ["less than half of the devices", { ...before, devices: 19 }, "19 devices instead of 40"],
    ["less than half of the ports", { ...before, ports: 900 }, "900 ports instead of 2000"],
    ["less than half of the jobs", { ...before, jobs: 200 }, "200 jobs instead of 500"],
    ["jobs whose numbers begin anew", { ...before, newest_job: 3 }, "jobs up to number 3"]
  ]
  for (const [what, now, words] of lost)
    it(`is refused when it would hold ${what}`, () => {
      const said = losses(before, now)
      assert.lengthOf(said, 1)
      assert.include(said[0], words)
    })

  it("is refused when the only device was deleted", () => {
    const one = { devices: 1, ports: 0, jobs: 0, newest_job: 0 }
    assert.deepStrictEqual(losses(one, { ...one, devices: 0 }), ["0 devices instead of 1"])
  })
})
