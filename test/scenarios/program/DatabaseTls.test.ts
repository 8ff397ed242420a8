/** The server on a PostgreSQL that lets nobody in without TLS: what `sslmode` and its files do, and what an operator reads. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Certificates from "../../../src/certificates/Certificates.ts"
import { seconds } from "../../support/Patience.ts"
import * as PgBouncer from "../../support/PgBouncer.ts"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import * as Program from "../../support/Program.ts"

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
  "works with a database over TLS, and says in words why it does not",
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

it.live.skipIf(PgBouncer.missing !== undefined)(
  "refuses a pooler that lends sessions by transaction or statement, and works with one that keeps them",
  () =>
    Effect.gen(function* () {
      const at = yield* Program.dataFolder
      const postgres = yield* PostgresProcess.make
      const setUp = Effect.fnUntraced(function* (mode: "session" | "transaction" | "statement") {
        const DATABASE_URL = yield* PgBouncer.make(postgres.url, mode)
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
