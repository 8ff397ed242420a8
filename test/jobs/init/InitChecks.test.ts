/** The checks of a site at the last step of an initialisation: a switch whose check does not hold does not become MANAGED. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { DiscoverDevice, InitAccessStep1, InitStep2 } from "../../../src/domain/jobs/InitJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { devicesOf, progressUntil } from "./Outcome.ts"

const user = "tester"
const NAME = "lhv-acc1"

/** The switch must have so many neighbours; of the others one compares with before, and one asks for a difference. */
const neighbours = (count: number, settle = "0") => `  uplinks-seen:
    for: all
    reads: neighbours
    must: {at_least: ${count}}
    settle: ${settle}
    try_again: 1 s
  none-lost: {for: all, reads: neighbours, must: no_lost}
  time-changed: {for: all, when_diff: ntp, reads: ntp, must: {at_least: 99}}
`

const LOG = `  quiet-log:
    for: all
    reads: {log: error}
    must: no_new
    settle: 0
    try_again: 1 s
`

const REFUSED = { kind: "error", step: "showState", message: "% Unavailable command" } as const

it.live("keeps a new switch in INIT until the checks of its site hold, and says which does not", () =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFoldersWithPlugin
    const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
    const env = Campus.environment(lab, folders, folders.folder)
    const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)), Layer.provideMerge(TestDatabase))
    yield* Effect.gen(function* () {
      yield* Campus.seedSite
      const engine = yield* JobEngine
      const devices = yield* DeviceStore
      const withChecks = (...checks: ReadonlyArray<string>) =>
        Effect.andThen(
          folders.templates.commit({ "checks.yml": `checks:\n${checks.join("")}` }),
          refresh("templates", user)
        )
      yield* withChecks(neighbours(99))
      yield* refresh("settings", user)
      const blank = yield* lab.get("acc1")
      const { discovery, row } = yield* booted(blank)
      yield* engine.ended(yield* engine.start(DiscoverDevice, discovery, { user }))
      const { id: device_id } = row
      const stateOf = Effect.map(devices.get(device_id), ({ state }) => state)
      const again = (iteration: number) => engine.start(InitStep2, { device_id, iteration }, { user })

      const args = { device_id, new_hostname: NAME }
      const step1 = yield* engine.ended(yield* engine.start(InitAccessStep1, args, { user }))
      assert.deepInclude(step1, { status: "FINISHED", exception: null }, JSON.stringify(step1))
      const failed = yield* engine.ended(step1.next_job_id ?? 0)
      assert.deepInclude(failed, { status: "FINISHED", finished_devices: [] }, JSON.stringify(failed))
      const result = devicesOf(failed)[NAME]
      assert.isTrue(result?.failed)
      assert.match(
        String(result?.job_tasks[0]?.result),
        /stays in INIT\.\nCheckFailed: A check failed: uplinks-seen: now 2 neighbours, but/
      )
      assert.deepStrictEqual(
        result?.job_tasks[0]?.checks?.map(({ held, name }) => [name, held]),
        [["uplinks-seen", false]]
      )
      assert.strictEqual(yield* stateOf, "INIT")
      // the second attempt would come half a minute later
      assert.isNotNull(failed.next_job_id)
      yield* engine.abort(failed.next_job_id ?? 0, user)

      yield* withChecks(neighbours(2), LOG)
      blank.setFault(REFUSED)
      const unread = yield* engine.ended(yield* again(2))
      assert.match(String(devicesOf(unread)[NAME]?.job_tasks[0]?.result), /CheckUnread: A check could not be read: /)
      assert.deepStrictEqual([unread.next_job_id, yield* stateOf], [null, "INIT"])
      blank.clearFaults()

      yield* withChecks(neighbours(2, "20 min"))
      const waiting = yield* again(1)
      yield* progressUntil(waiting, "checks")
      yield* engine.abort(waiting, user)
      assert.deepInclude(yield* engine.ended(waiting), { status: "ABORTED", next_job_id: null })
      assert.strictEqual(yield* stateOf, "INIT")
      assert.notMatch(yield* folders.pluginLog, /new_managed_device/)

      yield* withChecks(neighbours(2), LOG)
      const held = yield* engine.ended(yield* again(1))
      assert.deepInclude(held, { status: "FINISHED", finished_devices: [NAME] }, JSON.stringify(held))
      assert.deepStrictEqual(
        devicesOf(held)[NAME]?.job_tasks[0]?.checks?.map(({ held: isHeld, name }) => [name, isHeld]),
        [
          ["uplinks-seen", true],
          ["quiet-log", true]
        ]
      )
      assert.strictEqual(yield* stateOf, "MANAGED")
      assert.match(yield* folders.pluginLog, /new_managed_device: hostname=lhv-acc1/)
    }).pipe(Effect.provide(server))
  })
)
