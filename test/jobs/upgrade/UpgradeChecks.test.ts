/** The checks of a site around a firmware upgrade: read before the reload and after the return, and told truthfully (docs/checks.md). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { write } from "../../../src/runtime/metrics/Exposition.ts"
import type { LabShape } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Site from "../../firmware/FirmwareSite.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const { ALL_STEPS, IMAGE, NEW, NEW_VERSION, OLD } = Site
const names = ["good", "worse", "unread", "refused", "late", "unchecked", "skipped"]

/** One compares with before, one reads what the switch says after its return, and one asks for a difference. */
const CHECKS = `checks:
  port-errors:
    for: all
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: 0
    try_again: 1 s
  quiet-log:
    for: all
    reads: {log: error}
    must: no_new
    settle: 0
    try_again: 1 s
  only-for-a-difference: {for: all, when_diff: router bgp, reads: bgp, must: {at_least: 9}}
`

/** The sources of time; after a reload the switch may need a while for them. */
const TIME = `  time:
    for: all
    reads: ntp
    must: no_lost
    before: refuse
    settle: 0
    try_again: 0 s
`

class Scene extends Context.Service<Scene, { readonly lab: LabShape; readonly folders: Campus.Folders }>()(
  "test/Scene"
) {}

const live = Layer.unwrap(
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Site.makeSiteLab(names)
    yield* Site.storeImage(folders.folder, IMAGE, randomBytes(300_000))
    const server = Site.serverWith(Site.environment(lab, folders)).pipe(Layer.provideMerge(TestDatabase))
    const seeded = Layer.effectDiscard(Site.seedSwitches(names)).pipe(Layer.provideMerge(server))
    return Layer.merge(seeded, Layer.succeed(Scene, { lab, folders }))
  })
)

const switchOf = (name: string) => Effect.flatMap(Scene, ({ lab }) => Effect.orDie(lab.get(name)))

/** Puts these checks into force before the upgrade of a switch. */
const withChecks = (name: string, text: string) =>
  Effect.flatMap(Scene, ({ folders }) =>
    Effect.andThen(folders.templates.commit({ "checks.yml": `# for ${name}\n${text}` }), refresh("templates", "tester"))
  )

const upgrade = (hostname: string) => Site.upgrade({ hostname, filename: IMAGE, ...ALL_STEPS })

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const resultsOf = (job: Job, hostname: string) =>
  (Schema.decodeUnknownSync(Result)(job.result).devices[hostname]?.job_tasks.at(-1)?.checks ?? []).map(
    ({ held, name }) => [name, held]
  )

/** How many checks of this name have failed, as the metrics of this process say. */
const failedChecks = (name: string): number => {
  const line = write(new Map(), "text")
    .split("\n")
    .find((one) => one.startsWith(`switchyard_checks_total{name="${name}",end="failed"}`))
  return Number(line?.split(" ").at(-1) ?? 0)
}

const REFUSED = { kind: "error", step: "showState", message: "% Unavailable command" } as const

layer(live, { excludeTestServices: true })("An upgrade with checks", (it) => {
  it.effect("succeeds when all hold after the return, and records them", () =>
    Effect.gen(function* () {
      yield* withChecks("good", CHECKS)
      const job = yield* upgrade("good")
      assert.deepInclude(job, { status: "FINISHED", finished_devices: ["good"], failed_devices: [] })
      assert.deepStrictEqual(resultsOf(job, "good"), [
        ["port-errors", true],
        ["quiet-log", true]
      ])
    })
  )

  it.effect("fails truthfully when one fails: the new version runs, and the job says what is worse than before", () =>
    Effect.gen(function* () {
      yield* withChecks("worse", CHECKS)
      ;(yield* switchOf("worse")).setFault({ kind: "errorsGrow", port: "Ethernet1", by: 512 })
      const failed = () => failedChecks("port-errors")
      const before = failed()
      const job = yield* upgrade("worse")
      assert.strictEqual(failed(), before + 1)
      assert.deepInclude(job, { status: "FINISHED", finished_devices: [], failed_devices: ["worse"] })
      const tasks = Site.tasksOf(job, "worse")
      assert.strictEqual(tasks[0], "FAILED device_upgrade_task: Subtask: arista_post_flight_check (failed)")
      assert.match(
        tasks.at(-1) ?? "",
        /^FAILED arista_post_flight_check: FirmwareError: A check failed: port-errors: before Ethernet1 total \d+, now/
      )
      assert.include(JSON.stringify(job.result), `OS version updated from ${OLD} to ${NEW}`)
      assert.deepStrictEqual(resultsOf(job, "worse")[0], ["port-errors", false])
      assert.strictEqual((yield* switchOf("worse")).version(), NEW_VERSION)
      const row = yield* (yield* DeviceStore).getByHostname("worse")
      assert.deepInclude(row, { os_version: NEW, synchronized: false })
    })
  )

  it.effect("fails when one cannot be read after the return: unknown is not success", () =>
    Effect.gen(function* () {
      yield* withChecks("unread", CHECKS.replace(/ {2}port-errors:\n(?: {4}.*\n)*/, ""))
      ;(yield* switchOf("unread")).setFault(REFUSED)
      const job = yield* upgrade("unread")
      assert.deepStrictEqual(job.failed_devices, ["unread"])
      assert.match(Site.tasksOf(job, "unread").at(-1) ?? "", /FirmwareError: A check could not be read: quiet-log: /)
      assert.deepStrictEqual(resultsOf(job, "unread"), [["quiet-log", null]])
    })
  )

  it.effect("does not reboot a switch whose check refuses it before", () =>
    Effect.gen(function* () {
      yield* withChecks("refused", `checks:\n${TIME}`)
      ;(yield* switchOf("refused")).setFault(REFUSED)
      const job = yield* upgrade("refused")
      assert.match(
        Site.tasksOf(job, "refused").at(-1) ?? "",
        /^FAILED arista_device_reboot: FirmwareError: The checks before the reboot did not pass, .*: time: could not be read/
      )
      const device = yield* switchOf("refused")
      assert.notInclude(
        device.commands().map(({ command }) => command),
        "reload force"
      )
      assert.strictEqual((yield* (yield* DeviceStore).getByHostname("refused")).os_version, OLD)
    })
  )

  it.effect("waits for one that holds later than after a commit, because everything begins anew", () =>
    Effect.gen(function* () {
      yield* withChecks("late", `checks:\n${TIME}`)
      const device = yield* switchOf("late")
      const asked = () => device.commands().filter(({ command }) => command.startsWith("show ntp")).length
      const mend = Effect.gen(function* () {
        while (device.version() !== NEW_VERSION) yield* Effect.sleep(5)
        const before = asked()
        device.setFault(REFUSED)
        while (asked() < before + 2) yield* Effect.sleep(20)
        device.clearFaults()
      })
      const [job] = yield* Effect.all([upgrade("late"), mend], { concurrency: 2 })
      assert.deepStrictEqual(job.finished_devices, ["late"], JSON.stringify(job.result))
      assert.deepStrictEqual(resultsOf(job, "late"), [["time", true]])
    })
  )

  it.effect("makes none that somebody leaves out with a reason", () =>
    Effect.gen(function* () {
      yield* withChecks("skipped", `checks:\n${TIME}`)
      ;(yield* switchOf("skipped")).setFault(REFUSED)
      const skip_checks = "its sources of time are down for repair"
      const job = yield* Site.upgrade({ hostname: "skipped", filename: IMAGE, ...ALL_STEPS, skip_checks })
      assert.deepStrictEqual(job.finished_devices, ["skipped"], JSON.stringify(job.result))
      assert.deepStrictEqual(resultsOf(job, "skipped"), [])
      assert.deepInclude(job.start_arguments, { skip_checks })
    })
  )

  it.effect("makes none without the step after the reboot", () =>
    Effect.gen(function* () {
      yield* withChecks("unchecked", `checks:\n${TIME}`)
      const job = yield* Site.upgrade({ hostname: "unchecked", filename: IMAGE, ...ALL_STEPS, post_flight: false })
      assert.deepStrictEqual(job.finished_devices, ["unchecked"])
      assert.deepStrictEqual(resultsOf(job, "unchecked"), [])
    })
  )
})
