/** `switchyard doctor` on the server's machine, as a process of its own: with a server, without one, and while everything hangs. */
import { PgConnection } from "@effect/sql-pg"
import { assert, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schema, type Scope } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as net from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Certificates from "../../src/certificates/Certificates.ts"
import { isServer } from "../../src/cli/doctor/Questions.ts"
import { severeLines } from "../../src/cli/doctor/FolderQuestions.ts"
import * as Postmaster from "../../src/store/postgres/Postmaster.ts"
import { isAlive, postmaster } from "../support/PostgresProcesses.ts"
import { command, dataFolder, environmentOf, program, start, until } from "../support/Program.ts"
import { databaseUrl, emptyDatabaseUrl } from "../support/TestDatabase.ts"

const Rows = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ level: Schema.String, kind: Schema.String, about: Schema.String, what: Schema.String }))
)

type Env = Readonly<Record<string, string>>

const doctor = (env: Env, ...words: ReadonlyArray<string>) => command(env, ["doctor", ...words])

/** The findings of one kind, with their level. */
const rowsOf = Effect.fnUntraced(function* (env: Env, ...words: ReadonlyArray<string>) {
  const { code, err, out } = yield* doctor(env, "--json", ...words)
  const rows = Schema.decodeSync(Rows)(out)
  const of = (kind: string) =>
    rows.filter((row) => row.kind === kind).map(({ about, level, what }) => `${level} ${about}: ${what}`)
  return { code, err, rows, of }
})

const home = (folder: string) => path.join(folder, "database")

/** A port that takes connections and says nothing. */
const silentPort: Effect.Effect<number, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.callback<net.Server>((resume) => {
      const sockets = new Set<net.Socket>()
      const server = net.createServer((socket) => void sockets.add(socket.on("error", () => undefined)))
      server.once("close", () => sockets.forEach((socket) => socket.destroy()))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }
)

it.live(
  "reports what only the machine of a running server knows, and the remains of a killed one; --repair removes them",
  () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const env = { DATA_DIR: folder, JWT_ENABLED: "false" }
      const server = yield* start(env)
      const url = yield* server.url
      const here = { ...env, SWITCHYARD_URL: url }
      const well = yield* rowsOf(here)
      expect(well.of("server")).toContainEqual(
        expect.stringMatching(new RegExp(`^good process ${server.pid}: runs with`))
      )
      expect(well.of("descriptors")).toContainEqual(
        expect.stringMatching(new RegExp(`^good process ${server.pid}: \\d+ of`))
      )
      expect(well.of("database")).toContainEqual(expect.stringMatching(/^good database: PostgreSQL 18.* takes writes/))
      expect(well.of("lock")).toContainEqual("good locks: nobody waits for a lock")
      expect(well.of("disk")).toContainEqual(expect.stringContaining("inodes"))
      for (const kind of ["memory", "clock", "permissions", "size", "identity", "log"])
        assert.isNotEmpty(well.of(kind), kind)
      assert.isEmpty(
        well.rows.filter(({ kind, level }) => level === "bad" && kind !== "server"),
        well.err
      )
      // a server without repositories is not ready
      expect(well.of("server")).toContainEqual(expect.stringMatching(/^bad settings of the server: GITREPO_SETTINGS/))
      assert.strictEqual(well.code, 1)

      const pid = postmaster(folder)?.pid ?? 0
      assert.isAbove(pid, 0)
      server.kill("SIGKILL")
      yield* server.ended
      process.kill(pid, "SIGKILL")
      yield* until(Effect.sync(() => !isAlive(pid)))
      yield* Effect.promise(() => fs.chmod(path.join(folder, "secret.key"), 0o644))
      const left = yield* rowsOf(here)
      expect(left.of("server")).toContainEqual(expect.stringContaining("bad server: no process"))
      expect(left.of("database")).toContainEqual(expect.stringContaining("bad database: it does not answer"))
      expect(left.of("lock")).toContainEqual(
        expect.stringMatching(/^warn .*postmaster.pid: names process \d+, which has ended/)
      )
      expect(left.of("lock")).toContainEqual(
        expect.stringMatching(/^warn .*server.json: names process \d+, which has ended/)
      )
      expect(left.of("permissions")).toContainEqual(expect.stringMatching(/^bad .*secret.key: has mode 0644/))
      assert.strictEqual(left.code, 1)

      const mended = yield* doctor(here, "--repair")
      assert.match(mended.out, /done: .*secret\.key has mode 0600 now, it had 0644/)
      assert.match(mended.out, /done: .*postmaster\.pid was removed/)
      const after = yield* rowsOf(here)
      expect(after.of("permissions")).toContainEqual(expect.stringMatching(/^good .*secret.key: has mode 0600/))
      assert.isEmpty(after.of("lock").filter((row) => row.includes("server.json")))
      assert.strictEqual((yield* doctor(here, "--monitoring")).code, 2)
      // nothing was started or made
      assert.isFalse(
        yield* Effect.promise(() =>
          fs.readdir(path.join(home(folder), "postgres")).then((names) => names.includes("postmaster.pid"))
        )
      )
    }).pipe(Effect.scoped)
)

it.live("creates nothing where no installation exists, and reports a missing database", () =>
  Effect.gen(function* () {
    const folder = path.join(yield* dataFolder, "volume")
    const nowhere = yield* rowsOf({ DATA_DIR: folder })
    expect(nowhere.of("permissions")).toContainEqual(`bad ${folder}: there is no such folder`)
    assert.strictEqual(nowhere.code, 1)
    yield* Effect.promise(() => expect(fs.stat(folder)).rejects.toThrow("ENOENT"))
    yield* Effect.promise(async () => {
      await fs.mkdir(folder, { mode: 0o711 })
      await fs.writeFile(path.join(folder, "secret.key"), "x", { mode: 0o600 })
    })
    const { of } = yield* rowsOf({ DATA_DIR: folder })
    expect(of("permissions")).toContainEqual(
      `bad ${home(folder)}: there is no database, and DATA_DIR is of an installation that had one`
    )
    expect(of("identity")).toContainEqual(
      expect.stringMatching(/^bad identity: There is no database in .*holds secret\.key/)
    )
    assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(folder)), ["secret.key"])
    const url = yield* emptyDatabaseUrl
    const empty = yield* rowsOf({ DATA_DIR: folder, DATABASE_URL: url })
    expect(empty.of("database")).toContainEqual("bad database: has no tables of Switchyard")
    const wrong = yield* rowsOf({ DATA_DIR: folder, PORT: "many" })
    expect(wrong.of("settings")).toContainEqual(expect.stringMatching(/^bad settings: .*PORT/s))
  }).pipe(Effect.scoped)
)

it.live("removes no pid file and no note while a server uses the folder, even one that it cannot see", () =>
  Effect.gen(function* () {
    const folder = yield* dataFolder
    const data = path.join(home(folder), "postgres")
    const files = [path.join(data, "postmaster.pid"), path.join(home(folder), "server.json")]
    yield* Effect.promise(async () => {
      await fs.mkdir(data, { recursive: true, mode: 0o700 })
      await fs.writeFile(path.join(data, "PG_VERSION"), "18\n")
      await fs.writeFile(path.join(folder, "secret.key"), "x", { mode: 0o600 })
      // a number that another program has got
      await fs.writeFile(files[0] ?? "", `${process.pid}\n${data}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`)
    })
    const lock = yield* Postmaster.take(home(folder))
    assert.isNotNull(lock)
    const names = () => Promise.all(files.map((file) => fs.stat(file).then(({ size }) => size > 0)))
    const kept = yield* doctor({ DATA_DIR: folder }, "--repair")
    assert.match(kept.err, /not done: .*postmaster\.pid: a server has begun to use it meanwhile: nothing was removed/)
    assert.deepStrictEqual(yield* Effect.promise(names), [true, true], kept.text)
    lock?.release()
    const removed = yield* doctor({ DATA_DIR: folder }, "--repair")
    assert.match(removed.out, /done: .*postmaster\.pid was removed/)
    yield* Effect.promise(() => expect(fs.stat(files[0] ?? "")).rejects.toThrow("ENOENT"))
  }).pipe(Effect.scoped)
)

it.live.skipIf(process.getuid?.() !== 0)(
  "names the user who may not read a folder, and reports no database as stopped",
  () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      yield* Effect.promise(async () => {
        await fs.mkdir(path.join(home(folder), "postgres"), { recursive: true })
        await fs.chmod(folder, 0o700)
      })
      const words = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, program, "doctor", "--json"]
      const said = yield* Effect.promise(() =>
        promisify(execFile)("setpriv", words, { env: environmentOf({ DATA_DIR: folder }), cwd: "/" }).catch(
          (error: unknown) => ({ stdout: error instanceof Error && "stdout" in error ? String(error.stdout) : "" })
        )
      )
      const rows = Schema.decodeSync(Rows)(said.stdout)
      expect(rows.map(({ about, level, what }) => `${level} ${about}: ${what}`)).toEqual(
        expect.arrayContaining([
          `bad ${folder}: user 65534 cannot look into it: it has mode 0700 and belongs to user 0`,
          `unknown database: user 65534 cannot look into ${path.join(home(folder), "postgres")}`
        ])
      )
      assert.notMatch(said.stdout, /is not running|looked at \(EACCES/)
    }).pipe(Effect.scoped)
)

it.live("names the blocking session and the blocked ones, without the values of statements", () =>
  Effect.gen(function* () {
    const url = yield* databaseUrl
    const session = (name: string) => PgConnection.make({ url: Redacted.make(url), applicationName: name })
    const [holder, waiter] = [yield* session("psql"), yield* session("switchyard")]
    yield* holder.query("begin", [], false)
    yield* holder.query("lock table device in access exclusive mode", [], false)
    yield* holder.query("select 'hunter2' as password", [], false)
    yield* Effect.forkScoped(
      Effect.ignore(waiter.query("select 'tok' || count(*) from device where hostname = 'swordfish'"))
    )
    yield* until(
      Effect.map(
        holder.query(
          "select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database() and waitstart < clock_timestamp() - interval '5 seconds'",
          [],
          false
        ),
        ({ rows }) => rows.length > 0
      )
    )
    const folder = yield* dataFolder
    const { code, of, rows } = yield* rowsOf({ DATABASE_URL: url, DATA_DIR: folder })
    expect(of("lock")).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^bad locks: psql \\(process ${holder.processId} of the database\\) has held a lock on device for .*\\d+ sessions? waits?`
        )
      )
    )
    assert.notMatch(JSON.stringify(rows), /hunter2|swordfish/)
    assert.strictEqual(code, 1)
  }).pipe(Effect.scoped)
)

it.live("ends in time with partial results while the database, git, the server and files of settings hang", () =>
  Effect.gen(function* () {
    const folder = yield* dataFolder
    const port = yield* silentPort
    const pipe = path.join(folder, "password")
    execFileSync("mkfifo", ["-m", "600", pipe, path.join(folder, "alerts.yml")])
    const hanging = {
      DATA_DIR: folder,
      DATABASE_URL: `postgres://switchyard:hunter2@127.0.0.1:${port}/switchyard`,
      GITREPO_SETTINGS: `git://127.0.0.1:${port}/settings.git`,
      SWITCHYARD_URL: `http://127.0.0.1:${port}`
    }
    const { of, rows } = yield* rowsOf(hanging)
    expect(of("database")).toContainEqual(expect.stringMatching(/^(?:bad|unknown) database/))
    expect(of("git")).toContainEqual(expect.stringMatching(/^(?:bad|unknown) GITREPO_SETTINGS/))
    expect(of("server")).toContainEqual(expect.stringMatching(/^bad http.*does not answer/))
    assert.isNotEmpty(of("memory"))
    assert.notInclude(JSON.stringify(rows), "hunter2")
    const { code, out } = yield* doctor({ ...hanging, PASSWORD_MANAGED_FILE: pipe })
    assert.match(out, /unknown {2}settings: they could not be read within/)
    assert.match(out, /memory/)
    assert.strictEqual(code, 1)
  }).pipe(Effect.scoped)
)

it.live(
  "checks the certificate and its key, remotes of git, receivers and monitoring systems, without printing their secrets",
  () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const authority = yield* Certificates.makeAuthority("Test authority")
      const issued = yield* Certificates.issue(authority, "nms", "127.0.0.1", 5)
      const other = yield* Certificates.issue(authority, "nms", "127.0.0.1", 5)
      const taken = yield* silentPort
      const git = path.join(folder, "settings.git")
      execFileSync("git", ["init", "--quiet", "--bare", git])
      yield* Effect.promise(async () => {
        await fs.writeFile(path.join(folder, "cert.pem"), issued.certificate)
        await fs.writeFile(path.join(folder, "key.pem"), Redacted.value(issued.key), { mode: 0o600 })
        await fs.writeFile(path.join(folder, "other.pem"), Redacted.value(other.key), { mode: 0o644 })
        await fs.writeFile(
          path.join(folder, "alerts.yml"),
          `receivers:
  ops: {type: webhook, url: "http://127.0.0.1:${taken}/hook/hunter2", secret: OPS}
  night: {type: webhook, url: "http://127.0.0.1:9/hook/hunter2", secret: OPS}
`
        )
      })
      const env = {
        DATA_DIR: folder,
        TLS_CERT: path.join(folder, "cert.pem"),
        TLS_KEY: path.join(folder, "key.pem"),
        ALERT_SECRET_OPS: `whsec_${Buffer.alloc(32, 5).toString("base64")}`,
        GITREPO_SETTINGS: git,
        GITREPO_TEMPLATES: "http://ann:hunter2@127.0.0.1:9/templates.git",
        CHECK_HOSTS: `http://127.0.0.1:${taken}=MON,https://127.0.0.1:9`,
        CHECK_SECRET_MON: "hunter2"
      }
      const seen = yield* rowsOf(env)
      expect(seen.of("certificate")).toContainEqual(
        expect.stringMatching(/^warn .*cert.pem: ends in [45] days .*its key matches, for .*127\.0\.0\.1/)
      )
      expect(seen.of("git")).toContainEqual(expect.stringMatching(/^good GITREPO_SETTINGS: .* answers/))
      expect(seen.of("git")).toContainEqual(
        expect.stringMatching(/^bad GITREPO_TEMPLATES: http:\/\/127.* does not answer/)
      )
      expect(seen.of("receiver")).toContainEqual(`good receiver ops: 127.0.0.1:${taken} takes connections`)
      expect(seen.of("receiver")).toContainEqual(
        expect.stringMatching(/^warn receiver night: 127.0.0.1:9 cannot be reached/)
      )
      expect(seen.of("check")).toEqual([
        `good http://127.0.0.1:${taken}: takes connections`,
        expect.stringMatching(/^warn https:\/\/127\.0\.0\.1:9: it cannot be reached/)
      ])
      assert.notInclude(JSON.stringify(seen.rows), "hunter2")
      const wrong = yield* rowsOf({ ...env, TLS_KEY: path.join(folder, "other.pem") })
      expect(wrong.of("certificate")).toContainEqual(
        expect.stringMatching(/^bad .*it is not the key of the certificate/)
      )
      expect(wrong.of("permissions")).toContainEqual(expect.stringMatching(/^bad .*other.pem: has mode 0644/))
    }).pipe(Effect.scoped)
)

it.each([
  [["node", "/srv/src/main.ts", "serve"], true],
  [["/usr/bin/node", "--max-semi-space-size=16", "/opt/switchyard/bin/start.mjs", "serve", ""], true],
  [["sh", "/usr/local/bin/switchyard", "serve"], true],
  [["vite", "serve"], false],
  [["node", "/srv/src/main.ts", "doctor"], false]
])("recognises a server by its command line: %j", (words, expected) => {
  assert.strictEqual(isServer(words), expected)
})

it("shows severe lines of PostgreSQL's log without values", () => {
  const lines = [
    "2026-11-25 19:00:00.000 UTC [12] 00000 LOG:  checkpoint starting: time",
    "2026-11-25 19:00:01.000 UTC [12] 28P01 FATAL:  password authentication failed for user 'ann hunter2'",
    "\tDETAIL hunter3",
    "2026-11-25 19:00:01.500 UTC [12] 57014 ERROR:  canceling statement due to user request",
    '2026-11-25 19:00:01.600 UTC [12] 42601 ERROR:  syntax error at or near "hunter4"',
    '2026-11-25 19:00:01.700 UTC [12] 42P01 ERROR:  relation "site" does not exist, invalid value "hunter5 cut',
    "2026-11-25 19:00:02.000 UTC [13] 53100 PANIC:  could not write to file: No space left on device"
  ]
  const shown = severeLines(lines).map(({ text }) => text)
  assert.lengthOf(shown, 4)
  assert.notMatch(shown.join(), /hunter/)
  assert.match(shown.join(), /relation "site" does not exist/)
  assert.match(shown.join(), /PANIC: could not write/)
})
