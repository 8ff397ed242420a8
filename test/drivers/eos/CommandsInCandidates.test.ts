/** Candidates with commands among their lines, loaded without the gate that refuses them: the loader must detect them. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { ConnectError, LoadError } from "../../../src/drivers/DriverErrors.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import { baseConfig, makeOneSwitch, name } from "./OneSwitchLab.ts"

const MOST_MILLIS = 5_000

/** Behind the management interface, so that a commit of what stands before the line leaves the switch in reach. */
const candidate = (...lines: ReadonlyArray<string>) => `${baseConfig}${lines.join("\n")}\n`

/** Loads the lines into `job27`; what was said, and the switch right afterwards. */
const loaded = Effect.fnUntraced(function* (
  lines: ReadonlyArray<string>,
  node: Partial<Node> = {},
  windowBytes?: number
) {
  const { device, loadUngated } = yield* makeOneSwitch(node)
  const before = device.running()
  const began = yield* Clock.currentTimeMillis
  const error = yield* Effect.flip(loadUngated(candidate(...lines), windowBytes))
  const millis = (yield* Clock.currentTimeMillis) - began
  return { before, device, error, millis }
}, Effect.scoped)

/** Number of the first of the lines. */
const FIRST = baseConfig.split("\n").length

const assertNamed = (error: LoadError | ConnectError, line: string, before = 0) => {
  assert(error._tag === "LeftConfiguration", `${error._tag}: ${error.message}`)
  assert.strictEqual(error.line, line)
  assert.strictEqual(error.lineNumber, FIRST + before)
  assert.include(error.message, `line ${FIRST + before} ("${line.trim()}") is no configuration`)
}

const openSessions = (device: LabSwitch) =>
  device.sessions().flatMap(({ name: session, state }) => (state === "pending" ? [session] : []))

const COMMITS = new Set(["commit", "commitTimer"])

const SECTION = ["interface Ethernet2", "   description desk 2"]

describe("a candidate with a command among its lines", () => {
  describe.each([
    ["in flight with others", undefined],
    ["line by line", 1]
  ] as const)("sent %s", (_how, windowBytes) => {
    it.live.each(["abort", "end", "quit", "logout", "configure", "configure session other", "bash", "python-shell"])(
      "is stopped at that line, named, and leaves nothing: %s",
      (line) =>
        Effect.gen(function* () {
          // the driver leaves out a bare `end`
          const typed = line === "end" ? "do end" : line
          const { before, device, error, millis } = yield* loaded([typed, ...SECTION], {}, windowBytes)
          assertNamed(error, typed)
          assert.isBelow(millis, MOST_MILLIS)
          assert.isFalse(device.commits().some(({ kind }) => COMMITS.has(kind)))
          // if it ends in another shell or in none, the next look at the switch discards the session
          if (!/^(?:bash|python|quit|logout)/.test(typed)) assert.deepStrictEqual(openSessions(device), [])
          if (typed !== "configure") assert.strictEqual(device.running(), before)
        })
    )

    it.live("is stopped where a second exit leaves the session", () =>
      Effect.gen(function* () {
        const { before, device, error } = yield* loaded(["exit", "   exit", ...SECTION], {}, windowBytes)
        assertNamed(error, "   exit", 1)
        assert.strictEqual(device.running(), before)
        assert.deepStrictEqual(openSessions(device), [])
      })
    )

    it.live("is reported as committed when the line did that", () =>
      Effect.gen(function* () {
        const { before, device, error, millis } = yield* loaded(["vlan 20", "commit", ...SECTION], {}, windowBytes)
        assertNamed(error, "commit", 1)
        assert(error._tag === "LeftConfiguration" && error.committed)
        assert.include(error.message, "the switch has committed what was loaded until then")
        assert.isBelow(millis, MOST_MILLIS)
        assert.notStrictEqual(device.running(), before)
      })
    )

    it.live("is taken back at once when the line committed it with a timer", () =>
      Effect.gen(function* () {
        const { before, device, error } = yield* loaded(["commit timer 00:10:00", ...SECTION], {}, windowBytes)
        assertNamed(error, "commit timer 00:10:00")
        assert.isUndefined(device.timer())
        assert.strictEqual(device.running(), before)
      })
    )

    it.live("is stopped at a question, which is cancelled", () =>
      Effect.gen(function* () {
        const { before, device, error, millis } = yield* loaded(["write erase"], {}, windowBytes)
        assertNamed(error, "write erase")
        assert.include(error.message, "Proceed with erasing startup configuration? [confirm]")
        assert.isBelow(millis, MOST_MILLIS)
        assert.isDefined(device.startup())
        assert.strictEqual(device.running(), before)
        assert.deepStrictEqual(openSessions(device), [])
      })
    )
  })

  it.live("is stopped when the line is the last one", () =>
    Effect.gen(function* () {
      const { device, loadUngated } = yield* makeOneSwitch()
      const error = yield* Effect.flip(loadUngated(candidate("abort")))
      assert(error._tag === "LeftConfiguration", error.message)
      assert.strictEqual(error.line, "abort")
      assert.deepStrictEqual(openSessions(device), [])
    })
  )

  it.live("is stopped at a site's own prompt, and when the commit renames the switch", () =>
    Effect.gen(function* () {
      const own = yield* loaded(["abort", ...SECTION], { quirks: { prompt: "[%D] <%H> %P" } })
      assertNamed(own.error, "abort")
      const { device, loadUngated } = yield* makeOneSwitch()
      const text = candidate("commit", "interface Ethernet3", "   shutdown").replace(name, "renamed")
      const error = yield* Effect.flip(loadUngated(text))
      assert(error._tag === "LeftConfiguration", error.message)
      assert.strictEqual(error.line, "commit")
      assert.strictEqual(device.hostname(), "renamed")
    })
  )

  it.live.each([
    { what: "that AAA denies", opens: ["banner login"], denied: ["banner"] },
    {
      what: "below a heading that is refused too",
      opens: ["event-handler x", "   action bash"],
      denied: ["event-handler", "action"]
    }
  ])("types no line of a text to a switch that refuses its command: one $what", ({ denied, opens }) =>
    Effect.gen(function* () {
      const text = ["write memory", "delete flash:startup-config", "commit", "EOF"]
      const { before, device, error } = yield* loaded([...opens, ...text, ...SECTION], { quirks: { denied } })
      assert(error._tag === "ReplaceConfigException", error.message)
      assert.strictEqual(device.running(), before)
      assert.isDefined(device.startup())
      assert.deepStrictEqual(
        device.commits().filter(({ kind }) => COMMITS.has(kind)),
        []
      )
      assert.deepStrictEqual(openSessions(device), [])
    })
  )

  it.live("is not mistaken for the session that it has opened under a name that begins alike", () =>
    Effect.gen(function* () {
      const { error } = yield* loaded(["configure session job27-other", ...SECTION])
      assert(error._tag === "LeftConfiguration", error.message)
      assert.include(error.message, "the session job27-other in the place of job27")
    })
  )
})
