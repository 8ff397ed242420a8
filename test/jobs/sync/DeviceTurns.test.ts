/** The order of two jobs that want the same device. */
import { assert, describe, it } from "@effect/vitest"
import { type SecondJob, turnOf } from "../../../src/jobs/sync/SyncDevice.ts"
import type { LiveChange } from "../../../src/store/UnfinishedChanges.ts"

const commits = { settings: "s1", templates: "t1", branches: {} }
const own: SecondJob = { jobId: 20, changesSeen: 100, commits, hasWaited: false }

/** Another job's work on the device since this one began: it has synchronized it from the same commits. */
const done: LiveChange = {
  id: 101,
  device_id: 1,
  job_id: 19,
  function_name: "sync_devices",
  phase: "confirmed",
  underWay: false,
  settings_commit: "s1",
  templates_commit: "t1"
}

const leaveAlone = { _tag: "LeaveAlone", because: 19 } as const
const begin = { _tag: "Begin" } as const

describe("A job that comes to a device", () => {
  it("begins if no job has changed anything, or only itself", () => {
    assert.deepStrictEqual(turnOf(null, own), begin)
    assert.deepStrictEqual(turnOf({ ...done, job_id: own.jobId, underWay: true }, own), begin)
  })

  it("waits for the change of another job that is under way, however old", () => {
    assert.deepStrictEqual(turnOf({ ...done, underWay: true, phase: "looking" }, own), { _tag: "Wait" })
    assert.deepStrictEqual(turnOf({ ...done, id: 3, underWay: true, phase: "planned" }, own), { _tag: "Wait" })
  })

  it("skips the device when another job has done its part meanwhile", () => {
    assert.deepStrictEqual(turnOf(done, own), leaveAlone)
    assert.deepStrictEqual(turnOf({ ...done, phase: "unchanged" }, own), leaveAlone)
    assert.deepStrictEqual(turnOf({ ...done, id: 99 }, { ...own, hasWaited: true }), leaveAlone)
    const later = { ...done, job_id: 21, settings_commit: "s2" }
    assert.deepStrictEqual(turnOf(later, own), { _tag: "LeaveAlone", because: 21 })
  })

  it("begins after older, failed or other changes, and those from other commits", () => {
    for (const other of [
      { ...done, id: 99 },
      { ...done, phase: "reverted" as const },
      { ...done, function_name: "revert_job" },
      { ...done, settings_commit: "s0" },
      { ...done, templates_commit: null }
    ]) {
      assert.deepStrictEqual(turnOf(other, own), begin, JSON.stringify(other))
    }
  })
})
