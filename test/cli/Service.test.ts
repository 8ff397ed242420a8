/**
 * Commands on the machine of a service, as its operators type them: they find its settings and its data, work as its user, and make no
 * database and no file of root. The service's file of settings is in a folder here, as SWITCHYARD_ENV_FILE names it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { inDatabase } from "../scenarios/backup/BackupSite.ts"
import { dataFolder, ofThisProcess, program } from "../support/Program.ts"
import { SHARED_KEY } from "../support/Replica.ts"
import { databaseUrl, emptyDatabaseUrl } from "../support/TestDatabase.ts"
import { SqlClient } from "effect/sql"

/** An account of every Debian, for the service. */
const DAEMON = { name: "daemon", uid: 1, gid: 1 }
const NOBODY = { name: "nobody", uid: 65_534, gid: 65_534 }

interface Typed {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly as?: { readonly uid: number; readonly gid: number }
  readonly input?: string
}

/** What a command prints and how it ends, typed in a folder with this environment and no other. */
const type = (line: string, { as, cwd, env = {}, input = "" }: Typed) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
        const child = spawn(process.execPath, [program, ...line.split(" ")], {
          cwd,
          env: { ...ofThisProcess, ...env },
          ...(as === undefined ? {} : { uid: as.uid, gid: as.gid })
        })
        const said = { out: "", err: "" }
        child.stdout.on("data", (chunk) => (said.out += String(chunk)))
        child.stderr.on("data", (chunk) => (said.err += String(chunk)))
        child.stdin.on("error", () => undefined)
        child.stdin.end(input)
        child.once("close", (code) => resolve({ code, ...said }))
      })
  )

/** Everything below a folder that belongs to another user than this one. */
const foreignBelow = async (folder: string, uid: number): Promise<ReadonlyArray<string>> => {
  const found = await fs.readdir(folder, { recursive: true })
  const files = [folder, ...found.map((name) => path.join(folder, name))]
  const owners = await Promise.all(files.map(async (file) => ({ file, uid: (await fs.stat(file)).uid })))
  return owners.filter((one) => one.uid !== uid).map(({ file }) => file)
}

/** A service that is stopped: its file of settings, which its group may read, its data, its database, and an empty folder of root. */
const makeService = Effect.gen(function* () {
  const folder = yield* dataFolder
  const at = (name: string) => path.join(folder, name)
  const url = yield* databaseUrl
  const file = at("switchyard.env")
  yield* Effect.promise(async () => {
    for (const name of ["data", "root", "secrets"]) await fs.mkdir(at(name), { mode: 0o700 })
    await fs.chown(at("data"), DAEMON.uid, DAEMON.gid)
    await fs.writeFile(at("secrets/SECRET_KEY"), `${SHARED_KEY}\n`, { mode: 0o600 })
    await fs.writeFile(
      file,
      `# settings of the service\nDATA_DIR=${at("data")}\nDATABASE_URL="${url}"\nLOCAL_USERS=true
SECRET_KEY_FILE=/run/credentials/switchyard.service/secret_SECRET_KEY\nPASSWORD_MANAGED_FILE=/run/switchyard/managed\n`
    )
    await fs.chmod(file, 0o640)
    await fs.chown(file, 0, DAEMON.gid)
  })
  const env = { SWITCHYARD_ENV_FILE: file }
  return {
    at,
    env,
    file,
    url,
    typed: (line: string, more: Partial<Typed> = {}) => type(line, { cwd: at("root"), env, ...more })
  }
})

describe.skipIf(process.getuid?.() !== 0)("A command beside a service", () => {
  it.live("works on the service's database as its user, says so, and leaves nothing of root", () =>
    Effect.gen(function* () {
      const { at, env, file, typed, url } = yield* makeService
      const host = `${new URL(url).hostname}${new URL(url).pathname}`
      const top = `At the database ${host} (settings of ${file}), as daemon\n`
      const added = yield* typed("user add maria --role administrator", { env: { ...env, SUDO_USER: "ann" } })
      assert.deepStrictEqual({ code: added.code, err: added.err }, { code: 0, err: top })
      assert.include(JSON.parse(added.out), { name: "maria" })
      const made = yield* typed("token create --name hook --role dhcp-hook", { env: { ...env, SUDO_USER: "ann" } })
      assert.include(made.out, '"created_by": "ann (command line)"')
      const listed = yield* typed("user list --json")
      assert.strictEqual(JSON.parse(listed.out)[0].name, "maria", listed.out)
      // the key is in a file that root alone can read, and whose copy for the service is gone
      for (const line of ["audit verify", "secret rotate", "migrate"]) {
        const end = yield* typed(line)
        assert.strictEqual(end.code, 0, `${line}: ${end.err}`)
        assert.isTrue(end.err.startsWith(top), end.err)
      }
      assert.deepEqual(yield* Effect.promise(() => fs.readdir(at("root"))), [])
      assert.deepEqual(yield* Effect.promise(() => foreignBelow(at("data"), DAEMON.uid)), [])
    }).pipe(Effect.scoped)
  )

  it.live("takes what the environment sets, and leaves the file alone for another installation", () =>
    Effect.gen(function* () {
      const { at, env, typed } = yield* makeService
      const other = yield* databaseUrl
      yield* inDatabase(
        other,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`insert into local_user (name, hash, roles, break_glass)
          values ('of-the-other', 'x', '{}', false)`
        )
      )
      const set = yield* typed("user list --json", { env: { ...env, DATABASE_URL: other } })
      assert.include(set.out, "of-the-other", set.err)
      assert.include(set.err, `settings of ${env.SWITCHYARD_ENV_FILE}`)
      const elsewhere = { ...env, DATABASE_URL: other, DATA_DIR: at("root") }
      const alone = yield* typed("user list --json", { env: elsewhere })
      assert.include(alone.out, "of-the-other", alone.err)
      assert.strictEqual(alone.err, "")
      const away = { ...env, SWITCHYARD_URL: "http://127.0.0.1:9" }
      const asked = yield* typed("user list", { env: away })
      assert.strictEqual(asked.code, 4, asked.err)
      assert.include(asked.err, "http://127.0.0.1:9 does not answer")
    }).pipe(Effect.scoped)
  )

  it.live("says who may read the settings and the data to a user who may not, and makes nothing", () =>
    Effect.gen(function* () {
      const { at, env, file, typed } = yield* makeService
      const home = at("home")
      yield* Effect.promise(async () => {
        await fs.mkdir(home)
        await fs.chown(home, NOBODY.uid, NOBODY.gid)
      })
      const hidden = `${file}, which has the settings of the service, cannot be read by nobody: run the command with sudo, or join the group daemon. SWITCHYARD_URL names a server to ask instead\n`
      for (const line of [
        "user add maria",
        "token list",
        "migrate",
        "backup site.tar",
        "secret list",
        "audit verify"
      ]) {
        const end = yield* typed(line, { as: NOBODY, cwd: home })
        assert.deepStrictEqual(end, { code: 1, out: "", err: hidden }, line)
      }
      assert.deepEqual(yield* Effect.promise(() => fs.readdir(home)), [])
      // a file that everybody may read, and a database in a folder of the service
      yield* Effect.promise(() => fs.writeFile(file, `DATA_DIR=${at("data")}\n`, { mode: 0o644 }))
      yield* Effect.promise(() => fs.chmod(file, 0o644))
      const end = yield* typed("user list", { as: NOBODY, cwd: home })
      const belongs = `The data in ${at("data")} belong to daemon, and this is nobody: run the command with sudo\n`
      assert.deepStrictEqual(end, { code: 1, out: "", err: belongs })
      const doctor = yield* typed("doctor --json", {
        as: NOBODY,
        cwd: home,
        env: { ...env, SWITCHYARD_ENV_FILE: at("secrets/x") }
      })
      assert.include(doctor.out, `${at("secrets/x")}, which has the settings of the service, cannot be read`)
    }).pipe(Effect.scoped)
  )

  it.live("reads root's files before it becomes the service's user, and writes none for root", () =>
    Effect.gen(function* () {
      const { at, env, file, typed } = yield* makeService
      const read = (name: string) => Effect.promise(() => fs.readFile(at(name), "utf8"))
      yield* Effect.promise(() => fs.writeFile(at("root/password"), "seven green bicycles\n", { mode: 0o600 }))
      const words = "setup --name admin --password-file password --dhcp-hook-token-file hook.token"
      const done = yield* typed(words)
      assert.strictEqual(done.code, 0, done.err)
      assert.match(yield* read("root/hook.token"), /^swy_\S+\n$/)
      assert.deepEqual(yield* Effect.promise(() => foreignBelow(at("data"), DAEMON.uid)), [])

      const refused = yield* typed("backup site.tar")
      assert.strictEqual(refused.code, 1)
      assert.include(
        refused.err,
        `daemon, who makes the backup, may not write into ${at("root")}: choose another folder`
      )
      const made = yield* typed(`backup ${at("data/site.tar")}`)
      assert.strictEqual(made.code, 0, made.err)
      yield* Effect.promise(async () => {
        await fs.rename(at("data/site.tar"), at("root/site.tar"))
        await fs.chown(at("root/site.tar"), 0, 0)
        await fs.chmod(at("root/site.tar"), 0o600)
      })
      const empty = yield* emptyDatabaseUrl
      yield* Effect.promise(() =>
        fs.writeFile(file, `DATA_DIR=${at("data")}\nDATABASE_URL=${empty}\nSECRET_KEY=${SHARED_KEY}\n`)
      )
      const restored = yield* typed("restore site.tar --replace --yes", { env })
      assert.strictEqual(restored.code, 0, restored.err)
      assert.include((yield* typed("user list --json")).out, "admin")
      assert.deepEqual(yield* Effect.promise(() => foreignBelow(at("data"), DAEMON.uid)), [])
    }).pipe(Effect.scoped)
  )
})

describe("A command without any installation", () => {
  it.live("asks the server of this machine, or says that there is no database, and makes none", () =>
    Effect.gen(function* () {
      const cwd = yield* dataFolder
      const asked = yield* type("token list", { cwd })
      assert.match(asked.err, /^At the server http:\/\/127\.0\.0\.1:5000\n/)
      for (const line of [
        "migrate",
        "backup site.tar",
        "secret list",
        "audit verify",
        "setup --name admin --password-stdin"
      ]) {
        const end = yield* type(line, { cwd, input: "seven green bicycles\n" })
        assert.strictEqual(end.code, 1, end.err)
        assert.include(end.err, `There is no database in ${cwd}/data/database: switchyard serve, or `, line)
      }
      assert.deepEqual(yield* Effect.promise(() => fs.readdir(cwd)), [])
    }).pipe(Effect.scoped)
  )

  it.live("makes no key for the database of a server whose key it was not given", () =>
    Effect.gen(function* () {
      const cwd = yield* dataFolder
      const env = { DATABASE_URL: yield* databaseUrl, DATA_DIR: cwd }
      const end = yield* type("secret set PASSWORD_MANAGED", { cwd, env, input: "a password" })
      assert.strictEqual(end.code, 1)
      assert.include(end.err, `There is no key in ${cwd}/secret.key, and SECRET_KEY is not set`)
      assert.deepEqual(yield* Effect.promise(() => fs.readdir(cwd)), [])
    }).pipe(Effect.scoped)
  )
})
