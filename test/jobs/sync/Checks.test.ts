/** Checks of changes on switches of the lab: what they read decides whether a change is confirmed (docs/checks.md). */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { CheckResult } from "../../../machines/change/ChangeChecks.ts"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** No port may count more packets with errors than before. */
const ERRORS = `  port-errors:
    for: all
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: 0
    try_again: 1 s
`

/** The sources of time are read with a command of their own, which a switch may refuse. */
const TIME = `  time:
    for: all
    reads: ntp
    must: no_lost
    settle: 0
    try_again: 1 s
`

/** The log is read after the commit only, so a switch that refuses the command is readable before it. */
const LOG = `  quiet-log:
    for: all
    reads: {log: error}
    must: no_new
    settle: 0
    try_again: 1 s
`

const withChecks = (lab: Lab.SyncLab, ...checks: ReadonlyArray<string>) =>
  Effect.andThen(
    lab.repositories.templates.commit({ "checks.yml": `checks:\n${checks.join("")}` }),
    refresh("templates", "tester")
  )

const GROWING = { kind: "errorsGrow", port: "Ethernet1", by: 512 } as const
const REFUSED = { kind: "error", step: "showState", message: "% Unavailable command" } as const

const checksOf = (job: Job): ReadonlyArray<CheckResult> => Lab.syncTask(job)?.checks ?? []

/** The entry with this name of the only device. */
const taskOf = ({ result }: Job, name: string) =>
  Object.values(Schema.decodeUnknownSync(Result)(result).devices)[0]?.job_tasks.find(
    ({ task_name }) => task_name === name
  )

const phases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{
    phase: string
    reason: string | null
  }>`select phase, protocol ->> 'reason' as reason from config_change
    order by id desc limit 1`
})

it.live("confirms a change whose checks hold, in every mode, and records them", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      yield* withChecks(lab, ERRORS, LOG)
      yield* Lab.inEachMode(lab, (job) =>
        Effect.sync(() =>
          assert.deepStrictEqual(
            checksOf(job).map(({ held, name, tried }) => [name, held, tried > 0]),
            [
              ["port-errors", true, true],
              ["quiet-log", true, true]
            ]
          )
        )
      )
    })
  )
)

it.live("takes a change back at once when a check fails, and says what was before and what is now", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* withChecks(lab, ERRORS)
        const device = Lab.switchAt(lab, 0)
        device.setFault(GROWING)
        const job = yield* Lab.syncWanted(lab, "two")
        const text = Lab.outcomes(job)[device.name] ?? ""
        assert.match(text, /The device runs the configuration that it had before\./)
        assert.match(text, /CheckFailed: A check failed after the commit: port-errors: before Ethernet1 total \d+, now/)
        assert.deepInclude(checksOf(job)[0], { name: "port-errors", held: false })
        assert.strictEqual(Lab.described(device), "wanted one")
        assert.deepStrictEqual(yield* phases, [{ phase: "reverted", reason: "checkFailed" }])
        const sql = yield* SqlClient.SqlClient
        const [told] = yield* sql<{
          names: ReadonlyArray<string>
          said: string
        }>`select data -> 'failed_checks' as names,
          data -> 'check_sentences' ->> 0 as said from event where kind = 'change' and action = 'reverted'`
        assert.deepStrictEqual(told?.names, ["port-errors"])
        assert.match(told?.said ?? "", /^port-errors: before Ethernet1 total \d+, now /)
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("takes all devices back in mode 2 when the check of one fails", () =>
  Lab.withLab(
    3,
    (lab) =>
      Effect.gen(function* () {
        yield* withChecks(lab, ERRORS)
        Lab.switchAt(lab, 1).setFault(GROWING)
        const job = yield* Lab.syncWanted(lab, "two", { confirm_mode_override: 2 })
        assert.match(Lab.outcomes(job)[Lab.switchAt(lab, 1).name] ?? "", /CheckFailed/)
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one", "wanted one"])
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("keeps a change without a timer whose check fails, and does not call it a success", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      yield* withChecks(lab, ERRORS)
      const device = Lab.switchAt(lab, 0)
      device.setFault(GROWING)
      const job = yield* Lab.syncWanted(lab, "two", { confirm_mode_override: 0 })
      const text = Lab.outcomes(job)[device.name] ?? ""
      assert.match(text, /The device runs the new configuration\./)
      assert.match(text, /without a commit timer nothing takes it back/)
      assert.strictEqual(Lab.described(device), "wanted two")
      assert.strictEqual(device.startup()?.includes("wanted two"), true)
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("commits nothing when a check that cannot be read before the change refuses it", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      yield* withChecks(lab, `${TIME}    before: refuse\n`)
      const device = Lab.switchAt(lab, 0)
      // a discarded candidate is a record of its own
      const committed = () => device.commits().filter(({ kind }) => kind !== "abort").length
      const before = committed()
      device.setFault(REFUSED)
      const job = yield* Lab.syncWanted(lab, "two")
      assert.match(Lab.outcomes(job)[device.name] ?? "", /CheckRefused: .*time: could not be read before the change/)
      assert.strictEqual(committed(), before)
      assert.deepStrictEqual(yield* phases, [{ phase: "discarded", reason: "checkRefused" }])
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("warns of a check that cannot be read before the change, and goes on", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      yield* withChecks(lab, TIME)
      Lab.switchAt(lab, 0).setFault(REFUSED)
      const job = yield* Lab.syncWanted(lab, "two")
      assert.deepStrictEqual(Lab.outcomes(job), { [lab.names[0] ?? ""]: "ok" })
      assert.match(checksOf(job)[0]?.ignored ?? "", /could not be read before the change/)
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("takes a change back when a check cannot be read after the commit: unknown is not success", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* withChecks(lab, LOG)
        const device = Lab.switchAt(lab, 0)
        device.setFault(REFUSED)
        const job = yield* Lab.syncWanted(lab, "two")
        assert.match(
          Lab.outcomes(job)[device.name] ?? "",
          /CheckUnread: A check could not be read after the commit: quiet-log/
        )
        assert.deepInclude(checksOf(job)[0], { name: "quiet-log", held: null })
        assert.strictEqual(Lab.described(device), "wanted one")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("shows in a dry run which checks would run, and leaves them out only with a reason", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      yield* withChecks(
        lab,
        ERRORS,
        `  bgp:\n    for: all\n    when_diff: router bgp\n    reads: bgp\n    must: no_lost\n`
      )
      yield* Lab.want(lab, "two")
      const dry = yield* Lab.sync({ dry_run: true })
      assert.deepStrictEqual(
        (Lab.syncTask(dry)?.planned_checks ?? []).map(({ name }) => name),
        ["port-errors"]
      )
      Lab.switchAt(lab, 0).setFault(GROWING)
      const job = yield* Lab.sync({ skip_checks: "the counters of this port are known to grow" })
      assert.deepStrictEqual(Lab.outcomes(job), { [lab.names[0] ?? ""]: "ok" })
      assert.notProperty(Lab.syncTask(job), "checks")
    })
  )
)

it.live("refuses a check that could never be read within the commit timer, before anything is sent", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* withChecks(lab, ERRORS.replace("settle: 0", "settle: 20 min"))
        const device = Lab.switchAt(lab, 0)
        const job = yield* Lab.syncWanted(lab, "two")
        assert.match(Lab.outcomes(job)[device.name] ?? "", /CheckRefused: The check port-errors settles for 1200 s/)
        assert.strictEqual(Lab.described(device), "wanted one")
      }),
    { COMMIT_CONFIRMED_TIMEOUT: "600" }
  )
)

it.live("checks again after its server was stopped, with the state that was read before the commit", () =>
  Lab.withServers(
    1,
    (lab, serve) =>
      Effect.gen(function* () {
        yield* serve(withChecks(lab, ERRORS.replace("settle: 0", "settle: 3 s")))
        yield* serve(Lab.want(lab, "two"))
        const start = Effect.flatMap(JobEngine, (engine) =>
          engine.start(SyncDevices, { dry_run: false }, { user: "tester" })
        )
        const checking = Effect.map(phases, ([last]) => (last?.phase === "checking" ? last : undefined))
        const id = yield* serve(Effect.tap(start, () => Lab.untilSome(checking)))
        const job = yield* serve(Effect.flatMap(JobEngine, (engine) => engine.ended(id)))
        assert.deepInclude(checksOf(job)[0], { name: "port-errors", held: true })
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two"])
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("refuses a commit of the templates with a mistake in its checks, with the line", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const before = yield* Lab.commitsInForce
      const refused = yield* Effect.flip(withChecks(lab, ERRORS.replace("reads: errors", "reads: erors")))
      assert.match(refused.message, /checks\.yml, line 4/)
      assert.deepStrictEqual(yield* Lab.commitsInForce, before)
    })
  )
)

it.live("makes the checks of an undo as those of a sync, and takes it back when one fails", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const changed = yield* Lab.syncWanted(lab, "two")
        yield* withChecks(lab, ERRORS, LOG)
        device.setFault(GROWING)
        const undo = (dry_run: boolean) => Lab.run("revert_job", { job_id: changed.id, dry_run })
        const dry = taskOf(yield* undo(true), "Restore device config")
        assert.deepStrictEqual(
          dry?.planned_checks?.map(({ name }) => name),
          ["port-errors", "quiet-log"]
        )
        const failed = yield* undo(false)
        assert.match(
          Lab.outcomes(failed)[device.name] ?? "",
          /CheckFailed: A check failed after the commit: port-errors/
        )
        assert.strictEqual(taskOf(failed, "Restore device config")?.checks?.[0]?.held, false)
        assert.strictEqual(Lab.described(device), "wanted two")
        device.clearFaults()
        device.setFault(REFUSED)
        const unread = yield* undo(false)
        assert.match(Lab.outcomes(unread)[device.name] ?? "", /CheckUnread: .*quiet-log/)
        assert.strictEqual(Lab.described(device), "wanted two")
        device.clearFaults()
        const undone = yield* undo(false)
        assert.deepStrictEqual(Lab.outcomes(undone), { [device.name]: "ok" })
        assert.deepStrictEqual(
          taskOf(undone, "Restore device config")?.checks?.map(({ held }) => held),
          [true, true]
        )
        assert.strictEqual(Lab.described(device), "wanted one")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("leaves the checks of an undo and of a given configuration out with a reason", () =>
  Lab.withLab(1, (lab) =>
    Effect.gen(function* () {
      const device = Lab.switchAt(lab, 0)
      const changed = yield* Lab.syncWanted(lab, "two")
      yield* withChecks(lab, ERRORS)
      device.setFault(GROWING)
      const skip_checks = "the counters of this port are known to grow"
      const undone = yield* Lab.run("revert_job", { job_id: changed.id, dry_run: false, skip_checks })
      assert.deepStrictEqual(Lab.outcomes(undone), { [device.name]: "ok" })
      assert.notProperty(taskOf(undone, "Restore device config"), "checks")
      assert.strictEqual(Lab.described(device), "wanted one")
      const config = device.running().replace("wanted one", "wanted three")
      const given = yield* Lab.run("apply_config", { hostname: device.name, config, dry_run: false, skip_checks })
      assert.deepStrictEqual(Lab.outcomes(given), { [device.name]: "ok" })
      assert.strictEqual(Lab.described(device), "wanted three")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("makes the checks of a given configuration, and leaves the device MANAGED when one fails", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        yield* withChecks(lab, ERRORS)
        device.setFault(GROWING)
        const config = device.running().replace("wanted one", "wanted three")
        const job = yield* Lab.run("apply_config", { hostname: device.name, config, dry_run: false })
        assert.match(Lab.outcomes(job)[device.name] ?? "", /CheckFailed: A check failed after the commit: port-errors/)
        assert.strictEqual(Lab.described(device), "wanted one")
        assert.strictEqual((yield* Lab.rows).find(({ hostname }) => hostname === device.name)?.state, "MANAGED")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)

it.live("refuses an undo and a given configuration whose check could never be read within the commit timer", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const changed = yield* Lab.syncWanted(lab, "two")
        yield* withChecks(lab, ERRORS.replace("settle: 0", "settle: 20 min"))
        const committed = () => device.commits().length
        const before = committed()
        const undone = yield* Lab.run("revert_job", { job_id: changed.id, dry_run: false })
        assert.match(Lab.outcomes(undone)[device.name] ?? "", /CheckRefused: The check port-errors settles for 1200 s/)
        const config = device.running().replace("wanted two", "wanted three")
        const given = yield* Lab.run("apply_config", { hostname: device.name, config, dry_run: false })
        assert.match(Lab.outcomes(given)[device.name] ?? "", /CheckRefused: The check port-errors settles for 1200 s/)
        assert.strictEqual(committed(), before)
        assert.strictEqual(Lab.described(device), "wanted two")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
  )
)
