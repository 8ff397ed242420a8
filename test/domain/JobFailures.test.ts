import { assert, describe, it } from "@effect/vitest"
import { type DeviceFacts, failureGroups, type JobFacts, secondsLeft, totalsOf } from "../../src/domain/JobFailures.ts"
import { NOT_STARTED } from "../../src/domain/Job.ts"

const RUNNING: JobFacts = {
  function_name: "sync_devices",
  hasEnded: false,
  isRunning: true,
  seconds: 120,
  parallel: 4
}
const ENDED: JobFacts = { ...RUNNING, hasEnded: true, isRunning: false }
const device = (hostname: string, more: Partial<DeviceFacts> = {}): DeviceFacts => ({
  hostname,
  phase: null,
  reason: null,
  failed: null,
  failures: [],
  seconds: null,
  ...more
})
const failed = (hostname: string, result: string, more: Partial<DeviceFacts> = {}) =>
  device(hostname, { failed: true, failures: [{ task_name: "push_sync_device", result }], ...more })
const done = (hostname: string, seconds: number | null) =>
  device(hostname, { phase: "confirmed", failed: false, seconds })
const slow = (hostname: string, seconds = 30) =>
  failed(
    hostname,
    `no answer from ${hostname}; it may be busy:\nCommandTimeout: no answer to "login" in ${seconds} s\n`
  )
const STOPPED = `${NOT_STARTED}\nJobAborted: The job was aborted\n`

describe("The failures of a job", () => {
  it("are one group where names and numbers differ only, with what they have in common", () => {
    const uplinks = new Map(["acc2", "acc10"].map((name) => [name, new Set(["lhv-e-dist1"])]))
    const address = (name: string, ip: string) =>
      failed(
        name,
        `no connection to ${name} at ${ip}, step: connect\nConnectionException: no answer from ${ip} port 22\n`
      )
    const groups = failureGroups([address("acc10", "10.0.6.10"), address("acc2", "10.0.6.2")], RUNNING, uplinks)
    assert.lengthOf(groups, 1)
    assert.deepInclude(groups[0], {
      class: "ConnectionException",
      step: "push_sync_device",
      sentence: "2 switches did not answer SSH: all on lhv-e-dist1",
      did: "Nothing was changed on them.",
      devices: ["acc2", "acc10"],
      uplinks: ["lhv-e-dist1"]
    })
  })

  const sentences: ReadonlyArray<readonly [name: string, facts: DeviceFacts, sentence: string, did: string | null]> = [
    ["a silent sign-in", slow("acc1"), "1 switch did not answer SSH within 30 s", "Nothing was changed on it."],
    [
      "a refused line",
      failed("acc1", "rejected by acc1 while loading:\ndot1x x\n% Invalid input\nReplaceConfigException: 1 line", {
        phase: "discarded",
        reason: "rejected"
      }),
      "1 switch refused a line",
      "Nothing was changed on it."
    ],
    [
      "a switch that went back",
      failed("acc1", "The device runs the configuration that it had before.\nCommitError: it went back\n", {
        phase: "reverted",
        reason: "notProved"
      }),
      "1 switch could not be checked after the change",
      "It went back to its old configuration."
    ],
    [
      "a switch whose timer runs",
      failed("acc1", "CommitError: The device could not be looked at\n", { phase: "expiring", reason: "unreachable" }),
      "1 switch stopped answering during the change",
      "Its own timer takes the change back."
    ],
    [
      "a change whose end is not known",
      failed("acc1", "CommitError: It is not certain\n", { phase: "unknown", reason: "outsideChange" }),
      "1 switch runs neither the old nor the new configuration",
      "It is not certain which configuration it runs. Look at it."
    ],
    [
      "an error without words",
      failed("acc1", "SomethingNew: strange\n"),
      "1 switch failed at “push sync device”",
      "Nothing was changed on it."
    ]
  ]
  for (const [name, facts, sentence, did] of sentences) {
    it(`are told in a sentence: ${name}`, () =>
      assert.deepInclude(failureGroups([facts], RUNNING, new Map())[0], { sentence, did }))
  }

  it("begin with the largest group, and keep apart what was done to the switch", () => {
    const lost = (name: string, phase: "reverted" | "expiring") =>
      failed(name, "CommitError: lost\n", { phase, reason: "unreachable" })
    const groups = failureGroups(
      [lost("acc3", "expiring"), lost("acc1", "reverted"), lost("acc2", "reverted")],
      RUNNING,
      new Map()
    )
    assert.deepEqual(
      groups.map(({ did, devices }) => [devices.join(" "), did]),
      [
        ["acc1 acc2", "They went back to their old configuration."],
        ["acc3", "Its own timer takes the change back."]
      ]
    )
  })

  it("use the plural of verbs", () => {
    const drifted = (name: string) => failed(name, "ConfigHashMismatch: The configuration was altered\n")
    assert.strictEqual(
      failureGroups([drifted("acc1"), drifted("acc2")], RUNNING, new Map())[0]?.sentence,
      "2 switches were altered outside Switchyard"
    )
  })
})

describe("The totals of a job", () => {
  const all = [
    done("acc1", 10),
    slow("acc2"),
    failed("acc3", STOPPED),
    failed("acc4", "JobAborted: cancelled\n", { phase: "discarded", reason: "cancelled" }),
    device("acc5", { phase: "loading" }),
    device("acc6")
  ]
  it("count what was not begun apart from what failed", () => {
    const totals = { devices: 6, done: 1, failed: 1, working: 1, waiting: 1, not_begun: 2 }
    assert.deepEqual(totalsOf(all, RUNNING), totals)
    assert.deepEqual(totalsOf(all, ENDED), { ...totals, waiting: 0, not_begun: 3 })
    assert.deepEqual(
      failureGroups(all, ENDED, new Map()).map(({ devices }) => devices),
      [["acc2"]]
    )
  })

  it("count devices of an upgrade that were not started", () => {
    const upgrade = { ...ENDED, function_name: "device_upgrade" }
    const stopped = failed("acc1", "JobAborted: A device of an earlier group failed\n")
    assert.deepInclude(totalsOf([stopped], upgrade), { failed: 0, not_begun: 1 })
    assert.deepInclude(totalsOf([stopped], ENDED), { failed: 1, not_begun: 0 })
  })
})

describe("The failures of an upgrade", () => {
  const upgrade = { ...ENDED, function_name: "device_upgrade" }
  const cases: ReadonlyArray<readonly [result: string, sentence: string, did: string | null]> = [
    [
      "no space left: 3 MB of 900 MB\nFirmwareError: Pre-flight check failed\n",
      "1 switch was not ready for the image",
      "It runs the old version, and was not restarted."
    ],
    [
      "no connection to acc1, step: connect\nConnectionException: no answer from 10.0.6.10 port 22\nFirmwareError: Pre-flight check failed\n",
      "1 switch did not answer SSH",
      "It runs the old version, and was not restarted."
    ],
    [
      "FirmwareError: Failed to download firmware: the image has another checksum\n",
      "1 switch did not get a whole image",
      "It runs the old version, and was not restarted."
    ],
    [
      "ConnectionException: refused\nFirmwareError: Post-flight failed, could not update OS version: Device acc1 did not respond to check\n",
      "1 switch did not come back after the restart",
      null
    ],
    [
      "FirmwareError: Post-flight failed, could not update OS version: OS version did not change, activation failed\n",
      "1 switch came back with another version than the wanted one",
      null
    ]
  ]
  it.each(cases)("say what %j means and what runs now", (result, sentence, did) => {
    const [group] = failureGroups([failed("acc1", result)], upgrade, new Map())
    assert.deepInclude(group, { sentence, did })
    assert.isNotNull(group?.advice)
  })
})

describe("The time that is left", () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const waiting = names(8, "w").map((name) => device(name))
  const cases: ReadonlyArray<
    readonly [name: string, devices: ReadonlyArray<DeviceFacts>, job: JobFacts, left: number | null]
  > = [
    ["before five are done", [...names(4, "d").map((name) => done(name, 10)), ...waiting], RUNNING, null],
    [
      "the median times the rest by those at once",
      [...[10, 10, 20, 30, 500].map((seconds, index) => done(`d${index}`, seconds)), ...waiting],
      RUNNING,
      40
    ],
    ["no less than one device takes", [...names(5, "d").map((name) => done(name, 10)), device("w")], RUNNING, 10],
    [
      "by the job's own pace without times",
      [...names(6, "d").map((name) => done(name, null)), ...waiting],
      RUNNING,
      160
    ],
    ["nothing is left", names(5, "d").map((name) => done(name, 10)), RUNNING, 0],
    ["a job that has ended", [...names(5, "d").map((name) => done(name, 10)), ...waiting], ENDED, null],
    [
      "a paused job",
      [...names(5, "d").map((name) => done(name, 10)), ...waiting],
      { ...RUNNING, isRunning: false },
      null
    ]
  ]
  for (const [name, devices, job, left] of cases) {
    it(`is estimated: ${name}`, () => assert.strictEqual(secondsLeft(devices, job), left))
  }
})
