/**
 * Every row of docs/jobs.md#the-life-of-a-job, with the changes of docs/jobs.md#what-a-restart-does, and all paths of the job
 * machine.
 */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { createTestModel } from "xstate/graph"
import {
  abortReason,
  applyJobEvent,
  type JobEvent,
  jobLifecycle,
  type LifecycleJob
} from "../../../machines/job/JobLifecycle.ts"
import {
  begunStates,
  endedStates,
  type JobState,
  jobStates,
  unfinishedStates
} from "../../../machines/job/JobStatuses.ts"

const job = (status: JobState, functionName = "sync_devices"): LifecycleJob => ({ id: 412, status, functionName })

const exception = { message: "Unable to acquire lock", type: "JoblockError", args: [], traceback: "" }
const returned: JobEvent = { type: "RETURNED", result: { devices: {} }, next_job_id: 413, change_score: 2 }
const abort: JobEvent = { type: "ABORT_REQUESTED", reason: null, by: "alva" }

const applied = (status: JobState, event: JobEvent, functionName?: string) => {
  const outcome = applyJobEvent(job(status, functionName), event)
  if (outcome._tag === "Refused") throw new Error(outcome.message)
  return outcome
}

const message = "Aborted via API call (aborted by alva)"
const onlyMessage = (text: string) => ({
  type: "storeResult",
  params: { result: { message: text }, next_job_id: null, change_score: null }
})
const stored = { type: "storeResult", params: { result: { devices: {} }, next_job_id: 413, change_score: 2 } }
const finish = { type: "stampFinish" }
const threw = [{ type: "storeException", params: { exception } }, finish]

const rows: ReadonlyArray<readonly [string, JobState, JobEvent, JobState, ReadonlyArray<unknown>]> = [
  ["its time has come", "SCHEDULED", { type: "DUE" }, "RUNNING", [{ type: "stampStart" }, { type: "resumeWork" }]],
  [
    "it is aborted before it ran",
    "SCHEDULED",
    abort,
    "ABORTED",
    [{ type: "cancelStart" }, onlyMessage(message), finish]
  ],
  [
    "another discovery of the address is scheduled",
    "SCHEDULED",
    { type: "REJECTED_AS_PENDING", ztp_mac: "0C1A33BEEF01", dhcp_ip: "10.90.0.23" },
    "ABORTED",
    [
      { type: "cancelStart" },
      onlyMessage("There is already another scheduled job to discover 0C1A33BEEF01 10.90.0.23, skipping "),
      finish
    ]
  ],
  ["a process starts before its time", "SCHEDULED", { type: "PROCESS_STARTED" }, "SCHEDULED", [{ type: "resumeWork" }]],
  ["its function returns", "RUNNING", returned, "FINISHED", [stored, finish]],
  ["its function fails", "RUNNING", { type: "THREW", exception }, "EXCEPTION", threw],
  ["it is aborted while it runs", "RUNNING", abort, "ABORTING", [{ type: "interruptWork" }]],
  ["its process was killed", "RUNNING", { type: "PROCESS_STARTED" }, "RUNNING", [{ type: "resumeWork" }]],
  ["it returns although it was aborted", "ABORTING", returned, "ABORTED", [stored, finish]],
  ["it fails while it is being aborted", "ABORTING", { type: "THREW", exception }, "EXCEPTION", threw],
  [
    "its work was stopped",
    "ABORTING",
    { type: "STOPPED", result: null },
    "ABORTED",
    [{ type: "storeResult", params: { result: null, next_job_id: null, change_score: null } }, finish]
  ],
  [
    "its process was killed while it was being aborted",
    "ABORTING",
    { type: "PROCESS_STARTED" },
    "ABORTING",
    [{ type: "resumeWork" }]
  ]
]

describe("the status of a job", () => {
  it.each(rows)("when %s: from %s", (_name, from, event, to, actions) => {
    expect(applied(from, event)).toEqual({ _tag: "Applied", status: to, actions })
  })

  it("of a refresh that finds its lock taken is ABORTED, with nothing else written", () => {
    expect(applied("RUNNING", { type: "LOCK_BUSY" }, "refresh_repo")).toEqual({
      _tag: "Applied",
      status: "ABORTED",
      actions: []
    })
  })

  it("of a refresh that fails is EXCEPTION with the error as result", () => {
    const event = { type: "REFRESH_FAILED", error: "Syntax error", repository: "SETTINGS" } as const
    expect(applied("RUNNING", event, "refresh_repo")).toMatchObject({
      status: "EXCEPTION",
      actions: [{ params: { result: { error: "Syntax error", repository: "SETTINGS" } } }, finish]
    })
  })

  it("of another job does not use the refresh's own lock rule", () => {
    expect(applyJobEvent(job("RUNNING"), { type: "LOCK_BUSY" })).toMatchObject({
      _tag: "Refused",
      rule: "isRepositoryRefresh"
    })
  })

  it.each(["FINISHED", "EXCEPTION", "ABORTED", "ABORTING"] as const)("cannot be aborted when it is %s", (status) => {
    expect(applyJobEvent(job(status), abort)).toMatchObject({
      _tag: "Refused",
      message: `Job id 412 is in state JobStatus.${status}, must be SCHEDULED or RUNNING to abort`
    })
  })

  it("cuts a long reason at the width of its column and names the user", () => {
    expect(abortReason("x".repeat(300), "alva")).toBe(`${"x".repeat(255)} (aborted by alva)`)
  })
})

const refresh: ReadonlyArray<JobEvent> = [
  { type: "LOCK_BUSY" },
  { type: "REFRESH_FAILED", error: "e", repository: "SETTINGS" }
]
const samples: ReadonlyArray<JobEvent> = [...rows.map(([, , event]) => event), ...refresh]

describe("the lists of statuses", () => {
  const final = jobStates.filter((state) => jobLifecycle.states[state]?.type === "final")

  it("name the final states of the machine as ended, and all others as unfinished", () => {
    expect(new Set(endedStates)).toEqual(new Set(final))
    expect(new Set([...unfinishedStates, ...endedStates])).toEqual(new Set(jobStates))
    expect(unfinishedStates.filter((state) => final.includes(state))).toEqual([])
  })

  it("name as begun all statuses after the first one that have not ended", () => {
    expect(new Set(begunStates)).toEqual(new Set(unfinishedStates.filter((state) => state !== "SCHEDULED")))
  })
})

describe("all paths of the job machine", () => {
  const paths = createTestModel(jobLifecycle).getSimplePaths({
    events: samples,
    input: job("SCHEDULED", "refresh_repo")
  })

  it("reach every status", () => {
    expect(new Set(paths.flatMap(({ steps }) => steps.map(({ state }) => state.value)))).toEqual(new Set(jobStates))
  })

  it("agree with the rows of jobs", async () => {
    for (const path of paths) {
      let status: JobState = "SCHEDULED"
      const take = ({ event }: { readonly event: JobEvent }) => {
        const outcome = applyJobEvent(job(status, "refresh_repo"), event)
        if (outcome._tag === "Applied") status = outcome.status
      }
      const check = Object.fromEntries(jobStates.map((state) => [state, () => expect(status).toBe(state)]))
      await path.test({ states: check, events: Object.fromEntries(samples.map(({ type }) => [type, take])) })
    }
  })
})

describe("any sequence of events", () => {
  const Sequence = Schema.Array(Schema.Literals(samples.map((_, index) => index))).pipe(
    Schema.check(Schema.isMaxLength(20))
  )

  it.prop("never moves an ended job, and stamps its end at most once", [Sequence], ([sequence]) => {
    let status: JobState = "SCHEDULED"
    let stamps = 0
    for (const index of sequence) {
      const event = samples[index]
      if (event === undefined) continue
      const outcome = applyJobEvent(job(status), event)
      if (outcome._tag === "Refused") continue
      expect(["SCHEDULED", "RUNNING", "ABORTING"]).toContain(status)
      stamps += outcome.actions.filter(({ type }) => type === "stampFinish").length
      status = outcome.status
    }
    expect(stamps).toBe(["FINISHED", "EXCEPTION", "ABORTED"].includes(status) ? 1 : 0)
  })
})
