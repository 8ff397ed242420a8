/** How changes are proved on devices that open no session beside a commit timer (docs/changes.md#proof). */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const Devices = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** The entry of the first device that says what the switch was given. */
const syncTask = (job: Job) => {
  const [device] = Object.values(Schema.decodeUnknownSync(Devices)(job.result).devices)
  return device?.job_tasks.find(({ task_name }) => task_name === "Sync device config")
}

const refusing = { personality: "noSessionBesideTimer" } as const

it.live(
  "proves by what the switch promised and shows as committed where it opens no session beside the timer",
  () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          for (const mode of [0, 1, 2]) {
            yield* Lab.want(lab, `mode${mode}`)
            const job = yield* Lab.sync({ confirm_mode_override: mode })
            const proof = mode === 0 ? "loaded-again" : "promised-text"
            assert.deepInclude(syncTask(job), { failed: false, proof }, JSON.stringify(job.result))
            if (mode === 2) yield* Lab.followUp(job)
            assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
            yield* Lab.nothingLeft(lab)
          }
          const job = yield* Lab.sync({ dry_run: true, hostnames: lab.names })
          assert.deepInclude(syncTask(job), { diff: "", failed: false })
        }),
      {},
      refusing
    ),
  60_000
)

it.live(
  "proves by the lines of the candidate where that suffices",
  () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          const job = yield* Lab.sync()
          assert.deepInclude(syncTask(job), { failed: false, proof: "lines" }, JSON.stringify(job.result))
          assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
        }),
      { CHANGE_PROOFS: "lines" },
      { ...refusing, dropDefaults: false }
    ),
  60_000
)

it.live(
  "proves changes of a device that salts its secrets and opens no session beside the timer",
  () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          yield* Lab.want(lab, "two")
          const job = yield* Lab.sync()
          assert.deepInclude(syncTask(job), { failed: false, proof: "promised-text" }, JSON.stringify(job.result))
        }),
      {},
      { quirks: { sessionBesideTimer: "refused", saltsSecrets: true, saltsAtCommit: true } }
    ),
  60_000
)

it.live(
  "takes a change back that cannot be proved as the site wants it",
  () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          const device = Lab.switchAt(lab, 0)
          yield* Lab.want(lab, "two")
          const job = yield* Lab.sync()
          const text = Lab.outcomes(job)[device.name] ?? ""
          assert.match(text, /could not be loaded again.*not available until the pending commit is confirmed/)
          assert.match(text, /runs the configuration that it had before/)
          assert.match(text, /CommitError: The device could not be proved to run the new configuration/)
          assert.notProperty(syncTask(job), "proof")
          assert.strictEqual(Lab.described(device), "wanted one")
          assert.strictEqual(device.startup()?.includes("wanted two"), false)
          assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
          yield* Lab.nothingLeft(lab)
        }),
      { CHANGE_PROOFS: "loaded-again", COMMIT_CONFIRMED_TIMEOUT: timer(120) },
      refusing
    ),
  60_000
)
