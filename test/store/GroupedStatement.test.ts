import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scheduler } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BackgroundWork } from "../../src/runtime/BackgroundWork.ts"
import { grouping, lengthOfTexts, makeGrouped, makeGroupedFind } from "../../src/store/GroupedStatement.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

/** Doubles numbers in the database, in groups whose sizes it keeps. 13 is refused by the database. */
const makeDoubling = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const sizes: Array<number> = []
  const double = makeGrouped(
    yield* grouping,
    Effect.fnUntraced(function* (numbers: ReadonlyArray<number>) {
      sizes.push(numbers.length)
      const rows = yield* sql<{ number: number }>`select number * (13 - number) / (13 - number) as number
        from unnest(${numbers}::integer[]) with ordinality as given (number, place) order by place`
      return rows.map(({ number }) => number * 2)
    })
  )
  return { double, sizes }
})

/** Doubles numbers without the database, in groups whose sizes it keeps. */
const makeLocal = Effect.map(grouping, (grouped) => {
  const sizes: Array<number> = []
  const double = makeGrouped(grouped, (numbers: ReadonlyArray<number>) =>
    Effect.sync(() => {
      sizes.push(numbers.length)
      return numbers.map((number) => number * 2)
    })
  )
  return { double, sizes }
})

layer(Layer.merge(TestDatabase, BackgroundWork.layer), { excludeTestServices: true })("A grouped statement", (it) => {
  it.effect(
    "waits for no company when it is alone or full, and for a moment when the last group was more than one",
    () =>
      Effect.gen(function* () {
        const { double, sizes } = yield* makeLocal
        yield* double(1)
        yield* Effect.forEach(
          Array.from({ length: 128 }, (_, index) => index),
          double,
          { concurrency: "unbounded" }
        )
        assert.deepEqual(sizes, [1, 64, 64])
        const after = yield* Effect.forkChild(double(2), { startImmediately: true })
        yield* Effect.sleep("20 millis").pipe(TestClock.withLive)
        yield* Effect.forkChild(double(3), { startImmediately: true })
        assert.deepEqual(sizes, [1, 64, 64])
        yield* TestClock.adjust("20 millis")
        assert.strictEqual(yield* Fiber.join(after), 4)
        assert.deepEqual(sizes, [1, 64, 64, 2])
      }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("makes no statement of megabytes but for a single item, and answers in order", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const lengthOf = makeGrouped(
        yield* grouping,
        (texts: ReadonlyArray<string>) =>
          Effect.sync(() => {
            sizes.push(texts.length)
            return texts.map((text) => text.length)
          }),
        (text) => lengthOfTexts(text)
      )
      const megabyte = 1024 * 1024
      const lengths = [10, 3 * megabyte, 20, 2 * megabyte, 30, 9 * megabyte, 40]
      const answers = yield* Effect.forEach(lengths, (length) => lengthOf("x".repeat(length)), {
        concurrency: "unbounded"
      })
      assert.deepEqual(answers, lengths)
      assert.deepEqual(sizes, [3, 2, 1, 1])
    })
  )

  it.effect("answers many calls with few statements, and no group is larger than its bound", () =>
    Effect.gen(function* () {
      const { double, sizes } = yield* makeDoubling
      const numbers = Array.from({ length: 300 }, (_, index) => index + 100)
      const answers = yield* Effect.forEach(numbers, double, { concurrency: "unbounded" })
      assert.deepEqual(
        answers,
        numbers.map((number) => number * 2)
      )
      assert.isBelow(sizes.length, 8)
      assert.isAtMost(Math.max(...sizes), 64)
    })
  )

  it.effect("fails only the call that the database refuses", () =>
    Effect.gen(function* () {
      const { double } = yield* makeDoubling
      const calls = [1, 13, 2].map((number) => Effect.exit(double(number)))
      const exits = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepEqual(exits.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.effect("continues for the others when the first caller is cancelled", () =>
    Effect.gen(function* () {
      const { double } = yield* makeDoubling
      const first = yield* Effect.forkChild(double(1), { startImmediately: true })
      const second = yield* Effect.forkChild(double(2), { startImmediately: true })
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), 4)
    })
  )

  it.effect("answers a caller after another one was cancelled, at any moment", () =>
    Effect.gen(function* () {
      const { double } = yield* makeDoubling
      for (let steps = 0; steps < 60; steps++) {
        // a fiber that stops again and again can be interrupted at many instants
        const caller = Effect.provideService(double(steps + 20), Scheduler.MaxOpsBeforeYield, 3)
        const hangingUp = yield* Effect.forkChild(caller, { startImmediately: true })
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        yield* Fiber.interrupt(hangingUp)
        assert.strictEqual(yield* double(7), 14)
      }
    })
  )

  it.effect("answers a caller at the moment when the last of a group has been answered", () =>
    Effect.gen(function* () {
      const { double } = yield* makeDoubling
      const chain = (first: number) =>
        Effect.reduce(
          Array.from({ length: 50 }),
          () => first,
          (number, _, index) =>
            Effect.gen(function* () {
              for (let step = 0; step < (index * first) % 7; step++) yield* Effect.yieldNow
              return (yield* double(number)) / 2
            })
        )
      const firsts = Array.from({ length: 20 }, (_, index) => index + 100)
      assert.deepEqual(yield* Effect.forEach(firsts, chain, { concurrency: "unbounded" }), firsts)
    })
  )

  it.effect("is part of the transaction in which it is called", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table kept (id integer primary key)`
      const keep = makeGrouped(yield* grouping, (ids: ReadonlyArray<number>) =>
        Effect.map(sql<{ id: number }>`insert into kept select unnest(${ids}::integer[]) returning id`, (rows) =>
          rows.map(({ id }) => id)
        )
      )
      const failing = Effect.andThen(Effect.all([keep(1), keep(2)]), Effect.fail("taken back"))
      yield* Effect.flip(sql.withTransaction(failing))
      yield* keep(3)
      assert.deepEqual(yield* sql`select id from kept`, [{ id: 3 }])
    })
  )

  it.effect("finds rows by number, and nothing if there is none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const find = makeGroupedFind(
        yield* grouping,
        (ids) => sql<{ id: number }>`select id from generate_series(1, 10) as id where id = any(${ids}::integer[])`,
        ({ id }) => id
      )
      const found = yield* Effect.forEach([10, 11, 3, 3], find, { concurrency: "unbounded" })
      assert.deepEqual(
        found.map((row) => (row._tag === "Some" ? row.value.id : null)),
        [10, null, 3, 3]
      )
    })
  )
})
