/** A git remote that hangs: only refreshes wait for it. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { type GitGate, makeGitGate } from "../../git/gitGate.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"
import * as Lab from "../sync/SyncLab.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

/** Changes the NTP server of all devices. */
const commitNtp = Effect.fnUntraced(function* ({ repositories }: Pick<Lab.SyncLab, "repositories">, address: string) {
  const file = path.join(repositories.settings.folder, "global/base_system.yml")
  const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
  const changed = text.replace(/host: 10\.20\.0\.\d+\n/, `host: ${address}\n`)
  yield* repositories.settings.commit({ "global/base_system.yml": changed }, `NTP ${address}`)
})

const hashOf = ({ message }: { readonly message: string }): string =>
  /ommit ([0-9a-f]{40})/.exec(message)?.[1] ?? message

/** A test with its settings behind a gate. */
const withGate = <A, E>(
  body: (lab: Lab.SyncLab, gate: GitGate) => ReturnType<Parameters<typeof Lab.withLab<A, E>>[1]>,
  extra: Readonly<Record<string, string>> = {}
) => {
  let gate: GitGate | undefined
  return Lab.withLab(
    2,
    (lab) => (gate === undefined ? Effect.die(new Error("no gate")) : body(lab, gate)),
    ({ settings }) =>
      Effect.map(makeGitGate(settings.folder), (made) => {
        gate = made
        return { ...extra, GITREPO_SETTINGS: made.address }
      })
  )
}

it.live("delays no job, no other repository and no request, however many refreshes wait for it", () =>
  withGate((lab, gate) =>
    Effect.gen(function* () {
      gate.hold()
      const before = gate.connections()
      // more than there are places for jobs
      const waiting = yield* Effect.forEach(Array.from({ length: 14 }), () =>
        Effect.forkChild(refresh("settings", "tester"))
      )
      yield* Lab.until(() => gate.waiting() > 0)
      yield* Lab.want(lab, "two")
      const job = yield* Lab.sync()
      assert.deepInclude(job, { status: "FINISHED", exception: null }, JSON.stringify(job))
      assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two"])
      assert.match((yield* refresh("templates", "tester")).message, /^Commit /)
      assert.deepStrictEqual(yield* (yield* JobScheduleStore).locks.all, [])
      yield* commitNtp(lab, "10.20.0.9")
      const last = yield* Effect.forkChild(refresh("settings", "tester"))
      yield* Effect.yieldNow
      gate.open()
      const answers = yield* Effect.forEach(waiting, Fiber.join)
      for (const { message } of answers) assert.match(message, /^Commit /)
      const newest = hashOf(yield* Fiber.join(last))
      assert.strictEqual((yield* Lab.commitsInForce).settings, newest)
      // those that wait share one refresh, which begins after all of them have asked
      assert.isAtMost(gate.connections() - before, 6)
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("lets a refresh be aborted, and the next one works", () =>
  withGate((lab, gate) =>
    Effect.gen(function* () {
      gate.hold()
      const asked = yield* Effect.forkChild(Effect.flip(refresh("settings", "tester")))
      yield* Lab.until(() => gate.waiting() > 0)
      const [{ id } = { id: 0 }] = yield* (yield* JobStore).running
      yield* (yield* JobEngine).abort(id, "tester")
      const job = yield* (yield* JobEngine).ended(id)
      assert.deepInclude(job, { status: "ABORTED", function_name: "refresh_repo" })
      assert.match((yield* Fiber.join(asked)).message, /^The refresh was aborted\. In force: Commit [0-9a-f]{40} /)
      gate.open()
      yield* commitNtp(lab, "10.20.0.9")
      const hash = hashOf(yield* refresh("settings", "tester"))
      assert.strictEqual((yield* Lab.commitsInForce).settings, hash)
    })
  )
)

it.live("makes a request at the first start wait for the server's own reading, and then answers it", () =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
    const gate = yield* makeGitGate(folders.settings.folder)
    gate.hold()
    const env = Campus.environment(lab, folders, folders.folder)
    const { api } = yield* serve({ ...env, GITREPO_SETTINGS: gate.address })
    yield* Lab.until(() => gate.waiting() > 0)
    const asked = yield* Effect.forkChild(api.send("PUT", "/repository/settings", { action: "REFRESH" }))
    const jobs = Effect.map(api.send("GET", "/jobs"), ({ body }) => body.data["jobs"] as ReadonlyArray<unknown>)
    // one of the templates, two of the settings
    yield* Lab.untilSome(Effect.map(jobs, (found) => (found.length >= 3 ? true : undefined)))
    assert.strictEqual((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status, 200)
    gate.open()
    const reply = yield* Fiber.join(asked)
    assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
    assert.match(String(reply.body.data), /ommit [0-9a-f]{40} main by /)
    assert.strictEqual((yield* api.send("GET", "/settings")).status, 200)
  }).pipe(Effect.scoped)
)
