/** `switchyard token`, `user` and `audit` as an administrator runs them: at the database while its server runs, and at the server. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../src/store/Database.ts"
import { command, dataFolder, type End, start } from "../support/Program.ts"
import { databaseUrl } from "../support/TestDatabase.ts"
import { keyFile, makeIssuer } from "../support/TokenKeys.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const runWith = (env: Readonly<Record<string, string>>, words: string, input: string) =>
  command(env, words.split(" "), input)

const Made = Schema.fromJsonString(
  Schema.Struct({ token: Schema.String, added_token: Schema.Struct({ id: Schema.Int, created_by: Schema.String }) })
)
const made = ({ err, out }: End) => Schema.decodeUnknownEffect(Made)(out).pipe(Effect.mapError(() => new Error(err)))

/** A server with roles, and the command line with the server's own settings. */
const makeScene = Effect.gen(function* () {
  const url = yield* databaseUrl
  const DATA_DIR = yield* dataFolder
  yield* Effect.promise(() => fs.writeFile(path.join(DATA_DIR, "permissions.yml"), "roles: {}\n"))
  const JWT_CERT = yield* keyFile(makeIssuer("ES256"))
  const env = {
    DATABASE_URL: url,
    DATA_DIR,
    JWT_ENABLED: "true",
    JWT_CERT,
    LOCAL_USERS: "true",
    SECRET_KEY: "k".repeat(32)
  }
  const server = yield* start(env)
  const here = (words: string, input = "") => runWith(env, words, input)
  const address = yield* server.url
  const there =
    (token: string) =>
    (words: string, input = "") =>
      runWith({ SWITCHYARD_URL: address, SWITCHYARD_TOKEN: token }, words, input)
  return { here, there, url }
}).pipe(Effect.provide(NodeServices.layer))

const shows = ({ code, err, out }: End, ...parts: ReadonlyArray<string>) => {
  assert.strictEqual(code, 0, err)
  for (const part of parts) assert.include(out, part)
}

const refuses = ({ code, err, out }: End, sentence: string, wanted = 1) =>
  assert.deepStrictEqual({ code, out, err }, { code: wanted, out: "", err: `${sentence}\n` })

it.live(
  "the commands create tokens and users at the database and at the server, and record and prove who created them",
  () =>
    Effect.gen(function* () {
      const { here, there, url } = yield* makeScene
      shows(yield* here("user add ann --role administrator"), '"name": "ann"', '"password": "')
      refuses(yield* here("user remove ann"), "ann is the last user who may do everything: make another one first")
      refuses(
        yield* there("swy_x")("token list"),
        "The API token is unknown or was revoked. Sign on: switchyard login",
        3
      )
      const root = yield* made(yield* here("token create --name root --role administrator --expires 1d"))
      assert.match(root.added_token.created_by, / \(command line\)$/)

      const at = there(root.token)
      const dhcp = yield* made(yield* at("token create --name dhcp --role dhcp-hook"))
      assert.strictEqual(dhcp.added_token.created_by, "root")
      shows(yield* at("token list --json"), '"name": "dhcp"')
      shows(yield* at(`token revoke ${dhcp.added_token.id}`), '"revoked_at": "2')
      refuses(yield* at(`token revoke ${dhcp.added_token.id}`), "Token not found")
      const password = "seven green bicycles"
      shows(yield* at("user add kim --role operator --password-stdin", `${password}\n`), '"name": "kim"')
      refuses(yield* at("user password kim --password-stdin", "short\n"), "The password needs 12 to 256 characters")
      shows(yield* at("user role kim --role reader"), '"reader"')
      shows(yield* at("user remove kim"), '"deleted_user"')
      refuses(yield* at("user role kim --role reader"), "There is no user kim")

      // the server seals what was done about a second later
      let audit = yield* here("audit export")
      while (!audit.out.includes('"action":"deleted"')) audit = yield* here("audit export")
      const events = audit.out.split("\n").filter((line) => line !== "")
      const told = events.map((line) => /"kind":"(\w+)","action":"(\w+)","actor":"(\w+)/.exec(line)?.slice(1).join(" "))
      assert.includeMembers(told, [
        "token created root",
        "token revoked root",
        "user updated root",
        "user deleted root"
      ])
      for (const secret of [root.token, dhcp.token, password]) assert.notInclude(audit.out, secret)
      shows(yield* here("audit verify"), "The audit is whole: ")

      const tamper = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          Effect.andThen(
            sql`set local session_replication_role = replica`,
            sql`update event set actor = 'nobody' where kind = 'user' and action = 'deleted'`
          )
        )
      })
      yield* tamper.pipe(Effect.provide(Database.layerUrl(Redacted.make(url)).pipe(Layer.provide(NodeServices.layer))))
      const broken = yield* here("audit verify")
      assert.strictEqual(broken.code, 1)
      assert.match(broken.out, /^The audit was tampered with: event \d+ or its seal was changed; \d+ events before it/)
    }).pipe(Effect.scoped)
)
