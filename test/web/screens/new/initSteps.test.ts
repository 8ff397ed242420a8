/** The steps of bringing a switch in, as the card of a new switch shows them. */
import { expect, it } from "vitest"
import { findingsOf, nameFault } from "../../../../web/screens/new/initChecks.ts"
import { initSteps } from "../../../../web/screens/new/initSteps.ts"

type Job = Parameters<typeof initSteps>[0]

const job = (more: Partial<Job>): Job => ({
  function_name: "init_access_device_step1",
  result: null,
  finish_time: null,
  outcome: null,
  ...more
})

const progress = (...steps: ReadonlyArray<string>) => ({
  progress: steps.map((step) => ({ step, message: `about ${step}` }))
})
const ENDED = "2026-03-02T09:12:07"

const statesOf = (one: Job, failedTask?: string) => initSteps(one, failedTask).map(({ state }) => state)

it("a step that runs is now, those before it are done, and the others wait", () => {
  expect(statesOf(job({ result: progress("survey", "neighbours") }))).toEqual([
    "done",
    "working",
    "waiting",
    "waiting",
    "waiting"
  ])
  expect(statesOf(job({ result: progress("survey", "planned", "push") }))).toEqual([
    "done",
    "done",
    "done",
    "working",
    "waiting"
  ])
})

it("the step of the task that failed is the one that failed", () => {
  const failed = job({ finish_time: ENDED, outcome: "failed" })
  expect(statesOf(failed, "Push base management config")).toEqual(["done", "done", "done", "failed", "waiting"])
  expect(statesOf(failed, "Generate initial device config")).toEqual(["done", "done", "failed", "waiting", "waiting"])
  expect(statesOf(job({ function_name: "discover_device", finish_time: ENDED, outcome: "failed" }))).toEqual([
    "failed",
    "waiting",
    "waiting",
    "waiting",
    "waiting"
  ])
})

it("a job that a person stopped is stopped, not failed", () => {
  const stopped = job({ finish_time: ENDED, outcome: "aborted", result: progress("survey") })
  expect(statesOf(stopped)).toEqual(["done", "stopped", "waiting", "waiting", "waiting"])
})

it("all steps are done only when the switch has answered at its address", () => {
  const first = job({ finish_time: ENDED, outcome: "success" })
  expect(statesOf(first)).toEqual(["done", "done", "done", "done", "waiting"])
  expect(statesOf({ ...first, function_name: "init_device_step2" })).toEqual(["done", "done", "done", "done", "done"])
})

it("a check says each finding in a line, good ones too", () => {
  const found = findingsOf({ neighbors: ["dist10", "dist2"], compatible: true }, "acc1", false)
  expect(found.map(({ isGood, text }) => [isGood, text])).toEqual([
    [true, "The name acc1 is free"],
    [true, "Its cables can be recorded"],
    [true, "Its neighbours are as expected: dist2, dist10"]
  ])
  const refused = findingsOf({ hostname_error: "taken", neighbors_error: "too few" }, "acc1", false)
  expect(refused.filter(({ isGood }) => !isGood).map(({ text }) => text)).toEqual(["taken", "too few"])
})

it("a name is judged before a switch is asked", () => {
  expect(nameFault("lhv-acc1")).toBeUndefined()
  expect(nameFault("")).toBeUndefined()
  expect(nameFault("bad name")).toMatch(/letters, digits/)
})
