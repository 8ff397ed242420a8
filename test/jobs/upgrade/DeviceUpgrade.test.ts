/** Upgrades of simulated switches with a real flash, boot image and reload: each way it can end, with its task list. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import type { LabShape } from "../../../src/lab/Lab.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { DeviceStore, SyncEventStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import * as Site from "../../firmware/FirmwareSite.ts"
import { makeImageHost } from "../../firmware/ImageHost.ts"
import { DeviceUpgrade } from "../../../src/domain/jobs/UpkeepJobs.ts"

const { ALL_STEPS, IMAGE, NEW, NEW_VERSION, OLD } = Site

const names = [
  "ok",
  "missing",
  "wrong",
  "full",
  "small",
  "cut",
  "power",
  "same",
  "gone",
  "active",
  "aborted",
  "waiting",
  "arch",
  "timeless"
]
const SAME_VERSION = "EOS-custom.swi"

class Scene extends Context.Service<Scene, { readonly lab: LabShape }>()("test/Scene") {}

const live = Layer.unwrap(
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Site.makeSiteLab(names, {
      nodes: {
        small: { flashBytes: 20_000_000 },
        timeless: { quirks: { absentKeys: ["uptime", "bootupTimestamp"] } }
      }
    })
    yield* Site.storeImage(folders.folder, IMAGE, randomBytes(12_000_000))
    yield* Site.storeImage(folders.folder, SAME_VERSION, randomBytes(300_000))
    yield* Site.storeImage(folders.folder, `EOS64-${NEW_VERSION}.swi`, randomBytes(1000))
    const server = Site.serverWith(Site.environment(lab, folders)).pipe(Layer.provideMerge(TestDatabase))
    const seeded = Layer.effectDiscard(Site.seedSwitches(names)).pipe(Layer.provideMerge(server))
    return Layer.merge(seeded, Layer.succeed(Scene, { lab }))
  })
)

const switchOf = (name: string) => Effect.flatMap(Scene, ({ lab }) => Effect.orDie(lab.get(name)))

/** Waits until something is so on a switch; looks often, because it may be so for a moment only. */
const until = (test: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (test() ? Effect.void : Effect.andThen(Effect.sleep(5), until(test))))

const PRE = "arista_pre_flight_check: Pre-flight check done."
const DOWNLOADED = "arista_firmware_download: Firmware download done."
const ACTIVATED = "arista_firmware_activate: Firmware activate done."
const REBOOTED = "arista_device_reboot: Device reboot done."
const MAIN = "device_upgrade_task: -"
const mainFailed = (task: string) => `FAILED device_upgrade_task: Subtask: ${task} (failed)`

layer(live, { excludeTestServices: true })("An upgrade", (it) => {
  describe("of one switch", () => {
    it.effect("does not count a switch without uptime as rebooted, and names the missing fields", () =>
      Effect.gen(function* () {
        const job = yield* Site.upgrade({ hostname: "timeless", filename: IMAGE, ...ALL_STEPS })
        const tasks = Site.tasksOf(job, "timeless").join("\n")
        assert.include(tasks, "FAILED arista_post_flight_check")
        assert.include(JSON.stringify(job.result), "answers but does not say since when it runs")
        assert.deepInclude(yield* (yield* DeviceStore).getByHostname("timeless"), { os_version: OLD })
      })
    )

    it.effect("installs the image, reboots, and proves that the new version runs", () =>
      Effect.gen(function* () {
        const job = yield* Site.upgrade({ hostname: "ok", filename: IMAGE, ...ALL_STEPS })
        assert.deepInclude(job, { status: "FINISHED", finished_devices: ["ok"] })
        const updated = `arista_post_flight_check: Post-flight, OS version updated from ${OLD} to ${NEW}.`
        assert.deepStrictEqual(Site.tasksOf(job, "ok"), [MAIN, PRE, DOWNLOADED, ACTIVATED, REBOOTED, updated])
        assert.strictEqual((yield* switchOf("ok")).version(), NEW_VERSION)
        const row = yield* (yield* DeviceStore).getByHostname("ok")
        assert.deepInclude(row, { os_version: NEW, confhash: null, synchronized: false })
        assert.isNotNull(row.last_seen)
        const events = yield* (yield* SyncEventStore).byHostname("ok")
        assert.deepStrictEqual(
          events.get("ok")?.map(({ cause }) => cause),
          ["firmware_upgrade"]
        )
        const saved = (yield* switchOf("ok")).commands().map(({ command }) => command)
        assert.isBelow(saved.lastIndexOf("write memory"), saved.indexOf("reload force"))
      })
    )

    it.effect("fails with the switch's own words when the image is not on the server", () =>
      Effect.gen(function* () {
        const job = yield* Site.upgrade({ hostname: "missing", filename: "EOS-4.99.1F.swi", ...ALL_STEPS })
        assert.deepInclude(job, { status: "FINISHED", finished_devices: [] })
        assert.deepStrictEqual(Site.tasksOf(job, "missing"), [
          mainFailed("arista_firmware_download"),
          PRE,
          "FAILED arista_firmware_download: FirmwareError: Failed to download firmware: Copy command did not complete successfully: get: Access failed: 404 Not Found (/firmware/EOS-4.99.1F.swi)"
        ])
        assert.deepInclude(yield* (yield* DeviceStore).getByHostname("missing"), {
          os_version: OLD,
          synchronized: true
        })
      })
    )

    it.effect("removes an image with a wrong checksum from the switch, and does not boot it", () =>
      Effect.gen(function* () {
        const host = yield* makeImageHost(new Map([[IMAGE, randomBytes(12_000_000)]]))
        const job = yield* Site.upgrade({ hostname: "wrong", filename: IMAGE, ...ALL_STEPS, url: host.url })
        assert.deepStrictEqual(Site.tasksOf(job, "wrong"), [
          mainFailed("arista_firmware_download"),
          PRE,
          `FAILED arista_firmware_download: FirmwareError: Failed to download firmware: Checksum mismatch of ${IMAGE} on the switch, file corrupt`
        ])
        const device = yield* switchOf("wrong")
        assert.isFalse(device.files().has(IMAGE))
        assert.deepStrictEqual([device.version(), device.power()], ["4.31.4M", "on"])
      })
    )

    it.effect("stops before the download when the image cannot fit on the flash", () =>
      Effect.gen(function* () {
        const job = yield* Site.upgrade({ hostname: "small", filename: IMAGE, ...ALL_STEPS })
        assert.deepStrictEqual(Site.tasksOf(job, "small"), [
          mainFailed("arista_pre_flight_check"),
          "FAILED arista_pre_flight_check: FirmwareError: Pre-flight check failed"
        ])
        assert.include(JSON.stringify(job.result), "needs 11719 KiB on the flash")
      })
    )

    it.effect("fails when the flash is full in the middle of the download", () =>
      Effect.gen(function* () {
        ;(yield* switchOf("full")).setFault({ kind: "fullFlash", times: 1 })
        const job = yield* Site.upgrade({ hostname: "full", filename: IMAGE, ...ALL_STEPS })
        assert.deepStrictEqual(Site.tasksOf(job, "full"), [
          mainFailed("arista_firmware_download"),
          PRE,
          "FAILED arista_firmware_download: FirmwareError: Failed to download firmware: Copy command did not complete successfully: % Error copying to flash: (No space left on device)"
        ])
      })
    )

    it.effect("fails when the connection to the image is cut, and a second try succeeds", () =>
      Effect.gen(function* () {
        const content = randomBytes(500_000)
        const host = yield* makeImageHost(new Map([["EOS-4.33.1F.swi", content]]))
        host.cuts.push(100_000)
        const args = { hostname: "cut", filename: "EOS-4.33.1F.swi", download: true, url: host.url }
        const job = yield* Site.upgrade(args)
        const [main, download = ""] = Site.tasksOf(job, "cut")
        assert.strictEqual(main, mainFailed("arista_firmware_download"))
        assert.match(
          download,
          /^FAILED arista_firmware_download: .*Copy command did not complete successfully: get: Fatal/
        )
        assert.isFalse((yield* switchOf("cut")).files().has("EOS-4.33.1F.swi"))
        const again = yield* Site.upgrade(args)
        assert.deepStrictEqual(Site.tasksOf(again, "cut"), [MAIN, DOWNLOADED])
      })
    )

    it.effect("reports that it is uncertain what boots next when the power fails during the activation", () =>
      Effect.gen(function* () {
        const device = yield* switchOf("power")
        device.setFault({ kind: "slow", step: "boot", milliseconds: 300 })
        const isWritten = () => device.running().includes(`boot system flash:/${IMAGE}`)
        const off = Effect.andThen(until(isWritten), device.powerOff)
        const both = [Site.upgrade({ hostname: "power", filename: IMAGE, ...ALL_STEPS }), off] as const
        const [job] = yield* Effect.all(both, { concurrency: 2 })
        assert.deepStrictEqual(Site.tasksOf(job, "power"), [
          mainFailed("arista_firmware_activate"),
          PRE,
          DOWNLOADED,
          "FAILED arista_firmware_activate: FirmwareError: Failed to activate firmware"
        ])
        assert.include(JSON.stringify(job.result), "It is not certain which image the device boots next.")
        assert.strictEqual((yield* (yield* DeviceStore).getByHostname("power")).os_version, OLD)
      })
    )

    it.effect("fails its last check when the switch comes back on the old version", () =>
      Effect.gen(function* () {
        const job = yield* Site.upgrade({ hostname: "same", filename: SAME_VERSION, ...ALL_STEPS })
        assert.deepStrictEqual(Site.tasksOf(job, "same"), [
          MAIN,
          PRE,
          DOWNLOADED,
          ACTIVATED,
          REBOOTED,
          "FAILED arista_post_flight_check: FirmwareError: Post-flight failed, could not update OS version: OS version did not change, activation failed"
        ])
        assert.deepInclude(job, { status: "FINISHED", finished_devices: ["same"] })
        assert.deepInclude(yield* (yield* DeviceStore).getByHostname("same"), { os_version: OLD, synchronized: true })
      })
    )

    it.effect("gives up on a switch that never returns, and keeps its known version", () =>
      Effect.gen(function* () {
        const device = yield* switchOf("gone")
        const off = Effect.andThen(
          until(() => device.power() !== "on"),
          device.powerOff
        )
        const both = [Site.upgrade({ hostname: "gone", filename: IMAGE, ...ALL_STEPS }), off] as const
        const [job] = yield* Effect.all(both, { concurrency: 2 })
        const tasks = Site.tasksOf(job, "gone")
        assert.deepStrictEqual(tasks.slice(0, 5), [MAIN, PRE, DOWNLOADED, ACTIVATED, REBOOTED])
        assert.strictEqual(
          tasks[5],
          "FAILED arista_post_flight_check: FirmwareError: Post-flight failed, could not update OS version: Device gone did not respond to check"
        )
        assert.deepInclude(yield* (yield* DeviceStore).getByHostname("gone"), { os_version: OLD, synchronized: true })
      })
    )

    it.effect("does not reboot a switch that already boots the image, and fetches nothing twice", () =>
      Effect.gen(function* () {
        yield* Site.upgrade({ hostname: "active", filename: IMAGE, pre_flight: true, download: true, activate: true })
        const job = yield* Site.upgrade({ hostname: "active", filename: IMAGE, ...ALL_STEPS })
        assert.deepStrictEqual(Site.tasksOf(job, "active"), [
          MAIN,
          PRE,
          DOWNLOADED,
          "arista_firmware_activate: Firmware already activated in boot-config on active"
        ])
        const commands = (yield* switchOf("active")).commands().map(({ command }) => command)
        assert.lengthOf(
          commands.filter((command) => command.startsWith("copy http")),
          1
        )
        assert.notInclude(commands, "reload force")
      })
    )

    it.effect("skips the steps after an abort and says so", () =>
      Effect.gen(function* () {
        const engine = yield* JobEngine
        const host = yield* makeImageHost(new Map([["EOS-4.40.1F.swi", randomBytes(1_000_000)]]))
        let release = () => {}
        host.hold = new Promise((resolve) => (release = resolve))
        const begun = host.begun()
        const filename = "EOS-4.40.1F.swi"
        const args = { hostname: "aborted", filename, ...ALL_STEPS, url: host.url }
        const id = yield* engine.start(DeviceUpgrade, args, { user: "tester" })
        yield* Effect.promise(() => begun)
        yield* engine.abort(id, "tester")
        release()
        const job = yield* engine.ended(id)
        assert.strictEqual(job.status, "ABORTED")
        assert.deepStrictEqual(Site.tasksOf(job, "aborted"), [
          MAIN,
          PRE,
          DOWNLOADED,
          "arista_firmware_activate: Firmware activate aborted",
          "arista_device_reboot: Reboot aborted",
          "arista_post_flight_check: Post-flight aborted"
        ])
        const commands = (yield* switchOf("aborted")).commands().map(({ command }) => command)
        assert.isFalse(commands.some((command) => /^(?:boot system|reload)/.test(command)))
      })
    )

    it.effect("stops waiting for a rebooting switch when it is aborted", () =>
      Effect.gen(function* () {
        const engine = yield* JobEngine
        const device = yield* switchOf("waiting")
        const args = { hostname: "waiting", reboot: true, post_flight: true, post_waittime: 3600 }
        const id = yield* engine.start(DeviceUpgrade, args, { user: "tester" })
        yield* until(() => device.power() !== "on")
        yield* engine.abort(id, "tester")
        const job = yield* engine.ended(id)
        assert.deepInclude(job, { status: "ABORTED", finished_devices: ["waiting"] })
        const tasks = [MAIN, REBOOTED, "arista_post_flight_check: Post-flight aborted"]
        assert.deepStrictEqual(Site.tasksOf(job, "waiting"), tasks)
      })
    )

    it.effect("adapts the image to the model on request", () =>
      Effect.gen(function* () {
        const filename = `detect_arch-EOS64-${NEW_VERSION}.swi`
        const job = yield* Site.upgrade({ hostname: "arch", filename, pre_flight: true, download: true })
        assert.deepStrictEqual(Site.tasksOf(job, "arch"), [MAIN, PRE, DOWNLOADED])
        assert.isTrue((yield* switchOf("arch")).files().has(IMAGE))
      })
    )
  })

  it.effect("ends in an exception when a device is of another platform, and when none is named", () =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      yield* devices.insert({ hostname: "juniper", state: "MANAGED", device_type: "ACCESS", platform: "junos" })
      const other = yield* Site.upgrade({ hostname: "juniper", reboot: true })
      assert.strictEqual(other.exception?.message, 'Invalid device platform "junos" for device: juniper')
      const nothing = yield* Site.upgrade({ reboot: true })
      assert.strictEqual(nothing.exception?.message, "Neither hostname nor group specified for device_upgrade")
    })
  )
})
