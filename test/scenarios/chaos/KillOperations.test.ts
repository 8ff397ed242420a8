/**
 * kill -9 in the middle of operations other than configuration changes (promises 3 and 4): ports that were taken down come up again, the
 * copy of a certificate is completed, and an erased switch is reported as erased.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { SqlClient } from "effect/sql"
import { CertificateAuthority } from "../../../src/certificates/CertificateAuthority.ts"
import { type DeviceResult, finalStatuses } from "../../../src/domain/Job.ts"
import * as Engine from "../../../src/Engine.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import * as Database from "../../../src/store/Database.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Campus from "../../support/Campus.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

const PORT = "Ethernet3"
const DOWN = `interface ${PORT}\n   shutdown\n`
const UP = `interface ${PORT}\n   no shutdown\n`

/** When to kill: as soon as the switch has taken a command, or has done something. */
interface Kill {
  readonly name: string
  readonly reached: (device: LabSwitch) => boolean
  /** Milliseconds that the switch takes for its commit. */
  readonly slowCommit?: number
}

const command = (name: string, pattern: RegExp): Kill => ({
  name,
  reached: (device) => device.commands().some((record) => pattern.test(record.command))
})
const commit = (name: string, pattern: RegExp): Kill => ({
  name,
  reached: (device) => device.commits().some(({ session }) => pattern.test(session))
})

const until = <E, R>(ready: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.delay(ready, "20 millis"), { until: (isReady) => isReady })

/** A server and as many managed switches as there are kills, each for one of them. */
const makeScene = Effect.fnUntraced(function* (kills: ReadonlyArray<Kill>) {
  const names = ManagedCampus.accessNames(kills.length)
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const env = { ...Campus.environment(lab, folders, folders.folder), DATABASE_URL: yield* databaseUrl }
  const database = Database.layerUrl(Redacted.make(env.DATABASE_URL))
  const stores = yield* Layer.build(
    Engine.stores.pipe(
      Layer.provideMerge(database),
      Layer.provideMerge(ServerConfig.layerOf(env)),
      Layer.provideMerge(NodeServices.layer)
    )
  )
  let server = yield* ServerProcess.launch(env)
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)

  /** Does the work, kills the server amid it and starts another one. */
  const killAmid = (work: Effect.Effect<unknown>, due: () => boolean) =>
    Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.exit(work))
      yield* ServerProcess.killWhen(server, due)
      yield* server.ended
      server = yield* ServerProcess.launch(env)
    })

  const untilEnded = Effect.fnUntraced(function* (id: number) {
    const jobs = yield* JobStore
    yield* until(Effect.map(jobs.status(id), (status) => finalStatuses.includes(status)))
    return yield* jobs.get(id)
  }, Effect.provide(stores))

  const cases = kills.flatMap((kill, index) => {
    const [device, row] = [switches[index], devices[index]]
    return device === undefined || row === undefined ? [] : [{ kill, device, row }]
  })
  return { cases, killAmid, server: () => server, stores, untilEnded }
})

const unfinished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select 1 from device_operation where phase <> 'done'`).length
})

const textsOf = (result: DeviceResult | undefined) => result?.job_tasks.map((task) => task.result)

it.live("leaves no port down, wherever a bounce is killed", () =>
  Effect.gen(function* () {
    const { cases, killAmid, server, stores } = yield* makeScene([
      command("when the first half is loaded", /^configure session job0-\w+d$/),
      { ...command("as a slow first half is committed", /job0-\w+d commit$/), slowCommit: 4_000 },
      commit("after the first half", /^job0-\w+d$/),
      command("when the second half is loaded", /^configure session job0-\w+u$/),
      commit("after the second half", /^job0-\w+u$/),
      command("while it is saved", /^write memory/)
    ])
    for (const { device, kill, row } of cases) {
      device.configure(`interface ${PORT}\n   description desk\n`)
      const before = ManagedCampus.stripped(device.running())
      if (kill.slowCommit !== undefined) {
        device.setFault({ kind: "slow", step: "commit", milliseconds: kill.slowCommit, times: 1 })
      }
      yield* killAmid(server().bounce(row.id, { ports: [PORT], down: DOWN, up: UP }), () => kill.reached(device))
      yield* until(Effect.map(Effect.provide(unfinished, stores), (left) => left === 0))
      yield* Effect.sleep(kill.slowCommit ?? 0)
      assert.strictEqual(ManagedCampus.stripped(device.running()), before, kill.name)
      assert.strictEqual(ManagedCampus.stripped(device.startup()), before, `${kill.name}: saved`)
      assert.deepStrictEqual(ManagedCampus.debrisOn(device), [], kill.name)
    }
  }).pipe(Effect.scoped)
)

it.live("completes the copy of a certificate and leaves no key on the flash, wherever the job is killed", () =>
  Effect.gen(function* () {
    const { cases, killAmid, server, stores, untilEnded } = yield* makeScene([
      { name: "when the key is on the flash", reached: (device) => device.files().has("cnaasnms.key") },
      command("as the certificate is copied", /^copy flash:cnaasnms\.crt certificate:/),
      command("as the key is copied", /^copy flash:cnaasnms\.key sslkey:/),
      command("while the flash is cleaned", /^delete flash:/)
    ])
    const authority = yield* CertificateAuthority.pipe(
      Effect.provide(CertificateAuthority.layer),
      Effect.provide(stores)
    )
    yield* authority.create("Lab CA")
    for (const { device, kill, row } of cases) {
      let id = 0
      const renewal = Effect.map(server().start("renew_cert", { hostname: row.hostname }), (started) => (id = started))
      yield* killAmid(renewal, () => kill.reached(device))
      const job = yield* untilEnded(id)
      const result = ManagedCampus.devicesOf(job)[row.hostname]
      assert.deepStrictEqual(
        textsOf(result),
        [`Certificate renew success for device ${row.hostname}`, "Cert copy successful"],
        kill.name
      )
      const certificate = new X509Certificate(device.certificates().get("cnaasnms.crt") ?? "")
      const key = createPrivateKey(device.keys().get("cnaasnms.key") ?? "")
      assert.isTrue(certificate.checkPrivateKey(key), `${kill.name}: key and certificate belong together`)
      assert.isFalse(device.files().has("cnaasnms.key") || device.files().has("cnaasnms.crt"), kill.name)
      assert.strictEqual(yield* Effect.provide(unfinished, stores), 0, kill.name)
    }
  }).pipe(Effect.scoped)
)

it.live("erases a switch once and says so, wherever the job is killed", () =>
  Effect.gen(function* () {
    const { cases, killAmid, server, stores, untilEnded } = yield* makeScene([
      command("as the startup configuration is erased", /^write erase now/),
      command("as it is told to restart", /^reload force/),
      { name: "after it has gone down", reached: (device) => device.power() !== "on" }
    ])
    for (const { device, kill, row } of cases) {
      let id = 0
      const erasure = Effect.map(server().start("device_erase", { device_id: row.id }), (started) => (id = started))
      yield* killAmid(erasure, () => kill.reached(device))
      const job = yield* untilEnded(id)
      const result = ManagedCampus.devicesOf(job)[row.hostname]
      assert.isFalse(result?.failed, `${kill.name}: ${JSON.stringify(result)}`)
      assert.strictEqual(textsOf(result)?.[0], "Device factory defaulted")
      yield* device.whenOn
      assert.strictEqual(
        device.commits().filter(({ kind }) => kind === "ztp").length,
        1,
        `${kill.name}: restarted blank`
      )
      const devices = yield* Effect.provide(DeviceStore, stores)
      assert.isEmpty(yield* devices.byHostnames([row.hostname]), `${kill.name}: its row is gone`)
    }
  }).pipe(Effect.scoped)
)
