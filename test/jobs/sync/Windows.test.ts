/** Jobs that reach devices outside their windows: which are skipped, which wait, and which are completed. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { ChangeWindows } from "../../../src/access/ChangeWindows.ts"
import type { Job } from "../../../src/domain/Job.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { jobNamed } from "../../support/Jobs.ts"
import * as Lab from "./SyncLab.ts"

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
/** Windows for the group ONE, open or closed until tomorrow at least. */
const windows = (isOpen: boolean) => {
  const [from, to] = isOpen ? [day(-2), day(2)] : [day(2), day(3)]
  return `windows: { nights: { groups: [ONE], timezone: Europe/Stockholm, dates: [{ from: ${from}, to: ${to} }] } }\n`
}

/** A lab whose first switch is in the group ONE; `put` puts windows in force. */
const withWindows = <A, E>(
  count: number,
  body: (lab: Lab.SyncLab, put: (isOpen: boolean) => Effect.Effect<void, never, ChangeWindows>) => Lab.Serving<A, E>
) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "windows-"))),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
    )
    const put = Effect.fnUntraced(function* (isOpen: boolean) {
      yield* Effect.promise(() => fs.writeFile(path.join(folder, "windows.yml"), windows(isOpen)))
      const { inForce } = yield* ChangeWindows
      const from = isOpen ? day(-2) : day(2)
      const epochDay = Date.parse(`${from}T00:00:00Z`) / 86_400_000
      yield* Lab.untilSome(
        Effect.map(inForce, ({ rules }) => (rules?.windows[0]?.dates[0]?.from.day === epochDay ? true : undefined))
      )
    })
    const started = (lab: Lab.SyncLab) =>
      Effect.gen(function* () {
        const { settings } = lab.repositories
        const groups = yield* Effect.promise(() => fs.readFile(path.join(settings.folder, "global/groups.yml"), "utf8"))
        const one = `  - group: { name: ONE, regex: '^${lab.names[0]}$' }`
        yield* settings.commit({ "global/groups.yml": `${groups.trimEnd()}\n${one}\n` })
        yield* refresh("settings", "tester")
        return yield* body(lab, put)
      })
    return yield* Lab.withLab(count, started, { DATA_DIR: folder })
  }).pipe(Effect.scoped)

const Remarked = Schema.Struct({ remarks: Schema.Array(Schema.String) })
const Refused = Schema.Struct({ auto_push: Schema.Struct({ refused: Schema.String, message: Schema.String }) })

it.live(
  "skips a device whose window has closed before its turn, unless it is an emergency, and changes the others",
  () =>
    withWindows(2, (lab, put) =>
      Effect.gen(function* () {
        const [closed = "", open = ""] = lab.names
        yield* put(false)
        yield* Lab.want(lab, "two")
        const all = { hostnames: lab.names }
        // before anybody pushes
        const shown = yield* Lab.sync({ ...all, dry_run: true })
        assert.match(
          Schema.decodeUnknownSync(Remarked)(shown.result).remarks.join(),
          new RegExp(`^${closed} must not be changed: window nights is closed. The next opening is .*Stockholm.$`)
        )
        const pushed = yield* Lab.sync(all)
        const outcomes = Lab.outcomes(pushed)
        assert.match(
          outcomes[closed] ?? "",
          /^Nothing was sent to it\.\nOutsideWindow: \S+ must not be changed: window nights is closed\. The next opening is .* 00:00 Europe\/Stockholm\n$/
        )
        assert.strictEqual(outcomes[open], "ok")
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted two"])

        const dry = yield* Lab.sync({ ...all, dry_run: true, auto_push: true, hostnames: [closed] })
        assert.isNull(dry.next_job_id)
        assert.strictEqual(Schema.decodeUnknownSync(Refused)(dry.result).auto_push.refused, "window")

        const urgent = yield* Lab.sync({ hostnames: [closed], emergency: "no light" })
        assert.deepStrictEqual(Lab.outcomes(urgent), { [closed]: "ok" })
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two"])

        const reverted = yield* Lab.run("revert_job", { job_id: urgent.id })
        assert.match(Lab.outcomes(reverted)[closed] ?? "", /OutsideWindow: .*window nights is closed/)
        const config = lab.switches[0]?.running() ?? ""
        const applied = yield* Lab.run("apply_config", { hostname: closed, config, dry_run: false })
        assert.match(Lab.outcomes(applied)[closed] ?? "", /OutsideWindow: .*window nights is closed/)
        for (const [name, args] of [
          ["renew_cert", { hostname: closed }],
          ["device_upgrade", { hostname: closed, reboot: true }],
          ["device_erase", { device_id: lab.devices[0]?.id }]
        ] as const) {
          assert.match(
            Lab.outcomes(yield* Lab.run(name, args))[closed] ?? "",
            /OutsideWindow: .*window nights is closed/,
            name
          )
        }
        yield* put(true)
        assert.deepStrictEqual(Lab.outcomes(yield* Lab.run("revert_job", { job_id: urgent.id })), { [closed]: "ok" })
        assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted two"])
        yield* Lab.nothingLeft(lab)
      })
    )
)

it.live("makes a job wait until the windows of all its devices are open, or it is aborted", () =>
  withWindows(2, (lab, put) =>
    Effect.gen(function* () {
      yield* put(false)
      yield* Lab.want(lab, "two")
      const engine = yield* JobEngine
      const jobs = yield* JobStore
      const start = engine.start(
        jobNamed("sync_devices"),
        { hostnames: lab.names, dry_run: false, wait_for_window: true },
        { user: "tester", delaySeconds: 0 }
      )
      const waits = Effect.fnUntraced(function* (id: number) {
        const waiting = yield* Lab.untilSome(
          Effect.map(jobs.get(id), ({ status, waiting_for }) =>
            waiting_for === null ? undefined : { status, waiting_for }
          )
        )
        assert.strictEqual(waiting.status, "SCHEDULED")
        assert.strictEqual(waiting.waiting_for.reason, "window")
      })
      const aborted = yield* start
      yield* waits(aborted)
      yield* engine.abort(aborted, "tester")
      assert.strictEqual((yield* engine.ended(aborted)).status, "ABORTED")
      assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted one", "wanted one"])

      const id = yield* start
      yield* waits(id)
      yield* put(true)
      const ended = yield* engine.ended(id)
      assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(ended))), new Set(["ok"]))
      assert.isNull(ended.waiting_for)
      assert.deepStrictEqual(lab.switches.map(Lab.described), ["wanted two", "wanted two"])
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("checks the windows of a job again when they change, also over a restart, whatever the job's time", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "windows-"))),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
    )
    const file = path.join(folder, "windows.yml")
    const put = (from: number, days: number) =>
      Effect.promise(() =>
        fs.writeFile(
          file,
          `windows: { nights: { all: true, timezone: UTC, dates: [{ from: ${day(from)}, to: ${day(from + days)} }] } }\n`
        )
      )
    const startsIn = (days: number) => `${day(days)}T00:00:00`
    yield* Lab.withServers(
      1,
      (lab, serve) =>
        Effect.gen(function* () {
          const start = (delaySeconds: number) =>
            Effect.flatMap(JobEngine, (engine) =>
              engine.start(
                jobNamed("sync_devices"),
                { hostnames: lab.names, dry_run: false, wait_for_window: true },
                { user: "tester", delaySeconds, opensInSeconds: 4 * 86_400 }
              )
            )
          const untilIt = (id: number, holds: (job: Job) => boolean) =>
            Lab.untilSome(
              Effect.flatMap(JobStore, (jobs) => Effect.map(jobs.get(id), (job) => (holds(job) ? job : undefined)))
            )
          const waitsUntil = (id: number, days: number) =>
            untilIt(
              id,
              ({ scheduled_time, status, waiting_for }) =>
                status === "SCHEDULED" &&
                waiting_for?.reason === "window" &&
                waiting_for.until === startsIn(days) &&
                scheduled_time?.slice(0, 10) === day(days)
            )
          // in force before there is a job: one without windows begins at once
          yield* put(4, 1)
          const [soon, later] = yield* serve(
            Effect.gen(function* () {
              const ids = [yield* start(0), yield* start(2 * 86_400)] as const
              for (const id of ids) yield* waitsUntil(id, 4)
              yield* put(3, 1)
              for (const id of ids) yield* waitsUntil(id, 3)
              yield* put(6, 1)
              for (const id of ids) yield* waitsUntil(id, 6)
              return ids
            })
          )
          yield* Effect.promise(() => fs.rm(file))
          yield* serve(
            Effect.gen(function* () {
              const ended = yield* Effect.flatMap(JobEngine, (engine) => engine.ended(soon))
              assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(ended))), new Set(["ok"]))
              // what was to begin in two days does so, for no window any more
              const waiting = yield* untilIt(later, (job) => job.waiting_for === null)
              assert.strictEqual(waiting.status, "SCHEDULED")
              assert.isBelow(
                Math.abs(Date.parse(`${waiting.scheduled_time}Z`) - Date.now() - 2 * 86_400_000),
                3_600_000
              )
            })
          )
        }),
      { DATA_DIR: folder }
    )
  }).pipe(Effect.scoped)
)

it.live("confirms changes that were committed while the window was open", () =>
  withWindows(2, (lab, put) =>
    Effect.gen(function* () {
      yield* put(true)
      yield* Lab.want(lab, "two")
      const engine = yield* JobEngine
      const id = yield* engine.start(
        jobNamed("sync_devices"),
        { hostnames: lab.names, dry_run: false, confirm_mode_override: 2 },
        { user: "tester" }
      )
      yield* Lab.until(() => Lab.described(Lab.switchAt(lab, 0)) === "wanted two")
      yield* put(false)
      const ended = yield* engine.ended(id)
      assert.deepStrictEqual(new Set(Object.values(Lab.outcomes(ended))), new Set(["ok"]))
      assert.strictEqual((yield* Lab.followUp(ended)).status, "FINISHED")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
      yield* Lab.nothingLeft(lab)
    })
  )
)
