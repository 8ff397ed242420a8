/** The certificate of a blank switch, on the engine alone. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import { CertificateAuthority } from "../../../src/certificates/CertificateAuthority.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { DiscoverDevice, InitAccessStep1 } from "../../../src/domain/jobs/InitJobs.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const user = "tester"

it.live(
  "a certificate is installed before the switch moves, and a server that requires one initialises no switch without it",
  () =>
    Effect.gen(function* () {
      const folders = yield* Campus.makeFolders
      const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
      const env = { ...Campus.environment(lab, folders, folders.folder), VERIFY_TLS_DEVICE: "true" }
      const server = Engine.layer.pipe(
        Layer.provideMerge(ServerConfig.layerOf(env)),
        Layer.provideMerge(TestDatabase),
        Layer.provideMerge(NodeServices.layer)
      )
      yield* Effect.gen(function* () {
        yield* Campus.seedSite
        const engine = yield* JobEngine
        const devices = yield* DeviceStore
        yield* refresh("templates", user)
        yield* refresh("settings", user)
        const acc = yield* lab.get("acc1")
        const { discovery, row } = yield* booted(acc)
        const { id } = row
        yield* engine.ended(yield* engine.start(DiscoverDevice, discovery, { user }))
        const step1 = Effect.flatMap(
          engine.start(InitAccessStep1, { device_id: id, new_hostname: "lhv-acc1" }, { user }),
          engine.ended
        )

        const without = yield* step1
        assert.include(JSON.stringify(without.result), "this server has no certificate authority")
        assert.strictEqual((yield* devices.get(id)).state, "DISCOVERED", JSON.stringify(without))

        const authority = yield* Effect.provide(CertificateAuthority, CertificateAuthority.layer)
        yield* authority.create("Lab CA")
        const moved = yield* step1
        assert.include(JSON.stringify(moved.result), "Device certificate installed for lhv-acc1")
        assert.include(["INIT", "MANAGED"], (yield* devices.get(id)).state)
        const installed = new X509Certificate(acc.certificates().get("cnaasnms.crt") ?? "")
        assert.strictEqual(installed.subject, "CN=lhv-acc1")
        assert.strictEqual(installed.subjectAltName, "IP Address:10.196.16.6")
        assert.isTrue(acc.keys().has("cnaasnms.key"))
      }).pipe(Effect.provide(server))
    }).pipe(Effect.scoped)
)
