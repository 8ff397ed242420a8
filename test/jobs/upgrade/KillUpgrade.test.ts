/** Firmware jobs whose server is killed with kill -9 in the middle: another server continues them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DeviceResult, finalStatuses, type Job } from "../../../src/domain/Job.ts"
import * as Database from "../../../src/store/Database.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Campus from "../../support/Campus.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as Site from "../../firmware/FirmwareSite.ts"
import { makeImageHost, sha1Of } from "../../firmware/ImageHost.ts"
import { timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"

const image = randomBytes(3_000_000)

/** A switch, an image host, a database, and servers as processes of their own, which wait so long for a switch. */
const makeSceneFor = Effect.fnUntraced(function* (FIRMWARE_RETURN_TIMEOUT: string) {
  const folders = yield* Campus.makeFoldersWithPlugin
  const lab = yield* Site.makeSiteLab(["acc"], { node: { bootMs: 4_000 } })
  const host = yield* makeImageHost(new Map([[Site.IMAGE, image]]))
  const url = yield* databaseUrl
  const env = { ...Site.environment(lab, folders, { FIRMWARE_RETURN_TIMEOUT }), DATABASE_URL: url }
  const first = yield* ServerProcess.launch(env)
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url)), env))
  const ended = Effect.fnUntraced(function* (id: number) {
    const jobs = yield* JobStore
    while (!finalStatuses.includes((yield* jobs.get(id)).status)) yield* Effect.sleep(50)
    return yield* jobs.get(id)
  }, Effect.provideContext(stores))
  yield* Effect.provideContext(Site.seedSwitches(["acc"]), stores)
  const row = Effect.provideContext(
    Effect.flatMap(DeviceStore, (devices) => devices.getByHostname("acc")),
    stores
  )
  const job = (id: number) =>
    Effect.provideContext(
      Effect.flatMap(JobStore, (jobs) => jobs.get(id)),
      stores
    )
  return { folders, device: yield* lab.get("acc"), host, env, first, ended, row, job }
})

const makeScene = makeSceneFor(timer(120))

/** The sources of time are read with a command of their own, which a switch may refuse. */
const TIME = `checks:
  time:
    for: all
    reads: ntp
    must: no_lost
    settle: 0
    try_again: 0 s
`
const REFUSED = { kind: "error", step: "showState", message: "% Unavailable command" } as const

/** An upgrade with a check that cannot be read after the return of the switch, and its server killed while the check waits. */
const killedWhileCheckWaits = Effect.fnUntraced(function* (returnTimeout: string) {
  const scene = yield* makeSceneFor(returnTimeout)
  const { device, first, folders, host } = scene
  yield* folders.templates.commit({ "checks.yml": TIME })
  yield* first.refresh("templates")
  yield* Site.storeImage(folders.folder, Site.IMAGE, image)
  const id = yield* first.start("device_upgrade", {
    hostname: "acc",
    filename: Site.IMAGE,
    url: host.url,
    ...Site.ALL_STEPS
  })
  while (device.version() !== Site.NEW_VERSION) yield* Effect.sleep(5)
  device.setFault(REFUSED)
  const asked = () => device.commands().filter(({ command }) => command.startsWith("show ntp")).length
  const before = asked()
  // the result of the first reading was kept before the second one began
  while (asked() < before + 3) yield* Effect.sleep(5)
  first.killNow()
  yield* first.ended
  return { ...scene, id }
})

const Checked = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** The results of the checks of the switch in a job. */
const checksOf = ({ result }: Job) =>
  (Schema.decodeUnknownSync(Checked)(result).devices["acc"]?.job_tasks.at(-1)?.checks ?? []).map(
    ({ held, name, tried }) => ({ held, name, isTriedAgain: tried > 1 })
  )

/** kill -9, or SIGTERM, and a new server on the same data. */
const replace = Effect.fnUntraced(function* (
  server: ServerProcess.ServerProcess,
  env: Readonly<Record<string, string>>,
  how: "killNow" | "terminate" = "killNow"
) {
  server[how]()
  yield* server.ended
  return yield* ServerProcess.launch(env)
})

it.live("a download to the store continues where the killed server stopped, and the image is complete", () =>
  Effect.gen(function* () {
    const { ended, env, first, folders, host } = yield* makeScene
    host.hold = new Promise(() => {})
    const begun = host.begun()
    const args = { url: `${host.url}/${Site.IMAGE}`, sha1: sha1Of(image), verify_tls: true }
    const id = yield* first.start("get_firmware", args)
    yield* Effect.promise(() => begun)
    const part = path.join(folders.folder, "firmware", ".incoming", `${args.sha1}-${Site.IMAGE}`)
    const size = Effect.promise(() =>
      fs.stat(part).then(
        (found) => found.size,
        () => 0
      )
    )
    while ((yield* size) === 0) yield* Effect.sleep(20)
    host.hold = undefined
    yield* replace(first, env)
    const job = yield* ended(id)
    assert.deepInclude(job, { status: "FINISHED", result: `File downloaded from: ${args.url}` })
    assert.match(host.ranges[1] ?? "", /^bytes=\d+-$/)
    const stored = yield* Effect.promise(() => fs.readFile(path.join(folders.folder, "firmware", Site.IMAGE)))
    assert.isTrue(stored.equals(image))
  }).pipe(Effect.scoped)
)

it.live("an upgrade continues after kills in the download and in the wait for the reboot, and reboots once", () =>
  Effect.gen(function* () {
    const { device, ended, env, first, folders, host, row } = yield* makeScene
    yield* Site.storeImage(folders.folder, Site.IMAGE, image)
    host.hold = new Promise(() => {})
    const begun = host.begun()
    const args = { hostname: "acc", filename: Site.IMAGE, url: host.url, ...Site.ALL_STEPS }
    const id = yield* first.start("device_upgrade", args)
    yield* Effect.promise(() => begun)
    host.hold = undefined
    const second = yield* replace(first, env)
    while (device.power() === "on") yield* Effect.sleep(5)
    yield* replace(second, env)
    const job = yield* ended(id)
    assert.deepStrictEqual(Site.tasksOf(job, "acc"), [
      "device_upgrade_task: -",
      "arista_pre_flight_check: Pre-flight check done.",
      "arista_firmware_download: Firmware download done.",
      "arista_firmware_activate: Firmware activate done.",
      "arista_device_reboot: Device reboot done.",
      `arista_post_flight_check: Post-flight, OS version updated from ${Site.OLD} to ${Site.NEW}.`
    ])
    assert.strictEqual((yield* row).os_version, Site.NEW)
    const reloads = device.commands().filter(({ command }) => command === "reload force")
    assert.lengthOf(reloads, 1)
    const heard = (yield* folders.pluginLog).split("\n").map((line) => line.replace(/^\S+ /, ""))
    assert.deepStrictEqual(heard, [
      "upgrade_reboot_starting: hostname=acc",
      "upgrade_reboot_completed: hostname=acc, failed=false",
      ""
    ])
  }).pipe(Effect.scoped)
)

it.live("an upgrade continues after regular stops in the same places, and no step fails because of them", () =>
  Effect.gen(function* () {
    const { device, ended, env, first, folders, host } = yield* makeScene
    yield* Site.storeImage(folders.folder, Site.IMAGE, image)
    host.hold = new Promise(() => {})
    const begun = host.begun()
    const args = { hostname: "acc", filename: Site.IMAGE, url: host.url, ...Site.ALL_STEPS }
    const id = yield* first.start("device_upgrade", args)
    yield* Effect.promise(() => begun)
    host.hold = undefined
    const second = yield* replace(first, env, "terminate")
    while (device.power() === "on") yield* Effect.sleep(5)
    yield* replace(second, env, "terminate")
    const job = yield* ended(id)
    assert.strictEqual(job.status, "FINISHED")
    assert.deepStrictEqual(
      Site.tasksOf(job, "acc").filter((task) => task.startsWith("FAILED")),
      []
    )
  }).pipe(Effect.scoped)
)

it.live("an upgrade whose server is killed while its checks wait makes them again, and reboots once", () =>
  Effect.gen(function* () {
    const { device, ended, env, id, job, row } = yield* killedWhileCheckWaits(timer(120))
    assert.notInclude(finalStatuses, (yield* job(id)).status)
    assert.deepStrictEqual((yield* job(id)).finished_devices, [])
    device.clearFaults()
    yield* ServerProcess.launch(env)
    const done = yield* ended(id)
    assert.deepInclude(done, { status: "FINISHED", finished_devices: ["acc"], failed_devices: [] })
    assert.deepStrictEqual(checksOf(done), [{ name: "time", held: true, isTriedAgain: true }])
    assert.strictEqual((yield* row).os_version, Site.NEW)
    assert.lengthOf(
      device.commands().filter(({ command }) => command === "reload force"),
      1
    )
  }).pipe(Effect.scoped)
)

it.live("an upgrade whose server is killed while its checks wait has failed if they are never read", () =>
  Effect.gen(function* () {
    const { ended, env, id, row } = yield* killedWhileCheckWaits(timer(20))
    yield* ServerProcess.launch(env)
    const done = yield* ended(id)
    assert.deepInclude(done, { status: "FINISHED", finished_devices: [], failed_devices: ["acc"] })
    assert.match(
      Site.tasksOf(done, "acc").at(-1) ?? "",
      /^FAILED arista_post_flight_check: FirmwareError: A check could not be read: time: /
    )
    assert.deepStrictEqual(checksOf(done), [{ name: "time", held: null, isTriedAgain: true }])
    // the new version runs all the same
    assert.strictEqual((yield* row).os_version, Site.NEW)
  }).pipe(Effect.scoped)
)
