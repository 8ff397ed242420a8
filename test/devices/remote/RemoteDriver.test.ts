import { describe, expect, it } from "@effect/vitest"
import { createServer, type Server, type Socket } from "node:net"
import { Cause, Effect, Exit, Fiber, Logger, References } from "effect"
import { renderError } from "../../../src/devices/DriverErrors.ts"
import { makeOneSwitch } from "../eos/OneSwitchLab.ts"
import { commitErrors, connectErrors, loadErrors } from "./EachError.ts"
import { makeRemote, makeScripted, scriptedTarget } from "./RemoteLab.ts"

/** The switch of `makeOneSwitch` behind a driver with workers. */
const makeOne = Effect.fnUntraced(function* (options: Parameters<typeof makeRemote>[0] = {}) {
  const one = yield* makeOneSwitch()
  return { ...one, ...(yield* makeRemote({ ...options, port: one.lab.port })) }
})

/** Something that takes connections and never says a word. */
const silentServer = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly sockets: ReadonlySet<Socket>; readonly server: Server }>(
    (resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.resume()
        socket.on("close", () => sockets.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        if (typeof address === "object" && address !== null)
          resume(Effect.succeed({ port: address.port, sockets, server }))
      })
    }
  ),
  ({ server }) => Effect.sync(() => server.close())
)

interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Log lines of everything that runs with the layer. */
const recordLog = () => {
  const lines: Array<Line> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    lines.push({ level: logLevel, message, annotations: { ...fiber.getRef(References.CurrentLogAnnotations) } })
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("what crosses the border", () => {
  it.live("leaves an error of each class as it was", () =>
    Effect.gen(function* () {
      const { driver } = yield* makeScripted()
      const session = yield* driver.open(scriptedTarget())
      const load = (name: string) => session.load({ text: "", mode: "replace", name })
      const crossed = [
        ...(yield* Effect.forEach(connectErrors, ({ _tag }) => Effect.flip(driver.open(scriptedTarget(_tag))))),
        ...(yield* Effect.forEach(loadErrors, ({ _tag }) => Effect.flip(load(_tag)))),
        ...(yield* Effect.forEach(commitErrors, ({ _tag }) => Effect.flip(session.commit(_tag))))
      ]
      for (const [index, sent] of [...connectErrors, ...loadErrors, ...commitErrors].entries()) {
        const arrived = crossed[index]
        expect(arrived).toEqual(sent)
        expect(arrived).toBeInstanceOf(sent.constructor)
        expect(arrived === undefined ? "" : renderError(arrived)).toBe(renderError(sent))
      }
    }).pipe(Effect.scoped)
  )

  it.live("leaves a defect a defect, and the session usable", () =>
    Effect.gen(function* () {
      const { driver } = yield* makeScripted()
      const session = yield* driver.open(scriptedTarget())
      const broken = yield* Effect.exit(session.run("be broken"))
      const defect = Exit.isFailure(broken) ? Cause.squash(broken.cause) : null
      expect(defect).toMatchObject({ name: "TypeError", message: "no such thing" })
      const odd = yield* Effect.exit(session.run("be odd"))
      expect(Exit.isFailure(odd) && Cause.hasDies(odd.cause)).toBe(true)
      expect(Exit.isFailure(odd) ? String(Cause.squash(odd.cause)) : "").toContain("an error")
      expect(yield* session.run("log")).toBe("")
    }).pipe(Effect.scoped)
  )

  it.live("logs lines of the worker with the annotations of the caller", () => {
    const { layer, lines } = recordLog()
    return Effect.gen(function* () {
      const { driver } = yield* makeScripted()
      const session = yield* driver.open(scriptedTarget())
      yield* session.run("log").pipe(Effect.annotateLogs("job", 7))
      expect(lines).toEqual([
        { level: "Info", message: ["Said in the worker", { lines: 3 }], annotations: { job: 7, step: "login" } }
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.live.each([
    ["Debug", 1],
    ["Info", 0]
  ] as const)("keeps to the log level of the server: %s", ([level, count]) => {
    const { layer, lines } = recordLog()
    return Effect.gen(function* () {
      const { driver } = yield* makeScripted()
      const session = yield* driver.open(scriptedTarget())
      yield* session.run("think")
      expect(lines).toHaveLength(count)
    }).pipe(Effect.scoped, Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, level))
  })
})

describe("an interruption", () => {
  it.live("waits until the work in the worker has ended", () =>
    Effect.gen(function* () {
      const { driver } = yield* makeScripted()
      const session = yield* driver.open(scriptedTarget())
      const fiber = yield* Effect.forkChild(session.run("take long"))
      yield* Effect.sleep("50 millis")
      const from = performance.now()
      yield* Fiber.interrupt(fiber)
      expect(performance.now() - from).toBeGreaterThan(140)
      expect(yield* session.run("log")).toBe("")
    }).pipe(Effect.scoped)
  )

  it.live("of a login closes its connection", () =>
    Effect.gen(function* () {
      const { port, sockets } = yield* silentServer
      const { driver } = yield* makeRemote({ port })
      const target = { ...scriptedTarget(), address: "127.0.0.1" }
      const fiber = yield* Effect.forkChild(Effect.scoped(driver.open(target)))
      while (sockets.size === 0) yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(fiber)
      yield* Effect.sleep("50 millis")
      expect(sockets.size).toBe(0)
    }).pipe(Effect.scoped)
  )
})

describe("the end of a session", () => {
  it.live("comes with its scope, and at once for one that is abandoned", () =>
    Effect.gen(function* () {
      const { device, driver, target } = yield* makeOne()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* driver.open(target)
          expect(device.connections()).toBe(1)
          yield* session.abandon
          yield* session.abandon
          yield* Effect.sleep("50 millis")
          expect(device.connections()).toBe(0)
          expect((yield* Effect.flip(session.facts))._tag).toBe("ConnectionException")
        })
      )
      yield* Effect.forEach([1, 2, 3], () => Effect.scoped(driver.open(target)), { concurrency: 3 })
      yield* Effect.sleep("50 millis")
      expect(device.connections()).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("comes for all when the workers are stopped", () =>
    Effect.gen(function* () {
      const { device, lab, target } = yield* makeOneSwitch()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { driver } = yield* makeRemote({ port: lab.port })
          yield* driver.open(target)
          yield* driver.open(target)
          expect(device.connections()).toBe(2)
        })
      )
      yield* Effect.sleep("50 millis")
      expect(device.connections()).toBe(0)
    }).pipe(Effect.scoped)
  )
})

describe("a worker that dies", () => {
  it.live("fails the calls under way, is reported, and the next session goes to a new one", () => {
    const { layer, lines } = recordLog()
    return Effect.gen(function* () {
      const { device, driver, target, workers } = yield* makeOne()
      const session = yield* driver.open(target)
      device.setFault({ kind: "silent", step: "showRunning", times: 1 })
      const call = yield* Effect.forkChild(Effect.flip(session.runningConfig))
      yield* Effect.sleep("100 millis")
      yield* Effect.promise(() => workers[0]?.terminate() ?? Promise.resolve(0))
      expect(yield* Fiber.join(call)).toMatchObject({
        _tag: "ConnectionException",
        hostname: target.hostname,
        address: target.address,
        whileDoing: "reading the running configuration",
        message: "the SSH worker of this session ended"
      })
      expect((yield* Effect.flip(session.save))._tag).toBe("ConnectionException")
      yield* session.abandon
      expect(lines).toMatchObject([
        { level: "Error", message: ["An SSH worker ended; its sessions are lost", { calls: 1 }] }
      ])
      const again = yield* driver.open(target)
      expect(yield* again.runningConfig).toBe(device.running())
      expect(workers).toHaveLength(2)
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.live.each(["exit", "throw", "fill"])("may die of itself: %s", (command) =>
    Effect.gen(function* () {
      const { driver, workers } = yield* makeScripted()
      const other = yield* driver.open(scriptedTarget())
      const waiting = yield* Effect.forkChild(Effect.flip(other.run("take long")))
      const session = yield* driver.open(scriptedTarget())
      expect((yield* Effect.flip(session.run(command)))._tag).toBe("ConnectionException")
      expect((yield* Fiber.join(waiting))._tag).toBe("ConnectionException")
      const again = yield* driver.open(scriptedTarget())
      expect(yield* again.run("log")).toBe("")
      expect(workers).toHaveLength(2)
    }).pipe(Effect.scoped, Effect.provide(recordLog().layer))
  )
})

describe("several workers", () => {
  it.live("share the sessions, and the bound on them holds for all together", () =>
    Effect.gen(function* () {
      const { device, driver, target, workers } = yield* makeOne({ threads: 2, maxSessions: 3 })
      let most = 0
      const look = Effect.sync(() => {
        most = Math.max(most, device.connections())
      })
      const visit = Effect.scoped(Effect.andThen(driver.open(target), Effect.andThen(look, Effect.sleep("50 millis"))))
      yield* Effect.all(
        Array.from({ length: 8 }, () => visit),
        { concurrency: "unbounded" }
      )
      expect(workers).toHaveLength(2)
      expect(most).toBeGreaterThan(1)
      expect(most).toBeLessThanOrEqual(3)
    }).pipe(Effect.scoped)
  )

  it.live("are one from the start, and more when sessions need them", () =>
    Effect.gen(function* () {
      const { driver, workers } = yield* makeScripted({ threads: 2 })
      expect(workers).toHaveLength(1)
      yield* Effect.scoped(driver.open(scriptedTarget()))
      expect(workers).toHaveLength(1)
      yield* driver.open(scriptedTarget())
      yield* driver.open(scriptedTarget())
      expect(workers).toHaveLength(2)
    }).pipe(Effect.scoped)
  )
})
