/**
 * Bouncing ports, giving certificates and erasing, each step with each fault: no port stays down, the report matches the switch, and
 * nothing of ours remains (promises 2 and 3).
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { CertificateAuthority } from "../../../src/certificates/CertificateAuthority.ts"
import { DeviceEntity } from "../../../src/devices/DeviceCalls.ts"
import type { Device } from "../../../src/domain/Device.ts"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import type { Fault, Step } from "../../../src/lab/Faults.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as ManagedCampus from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { givenUpAfter } from "../../support/Silence.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { DeviceErase, RenewCert } from "../../../src/domain/jobs/UpkeepJobs.ts"

givenUpAfter({ connect: 5, firstPrompt: 5, show: 5, runningConfig: 5, load: 5, commit: 5, save: 5 })

interface Case {
  readonly name: string
  readonly arm: (device: LabSwitch) => void
}

const once = (name: string, fault: Fault): Case => ({ name, arm: (device) => device.setFault(fault) })

/** Switches may be silent for a minute at these. */
const LENGTHY: ReadonlySet<Step> = new Set(["copy", "reload"])

/** Cut and silence before and after each step, and one refusal of each. */
const faultsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Case> => [
  { name: "no fault", arm: () => undefined },
  { name: "another host key", arm: (device) => device.newHostKey() },
  once("the wrong password", { kind: "wrongPassword" }),
  ...steps.flatMap((step) => [
    ...(["before", "after"] as const).flatMap((when) => [
      once(`cut ${when} ${step}`, { kind: "cut", step, when, times: 1 }),
      ...(LENGTHY.has(step) ? [] : [once(`silence ${when} ${step}`, { kind: "silent", step, when, times: 1 })])
    ]),
    ...(step === "login"
      ? []
      : [once(`a refusal of ${step}`, { kind: "error", step, message: "% Internal error", times: 1 })])
  ])
]

interface Scene {
  readonly device: LabSwitch
  readonly row: Device
  readonly fault: Case
}

/** A server and one managed switch per case; the switches know their pinned keys. */
const withScenes = <A, E>(
  cases: ReadonlyArray<Case>,
  body: (
    scenes: ReadonlyArray<Scene>
  ) => Effect.Effect<A, E, Layer.Success<typeof Engine.layer> | ServerConfig | SqlClient.SqlClient>
) =>
  Effect.gen(function* () {
    const names = ManagedCampus.accessNames(cases.length)
    const folders = yield* Campus.makeFolders
    const lab = yield* ManagedCampus.makeManagedLab(names)
    const switches = yield* ManagedCampus.switchesOf(lab, names)
    const server = Engine.layer.pipe(
      Layer.provideMerge(ServerConfig.layerOf(Campus.environment(lab, folders, folders.folder))),
      Layer.provideMerge(TestDatabase)
    )
    return yield* Effect.gen(function* () {
      const rows = yield* ManagedCampus.seedManaged(names)
      const actorOf = yield* DeviceEntity.client
      yield* Effect.forEach(rows, ({ id }) => actorOf(String(id)).ReadInterfaces(), { concurrency: 16 })
      const scenes = cases.flatMap((fault, index) => {
        const [device, row] = [switches[index], rows[index]]
        return device === undefined || row === undefined ? [] : [{ device, row, fault }]
      })
      return yield* body(scenes)
    }).pipe(Effect.provide(server))
  }).pipe(Effect.scoped)

const unfinished = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ device_id: number }>`select device_id from device_operation where phase <> 'done'`
  return rows.map(({ device_id }) => device_id)
})

const PORTS = "interface Ethernet3\n   description desk\n"
const ORDER = {
  ports: ["Ethernet3"],
  down: "interface Ethernet3\n   shutdown\n",
  up: "interface Ethernet3\n   no shutdown\n"
}

const lostAfterTheFirstHalf: Case = {
  name: "no way to the switch after the first half",
  arm: (device) => {
    const stop = device.onCommit(() => {
      stop()
      device.setFault({ kind: "cut", step: "connect" })
      device.setFault({ kind: "cut", step: "openSession" })
    })
  }
}

it.live("takes bounced ports up again in every case, also later when the switch is lost in the middle", () =>
  withScenes(
    [
      ...faultsOf(["login", "show", "showSessions", "openSession", "load", "diff", "commit", "write"]),
      once("a full flash", { kind: "fullFlash", times: 1 }),
      once("a lie at the commit", { kind: "lie", step: "commit", times: 1 }),
      once("a late commit", { kind: "slow", step: "commit", milliseconds: 7_000, times: 1 }),
      lostAfterTheFirstHalf
    ],
    Effect.fnUntraced(function* (scenes) {
      const actorOf = yield* DeviceEntity.client
      const bounce = Effect.fnUntraced(function* ({ device, fault, row }: Scene) {
        device.configure(PORTS)
        const before = ManagedCampus.stripped(device.running())
        fault.arm(device)
        const result = yield* Effect.result(actorOf(String(row.id)).BouncePorts(ORDER))
        return { result, before }
      })
      const ended = yield* Effect.forEach(scenes, bounce, { concurrency: "unbounded" })
      const owed = yield* unfinished
      const lost = scenes.find(({ fault }) => fault === lostAfterTheFirstHalf)
      const outcome = ended.at(-1)?.result
      assert.include(owed, lost?.row.id)
      assert.include(
        outcome !== undefined && Result.isFailure(outcome) ? outcome.failure.message : "",
        "Switchyard goes on trying until the ports are up and saved"
      )
      lost?.device.clearFaults()
      for (const id of owed) {
        assert.deepStrictEqual(yield* actorOf(String(id)).FinishBounce(), { ports: ORDER.ports })
      }
      for (const [index, { device, fault }] of scenes.entries()) {
        const before = ended[index]?.before
        const begun = device.commits().length > 0
        assert.strictEqual(ManagedCampus.stripped(device.running()), before, fault.name)
        if (begun) assert.strictEqual(ManagedCampus.stripped(device.startup()), before, `${fault.name}: saved`)
        assert.deepStrictEqual(ManagedCampus.debrisOn(device), [], fault.name)
      }
      assert.deepStrictEqual(yield* unfinished, [])
    })
  )
)

const user = "tester"

/** Runs a job on each switch at once and yields how each fared. */
const jobs = Effect.fnUntraced(function* (
  scenes: ReadonlyArray<Scene>,
  start: (engine: JobEngine["Service"], row: Device) => Effect.Effect<number, SqlError.SqlError>
) {
  const engine = yield* JobEngine
  return yield* Effect.forEach(
    scenes,
    Effect.fnUntraced(function* ({ device, fault, row }) {
      fault.arm(device)
      const job = yield* engine.ended(yield* start(engine, row))
      const result = ManagedCampus.devicesOf(job)[row.hostname]
      assert.isDefined(result, `${fault.name}: ${JSON.stringify(job.exception)}`)
      const texts = result.job_tasks.filter(({ failed }) => failed).map((task) => String(task.result))
      return { result, text: texts.join("") }
    }),
    { concurrency: "unbounded" }
  )
})

it.live("gives a switch a certificate with its key, or reports that it may have one without the other", () =>
  withScenes(
    [...faultsOf(["login", "copy", "delete"]), once("a full flash", { kind: "fullFlash" })],
    Effect.fnUntraced(function* (scenes) {
      const authority = yield* Effect.provide(CertificateAuthority, CertificateAuthority.layer)
      yield* authority.create("Lab CA")
      const ended = yield* jobs(scenes, (engine, { hostname }) => engine.start(RenewCert, { hostname }, { user }))
      for (const [index, { device, fault }] of scenes.entries()) {
        const { result, text } = ended[index] ?? { result: undefined, text: "" }
        assert.isFalse(device.files().has("cnaasnms.key"), `${fault.name}: the key does not stay on the flash`)
        assert.notInclude(text, "PRIVATE KEY")
        if (result?.failed === false) {
          const certificate = new X509Certificate(device.certificates().get("cnaasnms.crt") ?? "")
          const key = createPrivateKey(device.keys().get("cnaasnms.key") ?? "")
          assert.isTrue(certificate.checkPrivateKey(key), fault.name)
        } else {
          const touched = device.commands().some(({ command }) => command.startsWith("copy"))
          assert.strictEqual(text.includes("The copy had begun"), touched || fault.name.includes("flash"), text)
        }
      }
    })
  )
)

it.live("erases a switch and deletes its row, or keeps the row and names the possible losses of the switch", () =>
  withScenes(
    faultsOf(["login", "delete", "reload"]),
    Effect.fnUntraced(function* (scenes) {
      const ended = yield* jobs(scenes, (engine, { id }) => engine.start(DeviceErase, { device_id: id }, { user }))
      const left = yield* (yield* DeviceStore).byHostnames(scenes.map(({ row }) => row.hostname))
      for (const [index, { device, fault, row }] of scenes.entries()) {
        const { result, text } = ended[index] ?? { result: undefined, text: "" }
        const kept = left.some(({ hostname }) => hostname === row.hostname)
        assert.strictEqual(kept, result?.failed, fault.name)
        const sent = device.commands().some(({ command }) => command === "write erase now")
        if (result?.failed === false) assert.isTrue(sent, fault.name)
        else assert.match(text, sent ? /startup configuration (?:may be|is) erased/ : /Nothing was erased/, fault.name)
      }
    })
  )
)
