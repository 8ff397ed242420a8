/** A restore restores everything exactly; one that is refused, or killed, changes nothing. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Program from "../../support/Program.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { held, inDatabase, make, occupied, placedIn } from "./BackupSite.ts"
import { stop } from "./StoppedCommand.ts"

const OTHER_KEY = "another key of another site, which is long enough"

it.live("restores every row exactly, refuses invalid targets, and names unknown facts", () =>
  Effect.gen(function* () {
    const site = yield* make
    assert.match(site.said, /SECRET_KEY \([\w-]+\) is not in it/)
    const before = yield* held(site.url)

    const empty = yield* TestDatabase.emptyDatabaseUrl
    const wrongKey = yield* site.restore(empty, [], { SECRET_KEY: OTHER_KEY })
    assert.notStrictEqual(wrongKey.code, 0)
    assert.match(
      wrongKey.text,
      /sealed under the key \w+, and the key here is \w+.*--without-key.*Nothing was changed/s
    )
    const put = yield* site.restore(empty)
    assert.strictEqual(put.code, 0, put.text)
    const after = yield* held(empty)
    assert.deepStrictEqual(after, before)

    const again = yield* site.restore(empty)
    assert.match(again.text, /not empty; --replace replaces everything/)
    const asked = yield* site.restore(empty, ["--replace"])
    assert.match(asked.text, /Nothing was changed: without a terminal nobody can be asked. --yes does it unasked/)
    const replaced = yield* site.restore(empty, ["--replace", "--yes", "--without-key"], { SECRET_KEY: OTHER_KEY })
    assert.strictEqual(replaced.code, 0, replaced.text)
    assert.match(replaced.text, /cannot be read/)

    const [device, next] = yield* inDatabase(
      empty,
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ unseen: number; synchronized: number; last: number }>`
        select count(*) filter (where unseen_since is not null)::integer as unseen, count(*) filter (where synchronized)::integer as synchronized,
          max(id) as last from device
        union all select 0, 0, nextval(pg_get_serial_sequence('device', 'id'))::integer`
      )
    )
    assert.isAbove(device?.unseen ?? 0, 6, "each is to be looked at")
    assert.strictEqual(device?.synchronized, 0, "nobody claims what was not read")
    assert.isAbove(next?.last ?? 0, (device?.last ?? 0) + 5_000, "numbers are not given out again")
  }).pipe(Effect.scoped)
)

it.live("changes nothing when the file is damaged, when the database is in use, and when it is killed", () =>
  Effect.gen(function* () {
    const site = yield* make
    const whole = yield* Effect.promise(() => fs.readFile(site.file))
    const { target, unchanged } = yield* occupied

    const damages: ReadonlyArray<readonly [string, Uint8Array]> = [
      [
        "a byte altered",
        Buffer.from(whole).fill(whole.readUInt8(whole.length >> 1) ^ 1, whole.length >> 1, (whole.length >> 1) + 1)
      ],
      ["cut in the middle", whole.subarray(0, whole.length >> 1)],
      ["cut before the end", whole.subarray(0, whole.length - 20_000)],
      ["something else", Buffer.from("hello")],
      ["nothing", Buffer.alloc(0)]
    ]
    for (const [what, content] of damages) {
      yield* Effect.promise(() => fs.writeFile(site.file, content))
      const refused = yield* site.restore(target, ["--replace", "--yes"])
      assert.notStrictEqual(refused.code, 0, what)
      assert.match(refused.text, /damaged|ends too early|no backup|not a tar/i, what)
    }
    yield* Effect.promise(() => fs.writeFile(site.file, whole))
    yield* unchanged

    const busy = yield* inDatabase(
      target,
      Effect.andThen(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`),
        site.restore(target, ["--replace", "--yes"])
      )
    )
    assert.match(busy.text, /in use \(switchyard from .*stop all servers first/)
    yield* unchanged

    const env = { ...site.env, DATA_DIR: yield* Program.dataFolder, DATABASE_URL: target }
    const killed = yield* stop(env, ["restore", site.file, "--replace", "--yes"], "SIGKILL", target)
    assert.strictEqual(killed.by, "SIGKILL")
    const works = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'switchyard restore' and backend_xid is not null`
    )
    yield* inDatabase(target, Program.until(Effect.map(works, ({ length }) => length === 0)))
    yield* unchanged
    const put = yield* site.restore(target, ["--replace", "--yes"])
    assert.strictEqual(put.code, 0, put.text)
  }).pipe(Effect.scoped)
)

it.live("moves an embedded database with its key to an external one, encrypted", () =>
  Effect.gen(function* () {
    const folder = yield* Program.dataFolder
    const file = path.join(folder, "site.backup")
    const pass = { BACKUP_PASSPHRASE: "a passphrase" }
    const server = yield* Program.start({ ...placedIn(folder), LOG_LEVEL: "Info" })
    yield* server.url
    const user = yield* Program.command({ ...placedIn(folder), LOCAL_USERS: "true" }, [
      "token",
      "create",
      "--name",
      "monitoring"
    ])
    assert.strictEqual(user.code, 0, user.text)
    const made = yield* Program.command({ ...placedIn(folder), ...pass }, ["backup", file, "--encrypt"])
    assert.strictEqual(made.code, 0, made.text)
    assert.match(made.text, /The key \([\w-]+\) is in it/)
    const content = yield* Effect.promise(() => fs.readFile(file))
    assert.notInclude(content.toString("latin1"), "monitoring")
    assert.strictEqual((yield* Effect.promise(() => fs.stat(file))).mode & 0o777, 0o600)

    // into a folder it gets a name of its own, and the newest there is read again, without a database
    const nightly = path.join(folder, "nightly")
    yield* Effect.promise(() => fs.mkdir(nightly))
    const verified = (...words: ReadonlyArray<string>) =>
      Program.command({ DATA_DIR: "/nowhere", ...pass }, ["backup", "--verify", ...words])
    assert.match((yield* verified(nightly)).text, /nightly has no backup/)
    yield* Effect.promise(() => fs.copyFile(file, path.join(nightly, "older.backup")))
    const night = yield* Program.command({ ...placedIn(folder), ...pass }, ["backup", nightly, "--encrypt"])
    assert.strictEqual(night.code, 0, night.text)
    const read = yield* verified(nightly)
    assert.strictEqual(read.code, 0, read.text)
    const [, newest = ""] = /^(\S+nightly\/switchyard-[\dTZ-]+\.backup) is whole/m.exec(read.text) ?? []
    yield* Effect.promise(() => fs.truncate(newest, 20_000))
    const cut = yield* verified(nightly)
    assert.notStrictEqual(cut.code, 0)
    assert.match(cut.text, /is cut off/)

    server.kill("SIGTERM")
    yield* server.ended

    const url = yield* TestDatabase.emptyDatabaseUrl
    const elsewhere = yield* Program.dataFolder
    const env = { ...placedIn(elsewhere), DATABASE_URL: url }
    const wrong = yield* Program.command({ ...env, BACKUP_PASSPHRASE: "another one" }, ["restore", file])
    assert.match(wrong.text, /passphrase/i)
    assert.notStrictEqual(wrong.code, 0)
    const put = yield* Program.command({ ...env, ...pass }, ["restore", file])
    assert.strictEqual(put.code, 0, put.text)
    const key = (at: string) => Effect.promise(() => fs.readFile(path.join(at, "secret.key"), "utf8"))
    assert.strictEqual(yield* key(elsewhere), yield* key(folder))
    const tokens = yield* Program.command(env, ["token", "list"])
    assert.include(tokens.text, "monitoring")
  }).pipe(Effect.scoped)
)
