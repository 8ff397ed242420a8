/** The faults of PostgreSQL, each made from outside: by signals to its processes, its files and its neighbours. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { PostgresProcess } from "../../support/PostgresProcess.ts"

/** Yields even numbers below 1. */
type Random = () => number

/** The requirements of a fault: the server, chance, and the processes that work for its clients. */
export interface Victim {
  readonly postgres: PostgresProcess
  readonly random: Random
  readonly backends: Effect.Effect<ReadonlyArray<number>>
}

export const FULL_DISK = "a full disk"

/** Begins, lasts and ends; afterwards the database is as before. */
export interface DatabaseFault {
  readonly name: string
  readonly strike: (victim: Victim) => Effect.Effect<void>
}

/** Processes that work for clients other than the tester. */
export const clientBackends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ pid: number }>`select pid from pg_stat_activity
    where backend_type = 'client backend' and application_name = 'switchyard'`
  return rows.map(({ pid }) => pid)
})

const send = (pids: ReadonlyArray<number>, signal: NodeJS.Signals) =>
  Effect.sync(() => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal)
      } catch {
        // it has ended meanwhile
      }
    }
  })

const lasting = (random: Random, from: number, to: number) => Effect.sleep(Math.round(from + random() * (to - from)))

const someOf = (pids: ReadonlyArray<number>, random: Random) => pids.filter(() => random() < 0.5)

const oneOf = (pids: ReadonlyArray<number>, random: Random) =>
  pids.slice(Math.floor(random() * pids.length)).slice(0, 1)

const restart = ({ postgres }: Victim) => Effect.andThen(postgres.stop("SIGINT"), postgres.start)

const paused = (victim: Victim, pids: ReadonlyArray<number>, withPostmaster: boolean, seconds: number) =>
  Effect.gen(function* () {
    const { postgres, random } = victim
    yield* send(pids, "SIGSTOP")
    if (withPostmaster) yield* postgres.signal("SIGSTOP")
    yield* lasting(random, 300, seconds * 1000)
  }).pipe(Effect.ensuring(Effect.andThen(send(pids, "SIGCONT"), victim.postgres.signal("SIGCONT"))))

/** Takes every place that is free, as often as one becomes free. */
const occupy = ({ maxConnections, url }: PostgresProcess) =>
  Effect.forEach(
    Array.from({ length: maxConnections }),
    () =>
      PgClient.makeClient({ url: Redacted.make(url), applicationName: "hog" }).pipe(
        Effect.tap((sql) => sql`select 1`),
        Effect.retry(Schedule.spaced("100 millis"))
      ),
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.provide(Reactivity.layer))

type Choose = (pids: ReadonlyArray<number>, random: Random) => ReadonlyArray<number>

const signalled = (name: string, choose: Choose, signal: NodeJS.Signals): DatabaseFault => ({
  name,
  strike: ({ backends, random }) => Effect.flatMap(backends, (pids) => send(choose(pids, random), signal))
})

const all: Choose = (pids) => pids

/** A signal to one process after the other, for as long as a sync takes. */
const storm = (name: string, signal: NodeJS.Signals): DatabaseFault => ({
  name,
  strike: ({ backends, random }) =>
    Effect.forEach(
      Array.from({ length: 25 }),
      () =>
        Effect.gen(function* () {
          yield* send(oneOf(yield* backends, random), signal)
          yield* lasting(random, 10, 120)
        }),
      { discard: true }
    )
})

/** No process answers a commit that waits for a standby: it is done, and its callers do not learn it. */
const NO_STANDBY = "synchronous_standby_names = 'nobody'"

const faultList: ReadonlyArray<DatabaseFault> = [
  storm("a storm of terminated backends", "SIGTERM"),
  storm("a storm of cancelled statements", "SIGINT"),
  {
    name: "answers lost after the commit",
    strike: ({ backends, postgres, random }) =>
      Effect.gen(function* () {
        yield* postgres.configure(NO_STANDBY)
        yield* lasting(random, 300, 1_500)
        yield* send(yield* backends, "SIGTERM")
        yield* lasting(random, 100, 600)
        yield* send(yield* backends, "SIGTERM")
      }).pipe(Effect.ensuring(postgres.configure("")))
  },
  {
    name: "silent connections",
    strike: ({ postgres }) => postgres.silence
  },
  {
    name: "a long outage",
    strike: ({ postgres, random }) =>
      postgres.stop("SIGINT").pipe(Effect.andThen(lasting(random, 8_000, 25_000)), Effect.andThen(postgres.start))
  },
  { name: "a fast restart", strike: restart },
  {
    name: "three fast restarts",
    strike: (victim) =>
      Effect.asVoid(Effect.replicateEffect(Effect.andThen(restart(victim), lasting(victim.random, 50, 600)), 3))
  },
  {
    name: "an immediate stop",
    strike: ({ postgres, random }) =>
      postgres.stop("SIGQUIT").pipe(Effect.andThen(lasting(random, 0, 2_000)), Effect.andThen(postgres.start))
  },
  {
    name: "a killed postmaster",
    strike: ({ postgres, random }) =>
      postgres.stop("SIGKILL").pipe(Effect.andThen(lasting(random, 0, 2_000)), Effect.andThen(postgres.start))
  },
  signalled("a killed backend", oneOf, "SIGKILL"),
  signalled("all backends terminated", all, "SIGTERM"),
  signalled("some backends terminated", someOf, "SIGTERM"),
  signalled("statements cancelled", all, "SIGINT"),
  {
    name: "a read-only database",
    strike: ({ postgres, random }) =>
      postgres
        .configure("default_transaction_read_only = on")
        .pipe(Effect.andThen(lasting(random, 500, 4_000)), Effect.ensuring(postgres.configure("")))
  },
  {
    name: "a paused database",
    strike: (victim) => Effect.flatMap(victim.backends, (pids) => paused(victim, pids, true, 4))
  },
  {
    name: "a paused backend",
    strike: (victim) => Effect.flatMap(victim.backends, (pids) => paused(victim, oneOf(pids, victim.random), false, 8))
  },
  {
    name: FULL_DISK,
    strike: ({ postgres, random }) =>
      postgres.fill.pipe(
        Effect.andThen(lasting(random, 500, 3_000)),
        Effect.ensuring(Effect.andThen(postgres.empty, postgres.start))
      )
  },
  {
    name: "refused logins",
    strike: ({ backends, postgres, random }) =>
      Effect.gen(function* () {
        const pids = yield* backends
        yield* postgres.letIn(false)
        yield* send(pids, "SIGTERM")
        yield* lasting(random, 500, 3_000)
      }).pipe(Effect.ensuring(postgres.letIn(true)))
  },
  {
    name: "no connection left",
    strike: ({ backends, postgres, random }) =>
      Effect.gen(function* () {
        const pids = yield* backends
        yield* Effect.forkScoped(occupy(postgres))
        yield* Effect.sleep(200)
        yield* send(pids, "SIGTERM")
        yield* lasting(random, 500, 3_000)
      }).pipe(Effect.scoped)
  }
]

/** Those that can be made here: a disk can be filled only where it is a small one of its own. */
export const possible = ({ isSmall }: PostgresProcess) => faultList.filter(({ name }) => isSmall || name !== FULL_DISK)

/** Several of them, one after the other. */
export const several = (chosen: ReadonlyArray<DatabaseFault>): DatabaseFault => ({
  name: chosen.map(({ name }) => name).join(", then "),
  strike: (victim) =>
    Effect.forEach(chosen, ({ strike }) => Effect.andThen(strike(victim), lasting(victim.random, 0, 1_000)), {
      discard: true
    })
})
