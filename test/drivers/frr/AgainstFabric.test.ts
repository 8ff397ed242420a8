import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { refusedLines } from "../../../src/domain/CandidateGate.ts"
import { frr } from "../../../src/domain/platforms/frr/Platform.ts"
import type { DriverSession } from "../../../src/drivers/Driver.ts"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import { pair } from "../../../src/fabric/FabricPlan.ts"
import { timer } from "../../support/Patience.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { candidate, makeOneRouter, name, until } from "./OneRouter.ts"

/** One router with a login, on which the change is loaded; what it ran before, and would have started with. */
const withChangeLoaded = Effect.gen(function* () {
  const { driver, startup, target } = yield* makeOneRouter()
  const before = yield* startup
  const session = yield* driver.open(target)
  const old = yield* session.runningConfig
  yield* session.load({ text: change, mode: "replace", name: "job1" })
  return { before, driver, old, session, startup }
})

const pendingOf = ({ sessions }: DriverSession) => Effect.map(sessions, ({ pending }) => pending)

const list = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"
const change = candidate(list, "!")

/** A load without a difference. */
const same = { diff: "", willRun: null, compared: { missing: [], extra: [] }, remarks: [] }

describeReal("reading a real router", () => {
  it.live("gives facts, interfaces, neighbours and the running configuration", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter(pair)
      const session = yield* driver.open(target)
      const facts = yield* session.facts
      expect(facts).toMatchObject({ hostname: name, vendor: "FRRouting", interface_list: ["eth0", "lo", "swp1"] })
      expect(facts.os_version).toMatch(/^\d+\.\d+/)
      expect((yield* session.interfaces)["swp1"]).toMatchObject({ is_up: true, is_enabled: true, mtu: 1500 })
      yield* until(Effect.map(session.lldp, (heard) => heard["swp1"] !== undefined))
      expect(yield* session.lldp).toEqual({ swp1: [{ hostname: "core2", port: "swp1" }] })
      expect((yield* session.lldpDetail)["swp1"]?.[0]).toMatchObject({
        remote_system_name: "core2",
        remote_system_enable_capab: ["Router"]
      })
      expect(yield* session.macTable).toEqual({ entries: [], joined: [] })
      expect(yield* session.arpTable).toEqual(expect.any(Array))
      expect(yield* session.runningConfig).toContain("interface eth0\n ip address 10.99.0.11/24\n")
      expect(Option.isNone(yield* pendingOf(session))).toBe(true)
      expect(session.hostKey).toMatch(/^SHA256:/)
    }).pipe(Effect.scoped)
  )
})

const HEADINGS = [
  "interface lo",
  "router bgp 1",
  "route-map a permit 1",
  "vrf a",
  "line vty",
  "key chain a",
  "nexthop-group a"
]

/** Commands that FRR takes in its configuration modes too and does not store. */
const RUN_ANYWHERE = /^(?:list|find|exit|quit|(?:no )?output|(?:\[?no\]? )?terminal|clear)\b/
/** Commands of the privileged mode that look like configuration, and change nothing that lasts. */
const ALSO_CONFIGURATION = /^(?:enable$|(?:\[?no\]? )?debug (?!rfapi-dev|show))/

describeReal("the commands that a real router lists", () => {
  it.live(
    "commands are refused in a candidate if they are not part of a router's configuration, and accepted otherwise",
    () =>
      Effect.gen(function* () {
        const { shell } = yield* makeOneRouter()
        const listed = (...modes: ReadonlyArray<string>) =>
          Effect.map(shell(`vtysh ${[...modes, "list"].map((line) => `-c '${line}'`).join(" ")}`), (said) =>
            said.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))
          )
        /** As a user could type it: without the marks of choices. */
        const typed = (line: string) =>
          line
            .replaceAll(/[{}[\]|]/g, " ")
            .replaceAll(/\s+/g, " ")
            .trim()
        const isRefused = (text: string) => refusedLines(frr, `${text}\n`).length > 0
        const configuration = yield* listed("configure terminal")
        const commands = (yield* listed()).filter((line) => !configuration.includes(line))
        expect(commands.length).toBeGreaterThan(500)
        expect(commands.filter((line) => !isRefused(typed(line)) && !ALSO_CONFIGURATION.test(line))).toEqual([])
        const isConfiguration = (line: string) => !RUN_ANYWHERE.test(line)
        expect(configuration.filter((line) => isConfiguration(line) && isRefused(typed(line)))).toEqual([])
        expect(configuration.filter((line) => !isConfiguration(line) && !isRefused(typed(line)))).toEqual([])
        for (const heading of HEADINGS) {
          const lines = yield* listed("configure terminal", heading)
          const refused = lines.filter((line) => isConfiguration(line) && isRefused(`${heading}\n ${typed(line)}`))
          // a mode lists how it is left, and what ends all of them
          expect(
            refused.filter((line) => !/^(?:exit|end)/.test(line)),
            heading
          ).toEqual([])
        }
      }).pipe(Effect.scoped)
  )
})

describeReal("loading on a real router", () => {
  it.live("names exactly the wrong lines, without their secrets, and keeps nothing", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      const text = candidate(
        "router bgp 65001",
        " neigbor swp1",
        " neighbor 10.0.0.9 password secret word",
        "exit",
        "frobnicate"
      )
      const error = yield* Effect.flip(session.load({ text, mode: "replace", name: "job1" }))
      expect(error._tag === "ReplaceConfigException" ? error.rejected : error).toEqual([
        { lineNumber: 10, line: " neigbor swp1", answer: "% Unknown command at line 10" },
        {
          lineNumber: 11,
          line: " neighbor 10.0.0.9 password ********",
          answer: "% Unknown command at line 11"
        },
        { lineNumber: 13, line: "frobnicate", answer: "% Unknown command at line 13" }
      ])
      expect(yield* session.sessions).toMatchObject({ sessions: [], pending: Option.none() })
    }).pipe(Effect.scoped)
  )

  it.live("shows the diff, and none when the router runs the candidate", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      const text = candidate("router bgp 65001", " bgp router-id 1.1.1.1", "exit", list)
      const loaded = yield* session.load({ text, mode: "replace", name: "job1" })
      expect(loaded.diff.split("\n")).toEqual(["+router bgp 65001", "+ bgp router-id 1.1.1.1", `+${list}`])
      expect((yield* session.sessions).sessions).toEqual([{ name: "job1", state: "open", user: "root" }])
      expect(
        yield* session.load({ text: candidate(), mode: "replace", name: "job1-check", foreignSessions: "ignore" })
      ).toEqual({ ...same, otherSessions: ["job1"] })
      yield* session.discard("job1")
      yield* session.discard("job1-check")
      yield* session.discard("job1-check")
      expect((yield* session.sessions).sessions).toEqual([])
      expect(yield* session.load({ text: list, mode: "merge", name: "job2" })).toEqual({
        diff: `+${list}`,
        willRun: null,
        compared: { missing: [{ line: list, lineNumber: 1 }], extra: [] },
        remarks: []
      })
    }).pipe(Effect.scoped)
  )

  it.live("waits only for candidates of others", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      yield* session.load({ text: change, mode: "replace", name: "job1" })
      const request = { text: change, mode: "replace", foreignSessions: 0 } as const
      const error = yield* Effect.flip(session.load({ ...request, name: "job2" }))
      expect(renderError(error)).toContain("SessionLockedException: Session is already in use")
      yield* session.load({ ...request, name: "job2", mayAbort: { _tag: "allBut", jobs: [] } })
      expect((yield* session.sessions).sessions.map((found) => found.name)).toEqual(["job2"])
    }).pipe(Effect.scoped)
  )
})

describeReal("a commit on a real router", () => {
  it.live("a commit is confirmed from another login, and saved", () =>
    Effect.gen(function* () {
      const { driver, startup, target } = yield* makeOneRouter()
      const before = yield* startup
      const first = yield* driver.open(target)
      yield* first.load({ text: change, mode: "replace", name: "job1" })
      yield* first.commitTimed("job1", 300)
      expect(yield* pendingOf(first)).toEqual(Option.some({ name: "job1" }))
      expect(yield* startup).toBe(before)
      yield* first.abandon
      const second = yield* driver.open(target)
      expect(yield* second.runningConfig).toContain(list)
      expect(
        yield* second.load({
          text: change,
          mode: "replace",
          name: "job1-check",
          despiteTimer: "job1",
          foreignSessions: "ignore"
        })
      ).toEqual(same)
      yield* second.discard("job1-check")
      yield* second.confirm("job1")
      expect(yield* second.sessions).toMatchObject({ sessions: [], pending: Option.none() })
      yield* second.save
      expect(yield* startup).toContain(list)
    }).pipe(Effect.scoped)
  )

  it.live(
    "a commit without a confirmation is rolled back automatically, and the startup configuration stays unchanged",
    () =>
      Effect.gen(function* () {
        const { before, driver, old, session, startup } = yield* withChangeLoaded
        yield* session.commitTimed("job1", Number(timer(20)))
        expect(yield* session.runningConfig).toContain(list)
        yield* until(Effect.map(pendingOf(session), Option.isNone))
        expect(driver.configHash(yield* session.runningConfig)).toBe(driver.configHash(old))
        expect(yield* startup).toBe(before)
        const error = yield* Effect.flip(session.confirm("job1"))
        expect(renderError(error)).toContain("CommitError: no commit of job1 waits for its confirmation")
      }).pipe(Effect.scoped)
  )

  it.live("a commit that shuts the management port locks us out, and is rolled back", () =>
    Effect.gen(function* () {
      const { driver, fabric, shell, startup, target } = yield* makeOneRouter()
      const before = yield* startup
      const session = yield* driver.open(target)
      const old = yield* session.runningConfig
      const text = candidate().replace(/( ip address .*)/, "$1\n shutdown")
      yield* session.load({ text, mode: "replace", name: "job1" })
      yield* Effect.forkChild(Effect.exit(session.commitTimed("job1", 8)))
      yield* until(Effect.map(shell("ip -br link show eth0"), (shown) => shown.includes("DOWN")))
      const again = yield* Effect.flip(driver.open({ ...target, timeouts: { connect: 2 } }))
      expect(again._tag).toBe("ConnectionException")
      yield* until(Effect.map(fabric.run(name, "ip -br link show eth0"), (shown) => shown.includes("UP")))
      const later = yield* Effect.retry(driver.open({ ...target, timeouts: { connect: 5 } }), { times: 20 })
      yield* until(Effect.map(pendingOf(later), Option.isNone))
      expect(driver.configHash(yield* later.runningConfig)).toBe(driver.configHash(old))
      expect(yield* startup).toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("a commit is taken back at once on request", () =>
    Effect.gen(function* () {
      const { before, driver, old, session, startup } = yield* withChangeLoaded
      yield* session.commitTimed("job1", 300)
      yield* session.discard("job1")
      expect(yield* session.sessions).toMatchObject({ sessions: [], pending: Option.none() })
      expect(driver.configHash(yield* session.runningConfig)).toBe(driver.configHash(old))
      expect(yield* startup).toBe(before)
    }).pipe(Effect.scoped)
  )

  it.live("a commit without a timer stays", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      yield* session.load({ text: change, mode: "replace", name: "job1" })
      yield* session.commit("job1")
      expect(yield* session.sessions).toMatchObject({ sessions: [], pending: Option.none() })
      expect(yield* session.runningConfig).toContain(list)
    }).pipe(Effect.scoped)
  )
})

describeReal("a large candidate on a real router", () => {
  it.live("a candidate of ten thousand lines is loaded, committed and read back completely", () =>
    Effect.gen(function* () {
      const { driver, target } = yield* makeOneRouter()
      const session = yield* driver.open(target)
      const networks = Array.from({ length: 10_000 }, (_, index) => `  network 10.${index >> 8}.${index & 255}.0/24`)
      const text = candidate(
        "router bgp 65001",
        " address-family ipv4 unicast",
        ...networks,
        " exit-address-family",
        "exit"
      )
      const { diff } = yield* session.load({ text, mode: "replace", name: "job1" })
      expect(diff.split("\n").filter((line) => line.startsWith("+  network"))).toHaveLength(10_000)
      yield* session.commitTimed("job1", 600)
      const again = {
        text,
        mode: "replace",
        name: "job1-check",
        despiteTimer: "job1",
        foreignSessions: "ignore"
      } as const
      expect(yield* session.load(again)).toEqual(same)
      yield* session.discard("job1-check")
      yield* session.confirm("job1")
    }).pipe(Effect.scoped)
  )
})
