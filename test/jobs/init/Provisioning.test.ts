/** From a DHCP lease to MANAGED, and from a commit to a proved change, on the engine alone. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { commitsInForce } from "../sync/SyncLab.ts"
import { DiscoverDevice, InitAccessStep1 } from "../../../src/domain/jobs/InitJobs.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"

it.live("takes a blank switch from its first lease to MANAGED, then pushes a commit and proves it", () =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFoldersWithPlugin
    const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
    const env = Campus.environment(lab, folders, folders.folder)
    const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf(env)), Layer.provideMerge(TestDatabase))
    yield* Effect.gen(function* () {
      yield* Campus.seedSite
      const engine = yield* JobEngine
      const devices = yield* DeviceStore
      yield* refresh("templates", "tester")
      yield* refresh("settings", "tester")
      const { discovery, row: blank } = yield* booted(yield* lab.get("acc1"))
      const user = "tester"
      const discovered = yield* engine.ended(yield* engine.start(DiscoverDevice, discovery, { user }))
      assert.deepInclude(discovered, { status: "FINISHED", exception: null })
      assert.strictEqual((yield* devices.get(blank.id)).state, "DISCOVERED")

      const args = { device_id: blank.id, new_hostname: "lhv-acc1" }
      const step1 = yield* engine.ended(yield* engine.start(InitAccessStep1, args, { user }))
      assert.deepInclude(step1, { status: "FINISHED", exception: null }, JSON.stringify(step1))
      assert.isNotNull(step1.next_job_id, JSON.stringify(step1.result))
      const { settings: settings_commit, templates: templates_commit } = yield* commitsInForce
      assert.deepInclude(step1, { settings_commit, templates_commit })
      const step2 = yield* engine.ended(step1.next_job_id ?? 0)
      assert.strictEqual(step2.status, "FINISHED")
      const managed = yield* devices.get(blank.id)
      assert.deepInclude(managed, { state: "MANAGED", hostname: "lhv-acc1", management_ip: "10.196.16.6" })
      assert.match(yield* folders.pluginLog, /new_managed_device: hostname=lhv-acc1/)

      const sync = (dry_run: boolean) =>
        Effect.flatMap(engine.start(SyncDevices, { hostnames: ["lhv-acc1"], dry_run }, { user }), engine.ended)
      const dry = yield* sync(true)
      assert.strictEqual(dry.status, "FINISHED")
      const live = yield* sync(false)
      assert.deepInclude(live, { status: "FINISHED", exception: null })
      assert.deepInclude(yield* devices.get(blank.id), { synchronized: true })
    }).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)
)
