/** What the existing web client waits for, told to a real client of its library: every event in order, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { sentence } from "../../support/LiveClient.ts"
import { seconds } from "../../support/Patience.ts"
import { type LiveScene, makeLiveScene, ofJob } from "./LiveScene.ts"

const LONG = seconds(240)

/** A commit that changes what all access switches should run. */
const changeTemplates = Effect.fnUntraced(function* ({ folders }: LiveScene) {
  const template = path.join(folders.templates.folder, "eos/access.j2")
  const text = yield* Effect.promise(() => fs.readFile(template, "utf8"))
  yield* folders.templates.commit({ "eos/access.j2": `${text}\nbanner login\nnewer\nEOF\n` })
})

it.live(
  "tells of a refresh, a dry run and a live run in their order, with RUNNING of the refresh before its answer",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeLiveScene(2)
      const { api, heardAll, names, refresh, web } = scene
      const [one = "", two = ""] = names
      yield* changeTemplates(scene)
      const answer = yield* refresh("templates")
      const [first] = web.events
      assert.deepStrictEqual([first?.status, first?.function_name], ["RUNNING", "refresh_repo"], answer.body.status)
      const id = first?.job_id ?? 0
      yield* web.untilEnd(id)
      assert.deepStrictEqual(ofJob(web, id), [
        `job ${id} RUNNING refresh_repo`,
        `sync ${one} refresh_templates`,
        `sync ${two} refresh_templates`,
        `UPDATED ${one}`,
        `UPDATED ${two}`,
        `job ${id} FINISHED`
      ])
      const [, sync, , updated] = web.events
      assert.deepInclude(sync?.syncevent_data, { cause: "refresh_templates", by: "admin", job_id: id })
      assert.deepInclude(updated?.object, { hostname: one, synchronized: false, state: "MANAGED" })

      const dry = yield* api.run("/device_syncto", { hostnames: names, dry_run: true })
      yield* web.untilEnd(dry.id)
      const live = yield* api.run("/device_syncto", { hostnames: names, dry_run: false })
      yield* web.untilEnd(live.id)
      assert.include(ofJob(web, dry.id)[0], "RUNNING sync_devices (dry_run)")
      assert.include(ofJob(web, live.id)[0], "RUNNING sync_devices")
      assert.deepInclude(web.events.findLast(({ hostname }) => hostname === one)?.object, { synchronized: true })
      yield* heardAll

      const ofRun = web.lines.filter((line) => line.includes(`job #${live.id}`))
      assert.isNotEmpty(ofRun)
      for (const line of ofRun) {
        assert.match(line, /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:INFO|WARNING) in sync_devices job #\d+: /)
        assert.strictEqual(line.match(/job #/g)?.length, 1, line)
      }
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "tells of save-and-commit: the dry run names its follow-up, and the device is synchronized in the end",
  () =>
    Effect.gen(function* () {
      const { api, heardAll, names, web } = yield* makeLiveScene(1)
      const [one = ""] = names
      const ports = { interfaces: { Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "desk four" } } } }
      assert.strictEqual((yield* api.send("PUT", `/device/${one}/interfaces`, ports)).status, 200)
      assert.deepStrictEqual(web.events.map(sentence), [`sync ${one} interface_updated`, `UPDATED ${one}`])
      const dry = yield* api.run("/device_syncto", { hostname: one, dry_run: true, auto_push: true })
      const next = dry.next_job_id ?? 0
      yield* web.untilEnd(dry.id)
      yield* web.untilEnd(next)
      const end = web.events.find(({ job_id, status }) => job_id === dry.id && status === "FINISHED")
      assert.deepStrictEqual(end, { job_id: dry.id, status: "FINISHED", next_job_id: next })
      yield* web.until("The device", () => web.events.findLast(({ hostname }) => hostname === one)?.object?.["synchronized"] === true)
      yield* heardAll
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "tells of devices that are added, renamed and deleted, and nothing of what was rolled back or refused",
  () =>
    Effect.gen(function* () {
      const { api, heardAll, names, sql, web } = yield* makeLiveScene(1)
      const [one = ""] = names
      const device = { hostname: "acc-new", state: "MANAGED", device_type: "ACCESS", platform: "eos", management_ip: "10.196.16.77" }
      const made = yield* api.send("POST", "/device", device)
      assert.strictEqual(made.status, 200, JSON.stringify(made.body))
      assert.include(web.events.map(sentence), "CREATED acc-new")
      assert.isAtLeast((yield* api.send("POST", "/device", device)).status, 400)
      yield* sql((client) =>
        client
          .withTransaction(
            Effect.andThen(
              client`insert into device (hostname, state, device_type, platform) values ('ghost', 'DHCP_BOOT', 'UNKNOWN', 'eos')`,
              Effect.fail("rolled back" as const)
            )
          )
          .pipe(Effect.ignore)
      )
      const id = web.events.find(({ action }) => action === "CREATED")?.device_id ?? 0
      const renamed = yield* api.send("PUT", `/device/${id}`, { hostname: "acc-other" })
      assert.strictEqual(renamed.status, 200, JSON.stringify(renamed.body))
      assert.include(web.events.map(sentence), "UPDATED acc-other")
      assert.strictEqual((yield* api.send("DELETE", `/device/${id}`)).status, 200)
      assert.include(web.events.map(sentence), "DELETED acc-other")
      const gone = web.events.find(({ action }) => action === "DELETED")
      assert.deepInclude(gone?.object, { id, hostname: "acc-other", state: "MANAGED" })
      yield* heardAll
      assert.notInclude(JSON.stringify(web.events), "ghost")
      assert.notInclude(JSON.stringify(web.events), "primary_group")
      assert.notInclude(web.events.map(sentence), `DELETED ${one}`)
    }).pipe(Effect.scoped),
  LONG
)
