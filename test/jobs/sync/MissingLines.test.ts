/** Lines that a switch does not show after it was given them, end to end on the lab (docs/changes.md#lines-that-are-not-shown). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import { personalities } from "../../../src/lab/eos/Quirks.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Lab from "./SyncLab.ts"

const [HOST = ""] = Managed.accessNames(1)

/** The record of the load of the only device. */
const notShown = (job: Job) => Managed.devicesOf(job)[HOST]?.job_tasks[2]?.not_shown ?? []

const isSynchronized = (lab: Lab.SyncLab) => Effect.map(Lab.synchronized(lab), (names) => names.includes(HOST))

describe.each(["normalising", "chatty"] as const)("a switch that is merely %s", (name) => {
  it.live("is dry-run, and changed in all modes, and nothing remains to do", () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          const device = Lab.switchAt(lab, 0)
          for (const mode of [0, 1, 2]) {
            yield* Lab.want(lab, `mode${mode}`)
            const dry = yield* Lab.sync({ dry_run: true, confirm_mode_override: mode })
            assert.deepStrictEqual(Lab.outcomes(dry), { [HOST]: "ok" })
            assert.isFalse(yield* isSynchronized(lab))
            const job = yield* Lab.sync({ confirm_mode_override: mode })
            assert.deepStrictEqual(Lab.outcomes(job), { [HOST]: "ok" })
            if (mode === 2) yield* Lab.followUp(job)
            assert.isTrue(yield* isSynchronized(lab))
            assert.strictEqual(Lab.described(device), `wanted mode${mode}`)
            assert.strictEqual(Managed.stripped(device.startup()), Managed.stripped(device.running()))
          }
          const again = yield* Lab.sync({ resync: true, hostnames: [HOST] })
          assert.deepStrictEqual(Lab.outcomes(again), { [HOST]: "ok" })
          assert.strictEqual(Managed.devicesOf(again)[HOST]?.job_tasks[2]?.diff, "")
          yield* Lab.nothingLeft(lab)
        }),
      {},
      { quirks: personalities[name].quirks }
    )
  )
})

/** A switch that says nothing when it refuses, and refuses the new description. */
const withSilentSwitch = <A, E>(body: (lab: Lab.SyncLab) => Lab.Serving<A, E>) =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        Lab.switchAt(lab, 0).setFault({ kind: "reject", pattern: "description wanted refused" })
        yield* Lab.want(lab, "refused")
        return yield* body(lab)
      }),
    {},
    { quirks: { refusal: "silent" } }
  )

describe("a switch that silently omits a new line", () => {
  it.live("fails in a dry run and in all modes, which name the line, and keeps its configuration", () =>
    withSilentSwitch((lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const before = device.running()
        for (const args of [{ dry_run: true }, ...[0, 1, 2].map((mode) => ({ confirm_mode_override: mode }))]) {
          const job = yield* Lab.sync(args)
          const text = Lab.outcomes(job)[HOST] ?? ""
          assert.match(text, /interface Ethernet1 \/ description wanted refused\n/)
          assert.match(text, /ReplaceConfigException: the switch does not show this line, .* at line \d+; .*\n$/)
          assert.strictEqual(device.running(), before)
          assert.isFalse(yield* isSynchronized(lab))
        }
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select shape, shown from learned_line`, [
          { shape: "interface Ethernet#\ndescription wanted refused", shown: null }
        ])
        yield* Lab.nothingLeft(lab)
      })
    )
  )

  it.live("fails also when its diff cannot be understood", () =>
    withSilentSwitch((lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const before = device.running()
        device.setFault({ kind: "error", step: "diff", message: "some lines differ", times: 1 })
        assert.match(Lab.outcomes(yield* Lab.sync())[HOST] ?? "", /description wanted refused/)
        assert.strictEqual(device.running(), before)
      })
    )
  )

  it.live("is changed without the line if the job permits it, and the record names the line", () =>
    withSilentSwitch((lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const job = yield* Lab.sync({ on_missing_lines: "warn" })
        assert.deepStrictEqual(Lab.outcomes(job), { [HOST]: "ok" })
        assert.notInclude(device.running(), "wanted")
        const [line] = notShown(job)
        assert.deepInclude(line, { line: "description wanted refused", is_new: true })
        // the line is no news any more
        const again = yield* Lab.sync({ resync: true, hostnames: [HOST] })
        assert.deepStrictEqual(Lab.outcomes(again), { [HOST]: "ok" })
        assert.deepInclude(notShown(again)[0], { is_new: false })
        const strict = yield* Lab.sync({ resync: true, hostnames: [HOST], on_missing_lines: "fail" })
        assert.match(Lab.outcomes(strict)[HOST] ?? "", /description wanted refused/)
      })
    )
  )
})

it.live("learns from the switch how it shows a line in an unknown spelling, for all lines of that shape", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const probes = () =>
          device.commands().filter(({ command }) => /^configure session \S+-probe$/.test(command)).length
        const apply = (port: number) => {
          // the mode is cut short, the second value is a default, and the third takes the place of the one before it
          const lines = ["switchport mode tr", "qos cos 0", "mtu 9000", `mtu ${9100 + port}`].map(
            (line) => `   ${line}\n`
          )
          const section = `interface Ethernet${port}\n${lines.join("")}`
          const config = device.running().replace(/^interface Ethernet27$/m, `${section}interface Ethernet27`)
          return Lab.run("apply_config", { hostname: HOST, config, dry_run: false })
        }
        assert.deepStrictEqual(Lab.outcomes(yield* apply(21)), { [HOST]: "ok" })
        assert.include(device.running(), "interface Ethernet21\n   switchport mode trunk\n   mtu 9121\n")
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select shape, shown from learned_line order by shape`, [
          { shape: "interface Ethernet#\nqos cos 0", shown: "" },
          { shape: "interface Ethernet#\nswitchport mode tr", shown: "switchport mode trunk" }
        ])
        const first = probes()
        assert.strictEqual(first, 6)
        assert.deepStrictEqual(Lab.outcomes(yield* apply(22)), { [HOST]: "ok" })
        // what takes the place of a line is seen anew each time
        assert.strictEqual(probes(), first + 4)
        yield* Lab.nothingLeft(lab)
      }),
    {},
    { quirks: { normalises: ["abbreviations", "defaults"] } }
  )
)
