/** Statements, transactions and claims when PostgreSQL stops, refuses or loses an answer, against a real one. */
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { cancel, newChange } from "../../machines/change/ChangeDecision.ts"
import { ChangeStore } from "../../src/store/ChangeStore.ts"
import { BackgroundWork } from "../../src/runtime/BackgroundWork.ts"
import { answeringWithin } from "../../src/store/AnswerTime.ts"
import * as DatabaseClient from "../../src/store/DatabaseClient.ts"
import { grouping, makeGrouped } from "../../src/store/GroupedStatement.ts"
import {
  forked,
  holdCommits,
  loseConnections,
  Server,
  StruckDatabase,
  withLostAnswer
} from "../support/StruckDatabase.ts"
import { TestSecrets } from "../support/TestStores.ts"

const tables = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table noted (what text not null)`
  })
)

const Database = Layer.provideMerge(tables, StruckDatabase)

const waiting = DatabaseClient.waitingForDatabase

const note = (what: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`insert into noted ${sql.insert({ what })}`)

const timesNoted = (what: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ count: number }>`select count(*)::int as count from noted where what = ${what}`,
      ([row]) => row?.count
    )
  )

layer(Database, { excludeTestServices: true })("A database that becomes unreachable", (it) => {
  it.effect("lets a statement of accepted work wait until it returns", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      yield* postgres.stop("SIGINT")
      const noting = yield* forked(waiting(note("waited")))
      yield* Effect.sleep("500 millis")
      assert.isUndefined(noting.pollUnsafe())
      yield* postgres.start
      yield* Fiber.join(noting)
      assert.strictEqual(yield* timesNoted("waited"), 1)
    })
  )

  it.effect("fails a request at once, as an error that a retry may not see", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      yield* postgres.stop("SIGINT")
      const sql = yield* SqlClient.SqlClient
      for (const request of [note("asked"), sql.withTransaction(note("asked"))]) {
        const [took, error] = yield* Effect.timed(Effect.flip(request))
        assert.isTrue(error.isRetryable, error.message)
        assert.isBelow(Duration.toMillis(took), 5_000)
      }
      yield* postgres.start
      assert.strictEqual(yield* waiting(timesNoted("asked")), 0)
    })
  )

  it.effect("releases work that is stopped while it waits", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      yield* postgres.stop("SIGINT")
      const noting = yield* forked(waiting(note("stopped")))
      yield* Effect.sleep("300 millis")
      yield* Fiber.interrupt(noting)
      yield* postgres.start
      assert.strictEqual(yield* waiting(timesNoted("stopped")), 0)
    })
  )

  it.effect("lets accepted work wait while it is read-only, and fails a request", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      yield* postgres.configure("default_transaction_read_only = on")
      const isReadOnly = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ on: string }>`
        select current_setting('default_transaction_read_only') as on`
      )
      while ((yield* isReadOnly)[0]?.on !== "on") yield* Effect.sleep("20 millis")
      assert.isTrue((yield* Effect.flip(note("read-only"))).isRetryable)
      const noting = yield* forked(waiting(note("read-only")))
      yield* Effect.sleep("300 millis")
      yield* postgres.configure("")
      yield* Fiber.join(noting)
      assert.strictEqual(yield* timesNoted("read-only"), 1)
    })
  )

  it.effect("repeats a transaction that was lost before its end", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let runs = 0
      const work = Effect.gen(function* () {
        runs += 1
        yield* note("lost")
        if (runs === 1) yield* loseConnections("ClientRead")
        yield* note("lost")
        return runs
      })
      assert.strictEqual(yield* waiting(sql.withTransaction(work)), 2)
      assert.strictEqual(yield* timesNoted("lost"), 2)
    })
  )

  it.effect("fails the transaction of a request that was lost before its end, without ending a process", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const work = Effect.andThen(loseConnections("ClientRead"), note("lost request"))
      const error = yield* Effect.flip(sql.withTransaction(Effect.andThen(note("lost request"), work)))
      assert.isTrue(error.isRetryable)
      assert.strictEqual(yield* timesNoted("lost request"), 0)
    })
  )

  it.effect("does a transaction once although the answer to its COMMIT was lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let runs = 0
      const work = Effect.suspend(() => {
        runs += 1
        return Effect.as(note("committed"), runs)
      })
      const exit = yield* withLostAnswer(waiting(sql.withTransaction(work)))
      assert.deepStrictEqual(exit, Exit.succeed(1))
      assert.strictEqual(yield* timesNoted("committed"), 1)
    })
  )

  it.effect("gives up connections that become silent: accepted work continues with others, a request fails", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      const sql = yield* SqlClient.SqlClient
      // all connections of the pool
      yield* Effect.all(
        Array.from({ length: 4 }, () => sql`select pg_sleep(0.1)`),
        { concurrency: "unbounded" }
      )
      yield* postgres.silence
      const request = yield* forked(Effect.flip(note("silence")))
      yield* Effect.all([waiting(note("silence")), waiting(sql.withTransaction(note("silence")))], {
        concurrency: "unbounded"
      })
      assert.isTrue((yield* Fiber.join(request)).isRetryable)
      assert.strictEqual(yield* timesNoted("silence"), 2)
    }).pipe(answeringWithin("1 second"))
  )

  it.effect("does a transaction once although its connection became silent with the COMMIT", () =>
    Effect.gen(function* () {
      const { aside, postgres } = yield* Server
      const sql = yield* SqlClient.SqlClient
      yield* holdCommits
      const working = yield* forked(waiting(sql.withTransaction(note("silent commit"))))
      const commits = Effect.flatMap(
        SqlClient.SqlClient,
        (other) => other`select 1 from pg_stat_activity where wait_event = 'SyncRep'`
      )
      while ((yield* Effect.provide(commits, aside)).length === 0) yield* Effect.sleep("20 millis")
      yield* postgres.silence
      yield* postgres.configure("")
      yield* Fiber.join(working)
      assert.strictEqual(yield* timesNoted("silent commit"), 1)
    }).pipe(answeringWithin("1 second"))
  )

  it.effect("answers every call of a repeated statement, each caller in its own way", () =>
    Effect.gen(function* () {
      const { postgres } = yield* Server
      const sql = yield* SqlClient.SqlClient
      const double = makeGrouped(
        yield* Effect.provide(grouping, BackgroundWork.layer),
        (numbers: ReadonlyArray<number>) =>
          Effect.map(
            sql<{ number: number }>`select number * 2 as number from unnest(${numbers}::integer[]) as given (number)`,
            (rows) => rows.map(({ number }) => number)
          )
      )
      yield* postgres.stop("SIGINT")
      const jobs = yield* Effect.forEach([1, 2, 3], (number) => forked(waiting(double(number))))
      const request = yield* forked(double(4))
      assert.isTrue(Exit.isFailure(yield* Fiber.await(request)))
      yield* postgres.start
      assert.deepStrictEqual(yield* Fiber.joinAll(jobs), [2, 4, 6])
    })
  )

  it.effect("grants a claim once although the answer to it was lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* ChangeStore
      const [job] = yield* sql<{ id: number }>`insert into job (function_name) values ('sync_devices') returning id`
      const [device] = yield* sql<{ id: number }>`insert into device (hostname, state, device_type)
        values ('sw1', 'MANAGED', 'ACCESS') returning id`
      const protocol = newChange({
        mode: 1,
        dryRun: false,
        force: false,
        sessionName: "job1",
        expectedHash: null,
        timerSeconds: 60
      })
      const { id } = yield* changes.findOrInsert({
        job_id: job?.id ?? 0,
        device_id: device?.id ?? 0,
        protocol,
        candidate: "hostname sw1\n",
        load_mode: "replace"
      })
      const cancelled = cancel(protocol)
      if (cancelled === null) return assert.fail("a planned change can be cancelled")
      const claim = changes.claim(id, cancelled, null)
      assert.deepStrictEqual(yield* withLostAnswer(waiting(claim)), Exit.succeed(true))
      assert.isFalse(yield* waiting(claim), "another one comes too late")
    }).pipe(Effect.provide(ChangeStore.layer.pipe(Layer.provide(TestSecrets))))
  )
})
