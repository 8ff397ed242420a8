/** A change whose proof has failed is tried again by a person or for a new commit, and by nothing else; through the API on the lab. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import type { JobReply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { timer } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

/** A server with a switch that runs what the settings say, and cannot be proved beside a commit timer. */
const makeScene = Effect.gen(function* () {
  const names = Managed.accessNames(1)
  const [hostname = ""] = names
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names, 0, 2000, { personality: "noSessionBesideTimer" })
  const [device] = yield* Managed.switchesOf(lab, names)
  const own = { COMMIT_CONFIRMED_WAIT: "0", COMMIT_CONFIRMED_TIMEOUT: timer(120), CHANGE_PROOFS: "loaded-again" }
  const { api, running } = yield* serve({ ...Campus.environment(lab, folders, folders.folder), ...own })
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  const sync = (options: Readonly<Record<string, unknown>>) =>
    api.run("/device_syncto", { hostname, dry_run: false, resync: true, ...options })
  const edit = Effect.fnUntraced(function* (description: string) {
    const interfaces = { Ethernet2: { configtype: "ACCESS_AUTO", data: { description } } }
    assert.strictEqual((yield* api.send("PUT", `/device/${hostname}/interfaces`, { interfaces })).status, 200)
  })
  /** A live run a moment from now. */
  const scheduled = Effect.gen(function* () {
    const at = new Date((yield* Clock.currentTimeMillis) + 1500).toISOString()
    return yield* sync({ start_at: at })
  })
  const commits = () =>
    device?.commands().filter(({ command }) => command.includes("commit timer")).length ?? assert.fail("no switch")
  /** Runs it and says how many commits the switch has seen by it. */
  const tried = Effect.fnUntraced(function* <E, R>(run: Effect.Effect<JobReply, E, R>) {
    const before = commits()
    const job = yield* run
    return { job, commits: commits() - before }
  })
  yield* sync({ force: true, confirm_mode: 0 })
  return { api, edit, folders, hostname, refresh, scheduled, sync, tried }
})

const textOf = ({ result }: JobReply, hostname: string): string => JSON.stringify(result?.devices?.[hostname])

it.live(
  "leaves out a device whose proof has failed until the commit or its configuration changes, or a person starts it",
  () =>
    Effect.gen(function* () {
      const { api, edit, folders, hostname, refresh, scheduled, sync, tried } = yield* makeScene
      yield* edit("desk four")
      const first = yield* tried(sync({}))
      assert.strictEqual(first.commits, 1)
      assert.include(textOf(first.job, hostname), "could not be proved to run the new configuration")

      const history = yield* api.send("GET", `/device_synchistory?hostname=${hostname}`)
      assert.include(JSON.stringify(history.body.data), `"cause":"commit_confirm_failed"`)
      assert.match(
        JSON.stringify(history.body.data),
        new RegExp(
          `"job_id":${first.job.id},"failed_proof":"The device could not be proved to run the new configuration`
        )
      )

      const why = new RegExp(
        `FailedProof: Since 20[\\dT:-]+ the proof of the same configuration from the same commits has failed, in job ${first.job.id}: The device could not be proved`
      )
      const later = yield* tried(scheduled)
      assert.deepStrictEqual([later.commits, later.job.status], [0, "FINISHED"])
      assert.match(textOf(later.job, hostname), why)
      const left = yield* tried(sync({ failed_proof: "leave" }))
      assert.strictEqual(left.commits, 0)
      assert.match(textOf(left.job, hostname), why)
      const auto = yield* tried(sync({ dry_run: true, auto_push: true }))
      assert.deepStrictEqual([auto.commits, auto.job.next_job_id], [0, null])
      assert.include(JSON.stringify(auto.job.result), `"refused":"failed_proof"`)

      assert.strictEqual((yield* tried(sync({}))).commits, 1)
      assert.strictEqual((yield* tried(scheduled)).commits, 0)
      yield* edit("desk five")
      assert.strictEqual((yield* tried(scheduled)).commits, 1)
      assert.strictEqual((yield* tried(scheduled)).commits, 0)
      yield* folders.templates.commit({ "eos/note.txt": "another commit\n" })
      assert.strictEqual((yield* refresh("templates")).status, 200)
      assert.strictEqual((yield* tried(scheduled)).commits, 1)
      assert.strictEqual((yield* tried(scheduled)).commits, 0)
    }).pipe(Effect.scoped)
)
