import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Logger, Option } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { follow, type Level, parseLine, summarize } from "../../src/store/postgres/PostgresProcess.ts"

const line = (rest: string) => `2026-11-22 10:37:00.123 UTC [4711] ${rest}`

const LINES: ReadonlyArray<readonly [text: string, level: Level]> = [
  ["00000 LOG:  database system is ready to accept connections", "Debug"],
  ["00000 LOG:  server process (PID 812) was terminated by signal 9: Killed", "Warn"],
  ["00000 LOG:  checkpointer process (PID 9) exited with exit code 1", "Warn"],
  ["00000 LOG:  all server processes terminated; reinitializing", "Warn"],
  ["00000 LOG:  database system was not properly shut down; automatic recovery in progress", "Warn"],
  ["57P03 FATAL:  the database system is in recovery mode", "Warn"],
  ["57P01 FATAL:  terminating connection due to administrator command", "Warn"],
  ['53100 PANIC:  could not write to file "pg_wal/xlogtemp.5": No space left on device', "Error"],
  ['53100 ERROR:  could not extend file "base/5/16": No space left on device', "Warn"],
  ["25006 ERROR:  cannot execute INSERT in a read-only transaction", "Warn"],
  // callers handle these
  ['23505 ERROR:  duplicate key value violates unique constraint "device_hostname_key"', "Debug"],
  ["40P01 ERROR:  deadlock detected", "Debug"]
]

describe("A line of PostgreSQL's log", () => {
  it.each(LINES)("%s has the level %s for us", (text, level) => {
    const report = Option.getOrThrow(parseLine(line(text)))
    assert.strictEqual(report.level, level)
    assert.strictEqual(`${report.sqlState} ${report.severity}:  ${report.message}`, text)
  })

  it.each(["", "\tand it goes on", "something else", "2026-11-22 LOG: short"])("is none when it is %j", (text) => {
    assert.isTrue(Option.isNone(parseLine(text)))
  })

  it("that is repeated many times is reported once, with the number", () => {
    const text = Array.from({ length: 50 }, () => line("57P03 FATAL:  the database system is starting up")).join("\n")
    assert.deepEqual(
      summarize(`${text}\n${line("00000 LOG:  ready")}`).map(({ message, times }) => [message, times]),
      [
        ["the database system is starting up", 50],
        ["ready", 1]
      ]
    )
  })
})

describe("The log of PostgreSQL", () => {
  it.live("is read from the given place on, also after it has been emptied, and each line once", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-log-"))),
        (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
      )
      const file = path.join(folder, "postgres.log")
      const before = `${line("XX000 FATAL:  before")}\n`
      const told: Array<string> = []
      const logger = Logger.make(({ message }) => told.push(String(Array.isArray(message) ? message[0] : message)))
      const append = (text: string) => Effect.promise(() => fs.appendFile(file, text))
      const untilTold = (text: string) =>
        Effect.gen(function* () {
          while (!told.some((one) => one.includes(text))) yield* Effect.sleep("20 millis")
        })
      yield* append(before)
      const fiber = yield* Effect.forkChild(Effect.provide(follow(file, before.length), Logger.layer([logger])))
      yield* append(`${line("XX000 FATAL:  first")}\n${line("XX000 FATAL:  half")}`)
      yield* untilTold("first")
      yield* append(" a line\n")
      yield* untilTold("half a line")
      yield* Effect.promise(() => fs.truncate(file, 0))
      yield* append(`${line("XX000 FATAL:  last")}\n`)
      yield* untilTold("last")
      yield* Fiber.interrupt(fiber)
      assert.deepEqual(
        told.map((text) => text.replace("PostgreSQL: FATAL: ", "")),
        ["first", "half a line", "last"]
      )
    }).pipe(Effect.scoped)
  )
})
