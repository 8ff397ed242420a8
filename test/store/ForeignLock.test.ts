/**
 * Another session holds a lock on our tables, as `VACUUM FULL` or a forgotten transaction of psql does: requests are answered in time and
 * name it, the log says it once, accepted work waits and continues.
 */
import { assert, expect, it } from "@effect/vitest"
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import {
  ageOf,
  blockersIn,
  foundAfter,
  kindOf,
  sentenceOf,
  Session,
  Wait,
  withoutValues
} from "../../src/store/ForeignLocks.ts"
import { makeCampusWithRoles } from "../support/CampusWithRoles.ts"
import * as Managed from "../scenarios/chaos/ManagedCampus.ts"
import * as Program from "../support/Program.ts"
import { databaseUrl } from "../support/TestDatabase.ts"

/** A manual session on the database. */
const stranger = (where: PgConnection.Config, applicationName = "psql") =>
  Effect.gen(function* () {
    const session = yield* PgConnection.make({ ...where, applicationName })
    const sent = (statement: string) => session.query(statement, [], false)
    return {
      pid: session.processId,
      begin: (statement: string) => Effect.andThen(sent("begin"), sent(statement)),
      sent,
      end: Effect.asVoid(sent("rollback"))
    }
  })

/** A server on a database of its own with one device, and a stranger. */
const scene = (env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const url = yield* databaseUrl
    const by = yield* stranger({ url: Redacted.make(url) })
    yield* by.sent(`insert into device (hostname, state, device_type, platform, management_ip)
      values ('lhv-acc1', 'MANAGED', 'ACCESS', 'eos', '127.0.0.9')`)
    const program = yield* Program.start({
      DATABASE_URL: url,
      DATA_DIR: yield* Program.dataFolder,
      SSH_PORT: "9",
      ...env
    })
    const base = yield* program.url
    const call = (path: string, method = "GET", body?: unknown) =>
      Effect.promise(async () => {
        const json = { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
        const answer = await fetch(`${base}/api${path}`, { method, ...(body === undefined ? {} : json) })
        return { status: answer.status, later: answer.headers.get("retry-after"), text: await answer.text() }
      })
    return { base, by, call, program }
  })

const linesWith = (program: Program.Program, word: string) =>
  program
    .text()
    .split("\n")
    .filter((line) => line.includes(word))

const isTold = (program: Program.Program, word: string, times = 1) =>
  Program.until(Effect.sync(() => linesWith(program, word).length >= times))

const HELD = "Work waits for a lock"
const FREE = "Work no longer waits for a lock"

const change = ["PUT", { description: "room 12" }] as const
const begin = ["POST", { hostname: "lhv-acc1" }] as const

/** The action of the other session, its description, and the waiting sessions. */
const LOCKS: ReadonlyArray<
  readonly [statement: string, lock: string, kind: string, path: string, method?: string, body?: unknown]
> = [
  ["lock table device in access exclusive mode", "device", "LOCK TABLE", "/v1.0/devices"],
  ["lock table job in access exclusive mode", "job", "LOCK TABLE", "/v1.0/jobs"],
  ["lock event", "event", "LOCK TABLE", "/v1.0/device/1", ...change],
  ["update device set description = 'password 4711'", "a row", "UPDATE", "/v1.0/device/1", ...change],
  ["alter table joblock add column more text", "joblock", "ALTER TABLE", "/v1.0/joblocks"],
  ["create index on device (description)", "device", "CREATE INDEX", "/v1.0/device/1", ...change],
  // what the engine of jobs keeps
  ["lock table cluster_messages", "cluster_messages", "LOCK TABLE", "/v1.0/device_update_facts", ...begin]
]

it.live("answers 503 in time and names the holder of any lock; the log says it once, and once when it has ended", () =>
  Effect.gen(function* () {
    const { by, call, program } = yield* scene()
    let times = 0
    for (const [statement, lock, kind, path, method, body] of LOCKS) {
      times += 1
      yield* by.begin(statement)
      // more than there are connections
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), () => call(path, method, body), {
        concurrency: "unbounded"
      })
      for (const answer of answers) {
        expect({ statement, ...answer }).toMatchObject({
          status: 503,
          later: expect.stringMatching(/^\d+$/),
          text: expect.stringMatching(
            new RegExp(`psql \\(process ${by.pid} of the database\\) has held a lock on ${lock} for .*${kind}`)
          )
        })
        assert.notInclude(answer.text, "4711")
      }
      yield* Program.until(Effect.map(call("/health"), ({ text }) => text.includes("psql")))
      assert.include((yield* call("/v1.0/system/findings")).text, "psql")
      // others are answered, and the database counts as well
      assert.strictEqual((yield* call("/v1.0/alerts/mutes")).status, 200)
      assert.include((yield* call("/health")).text, `{"name":"postgres","status":"UP"}`)
      yield* by.end
      yield* Program.until(Effect.map(call(path, method, body), ({ status }) => status === 200))
      yield* isTold(program, FREE, times)
    }
    yield* Program.until(Effect.map(call("/health"), ({ text }) => !text.includes("psql")))
    assert.lengthOf(linesWith(program, HELD), LOCKS.length, program.text())
    assert.lengthOf(linesWith(program, FREE), LOCKS.length, program.text())
    assert.notInclude(program.text(), "password 4711")
    // no work that met the lock has logged it again
    assert.lengthOf(linesWith(program, "has held a lock"), LOCKS.length, program.text())
  }).pipe(Effect.scoped)
)

it.live("is not ready while the lock keeps the database from a write, and names its holder", () =>
  Effect.gen(function* () {
    const { by, call } = yield* scene()
    yield* by.begin("lock table written_check")
    yield* Program.until(
      Effect.map(
        call("/health/ready"),
        ({ status, text }) => status === 503 && /"postgres","status":"DOWN".*psql/.test(text)
      )
    )
    yield* by.end
    yield* Program.until(Effect.map(call("/health"), ({ text }) => text.includes(`{"name":"postgres","status":"UP"}`)))
  }).pipe(Effect.scoped)
)

it.live.each(["device", "job", "event", "cluster_messages"])(
  "lets a job wait for a lock on %s and continue afterwards, and a stream of events too",
  (table) =>
    Effect.gen(function* () {
      const { base, by, call, program } = yield* scene({ JOB_DELAY: "1" })
      let heard = ""
      const stream = yield* Effect.promise(() =>
        fetch(`${base}/api/v1.0/events`, { headers: { accept: "text/event-stream" } })
      )
      const listening = Effect.promise(async () => {
        for await (const piece of stream.body ?? []) heard += Buffer.from(piece).toString()
      })
      yield* Effect.forkScoped(listening)
      const begun = yield* call("/v1.0/device_update_facts", "POST", { hostname: "lhv-acc1" })
      assert.strictEqual(begun.status, 200, begun.text)
      const id: unknown = Reflect.get(JSON.parse(begun.text), "job_id")
      yield* by.begin(`lock table ${table} in access exclusive mode`)
      yield* isTold(program, HELD)
      yield* by.end
      const ended = Effect.map(
        call(`/v1.0/job/${String(id)}`),
        ({ text }) => /FINISHED|EXCEPTION|ABORTED/.exec(text)?.[0]
      )
      yield* Program.until(Effect.map(ended, (status) => status !== undefined))
      const { text } = yield* call(`/v1.0/job/${String(id)}`)
      assert.include(text, "FINISHED", program.text())
      assert.notInclude(text, "database")
      yield* Program.until(Effect.sync(() => heard.includes("FINISHED")))
      assert.lengthOf(linesWith(program, "started again"), 0, program.text())
    }).pipe(Effect.scoped)
)

it.live("answers 503 for a switch whose work waits for the lock, and reads it again afterwards", () =>
  Effect.gen(function* () {
    const names = Managed.accessNames(1)
    const { boss, running } = yield* makeCampusWithRoles({ names, roles: "roles: {}\n" })
    const { config } = yield* Effect.provideContext(Effect.service(PgClient.PgClient), running)
    const by = yield* stranger(config)
    const read = boss("GET", `/device/${names[0]}/running_config`)
    assert.strictEqual((yield* read).status, 200)
    yield* by.begin("lock table derived_secret in access exclusive mode")
    const answer = yield* read
    assert.strictEqual(answer.status, 503, answer.text)
    assert.match(answer.text, /psql .* has held a lock on derived_secret/)
    yield* by.end
    yield* Program.until(Effect.map(read, ({ status }) => status === 200))
  }).pipe(Effect.scoped)
)

it.live("names another server of this installation whose migration keeps a table", () =>
  Effect.gen(function* () {
    const url = yield* databaseUrl
    const other = yield* stranger({ url: Redacted.make(url) }, "switchyard")
    yield* other.sent(`insert into device (hostname, state, device_type, platform, management_ip)
      values ('lhv-acc1', 'MANAGED', 'ACCESS', 'eos', '127.0.0.9')`)
    const program = yield* Program.start({ DATABASE_URL: url, DATA_DIR: yield* Program.dataFolder })
    const base = yield* program.url
    yield* other.begin("alter table device add column more text")
    const { status, text } = yield* Effect.promise(async () => {
      const answer = await fetch(`${base}/api/v1.0/device/1`)
      return { status: answer.status, text: await answer.text() }
    })
    assert.strictEqual(status, 503)
    assert.include(text, `switchyard (process ${other.pid} of the database) has held a lock on device for`)
    assert.include(text, "ALTER TABLE")
    yield* other.end
    yield* isTold(program, FREE)
    assert.lengthOf(linesWith(program, `${HELD} of another server or command of Switchyard`), 1)
  }).pipe(Effect.scoped)
)

it.live("names the blocking session at the start, and continues when it ends", () =>
  Effect.gen(function* () {
    const url = yield* databaseUrl
    const by = yield* stranger({ url: Redacted.make(url) })
    yield* by.begin("lock table switchyard_migrations in access exclusive mode")
    const program = yield* Program.start({ DATABASE_URL: url, DATA_DIR: yield* Program.dataFolder })
    yield* isTold(program, HELD)
    assert.match(program.text(), /psql .* has held a lock on switchyard_migrations/)
    yield* by.end
    yield* program.url
    yield* isTold(program, FREE)
  }).pipe(Effect.scoped)
)

const session = (pid: number, isOurs: boolean, given: Partial<Session> = {}) =>
  new Session({
    pid,
    application: isOurs ? "switchyard" : "psql",
    user: "ann",
    address: null,
    kind: "client backend",
    state: "active",
    statement: "vacuum full job_device",
    seconds: 42,
    stateSeconds: 42,
    transaction: "2026",
    isOurs,
    ...given
  })

const wait = (pid: number, lock: string, seconds: number, ...blockers: ReadonlyArray<number>) =>
  new Wait({ pid, lock, mode: "AccessShareLock", isTable: false, seconds, blockers })

it("finds the session before all waiting ones, also behind others that wait, and the sessions that it blocks", () => {
  const sessions = [session(1, false), session(2, true), session(3, true), session(4, false), session(5, false)]
  const waits = [wait(2, "job_device", 9, 1), wait(3, "a row", 12, 2), wait(5, "site", 3, 4)]
  const told = blockersIn({ sessions, waits }).map(({ blocksUs, lock, session: { pid }, waiting }) => [
    pid,
    lock,
    waiting,
    blocksUs
  ])
  assert.deepStrictEqual(told, [
    [1, "job_device", 2, true],
    [4, "site", 1, false],
    [2, "a row", 1, true]
  ])
})

it("names a prepared transaction, and a session that PostgreSQL does not describe", () => {
  const hidden = session(7, false, {
    statement: "<insufficient privilege>",
    state: null,
    seconds: null,
    application: ""
  })
  const waits = [wait(2, "event", 61, 0), wait(3, "event", 125, 7)]
  const told = blockersIn({ sessions: [hidden, session(2, true), session(3, true)], waits }).map(sentenceOf)
  assert.deepStrictEqual(told, [
    "a program without a name (process 7 of the database) has held a lock on event for 2 minutes",
    "a prepared transaction (pg_prepared_xacts) has held a lock on event for 61 seconds"
  ])
})

it("distinguishes the holder of a whole table from the holder of a row or a waiting session", () => {
  const sessions = [1, 2, 3].map((pid) => session(pid, true))
  const table = new Wait({ ...wait(2, "device", 9, 1), isTable: true })
  const told = blockersIn({ sessions, waits: [table, wait(3, "a row", 12, 2)] })
  assert.deepStrictEqual(
    told.map(({ hasTable, session: { pid } }) => [pid, hasTable]),
    [
      [1, true],
      [2, false]
    ]
  )
})

it("recognises a remaining lock without other data in PostgreSQL, although no session waits any more", () => {
  const hidden = (hasLocks: boolean) =>
    session(7, false, { statement: "<insufficient privilege>", transaction: null, seconds: null, hasLocks })
  const ours = session(2, true)
  const met = foundAfter(null, { sessions: [hidden(true), ours], waits: [wait(2, "event", 9, 7)] }, 0)
  assert.isNotNull(met)
  const stays = foundAfter(met, { sessions: [hidden(true), ours], waits: [] }, 30_000)
  assert.strictEqual(stays?.since, 0)
  assert.isNull(foundAfter(stays, { sessions: [hidden(false), ours], waits: [] }, 31_000))
  assert.isNull(foundAfter(stays, { sessions: [ours], waits: [] }, 31_000))
})

it("goes round a circle of sessions once", () => {
  const waits = [wait(1, "a", 1, 2), wait(2, "b", 1, 1)]
  assert.lengthOf(blockersIn({ sessions: [session(1, true), session(2, false)], waits }), 2)
})

it.each([
  ["VACUUM FULL job", "VACUUM FULL"],
  ["vacuum (full, verbose) job", "VACUUM FULL VERBOSE"],
  ["lock device", "LOCK TABLE"],
  ["/* by ann */ -- now\n UPDATE device set a = 'secret'", "UPDATE"],
  ["create unique index on device (a)", "CREATE UNIQUE INDEX"],
  ["", ""]
])("describes %j as: %s", (statement, kind) => {
  assert.strictEqual(kindOf(statement), kind)
})

it.each([
  ["select 'it''s secret', 4711, $1, t1.c2", "select ?, ?, $1, t1.c2"],
  ["insert into a values ($q$top secret$q$)", "insert into a values (?)"],
  ["update a set b = 'cut in the mid", "update a set b = ?"],
  ["select E'a\\'b secret'", "select E?"]
])("shows %j without its values", (statement, shown) => {
  assert.strictEqual(withoutValues(statement), shown)
})

it.each([
  [0, "1 second"],
  [119, "119 seconds"],
  [120, "2 minutes"],
  [7_200, "2 hours"],
  [200_000, "2 days"]
])("prints an age of %d seconds as %s", (seconds, text) => {
  assert.strictEqual(ageOf(seconds), text)
})
