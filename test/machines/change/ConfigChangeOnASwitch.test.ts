/** Promises 1 to 4 for one device: whatever breaks, the switch ends on one configuration and the record says which. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { NewChange } from "../../../machines/change/ChangeDecision.ts"
import { type Fault, faults, type Moment, run, type Run } from "./ChangeRun.ts"
import { make, type Peculiar, type SimulatedSwitch } from "./SimulatedSwitch.ts"

const modes = [0, 1, 2] as const
type Mode = (typeof modes)[number]

const change = (mode: Mode, dryRun: boolean): NewChange => ({
  mode,
  dryRun,
  force: false,
  sessionName: "job412",
  expectedHash: "old",
  timerSeconds: mode === 0 ? null : 300
})

interface Pushed extends Run {
  readonly device: SimulatedSwitch
}

const push = (
  mode: Mode,
  moments: ReadonlyArray<Moment>,
  allOk = true,
  dryRun = false,
  peculiar: Peculiar = {}
): Pushed => {
  const device = make("old", peculiar)
  const ended = run({ change: change(mode, dryRun), device, candidate: "new", before: "old", allOk, moments })
  return { ...ended, device }
}

const expectTrue = ({ device, outcome, row, stolenClaims, unclaimed }: Pushed) => {
  if (outcome.runs !== "unclear") expect(device.running()).toBe(outcome.runs)
  if (row.phase === "confirmed") expect([device.startup(), device.timerRuns()]).toEqual(["new", false])
  if (row.phase === "reverted" || row.phase === "discarded") expect(device.timerRuns()).toBe(false)
  if (device.peculiar.savesAtCommit === true && outcome.runs !== "unclear") expect(device.startup()).toBe(outcome.runs)
  expect([unclaimed, stolenClaims]).toEqual([false, 0])
}

const at = (index: number, moment: Moment): ReadonlyArray<Moment> => [
  ...Array.from({ length: index }, (): Moment => ({ fault: "none", late: 0 })),
  moment
]

const STEPS = 10

describe.each(modes)("a change in mode %i", (mode) => {
  const cases = faults.flatMap((fault) => Array.from({ length: STEPS }, (_, step) => [fault, step] as const))

  it("ends confirmed, proved and saved when nothing goes wrong", () => {
    const pushed = push(mode, [])
    expectTrue(pushed)
    expect(pushed.row).toMatchObject({ phase: "confirmed", reason: null, diff: "+new" })
  })

  it.each(cases)("ends with a true record after %s at step %i", (fault, step) => {
    expectTrue(push(mode, at(step, { fault, late: 2 })))
  })

  it("ends with a true record after any two faults", () => {
    for (const [first, step] of cases) {
      for (const [second, gap] of cases) {
        for (const late of [first, second].includes("zombie") ? [0, 3] : [0]) {
          expectTrue(push(mode, [...at(step, { fault: first, late }), ...at(gap, { fault: second, late })]))
        }
      }
    }
  })

  it("is taken back, and nothing of it is saved, when the switch ignores its confirmation and hides the timer", () => {
    const confirming = push(mode, []).steps.findIndex(({ src }) => src === "confirm")
    const pushed = push(mode, at(confirming, { fault: "ignored", late: 0 }))
    expectTrue(pushed)
    const isTimed = mode !== 0
    expect(pushed.outcome).toMatchObject({ ok: !isTimed, runs: isTimed ? "old" : "new" })
    expect([pushed.device.running(), pushed.device.startup()]).toEqual(isTimed ? ["old", "old"] : ["new", "new"])
  })

  it.each(["crashBefore", "crashAfter", "zombie"] as const)(
    "still reaches the new configuration when its process ends by %s, at whatever step",
    (fault) => {
      for (let step = 0; step < STEPS; step++) {
        expect(push(mode, at(step, { fault, late: 1 })).outcome).toMatchObject({ result: "confirmed", ok: true })
      }
    }
  )

  it("leaves nothing after a dry run", () => {
    const { device, outcome, steps } = push(mode, [], true, true)
    expect(outcome).toMatchObject({ ok: true, reason: "dryRun" })
    expect([device.running(), device.startup(), device.timerRuns()]).toEqual(["old", "old", false])
    expect(steps.map(({ src }) => src)).toEqual(["open", "verify", "load", "discard", "claim"])
  })
})

const peculiarities: ReadonlyArray<readonly [name: string, peculiar: Peculiar]> = [
  ["hides its timer", { hidesTimer: true }],
  ["has no timer although it is told one", { hidesTimer: true, ignoresTimer: true }],
  ["saves with each commit", { savesAtCommit: true }],
  ["saves with each commit and hides its timer", { savesAtCommit: true, hidesTimer: true }],
  ["ends a candidate with its login", { endsWithLogin: true }],
  ["ends a candidate with its login and saves with each commit", { endsWithLogin: true, savesAtCommit: true }]
]

describe.each(peculiarities)("a change on a switch that %s", (_name, peculiar) => {
  const cases = faults.flatMap((fault) => Array.from({ length: STEPS }, (_, step) => [fault, step] as const))

  it.each([1, 2] as const)("ends confirmed, proved and saved in mode %i when nothing goes wrong", (mode) => {
    const pushed = push(mode, [], true, false, peculiar)
    expectTrue(pushed)
    expect(pushed.row).toMatchObject({ phase: "confirmed", reason: null })
  })

  it("is taken back in mode 2 when another device fails, unless the switch has no timer", () => {
    const pushed = push(2, [], false, false, peculiar)
    expectTrue(pushed)
    expect(pushed.row.phase).toBe(peculiar.ignoresTimer === true ? "confirmed" : "reverted")
  })

  it("ends with a true record after any two faults", () => {
    for (const [first, step] of cases) {
      for (const [second, gap] of cases) {
        const moments = [...at(step, { fault: first, late: 0 }), ...at(gap, { fault: second, late: 0 })]
        if ((step + gap) % 2 === 0) expectTrue(push(step % 2 === 0 ? 1 : 2, moments, gap % 3 > 0, false, peculiar))
      }
    }
  })
})

describe("a change whose candidate ends with its login", () => {
  const COMMIT = push(1, []).steps.findIndex(({ src }) => src === "commit")

  it.each(["lostBefore", "crashBefore"] as const)("begins anew when no answer came to its commit (%s)", (fault) => {
    for (const peculiar of [{ endsWithLogin: true }, { endsWithLogin: true, savesAtCommit: true }]) {
      const pushed = push(1, at(COMMIT, { fault, late: 0 }), true, false, peculiar)
      expectTrue(pushed)
      expect(pushed.row).toMatchObject({ phase: "confirmed", round: 2, reason: null })
    }
  })
})

describe("a change whose device is edited by others", () => {
  it.each(modes)("in mode %i is never reported to run the old or the new configuration", (mode) => {
    const device = make("old")
    const edited: SimulatedSwitch = {
      ...device,
      commit: (name, timed) => {
        device.commit(name, timed)
        device.editByOthers()
      }
    }
    const setting = { change: change(mode, false), candidate: "new", before: "old", allOk: true, moments: [] } as const
    const { outcome } = run({ ...setting, device: edited })
    expect(outcome.result).toBe(mode === 0 ? "unknown" : "reverted")
    expect(outcome.runs).toBe(mode === 0 ? "unclear" : device.running())
  })
})

describe("any number of faults", () => {
  const usual = Array.from({ length: 10 }, (): Fault => "none")
  const Faults = Schema.Literals([...usual, ...faults].map((_, index) => index))
  const Script = Schema.Array(Faults).pipe(Schema.check(Schema.isMinLength(12)), Schema.check(Schema.isMaxLength(40)))
  const options = { arbitrary: { runs: 4_000 } }

  it.prop(
    "leave a true record, never commit twice in a round, and never confirm before the verdict in mode 2",
    { mode: Schema.Literals(modes), script: Script, late: Schema.Literals([0, 1, 2, 3, 4, 5]), allOk: Schema.Boolean },
    ({ allOk, late, mode, script }) => {
      const moments = script.map((index, step): Moment => ({
        fault: [...usual, ...faults][index] ?? "none",
        late: (late + step) % 6
      }))
      const pushed = push(mode, moments, allOk)
      expectTrue(pushed)
      const sessions = pushed.steps.flatMap(({ src, task }) => (src === "commit" ? [task.row.sessionName] : []))
      expect(new Set(sessions).size).toBe(sessions.length)
      if (mode === 2 && !allOk && pushed.row.phase === "confirmed") expect(pushed.row.reason).toBe("keptNew")
      const kinds = pushed.steps.map(({ src }) => src)
      expect(
        kinds.every((kind, index) => kind !== "confirm" || ["observe", "awaitVerdict"].includes(kinds[index - 1] ?? ""))
      ).toBe(true)
    },
    options
  )

  it.prop(
    "confirm a change with checks only if they hold",
    { mode: Schema.Literals(modes), script: Script, late: Schema.Literals([0, 1, 2, 3]), checksHold: Schema.Boolean },
    ({ checksHold, late, mode, script }) => {
      const moments = script.map((index, step): Moment => ({
        fault: [...usual, ...faults][index] ?? "none",
        late: (late + step) % 6
      }))
      const device = make("old")
      const checks = [{ name: "bgp", settle: 5, within: 20, definition: null }]
      const wanted = { ...change(mode, false), checks }
      const pushed = {
        ...run({ change: wanted, device, candidate: "new", before: "old", allOk: true, moments, checksHold }),
        device
      }
      expectTrue(pushed)
      if (!pushed.outcome.ok || pushed.row.phase !== "confirmed") return
      expect([checksHold, pushed.row.checking?.end]).toEqual([true, "held"])
    }
  )

  it.prop("never let a dry run commit", { mode: Schema.Literals(modes), script: Script }, ({ mode, script }) => {
    const moments = script.map((index): Moment => ({ fault: [...usual, ...faults][index] ?? "none", late: index % 6 }))
    const pushed = push(mode, moments, true, true)
    expect(pushed.steps.some(({ src }) => src === "commit")).toBe(false)
    expect(pushed.device.running()).toBe("old")
  })
})
