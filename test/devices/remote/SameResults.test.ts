/** Every operation gives the same with its session in a worker as on this thread, on switches that are alike. */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Driver, DriverSession, DriverTarget } from "../../../src/devices/Driver.ts"
import { renderError } from "../../../src/devices/DriverErrors.ts"
import { candidate, makeOneSwitch } from "../eos/OneSwitchLab.ts"
import { makeRemote } from "./RemoteLab.ts"

const change = candidate("interface Ethernet2", "   description desk 2")
const wrong = candidate("interface Ethernet99", "frobnicate")
const allBut3 = { _tag: "allBut", jobs: [3] } as const

const reading = Effect.fnUntraced(function* (session: DriverSession) {
  const { uptime, ...facts } = yield* session.facts
  const interfaces = yield* session.interfaces
  expect(uptime).toBeGreaterThan(0)
  const ports = Object.entries(interfaces).map(([name, state]) => [name, { ...state, last_flapped: 0 }])
  return {
    facts,
    ports,
    lldp: yield* session.lldp,
    detail: yield* session.lldpDetail,
    running: yield* session.runningConfig
  }
})

const changing = Effect.fnUntraced(function* (session: DriverSession) {
  const seen = yield* session.sessions
  const loaded = yield* session.load({ text: change, mode: "replace", name: "job412", mayAbort: allBut3, seen })
  yield* session.commitTimed("job412", 60)
  const timer = yield* session.pending
  const inParts = yield* session.load({
    text: change,
    mode: "replace",
    name: "job412-check",
    besideTimer: "job412",
    foreignSessions: "ignore",
    inParts: true
  })
  yield* session.discard("job412-check")
  const held = yield* session.sessions
  yield* session.confirm("job412")
  yield* session.save
  const merged = yield* session.load({ text: "vlan 11\n", mode: "merge", name: "job413" })
  yield* session.commit("job413")
  const moved = yield* session.load({ text: "vlan 12\n", mode: "merge", name: "job414" })
  const answered = yield* session.commitAndSave("job414", 3)
  return { seen, loaded, timer, inParts, held, merged, moved, answered, none: yield* session.pending }
})

const failing = Effect.fnUntraced(function* (session: DriverSession) {
  const failures = [
    yield* Effect.flip(session.load({ text: wrong, mode: "replace", name: "job415" })),
    yield* Effect.flip(session.load({ text: "frobnicate\n", mode: "merge", name: "job415" })),
    yield* Effect.flip(session.confirm("job400")),
    yield* Effect.flip(session.run("frobnicate")),
    yield* Effect.flip(session.putFile("/nowhere/x", new Uint8Array(3)))
  ]
  return failures.map((error) => [error, renderError(error)])
})

const commanding = Effect.fnUntraced(function* (session: DriverSession) {
  yield* session.putFile("/mnt/flash/x.crt", Buffer.from("-----BEGIN CERTIFICATE-----\n".repeat(200)))
  return [
    yield* session.run("show boot-config", { timeout: 5, questions: [{ question: /sure\?/i, answer: "y" }] }),
    yield* session.run("frobnicate", { tolerateErrors: true })
  ]
})

const visit = Effect.fnUntraced(function* (driver: Driver, target: DriverTarget) {
  const session = yield* driver.open({ ...target, timeouts: { connect: 5 }, prompt: /^acc-b2-01[^\n]{0,60}[>#]\s?/ })
  return {
    reading: yield* reading(session),
    changing: yield* changing(session),
    failing: yield* failing(session),
    commanding: yield* commanding(session)
  }
}, Effect.scoped)

const refused = (driver: Driver, target: DriverTarget) =>
  Effect.forEach(
    [
      { ...target, password: Redacted.make("wrong") },
      { ...target, hostKey: { _tag: "pin", fingerprint: "SHA256:other" } } as const
    ],
    (one) => Effect.flip(Effect.scoped(driver.open(one)))
  )

/** A new switch, visited by the driver on this thread or by one in a worker. */
const seenBy = (where: "here" | "worker") =>
  Effect.gen(function* () {
    const { device, driver: local, lab, target } = yield* makeOneSwitch()
    device.setNeighbour("Ethernet51", { systemName: "dist-b2-1", neighbourPort: "Ethernet7" })
    device.foreignSession("job2")
    const driver = where === "here" ? local : (yield* makeRemote({ port: lab.port })).driver
    const visited = yield* visit(driver, target)
    const files = [...device.files()].map(([name, { digests }]) => [name, digests])
    const refusals = (yield* refused(driver, target)).map((error) =>
      // each lab has keys of its own
      error._tag === "HostKeyChanged" ? [error._tag, error.expected, /^SHA256:./.test(error.seen)] : error
    )
    return { visited, refusals, running: device.running(), files }
  }).pipe(Effect.scoped)

it.live("gives the same results and errors in a worker as without one", () =>
  Effect.gen(function* () {
    const [here, there] = [yield* seenBy("here"), yield* seenBy("worker")]
    expect(there).toEqual(here)
    expect(here.visited.changing.timer).toMatchObject({ value: { name: "job412" } })
    expect(here.visited.failing).toHaveLength(5)
  })
)
