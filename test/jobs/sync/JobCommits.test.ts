/** The commits that a job works on while a newer one comes into force, and the results of its devices. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { gitIn } from "../../git/gitRemote.ts"
import * as Lab from "./SyncLab.ts"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { timer } from "../../support/Patience.ts"

const changed = Effect.fnUntraced(function* (folder: string, file: string, from: RegExp, to: string) {
  const text = yield* Effect.promise(() => fs.readFile(path.join(folder, file), "utf8"))
  return { [file]: text.replace(from, to) }
})

/** Brings settings with this NTP server into force. Yields the hash of the commit. */
const putNtp = Effect.fnUntraced(function* ({ repositories: { settings } }: Lab.SyncLab, address: string) {
  const file = yield* changed(settings.folder, "global/base_system.yml", /host: 10\.20\.0\.\d+\n/, `host: ${address}\n`)
  yield* settings.commit(file)
  return hashOf(yield* refresh("settings", "other"))
})

/** Brings templates with this line at their end into force. */
const putBanner = Effect.fnUntraced(function* ({ repositories: { templates } }: Lab.SyncLab, line: string) {
  const file = yield* changed(templates.folder, "eos/access.j2", /$/, `\n${line}\n`)
  yield* templates.commit(file)
  return hashOf(yield* refresh("templates", "other"))
})

const hashOf = ({ message }: { readonly message: string }): string =>
  /ommit ([0-9a-f]{40})/.exec(message)?.[1] ?? message

const ntpOf = (device: LabSwitch | undefined): string =>
  /^ntp server .*?(10\.20\.0\.\d+)/m.exec(device?.running() ?? "")?.[1] ?? ""

const start = (args: Readonly<Record<string, unknown>> = {}) =>
  Effect.flatMap(JobEngine, (engine) => engine.start(SyncDevices, { dry_run: false, ...args }, { user: "tester" }))

const ended = (id: number) => Effect.flatMap(JobEngine, (engine) => engine.ended(id))

const keptCommits = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string; commit: string }>`select name, commit from repository_kept order by name`
)

it.live("works on the commits that were in force when it began, and names them", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      const before = yield* Lab.commitsInForce
      yield* Lab.want(lab, "two")
      const [first, second] = lab.switches
      first?.setFault({ kind: "slow", step: "load", milliseconds: 20 })
      const id = yield* start()
      yield* Lab.until(() => (first?.sessions() ?? []).some(({ name }) => name.startsWith("job")))
      const mending = yield* putNtp(lab, "10.20.0.9")
      const status = yield* (yield* JobStore).status(id)
      assert.strictEqual(status, "RUNNING", "the refresh did not wait for the job")
      const job = yield* ended(id)
      first?.clearFaults()
      assert.deepInclude(job, {
        status: "FINISHED",
        settings_commit: before.settings,
        templates_commit: before.templates
      })
      assert.deepStrictEqual([ntpOf(first), ntpOf(second)], ["10.20.0.1", "10.20.0.1"])
      assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two"])
      // the newer commit wants something else of both devices
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      for (const name of lab.names) assert.deepStrictEqual(yield* Lab.causes(name), ["refresh_settings"])
      const next = yield* Lab.sync()
      assert.strictEqual(next.settings_commit, mending)
      assert.deepStrictEqual([ntpOf(first), ntpOf(second)], ["10.20.0.9", "10.20.0.9"])
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
      for (const name of lab.names) assert.deepStrictEqual(yield* Lab.causes(name), [])
      // a dry run begins at once, and a job that has no use for them has none
      const dry = yield* Lab.sync({ dry_run: true, hostnames: lab.names })
      assert.strictEqual(dry.settings_commit, mending)
      assert.strictEqual((yield* Lab.run("update_facts", { hostname: lab.names[0] })).settings_commit, null)
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("continues with its own commits after a restart, which are kept as long as it runs", () =>
  Lab.withServers(
    3,
    (lab, serve) =>
      Effect.gen(function* () {
        const [first] = lab.switches
        yield* serve(Lab.want(lab, "two"))
        const before = yield* serve(Lab.commitsInForce)
        first?.setFault({ kind: "slow", step: "load", milliseconds: 20 })
        const id = yield* serve(
          Effect.gen(function* () {
            const job = yield* start({ batch_size: 1 })
            yield* Lab.until(() => (first?.sessions() ?? []).some(({ name }) => name.startsWith("job")))
            yield* putNtp(lab, "10.20.0.8")
            yield* putBanner(lab, "banner login\nnewer templates\nEOF")
            yield* putNtp(lab, "10.20.0.9")
            return job
          })
        )
        assert.deepStrictEqual(yield* keptCommits, [
          { name: "settings", commit: before.settings },
          { name: "templates", commit: before.templates }
        ])
        first?.clearFaults()
        yield* serve(
          Effect.gen(function* () {
            const job = yield* ended(id)
            assert.deepInclude(job, { status: "FINISHED", settings_commit: before.settings }, JSON.stringify(job))
            assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(job))), new Set(["ok"]))
            assert.deepStrictEqual(lab.switches.map(ntpOf), ["10.20.0.1", "10.20.0.1", "10.20.0.1"])
            assert.isFalse(lab.switches.some((device) => device.running().includes("newer templates")))
            assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
            for (const name of lab.names) assert.include(yield* Lab.causes(name), "refresh_settings")
            yield* putNtp(lab, "10.20.0.7")
            yield* Lab.nothingLeft(lab)
          })
        )
        assert.deepStrictEqual(yield* keptCommits, [])
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
  )
)

/** A group of all access switches that are rendered from the branch `trial`. */
const TRIAL_GROUP = `  - group:
      name: TRIAL
      regex: 'lhv-acc'
      group_priority: 90
      templates_branch: trial
`

it.live("marks the devices of a group that uses another branch of the templates", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      const { settings, templates } = lab.repositories
      gitIn(templates.folder)("branch", "trial")
      yield* refresh("templates", "other")
      yield* settings.commit(yield* changed(settings.folder, "global/groups.yml", /$/, TRIAL_GROUP))
      yield* refresh("settings", "other")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      for (const name of lab.names) assert.deepStrictEqual(yield* Lab.causes(name), ["refresh_settings"])
    })
  )
)

it.live("renders from its own commit of a branch although the branch has moved", () =>
  Lab.withServers(
    2,
    (lab, serve) =>
      Effect.gen(function* () {
        const { settings, templates } = lab.repositories
        const git = gitIn(templates.folder)
        const [first] = lab.switches
        const asks = yield* changed(settings.folder, "global/groups.yml", /$/, TRIAL_GROUP)
        git("branch", "trial")
        yield* serve(
          Effect.gen(function* () {
            yield* refresh("templates", "other")
            yield* settings.commit(asks)
            yield* refresh("settings", "other")
            yield* Lab.want(lab, "two")
          })
        )
        first?.setFault({ kind: "slow", step: "load", milliseconds: 20 })
        const id = yield* serve(
          Effect.gen(function* () {
            const job = yield* start({ batch_size: 1 })
            yield* Lab.until(() => (first?.sessions() ?? []).some(({ name }) => name.startsWith("job")))
            git("checkout", "--quiet", "trial")
            yield* putBanner(lab, "banner login\nnewer branch\nEOF")
            return job
          })
        )
        assert.strictEqual((yield* keptCommits).length, 1)
        first?.clearFaults()
        yield* serve(
          Effect.gen(function* () {
            const job = yield* ended(id)
            assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(job))), new Set(["ok"]), JSON.stringify(job))
            assert.isFalse(lab.switches.some((device) => device.running().includes("newer branch")))
            assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
            for (const name of lab.names) assert.include(yield* Lab.causes(name), "refresh_templates")
            yield* Lab.sync()
            assert.isTrue(lab.switches.every((device) => device.running().includes("newer branch")))
            assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
          })
        )
      }),
    { COMMIT_CONFIRMED_TIMEOUT: timer(60) }
  )
)
