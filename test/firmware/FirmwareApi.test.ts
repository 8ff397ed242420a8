/** The firmware routes as clients use them: the words of every refusal, what a request puts into its job, and the lists. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { JobStore } from "../../src/store/JobStore.ts"
import * as Documented from "../../src/api/Documented.ts"
import { ApiClient, ApiServer, SiteServer } from "../support/ApiServer.ts"
import { withUpgradeShapes } from "../../src/http/jobs/JobAnswer.ts"
import { NetworkStore } from "../../src/store/NetworkStore.ts"

const folder = fs.mkdtempSync(path.join(tmpdir(), "switchyard-api-images-"))
const images = path.join(folder, "firmware")
const FILE = "EOS64-4.31.5M.swi"
const URL = "http://nms.example.org/firmware"
fs.mkdirSync(images)
fs.writeFileSync(path.join(images, FILE), "image")

const seed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const add = (hostname: string, device_type: "ACCESS" | "DIST") =>
    devices.insert({ hostname, state: "MANAGED", device_type, platform: "eos" })
  const dist = yield* add("core-dist", "DIST")
  const near = yield* add("east-2", "ACCESS")
  const far = yield* add("east-1", "ACCESS")
  const link = (a: number, b: number, port: string) =>
    links.insert({
      ipv4_network: null,
      device_a_id: a,
      device_a_ip: null,
      device_a_port: port,
      device_b_id: b,
      device_b_ip: null,
      device_b_port: port,
      site_id: null,
      description: null
    })
  yield* link(near.id, dist.id, "Ethernet1")
  yield* link(far.id, near.id, "Ethernet2")
})

const jobOf = (body: unknown) =>
  Effect.gen(function* () {
    const id = typeof body === "object" && body !== null && "job_id" in body ? Number(body.job_id) : 0
    return yield* (yield* JobStore).get(id)
  })

layer(SiteServer({ DATA_DIR: folder, FIRMWARE_URL: URL }), { excludeTestServices: true })("The firmware API", (it) => {
  it.effect("lists images in the nested envelope and next to it, and links defaults", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const set = yield* api.post(`/firmware/${FILE}/set-default`)
      assert.deepStrictEqual(set.body, { status: "success", data: { default: "EOS64-stable.swi", file: FILE } })
      const shown = { files: [FILE], defaults: [{ default: "EOS64-stable.swi", file: FILE }] }
      const list = yield* api.get("/firmware")
      assert.deepStrictEqual(list.body, { status: "success", data: { status: "success", data: shown, ...shown } })
      const none = yield* api.post("/firmware/nothing.swi/set-default")
      assert.deepStrictEqual(
        [none.status, none.body],
        [404, { status: "error", message: "Could not set file as default" }]
      )
    })
  )

  it.effect("starts the jobs about one image", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const order = { url: `https://images.example.org/${FILE}`, sha1: "ab".repeat(20), verify_tls: false }
      const download = yield* api.post("/firmware", { ...order, filename: "ignored" })
      assert.deepInclude(download.body, { status: "success", data: "Scheduled job to download firmware" })
      assert.deepInclude(yield* jobOf(download.body), { function_name: "get_firmware", start_arguments: order })
      const checksum = yield* api.get(`/firmware/${FILE}`)
      assert.deepInclude(checksum.body, { data: "Scheduled job get firmware information" })
      assert.deepInclude(yield* jobOf(checksum.body), { function_name: "get_firmware_chksum" })
      const removal = yield* api.delete(`/firmware/${FILE}`)
      assert.deepInclude(removal.body, { data: "Scheduled job to remove firmware" })
      const { function_name, start_arguments } = yield* jobOf(removal.body)
      assert.deepStrictEqual([function_name, start_arguments], ["remove_file", { filename: FILE }])
    })
  )

  it.effect("names the missing parameter of a download, and refuses a URL with a password", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const url = `https://images.example.org/${FILE}`
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "Missing parameter url"],
        [{ url }, "Missing parameter sha1"],
        [{ url, sha1: "ab" }, "Missing parameter verify_tls"],
        [
          { url: "https://me:secret@x.org/a.swi", sha1: "", verify_tls: true },
          "url must not hold a user name or a password"
        ]
      ]
      for (const [body, message] of cases) {
        const answer = yield* api.post("/firmware", body)
        assert.deepStrictEqual([answer.status, answer.body], [400, { status: "error", message }])
      }
    })
  )

  it.effect("downloads from no address of this machine, its link or an unlisted private network", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`select id from job`
      const hosts = [
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
        "localhost",
        "169.254.169.254",
        "10.0.0.5"
      ]
      for (const host of [...hosts, "[fd00:1::5]", "0", "192.168.0.1:8080", "\uff11\uff12\uff17.0.0.1"]) {
        const order = { url: `http://${host}/${FILE}`, sha1: "ab".repeat(20), verify_tls: true }
        const { status, text } = yield* api.post("/firmware", order)
        assert.deepStrictEqual([host, status, /"url: .*OUTBOUND_HOSTS/.test(text)], [host, 400, true], text)
      }
      assert.deepStrictEqual(yield* sql`select id from job`, before)
    })
  )

  it.effect("starts an upgrade with the options of the request, at its time", () =>
    Effect.gen(function* () {
      yield* seed
      const api = yield* ApiClient
      const start_at = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19).replace("T", " ")
      const body = {
        group: "EAST_WING",
        filename: FILE,
        "pre-flight": true,
        download: true,
        post_waittime: true,
        start_at
      }
      const answer = yield* api.post("/firmware/upgrade", { ...body, comment: "fix", ticket_ref: "CHG-1" })
      assert.deepInclude(answer.body, { status: "success", data: "Scheduled job to upgrade devices" })
      assert.strictEqual(answer.headers.get("x-total-count"), "2")
      const job = yield* jobOf(answer.body)
      assert.deepInclude(job, { function_name: "device_upgrade", comment: "fix", ticket_ref: "CHG-1" })
      assert.strictEqual(job.scheduled_time?.slice(0, 16), start_at.replace(" ", "T").slice(0, 16))
      const args = { url: URL, group: "EAST_WING", filename: FILE, pre_flight: true, download: true, post_waittime: 1 }
      assert.deepStrictEqual(job.start_arguments, args)
      const third = yield* api.post("/firmware/upgrade", {
        hostname: "east-1",
        url: "",
        post_flight: true,
        reboot: true
      })
      assert.strictEqual(third.status, 200)
    })
  )

  it.effect("names the mistake of an upgrade request", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const hostname = "east-1"
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{}, "No devices to upgrade were specified"],
        [{ hostname: "no good" }, "Hostname 'no good' is not a valid hostname"],
        [{ hostname: "nobody", reboot: true }, "Hostname 'nobody' not found or is not a managed device"],
        [{ group: "NOBODY", reboot: true }, "Could not find a group with name NOBODY"],
        [{ hostname, filename: 1 }, "filename should be a string"],
        [{ hostname, download: true }, "Missing parameter filename"],
        [{ hostname, activate: true }, "Missing parameter filename"],
        [{ hostname, filename: "a.swi | bash" }, "Invalid filename: a.swi | bash"],
        [{ hostname, filename: "../x" }, "Invalid filename: ../x"],
        [{ hostname, url: 5 }, "url should be a string"],
        [{ hostname, url: "http://x/ | bash" }, "url should be an HTTP URL without user name and password"],
        [{ hostname, reboot: "yes" }, "reboot should be a boolean"],
        [{ hostname, "pre-flight": 1 }, "pre_flight should be a boolean"],
        [{ hostname, staggered_upgrade: null }, "staggered_upgrade should be a boolean"],
        [{ hostname, post_waittime: "60" }, "post_waittime should be an integer"],
        [{ hostname, reboot: true, start_at: "2020-01-01 00:00:00" }, "start_at must be in the future"],
        [{ hostname, start_at: "2030-01-01T00:00:00" }, "Invalid date format, should be: %Y-%m-%d %H:%M:%S"],
        [{ hostname, start_at: "2030-02-31 00:00:00" }, "Invalid date format, should be: %Y-%m-%d %H:%M:%S"],
        [{ hostname, start_at: null }, "Invalid date format, should be: %Y-%m-%d %H:%M:%S"]
      ]
      for (const [body, message] of cases) {
        const answer = yield* api.post("/firmware/upgrade", body)
        assert.deepStrictEqual([answer.status, answer.body], [400, { status: "error", message }])
      }
    })
  )

  it.effect("shows the order of a staggered upgrade, and the reason if there is none", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const order = yield* api.post("/firmware/upgradecheck", { group: "EAST_WING" })
      const data = { upgrade_groups: [["east-2"], ["east-1"]], device_count: 2, steps: 2, restart_seconds: null }
      assert.deepStrictEqual(order.body, { status: "success", data })
      assert.strictEqual(order.headers.get("x-total-count"), "2")
      const mixed = yield* api.post("/firmware/upgradecheck", { group: "DEFAULT" })
      const message = "Upgrade order determination is only supported for ACCESS-only device groups"
      assert.deepStrictEqual([mixed.status, mixed.body], [400, { status: "error", message }])
      const devices = yield* DeviceStore
      yield* devices.insert({ hostname: "east-9", state: "MANAGED", device_type: "ACCESS", platform: "eos" })
      const alone = yield* api.post("/firmware/upgradecheck", { group: "EAST_WING" })
      assert.strictEqual(alone.status, 400)
      assert.match(alone.text, /Could not determine upgrade order: No devices with neighbors in the last added group/)
    })
  )

  it.effect("serves images to switches without a token", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const image = yield* api.send("GET", `/firmware/${FILE}`, { headers: { range: "bytes=1-3" } })
      assert.deepStrictEqual([image.status, image.text], [206, "mag"])
      assert.strictEqual((yield* api.send("GET", "/firmware/EOS64-stable.swi")).text, "image")
      assert.strictEqual((yield* api.send("GET", "/firmware/.digests")).status, 404)
    })
  )

  it.effect("returns an upgrade's result in both shapes, also if it could not begin", () =>
    Effect.sync(() => {
      const entry = { task_name: "device_upgrade_task", result: null, diff: "", failed: false }
      const result = { devices: { a1: { failed: false, job_tasks: [entry] } } }
      const named = { name: "device_upgrade_task", ...entry }
      const done = withUpgradeShapes({ ...Documented.job, function_name: "device_upgrade", result })
      assert.deepStrictEqual(done.result, {
        devices: { a1: { failed: false, job_tasks: [named] } },
        a1: [named],
        _totals: { selected_devices: 1 }
      })
      const failed = { ...Documented.job, function_name: "device_upgrade", status: "EXCEPTION" as const, result: null }
      assert.deepStrictEqual(withUpgradeShapes(failed).result, { devices: {}, _totals: { selected_devices: 0 } })
    })
  )
})

layer(
  ApiServer({ OUTBOUND_HOSTS: "*.mirror.example.org,10.0.0.0/24", FIRMWARE_URL: "https://nms.example.org/firmware" }),
  {
    excludeTestServices: true
  }
)("A site that names hosts", (it) => {
  it.effect("uses its own firmware server for images and upgrades, and no other", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const askBoth = Effect.fnUntraced(function* (host: string) {
        const order = { url: `http://${host}/${FILE}`, sha1: "ab".repeat(20), verify_tls: true }
        const image = yield* api.post("/firmware", order)
        const url = `http://${host}/firmware`
        const upgrade = yield* api.post("/firmware/upgrade", { hostname: "nobody", filename: FILE, url, reboot: true })
        return [image.status, /OUTBOUND_HOSTS/.test(upgrade.text)]
      })
      for (const host of ["a.mirror.example.org", "nms.example.org", "10.0.0.5"])
        assert.deepStrictEqual([host, ...(yield* askBoth(host))], [host, 200, false])
      for (const host of ["10.0.1.5", "169.254.169.254", "[fd00:1::5]"])
        assert.deepStrictEqual([host, ...(yield* askBoth(host))], [host, 400, true])
      // the switch resolves the name itself
      assert.isTrue((yield* askBoth("evil.invalid"))[1])
    })
  )
})
