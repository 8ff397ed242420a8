/** A stop of the server during a sync, and an abort of a sync (promises 3 and 4). */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Database from "../../../src/store/Database.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

const makeScene = Effect.fnUntraced(function* (
  count: number,
  commitMs: number,
  more: Readonly<Record<string, string>>
) {
  const names = ManagedCampus.accessNames(count)
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names, commitMs)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* databaseUrl
  const env = { ...Campus.environment(lab, folders, folders.folder), DATABASE_URL: url, LOG_LEVEL: "Info", ...more }
  const stores = storesOn(Database.layerUrl(Redacted.make(url)), env)
  return { names, switches, env, stores }
})

const seeded = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, names: ReadonlyArray<string>) {
  const server = yield* ServerProcess.launch(env)
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  yield* ManagedCampus.seedManaged(names)
  return server
})

const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.andThen(Effect.sleep(5), until(condition))))

const sent = (device: LabSwitch, pattern: RegExp): boolean =>
  device.commands().some(({ command }) => pattern.test(command))

it.live(
  "stops on SIGTERM without waiting for a slow switch; the next server continues the job, which still has its lock",
  () =>
    Effect.gen(function* () {
      const { env, names, stores, switches } = yield* makeScene(3, seconds(9), { COMMIT_CONFIRMED_TIMEOUT: timer(60) })
      yield* Effect.gen(function* () {
        const first = yield* seeded(env, names)
        const id = yield* first.start("sync_devices", { hostnames: names, dry_run: false })
        yield* until(() => switches.every((device) => sent(device, /commit timer/)))
        first.terminate()
        assert.strictEqual(yield* first.ended, 0)
        assert.deepStrictEqual(
          switches.flatMap((device) => device.commits().map(({ kind }) => kind)),
          [],
          "the server has waited for the switches"
        )
        assert.notInclude(first.log(), "No healthy runners")
        assert.strictEqual(yield* (yield* JobStore).status(id), "RUNNING")
        assert.deepStrictEqual(
          (yield* (yield* JobScheduleStore).locks.all).map(({ job_id }) => job_id),
          [id]
        )
        const second = yield* ServerProcess.launch(env)
        const job = yield* ServerProcess.untilEnded(id)
        assert.strictEqual(job.status, "FINISHED")
        for (const device of switches) {
          assert.strictEqual(
            ManagedCampus.devicesOf(job)[device.name]?.failed,
            false,
            JSON.stringify(ManagedCampus.devicesOf(job)[device.name])
          )
          assert.strictEqual(
            ManagedCampus.stripped(device.startup()),
            ManagedCampus.stripped(device.running()),
            device.name
          )
          assert.include(device.running(), "ntp server 10.20.0.1")
          assert.deepStrictEqual(ManagedCampus.debrisOn(device), [])
        }
        assert.deepStrictEqual(yield* (yield* JobScheduleStore).locks.all, [])
        second.terminate()
        assert.strictEqual(yield* second.ended, 0)
      }).pipe(Effect.provide(stores))
    }).pipe(Effect.scoped)
)

it.live("begins no further device after an abort, and brings those in flight to a known end", () =>
  Effect.gen(function* () {
    const { env, names, stores, switches } = yield* makeScene(6, 1_500, { SYNC_CONCURRENCY: "2" })
    const before = switches.map((device) => device.running())
    yield* Effect.gen(function* () {
      const server = yield* seeded(env, names)
      const id = yield* server.start("sync_devices", { hostnames: names, dry_run: false })
      yield* until(() => switches.some((device) => sent(device, /commit timer/)))
      yield* server.abort(id)
      const job = yield* ServerProcess.untilEnded(id)
      assert.strictEqual(job.status, "ABORTED")
      const results = ManagedCampus.devicesOf(job)
      assert.sameMembers(Object.keys(results), [...names])
      const rows = yield* (yield* DeviceStore).byHostnames(names)
      for (const [index, device] of switches.entries()) {
        const result = results[device.name]
        const isDone = result?.failed === false
        assert.strictEqual(device.running() !== before[index], isDone, device.name)
        assert.strictEqual(rows.find(({ hostname }) => hostname === device.name)?.synchronized, isDone)
        assert.deepStrictEqual(ManagedCampus.debrisOn(device), [])
        const wasBegun = device.logins().length > 0
        if (!wasBegun) assert.match(String(result?.job_tasks[0]?.result), /JobAborted: [^\n]+\n$/)
      }
      assert.isAtMost(switches.filter((device) => device.logins().length > 0).length, 2)
      assert.deepStrictEqual(yield* (yield* JobScheduleStore).locks.all, [])
    }).pipe(Effect.provide(stores))
  }).pipe(Effect.scoped)
)
