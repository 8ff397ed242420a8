/** The log of events of a live sync and of a refused refresh, from the first line to the last. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../support/Campus.ts"
import { serve } from "../support/ServedCampus.ts"

const makeScene = Effect.gen(function* () {
  const names = Managed.accessNames(2)
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const { api, running } = yield* serve(Campus.environment(lab, folders, folders.folder))
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  for (const name of ["templates", "settings"]) {
    while ((yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })).status !== 200)
      yield* Effect.sleep("50 millis")
  }
  const told = (job: number) =>
    Effect.map(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ kind: string; action: string; hostname: string | null }>`
          select kind, action, hostname from event where job_id = ${job} order by id`
      ).pipe(Effect.provideContext(running)),
      (rows) =>
        rows.map(({ action, hostname, kind }) => [kind, action, ...(hostname === null ? [] : [hostname])].join(" "))
    )
  const newestJob = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: number }>`select max(id) as id from job`
  ).pipe(
    Effect.provideContext(running),
    Effect.map(([row]) => row?.id ?? 0)
  )
  return { api, folders, names, newestJob, told }
})

it.live(
  "events contain the statuses of a live sync, its lock, each phase of each change, and the results of the devices",
  () =>
    Effect.gen(function* () {
      const { api, names, told } = yield* makeScene
      const [one = ""] = names
      const job = yield* api.run("/device_syncto", { hostname: one, dry_run: false, force: true, resync: true })
      assert.strictEqual(job.status, "FINISHED")
      assert.deepEqual(yield* told(job.id), [
        "job started",
        "lock taken",
        "job running",
        ...["planned", "loading", "committing", "committed", "confirming", "confirmed"].map(
          (phase) => `change ${phase} ${one}`
        ),
        `device updated ${one}`,
        `job device ${one}`,
        "job ended",
        "lock released"
      ])
    })
)

it.live("events contain a refused refresh, the one that brings the next commit into force, and a failed one", () =>
  Effect.gen(function* () {
    const { api, folders, names, newestJob, told } = yield* makeScene
    const refresh = api.send("PUT", "/repository/settings", { action: "REFRESH" })
    yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: 7\n" })
    assert.strictEqual((yield* refresh).status, 400)
    assert.deepEqual(yield* told(yield* newestJob), ["job started", "job running", "job ended", "repository refused"])
    yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: [{ host: 10.0.0.1 }]\n" })
    assert.strictEqual((yield* refresh).status, 200)
    const lines = (yield* told(yield* newestJob)).filter((line) => !line.startsWith("lock"))
    assert.deepEqual(lines.slice(0, 3), ["job started", "job running", "repository in force"])
    for (const name of names) assert.include(lines, `sync needed ${name}`)
    assert.strictEqual(lines.at(-1), "job ended")
    yield* Effect.promise(() => fs.rename(folders.settings.folder, `${folders.settings.folder}-away`))
    assert.strictEqual((yield* refresh).status, 500)
    assert.deepEqual(yield* told(yield* newestJob), ["job started", "job running", "job ended", "repository failed"])
  })
)
