/** Health checks while parts of the server cannot work, and every route while the database cannot. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { endpoints, sampleRequests } from "../../support/EndpointRequests.ts"
import { isAlive, postmaster } from "../../support/PostgresProcesses.ts"
import { dataFolder, start, until } from "../../support/Program.ts"
import { serve } from "../../support/ServedCampus.ts"

interface Health {
  readonly status: string
  readonly checks: ReadonlyArray<{ readonly name: string; readonly status: string; readonly message?: string }>
}

const ask = (url: string, probe = "/ready") =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/api/health${probe}`)
    const body = (await response.json()) as Health
    return {
      code: response.status,
      status: body.status,
      retryAfter: response.headers.get("retry-after"),
      up: body.checks.filter(({ status }) => status === "UP").map(({ name }) => name),
      down: Object.fromEntries(
        body.checks.flatMap(({ message, name, status }) => (status === "UP" ? [] : [[name, message]]))
      )
    }
  })

/** Asks until the answer, which is kept for five seconds, is about now; and yields it. */
const askUntil = Effect.fnUntraced(function* (
  url: string,
  holds: (health: Effect.Success<ReturnType<typeof ask>>) => boolean
) {
  for (;;) {
    const health = yield* ask(url)
    if (holds(health)) return health
    yield* Effect.sleep("200 millis")
  }
})

const PARTS = ["postgres", "schema", "settings", "templates", "jobs", "machine"]

it.live("a server without repositories is alive, but not ready, and names the missing parts", () =>
  Effect.gen(function* () {
    const server = yield* start({ DATA_DIR: yield* dataFolder })
    const url = yield* server.url
    for (const probe of ["", "/ready"]) {
      const health = yield* ask(url, probe)
      assert.deepEqual([health.code, health.status, health.retryAfter], [503, "DOWN", "5"])
      assert.deepEqual(health.up, ["postgres", "schema", "jobs", "machine"])
      assert.match(health.down["settings"] ?? "", /GITREPO_SETTINGS/)
      assert.match(health.down["templates"] ?? "", /GITREPO_TEMPLATES/)
    }
    assert.strictEqual((yield* ask(url, "/live")).code, 200)
  }).pipe(Effect.scoped)
)

it.live(
  "a server is ready when a write works, settings and templates are in force and work is accepted, and names the exceptions",
  () =>
    Effect.gen(function* () {
      const folders = yield* Campus.makeFolders
      const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
      const { running, url } = yield* serve(Campus.environment(lab, folders, folders.folder))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ready = yield* askUntil(url, ({ code }) => code === 200)
        assert.deepEqual([ready.status, ready.up], ["UP", PARTS])

        // the schema was changed by a release that shuts this one out
        yield* sql`insert into switchyard_migrations (migration_id, name, oldest_compatible) values (9001, 'later', '987.0.0')`
        const old = yield* askUntil(url, ({ code }) => code === 503)
        assert.deepEqual(Object.keys(old.down), ["schema"])
        assert.include(old.down["schema"], "987.0.0")
        yield* sql`delete from switchyard_migrations where migration_id = 9001`
        yield* askUntil(url, ({ code }) => code === 200)

        // work without a worker
        yield* sql`insert into cluster_messages (id, shard_id, entity_type, entity_id, kind, tag, request_id, processed)
          values (1, 'default:99999', 'Workflow/Job', 'nobody', 0, 'run', 1, false)`
        const idle = yield* askUntil(url, ({ code }) => code === 503)
        assert.deepEqual(Object.keys(idle.down), ["jobs"])
        yield* sql`delete from cluster_messages where id = 1`
        yield* askUntil(url, ({ code }) => code === 200)

        // the database is made read-only
        const [database] = yield* sql<{ name: string }>`select current_database() as name`
        yield* sql`alter database ${sql(database?.name ?? "")} set default_transaction_read_only = on`
        yield* Effect.ignore(
          sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
        )
        yield* Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
        const readOnly = yield* askUntil(url, ({ down }) => (down["postgres"] ?? "").includes("25006"))
        assert.deepEqual([readOnly.code, readOnly.retryAfter], [503, "5"])
        assert.strictEqual((yield* ask(url, "/live")).code, 200)
      }).pipe(Effect.provideContext(running))
    }).pipe(Effect.scoped)
)

/** Requests to one endpoint in each state of the database. */
const SAMPLES = 12

/** A fault behind the API that is answered with 500: there are no settings. */
const isOwn500 = (text: string) => /settings|Exception|PREVIEW|Error retrieving plugins|rootCA|LLDP|bounce/i.test(text)

const askEverything = Effect.fnUntraced(function* (url: string, seed: string) {
  const seen = new Map<number, number>()
  for (const endpoint of endpoints) {
    if (endpoint.path.includes("/health")) continue
    for (const { method, path: route, raw } of yield* sampleRequests(endpoint, SAMPLES, `${seed} ${endpoint.name}`)) {
      const init =
        raw === undefined ? { method } : { method, body: raw, headers: { "content-type": "application/json" } }
      const [status, retryAfter, text] = yield* Effect.promise(async () => {
        const response = await fetch(url + route, init)
        return [response.status, response.headers.get("retry-after"), await response.text()] as const
      })
      const shown = `${method} ${route} ${raw ?? ""}: ${status} ${text.slice(0, 300)}`
      if (status === 503) assert.isNotNull(retryAfter, shown)
      else assert.isTrue(status < 500 || isOwn500(text), shown)
      assert.notMatch(text, /Internal Server Error|PgConnection|SqlError/, shown)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  }
  return seen
})

it.live(
  "every route answers 503 with Retry-After, and none 500, while the database is in recovery and when it can only be read",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      const server = yield* start({ DATA_DIR: dataDir })
      const url = yield* server.url
      const data = path.join(dataDir, "database/postgres")
      const restart = Effect.gen(function* () {
        const pid = Number(
          (yield* Effect.promise(() => fs.readFile(path.join(data, "postmaster.pid"), "utf8"))).split("\n")[0]
        )
        process.kill(pid, "SIGINT")
        yield* until(Effect.sync(() => !isAlive(pid)))
      })
      const write = (file: string, text: string) =>
        Effect.promise(async () => {
          await fs.writeFile(path.join(data, file), text)
          await fs.chmod(path.join(data, file), 0o644)
        })

      // a standby answers reads and refuses writes
      yield* write("standby.signal", "")
      yield* restart
      yield* until(Effect.sync(() => postmaster(dataDir) !== null))
      yield* askUntil(url, ({ down }) => (down["postgres"] ?? "").includes("25006"))
      const standby = yield* askEverything(url, "standby")
      assert.isAbove(standby.get(503) ?? 0, 20)
      assert.isAbove(standby.get(200) ?? 0, 20)

      // a database in recovery takes no connections at all
      const settings = yield* Effect.promise(() => fs.readFile(path.join(data, "postgresql.auto.conf"), "utf8"))
      yield* write("postgresql.auto.conf", `${settings}\nhot_standby = off\n`)
      yield* restart
      yield* askUntil(url, ({ down }) => (down["postgres"] ?? "").includes("57P03"))
      const recovering = yield* askEverything(url, "recovering")
      assert.isAbove(recovering.get(503) ?? 0, 200)
      assert.strictEqual((yield* ask(url, "/live")).code, 200)

      // and afterwards the same server works
      yield* write("postgresql.auto.conf", settings)
      yield* Effect.promise(() => fs.rm(path.join(data, "standby.signal")))
      yield* restart
      yield* askUntil(url, ({ up }) => up.includes("postgres"))
      const defects = server
        .text()
        .split("\n")
        .filter((line) => line.includes("A request met a defect"))
      assert.deepStrictEqual(defects, [])
    }).pipe(Effect.scoped)
)
