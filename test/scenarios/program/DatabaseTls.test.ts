/** The server on a PostgreSQL that requires TLS: the effects of `sslmode` and its files, and the messages for an operator. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Certificates from "../../../src/certificates/Certificates.ts"
import { seconds } from "../../support/Patience.ts"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import * as Program from "../../support/Program.ts"
import { until } from "../../support/Program.ts"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { freePort } from "../../support/FreePort.ts"
import { accepts } from "../../support/PostgresProcesses.ts"

// A real PgBouncer in front of a PostgreSQL, on a port and with files of its own.

const program = "/usr/sbin/pgbouncer"
const NOBODY = 65534
// it refuses to run as root
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Why there is none here. */
const missing: string | undefined = existsSync(program) ? undefined : "PgBouncer is not installed (Debian: pgbouncer)"

/** Starts it in front of the database of this URL and yields the URL by way of it; it ends when the scope closes. */
const make = Effect.fnUntraced(function* (url: string, mode: "session" | "transaction" | "statement") {
  const { hostname, password, port, username } = new URL(url)
  const listen = yield* freePort
  const file = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), "switchyard-pgbouncer-"))
      await fs.chmod(folder, 0o711)
      const settings = path.join(folder, "pgbouncer.ini")
      await fs.writeFile(
        settings,
        `[databases]
postgres = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,idle_in_transaction_session_timeout
`
      )
      return settings
    }),
    (settings) => Effect.promise(() => fs.rm(path.dirname(settings), { recursive: true, force: true }))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, [file], { ...owner, stdio: "ignore" })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  yield* until(accepts(listen))
  return `postgres://${username}@127.0.0.1:${listen}/postgres`
})

/** A database that has a certificate for 127.0.0.1, and the files of its clients. */
const makeSite = Effect.gen(function* () {
  const at = yield* Program.dataFolder
  const postgres = yield* PostgresProcess.make
  const [authority, stranger] = yield* Effect.all([
    Certificates.makeAuthority("Authority of databases"),
    Certificates.makeAuthority("Somebody else")
  ])
  const issue = (name: string) => Certificates.issue(authority, name, "127.0.0.1", 365)
  const own = yield* issue("database")
  const client = yield* issue("switchyard")
  const files = {
    ca: authority.certificate,
    other: stranger.certificate,
    cert: client.certificate,
    key: Redacted.value(client.key),
    nonsense: "no certificate\n"
  }
  yield* Effect.forEach(Object.entries(files), ([name, text]) =>
    Effect.promise(() => fs.writeFile(path.join(at, name), text, { mode: 0o600 }))
  )
  const secure = (withCertificate: boolean) =>
    postgres.secure(
      { certificate: own.certificate, key: Redacted.value(own.key), authority: authority.certificate },
      withCertificate
    )
  const env = (query: string, host = "127.0.0.1") => ({
    DATA_DIR: at,
    DATABASE_URL: `${postgres.url.replace("127.0.0.1", host)}?${query}`.replaceAll("FILES", at)
  })
  const migrate = (query: string, host?: string) => Program.command(env(query, host), ["migrate"])
  const setUp = (query: string) => Program.command(env(query), ["setup", "--new-database"])
  return { at, env, migrate, postgres, secure, setUp }
})

it.live(
  "works with a database over TLS, and explains in words why it does not",
  () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      const refused = (sentence: string, query: string, host?: string) =>
        Effect.map(site.migrate(query, host), ({ code, text }) => {
          assert.include(text, sentence)
          assert.notStrictEqual(code, 0, text)
        })
      const done = (query: string, host?: string) =>
        Effect.map(site.migrate(query, host), ({ code, text }) => assert.strictEqual(code, 0, text))

      yield* refused("the database offers none", "sslmode=require")
      yield* site.secure(false)
      const made = yield* site.setUp("sslmode=require")
      assert.strictEqual(made.code, 0, made.text)
      yield* Effect.all(
        [
          refused("let in with TLS only (sslmode)", "sslmode=disable"),
          refused("signed by an authority that is not in sslrootcert", "sslmode=verify-full&sslrootcert=FILES/other"),
          refused("for another host name", "sslmode=verify-full&sslrootcert=FILES/ca", "localhost"),
          refused(`cannot be read: sslrootcert=${site.at}/none`, "sslmode=verify-ca&sslrootcert=FILES/none"),
          refused(`not in PEM: sslrootcert=${site.at}/nonsense`, "sslmode=verify-ca&sslrootcert=FILES/nonsense"),
          refused("no sslmode that uses it", "sslrootcert=FILES/ca"),
          done("sslmode=require"),
          done("sslmode=verify-ca&sslrootcert=FILES/ca", "localhost")
        ],
        { concurrency: 3 }
      )

      yield* site.secure(true)
      yield* refused("wants a certificate (sslcert, sslkey)", "sslmode=verify-full&sslrootcert=FILES/ca")
      const program = yield* Program.start(
        site.env("sslmode=verify-full&sslrootcert=FILES/ca&sslcert=FILES/cert&sslkey=FILES/key")
      )
      const url = yield* program.url
      const devices = yield* Effect.promise(() => fetch(`${url}/api/v1.0/devices`))
      assert.strictEqual(devices.status, 200)
      program.kill("SIGTERM")
      assert.strictEqual(yield* program.ended, 0, program.text())
    }).pipe(Effect.scoped),
  seconds(90)
)

it.live.skipIf(missing !== undefined)(
  "refuses a pooler that shares sessions by transaction or statement, and works with one that keeps them",
  () =>
    Effect.gen(function* () {
      const at = yield* Program.dataFolder
      const postgres = yield* PostgresProcess.make
      const setUp = Effect.fnUntraced(function* (mode: "session" | "transaction" | "statement") {
        const DATABASE_URL = yield* make(postgres.url, mode)
        return yield* Program.command({ DATA_DIR: at, DATABASE_URL }, ["setup", "--new-database"])
      })
      for (const mode of ["transaction", "statement"] as const) {
        const { code, text } = yield* setUp(mode)
        assert.include(text, "set pool_mode = session in PgBouncer")
        assert.notStrictEqual(code, 0)
      }
      const { code, text } = yield* setUp("session")
      assert.strictEqual(code, 0, text)
    }).pipe(Effect.scoped),
  seconds(90)
)
