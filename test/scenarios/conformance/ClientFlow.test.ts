/**
 * The whole course of a client that drives the server from a script, over the API only and in one run: a switch asks for an address, is
 * discovered and initialised, gets its ports by unreviewed pushes, is undone, restored, given another configuration, upgraded and checked
 * for drift. After each of these the record contains the proved configuration, so the next step starts from there. Nothing is set up
 * outside the API, so that the remains of one step affect the next one.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as fs from "node:fs/promises"
import type { JobReply, Reply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { IMAGE, NEW, storeImage } from "../../firmware/FirmwareSite.ts"
import { serve } from "../../support/ServedCampus.ts"
import { timer } from "../../support/Patience.ts"
import { normalizeMac } from "../../../src/domain/Network.ts"

const LIMIT = 600_000
const HOST = "lhv-acc1"

const textOf = (job: JobReply | undefined) => JSON.stringify(job?.result ?? job?.exception ?? null)

/** A server with its lab, and what the client asks of it. */
const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
  yield* storeImage(folders.folder, IMAGE, Buffer.alloc(300_000, "image"))
  const { api, url } = yield* serve({
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    ALLOW_APPLY_CONFIG_LIVERUN: "true",
    FIRMWARE_ALLOW_LOCAL: "true",
    FIRMWARE_RETURN_TIMEOUT: timer(20),
    FIRMWARE_RETURN_INTERVAL: "1"
  })
  const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const reply = yield* api.send(method, path, body)
    assert.strictEqual(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply
  })
  /** Runs a job that has to finish well on every device. */
  const run = Effect.fnUntraced(function* (path: string, body: unknown) {
    const job = yield* api.run(path, body)
    assert.strictEqual(job.status, "FINISHED", `${path} ${JSON.stringify(body)}: ${textOf(job)}`)
    for (const [name, { failed }] of Object.entries(job.result?.devices ?? {})) {
      assert.isFalse(failed, `${path} ${JSON.stringify(body)}: ${name}: ${textOf(job)}`)
    }
    return job
  })
  const follow = (job: JobReply) => {
    assert.isNumber(job.next_job_id, textOf(job))
    return api.ended(job.next_job_id ?? 0)
  }
  const device = Effect.map(api.devices(`filter[hostname]=${HOST}`), ([row]) => row ?? {})
  const refresh = Effect.fnUntraced(function* (name: string) {
    let reply: Reply
    // at the start the server reads the repository automatically
    while ((reply = yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })).status !== 200) {
      yield* Effect.sleep("50 millis")
    }
    return reply
  })
  const edit = (interfaces: Readonly<Record<string, unknown>>) =>
    ask("PUT", `/device/${HOST}/interfaces`, { interfaces })
  const sync = (more: Readonly<Record<string, unknown>> = {}) =>
    run("/device_syncto", { hostname: HOST, dry_run: false, ...more })
  const autoPush = Effect.fnUntraced(function* () {
    const dry = yield* run("/device_syncto", { hostname: HOST, dry_run: true, auto_push: true })
    const live = yield* follow(dry)
    assert.strictEqual(live.status, "FINISHED", textOf(live))
    assert.isFalse(live.result?.devices?.[HOST]?.failed ?? true, textOf(live))
    return live
  })
  /** The result of a drift check of the switch: the diff, and its sentence. */
  const drift = Effect.map(run("/device_drift", { hostname: HOST }), (job) => {
    const [task] = job.result?.devices?.[HOST]?.job_tasks ?? []
    return { diff: task?.diff ?? "none", said: Reflect.get(task ?? {}, "result") }
  })
  const noDrift = Effect.fnUntraced(function* (when: string) {
    assert.deepStrictEqual(yield* drift, { diff: "", said: null }, when)
  })
  const managed = Effect.gen(function* () {
    const { id, state } = yield* device
    assert.strictEqual(state, "UNMANAGED")
    yield* ask("PUT", `/device/${id}`, { state: "MANAGED", synchronized: false })
  })
  const causes = Effect.map(ask("GET", `/device_synchistory?hostname=${HOST}`), ({ body }) => JSON.stringify(body.data))
  return {
    api,
    ask,
    autoPush,
    causes,
    device,
    drift,
    edit,
    folders,
    follow,
    lab,
    managed,
    noDrift,
    refresh,
    run,
    sync,
    url
  }
})

type Scene = Effect.Success<typeof makeScene>

/** The program that the DHCP server runs at each lease. */
const lease = Effect.fnUntraced(function* ({ api, ask, lab }: Scene) {
  const blank = yield* Effect.orDie(lab.get("acc1"))
  yield* blank.boot
  const mac = Option.getOrThrow(normalizeMac(blank.hardware().mac))
  const [known] = yield* api.devices(`filter[ztp_mac]=${mac}`)
  assert.isUndefined(known)
  const dhcp_ip = blank.lease() ?? ""
  const fields = { ztp_mac: mac, dhcp_ip, hostname: `mac-${mac}`, platform: "eos", state: "DHCP_BOOT" }
  yield* ask("POST", "/device", { ...fields, device_type: "UNKNOWN" })
  yield* ask("POST", "/device_discover", { ztp_mac: mac, dhcp_ip })
  for (;;) {
    const [found] = yield* api.devices("filter[state]=DISCOVERED")
    if (found !== undefined) return { blank, id: Number(found["id"]) }
    yield* Effect.sleep("50 millis")
  }
})

const initialise = Effect.fnUntraced(function* (scene: Scene) {
  const { ask, device, follow, run } = scene
  for (const [hostname, last] of [
    ["lhv-dist1", 11],
    ["lhv-dist2", 12]
  ] as const) {
    yield* ask("POST", "/device", {
      hostname,
      state: "MANAGED",
      device_type: "DIST",
      platform: "eos",
      management_ip: `10.199.3.${last}`,
      infra_ip: `10.198.0.${last}`
    })
  }
  yield* ask("POST", "/mgmtdomains", {
    device_a: "lhv-dist1",
    device_b: "lhv-dist2",
    vlan: 3016,
    ipv4_gw: "10.196.16.1/24"
  })
  const { blank, id } = yield* lease(scene)
  const target = { hostname: HOST, device_type: "ACCESS" }
  const check = yield* ask("POST", `/device_initcheck/${id}`, target)
  assert.strictEqual(check.body.data["compatible"], true, JSON.stringify(check.body))
  const step2 = yield* follow(yield* run(`/device_init/${id}`, target))
  assert.strictEqual(step2.status, "FINISHED", textOf(step2))
  assert.deepInclude(yield* device, { state: "MANAGED", synchronized: false })
  return { blank, id }
})

it.live(
  "brings a new switch from its first lease through pushes, undo, restore and upgrade, and always knows what it runs",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      const { api, ask, autoPush, causes, device, drift, edit, folders, managed, noDrift, refresh, run, sync } = scene
      yield* refresh("templates")
      yield* refresh("settings")
      const { blank } = yield* initialise(scene)
      const fresh = blank.running()

      // from the first minute on it is known what the switch runs
      yield* noDrift("right after the initialisation")
      const first = yield* ask("GET", `/device/${HOST}/previous_config?previous=0`)
      assert.isNumber(first.body.data["job_id"])
      assert.include(String(first.body.data["config"]), `hostname ${HOST}`)

      yield* edit({ Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "desk two" } } })
      yield* run("/device_syncto", { hostname: HOST, dry_run: true, force: true })
      const pushed = yield* autoPush()
      assert.include(blank.running(), "description desk two")
      assert.deepInclude(yield* device, { synchronized: true })
      yield* noDrift("after the first push")

      // the first change is undone, to what the initialisation has left
      yield* run(`/job/${pushed.id}/revert`, {})
      assert.strictEqual(blank.running(), fresh)
      yield* noDrift("after the first change was undone")
      yield* sync()
      assert.include(blank.running(), "description desk two")

      yield* edit({ Ethernet3: { configtype: "ACCESS_AUTO", data: { description: "desk three" } } })
      yield* autoPush()
      const base = "global/base_system.yml"
      const text = yield* Effect.promise(() => fs.readFile(`${folders.settings.folder}/${base}`, "utf8"))
      yield* folders.settings.commit({ [base]: text.replace("- host: 10.20.0.2\n", "$&  - host: 10.20.0.9\n") })
      yield* refresh("settings")
      yield* sync()
      const generated = yield* ask("GET", `/device/${HOST}/generate_config`)
      assert.include(JSON.stringify(generated.body.data), "10.20.0.9")
      yield* run("/device_update_facts", { hostname: HOST })
      yield* run("/device_update_interfaces", { hostname: HOST })
      yield* noDrift("after a commit in the settings")

      // back to what was before the commit, first dry, then live; the device is taken back in hand afterwards
      const before = yield* ask("GET", `/device/${HOST}/previous_config?previous=1`)
      const restore = { job_id: before.body.data["job_id"] }
      yield* run(`/device/${HOST}/previous_config`, { ...restore, dry_run: true })
      yield* run(`/device/${HOST}/previous_config`, { ...restore, dry_run: false })
      assert.notInclude(blank.running(), "10.20.0.9")
      yield* managed
      yield* noDrift("after an earlier configuration was put back")
      yield* edit({ Ethernet4: { configtype: "ACCESS_AUTO", data: { description: "desk four" } } })
      yield* autoPush()
      assert.include(blank.running(), "10.20.0.9")
      assert.notInclude(yield* causes, "confighash")

      // any other configuration, and back to the settings
      const other = blank.running().replace("description desk four", "description by hand")
      const applied = yield* run(`/device/${HOST}/apply_config`, { full_config: other, dry_run: false })
      const latest = yield* ask("GET", `/device/${HOST}/previous_config`)
      assert.strictEqual(latest.body.data["job_id"], applied.id)
      yield* managed
      yield* noDrift("after a given configuration")
      yield* sync()
      assert.include(blank.running(), "description desk four")
      yield* run(`/device/${HOST}/previous_config`, { job_id: applied.id, dry_run: true })
      assert.notInclude(yield* causes, "confighash")

      // an upgrade in two halves, as campaigns are made: the image by day, the reboot by night, with a change between them
      const image = { hostname: HOST, url: `${scene.url}/firmware`, filename: IMAGE }
      yield* run("/firmware/upgrade", { ...image, pre_flight: true, download: true, activate: true })
      assert.include(blank.running(), `boot system flash:/${IMAGE}`)
      yield* noDrift("while the image waits for the reboot")
      yield* edit({ Ethernet5: { configtype: "ACCESS_AUTO", data: { description: "desk five" } } })
      yield* autoPush()
      yield* edit({ Ethernet6: { configtype: "ACCESS_AUTO", data: { description: "desk six" } } })
      const last = yield* sync()
      yield* run("/firmware/upgrade", { hostname: HOST, url: `${scene.url}/firmware`, reboot: true, post_flight: true })
      assert.deepInclude(yield* device, { os_version: NEW, synchronized: false })
      yield* noDrift("after the upgrade")
      yield* run(`/job/${last.id}/revert`, {})
      assert.notInclude(blank.running(), "desk six")
      yield* edit({ Ethernet9: { configtype: "ACCESS_AUTO", data: { description: "desk nine" } } })
      yield* autoPush()
      assert.deepInclude(yield* device, { synchronized: true })
      assert.notInclude(yield* causes, "drift")

      // what was changed by hand is drift, and is none any more once the settings say the same
      blank.configure("interface Ethernet7\n   description desk seven\n")
      assert.include((yield* drift).diff, "+   description desk seven")
      yield* edit({ Ethernet7: { configtype: "ACCESS_AUTO", data: { description: "desk seven" } } })
      yield* run("/device_syncto", { hostname: HOST, dry_run: true, force: true })
      yield* noDrift("after a change by hand was taken over")
      assert.deepInclude(yield* device, { synchronized: true })
      yield* edit({ Ethernet8: { configtype: "ACCESS_AUTO", data: { description: "desk eight" } } })
      yield* autoPush()
      assert.strictEqual((yield* api.send("GET", "/joblocks")).body.data["locks"]?.toString(), "")
    }).pipe(Effect.scoped),
  LIMIT
)
