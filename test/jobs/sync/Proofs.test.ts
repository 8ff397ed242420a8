/** Proofs of changes on devices that open no session during a commit timer (docs/changes.md#proof). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Proof } from "../../../machines/change/ChangeRow.ts"
import type { Job } from "../../../src/domain/Job.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

/** Asserts that the first device was proved to run the new configuration in this way. */
const provedBy = (job: Job, proof: Proof) =>
  Effect.sync(() => assert.deepInclude(Lab.syncTask(job), { failed: false, proof }, JSON.stringify(job.result)))

const refusing = { personality: "noSessionBesideTimer" } as const

it.live("proves by what the switch has stated before the commit, and loads nothing twice", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const loads = () =>
          Lab.switchAt(lab, 0)
            .commands()
            .filter(({ command }) => command === "rollback clean-config").length
        const before = loads()
        yield* Lab.inEachMode(lab, (job) => provedBy(job, "promised-text"))
        assert.strictEqual(loads() - before, 3)
        const job = yield* Lab.sync({ dry_run: true, hostnames: lab.names })
        assert.deepInclude(Lab.syncTask(job), { diff: "", failed: false })
      }),
    {},
    refusing
  )
)

it.live("proves by the lines of the candidate if that suffices", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* provedBy(yield* Lab.syncWanted(lab, "two"), "lines")
        assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
      }),
    { CHANGE_PROOFS: "lines" },
    { ...refusing, dropDefaults: false }
  )
)

it.live("proves changes of a device that salts its secrets and opens no session during the timer", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        yield* provedBy(yield* Lab.syncWanted(lab, "two"), "promised-text")
      }),
    {},
    { quirks: { sessionBesideTimer: "refused", saltsSecrets: true, saltsAtCommit: true } }
  )
)

it.live("takes back a change that cannot be proved as the site requires", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const job = yield* Lab.syncWanted(lab, "two")
        const text = Lab.outcomes(job)[device.name] ?? ""
        assert.match(text, /could not be loaded again.*not available until the pending commit is confirmed/)
        assert.match(text, /runs the configuration that it had before/)
        assert.match(text, /CommitError: The device could not be proved to run the new configuration/)
        assert.notProperty(Lab.syncTask(job), "proof")
        assert.strictEqual(Lab.described(device), "wanted one")
        assert.strictEqual(device.startup()?.includes("wanted two"), false)
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
        yield* Lab.nothingLeft(lab)
      }),
    { CHANGE_PROOFS: "loaded-again", COMMIT_CONFIRMED_TIMEOUT: timer(120) },
    refusing
  )
)
