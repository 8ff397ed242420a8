/** A new switch while signatures are required and unsigned commits are in force: it is read, and gets nothing of them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as Engine from "../../../src/Engine.ts"
import { DiscoverDevice, InitAccessStep1 } from "../../../src/domain/jobs/InitJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { gitIn } from "../../git/gitRemote.ts"
import { has, signedCommit, sshSigner } from "../../git/signers.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const user = "tester"

const makeSigner = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-keys-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const sam = sshSigner(folder, "sam@lindhaven.example")
  const file = path.join(folder, "allowed")
  writeFileSync(file, sam.allowed)
  return { sam, file }
})

it.live.skipIf(!has("ssh-keygen"))("a new switch is discovered, and initialised only from signed commits", () =>
  Effect.gen(function* () {
    const { file, sam } = yield* makeSigner
    const folders = yield* Campus.makeFoldersWithPlugin
    const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
    const env = Campus.environment(lab, folders, folders.folder)
    const required = {
      SETTINGS_SIGNATURES: "require",
      SETTINGS_ALLOWED_SIGNERS: file,
      TEMPLATES_SIGNATURES: "require",
      TEMPLATES_ALLOWED_SIGNERS: file
    }
    const serverWith = (variables: Readonly<Record<string, string>>) =>
      Layer.fresh(Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf({ ...env, ...variables }))))
    const refreshBoth = Effect.andThen(refresh("templates", user), refresh("settings", user))

    yield* Effect.andThen(Campus.seedSite, refreshBoth).pipe(Effect.provide(serverWith({}), { local: true }))

    yield* Effect.gen(function* () {
      const engine = yield* JobEngine
      const devices = yield* DeviceStore
      const blank = yield* lab.get("acc1")
      const { discovery, row } = yield* booted(blank)
      const stateOf = Effect.map(devices.get(row.id), ({ state }) => state)
      const configured = () => blank.commands().filter((one) => /configure/.test(JSON.stringify(one)))
      const step1 = Effect.flatMap(
        engine.start(InitAccessStep1, { device_id: row.id, new_hostname: "lhv-acc1" }, { user }),
        (id) => engine.ended(id)
      )

      yield* engine.ended(yield* engine.start(DiscoverDevice, discovery, { user }))
      assert.strictEqual(yield* stateOf, "DISCOVERED")
      const refused = yield* step1
      assert.strictEqual(refused.exception?.type, "UnsignedCommits", JSON.stringify(refused))
      assert.strictEqual(yield* stateOf, "DISCOVERED")
      assert.deepStrictEqual(configured(), [], "nothing was sent to the switch")

      signedCommit(gitIn(folders.settings.folder), sam)
      signedCommit(gitIn(folders.templates.folder), sam)
      yield* refreshBoth
      const accepted = yield* step1
      assert.deepInclude(accepted, { status: "FINISHED", exception: null }, JSON.stringify(accepted))
      assert.strictEqual(yield* stateOf, "INIT")
      yield* engine.abort(accepted.next_job_id ?? 0, user)
    }).pipe(Effect.provide(serverWith(required), { local: true }))
  }).pipe(Effect.provide(TestDatabase), Effect.scoped)
)
