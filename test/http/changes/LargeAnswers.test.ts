/** The API's answers about a device with a configuration of 50,000 lines (docs/switch-dialogues.md#limits). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { accessLists, LINES, linesOf } from "../../support/Lindhaven.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

const names = Managed.accessNames(1)
const [HOST = ""] = names

const makeServer = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const file = "eos/access.j2"
  const text = yield* Effect.promise(() => fs.readFile(path.join(folders.templates.folder, file), "utf8"))
  yield* folders.templates.commit({ [file]: `${text}\n${accessLists("permit ip host 10.9.9.9 any")}` })
  const lab = yield* Managed.makeManagedLab(names)
  const environment = Campus.environment(lab, folders, folders.folder)
  const { api, running } = yield* serve({ ...environment, COMMIT_CONFIRMED_TIMEOUT: timer(600) })
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status === 503) {
    yield* Effect.sleep("50 millis")
  }
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  return { api, device: yield* lab.get(HOST) }
})

it.live(
  `renders, pushes, shows, compares and applies ${LINES} lines`,
  () =>
    Effect.gen(function* () {
      const { api, device } = yield* makeServer
      const get = (route: string) =>
        Effect.map(api.send("GET", `/device/${HOST}/${route}`), ({ body, status }) => {
          assert.strictEqual(status, 200, JSON.stringify(body).slice(0, 1_000))
          return body.data
        })

      const live = yield* api.run("/device_syncto", { hostname: HOST, dry_run: false, force: true })
      const tasks = live.result?.devices?.[HOST]?.job_tasks ?? []
      assert.isAbove(linesOf(tasks.find(({ task_name }) => task_name === "Sync device config")?.diff), LINES)
      assert.isNumber(live.change_score)

      const preview = yield* get("generate_config")
      assert.isAbove(linesOf(Object(preview["config"])["generated_config"]), LINES)
      assert.isAbove(linesOf((yield* get("running_config"))["config"]), LINES)
      const { body: listed } = yield* api.send("GET", "/jobs")
      const records = listed.data["jobs"] as ReadonlyArray<{ readonly id: number; readonly status: string }>
      assert.strictEqual(records.find(({ id }) => id === live.id)?.status, "FINISHED")

      const full_config = device.running().replace("10.9.9.9", "10.9.9.8")
      const applied = yield* api.run(`/device/${HOST}/apply_config`, { full_config, dry_run: true })
      assert.match(JSON.stringify(applied.result), /-\s+5000 permit ip host 10\.9\.9\.9 any/)

      const drift = yield* api.run("/device_drift", { hostname: names[0] })
      assert.strictEqual(drift.status, "FINISHED", JSON.stringify(drift))
    }).pipe(Effect.scoped),
  seconds(300)
)
