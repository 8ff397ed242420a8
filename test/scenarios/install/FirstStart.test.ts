/**
 * A fresh machine: `switchyard serve` on an empty folder says in one screen what to do, nothing is allowed before, and a setup by the command
 * line or by the page on loopback leads to an administrator and to repositories in force. Runs as any user.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as http from "node:http"
import * as path from "node:path"
import { parse } from "yaml"
import { permissionsText, roleSentences } from "../../../src/access/Setup.ts"
import { readPermissions, readyRoles } from "../../../src/domain/access/PermissionFile.ts"
import { parseSettings } from "../../../src/runtime/SettingsFile.ts"
import { layerUrl } from "../../../src/store/Database.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { begin, command, dataFolder, startNew, until } from "../../support/Program.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const PASSWORD = "a long enough password"
const Body = Schema.Struct({ message: Schema.optionalKey(Schema.String), data: Schema.optionalKey(Schema.Unknown) })

interface Answer {
  readonly status: number
  readonly text: string
  readonly message: string | undefined
}

/** Sends a request by hand: `fetch` does not permit a choice of `Host` and `Origin`. */
const send = (
  port: number,
  method: string,
  where: string,
  headers: Readonly<Record<string, string>> = {},
  body = ""
): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const request = http.request(
      { host: "127.0.0.1", port, method, path: where, headers, agent: false },
      (response) => {
        let text = ""
        response.on("data", (chunk) => (text += String(chunk)))
        response.on("end", () => {
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true
          const { message } = isJson ? Schema.decodeUnknownSync(Body)(JSON.parse(text)) : {}
          resume(Effect.succeed({ status: response.statusCode ?? 0, text, message }))
        })
      }
    )
    request.on("error", () => resume(Effect.succeed({ status: 0, text: "", message: undefined })))
    request.end(body)
  })

/** The first answer about the setup: the server starts anew after a setup, and does not listen for a moment. */
const answered = (port: number, method: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
  send(port, method, "/setup", headers, body).pipe(
    Effect.repeat({ until: ({ status }) => status !== 0, schedule: Schedule.spaced("50 millis") })
  )

const FORM = { "content-type": "application/x-www-form-urlencoded" }

const fresh = Effect.gen(function* () {
  const folder = yield* dataFolder
  const port = yield* freePort
  const env = { DATA_DIR: folder, PORT: String(port) }
  const server = yield* startNew(env)
  yield* server.url
  const code = yield* Effect.gen(function* () {
    yield* until(Effect.sync(() => server.text().includes("docs/installing.md")))
    return /code ((?:[A-Z2-9]{4}-?){4})/.exec(server.text())?.[1] ?? ""
  })
  const tokenOf = (name: string, password = PASSWORD) =>
    Effect.map(
      send(port, "POST", "/api/v1.0/auth", {
        authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
      }),
      ({ status, text }) => ({ status, token: /"access_token":"([^"]+)"/.exec(text)?.[1] ?? "" })
    )
  return { code, env, folder, port, server, tokenOf }
})

/** Waits until settings and templates are in force for the holder of this token; the server may be restarting. */
const inForce = (port: number, token: string) =>
  until(
    Effect.map(
      send(port, "GET", "/api/v1.0/settings", { authorization: `Bearer ${token}` }),
      ({ status }) => status === 200
    )
  )

const pageAnswers = (code: string, name = "maria", more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({
    code,
    name,
    password: PASSWORD,
    again: PASSWORD,
    networks: "10.0.0.0/8, 2001:db8::/48",
    settings: "",
    templates: "",
    ...more
  }).toString()

describe("A server on an empty folder", () => {
  it.live("prints in one screen the next steps and the exposure, and permits nothing to any caller", () =>
    Effect.gen(function* () {
      const { code, folder, port, server } = yield* fresh
      const text = server.text()
      const screen = text.slice(text.indexOf("\nSwitchyard "), text.indexOf("docs/installing.md"))
      assert.isBelow(screen.split("\n").length, 24)
      assert.match(code, /^[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}$/)
      for (const line of [
        `DATA_DIR=${folder} switchyard setup`,
        `http://127.0.0.1:${port}/setup`,
        "this machine only",
        "approve: a switch is logged in to when somebody has approved its host key",
        "none named: no switch is logged in to",
        "none named: callers have images fetched from nowhere"
      ])
        assert.include(screen, line)
      assert.notInclude(screen, "EVERYBODY")
      // nothing of it is a finding
      assert.notInclude(text, "SECURITY:")

      assert.strictEqual((yield* send(port, "GET", "/api/health/live")).status, 200)
      const refused = yield* send(port, "GET", "/api/v1.0/devices")
      assert.strictEqual(refused.status, 401)
      assert.include(refused.message, "switchyard setup")
      assert.strictEqual((yield* send(port, "POST", "/api/v1.0/device", FORM, "{}")).status, 401)
    }).pipe(Effect.scoped)
  )

  it.live(
    "is set up by the command line: the administrator signs in, roles apply, and the repositories are in force",
    () =>
      Effect.gen(function* () {
        const { settings, templates } = yield* Campus.makeFolders
        const { env, folder, port, server, tokenOf } = yield* fresh
        const hookFile = path.join(yield* dataFolder, "hook.token")
        const networks = ["setup", "--name", "maria", "--password-stdin", "--management-networks", "10.0.0.0/8"]
        const repositories = ["--settings-repository", settings.folder, "--templates-repository", templates.folder]
        const words = [
          ...networks,
          ...repositories,
          "--dhcp-hook-token-file",
          hookFile,
          "--outbound-hosts",
          "images.example.org"
        ]
        const wrong = yield* command(env, [...words.slice(0, 5), "10.0.0.1/8"], "short\n")
        assert.strictEqual(wrong.code, 1)
        assert.include(wrong.err, "password: expected 12 to 256 characters")
        assert.include(wrong.err, "management networks:")
        const unreachable = yield* command(
          env,
          [...words.slice(0, 4), "--settings-repository", path.join(folder, "nothing-here")],
          `${PASSWORD}\n`
        )
        assert.strictEqual(unreachable.code, 1)
        assert.include(unreachable.err, "settings repository:")
        assert.isFalse(yield* exists(path.join(folder, "permissions.yml")), "what was refused has changed nothing")

        const done = yield* command(env, words, `${PASSWORD}\n`)
        assert.strictEqual(done.code, 0, done.text)
        assert.notInclude(done.text, PASSWORD)
        assert.include(yield* read(path.join(folder, "permissions.yml")), "dhcp-hook")
        assert.include(
          yield* read(path.join(folder, "switchyard.env")),
          "MANAGEMENT_NETWORKS=10.0.0.0/8\nOUTBOUND_HOSTS=images.example.org\n"
        )
        for (const file of [hookFile, path.join(folder, "switchyard.env")])
          assert.strictEqual(yield* modeOf(file), 0o600)

        yield* until(Effect.sync(() => server.text().includes("starts anew")))
        yield* until(Effect.map(tokenOf("maria"), ({ token }) => token !== ""))
        const { token } = yield* tokenOf("maria")
        yield* inForce(port, token)
        const asMaria = { authorization: `Bearer ${token}` }
        assert.strictEqual((yield* send(port, "GET", "/api/v1.0/devices", asMaria)).status, 200)
        const found = yield* send(port, "GET", "/api/v1.0/system/findings", asMaria)
        assert.include(found.text, '"findings":[]')
        // no other caller has permissions without a role, and the hook has those that it needs
        const asHook = { authorization: `Bearer ${(yield* read(hookFile)).trim()}` }
        assert.strictEqual((yield* send(port, "GET", "/api/v1.0/devices", asHook)).status, 200)
        assert.strictEqual((yield* send(port, "GET", "/api/v1.0/auth/users", asHook)).status, 403)
        assert.strictEqual((yield* send(port, "GET", "/setup")).status, 404)

        const again = yield* command(env, [...words.slice(0, 2), "erik", "--password-stdin"], `${PASSWORD}\n`)
        assert.strictEqual(again.code, 1)
        assert.include(again.err, "There is an administrator already: maria")
        assert.strictEqual((yield* tokenOf("erik")).status, 401)
      }).pipe(Effect.scoped)
  )

  it.live("is set up by the page on loopback, with the code of the terminal, and only there", () =>
    Effect.gen(function* () {
      const { code, folder, port, tokenOf } = yield* fresh
      const page = yield* send(port, "GET", "/setup")
      assert.strictEqual(page.status, 200)
      assert.include(page.text, 'name="networks"')

      const own = { host: `127.0.0.1:${port}` }
      const elsewhere: ReadonlyArray<Readonly<Record<string, string>>> = [
        { host: "nms.example.org" },
        { host: "127.0.0.1.example.org" },
        { ...own, "x-forwarded-for": "127.0.0.1" },
        { ...own, forwarded: "for=127.0.0.1" },
        { ...own, via: "1.1 proxy" },
        { ...own, "x-real-ip": "127.0.0.1" },
        { ...own, origin: "http://evil.example.org" },
        { ...own, origin: "null" },
        { ...own, origin: `http://127.0.0.1:${port + 1}` },
        { ...own, "sec-fetch-site": "cross-site" }
      ]
      for (const headers of elsewhere) {
        assert.strictEqual((yield* send(port, "GET", "/setup", headers)).status, 404, JSON.stringify(headers))
        const posted = yield* send(port, "POST", "/setup", { ...FORM, ...headers }, pageAnswers(code))
        assert.strictEqual(posted.status, 404, JSON.stringify(headers))
      }
      assert.strictEqual((yield* send(port, "POST", "/setup", FORM, pageAnswers("AAAA-AAAA-AAAA-AAAA"))).status, 403)
      assert.strictEqual((yield* send(port, "POST", "/setup", FORM, pageAnswers(code, "", {}))).status, 400)
      const differs = yield* send(port, "POST", "/setup", FORM, pageAnswers(code, "<b>", { again: "another" }))
      assert.strictEqual(differs.status, 400)
      assert.notInclude(differs.text, "<b>")
      assert.strictEqual((yield* send(port, "POST", "/setup", {}, pageAnswers(code))).status, 415)
      assert.isFalse(yield* exists(path.join(folder, "permissions.yml")))

      // of all who try it at once one wins
      const names = ["maria", "erik", "nadia", "otto"]
      const answers = yield* Effect.all(
        names.map((name) => send(port, "POST", "/setup", FORM, pageAnswers(code, name, { hook: "on" }))),
        { concurrency: "unbounded" }
      )
      const won = answers.flatMap(({ status }, index) => (status === 200 ? [names[index]] : []))
      assert.lengthOf(won, 1, JSON.stringify(answers.map(({ status }) => status)))
      const [winner] = answers.filter(({ status }) => status === 200)
      assert.match(winner?.text ?? "", /shown this once: <code>\w+/)
      for (const { status } of answers) assert.include([200, 404, 409], status)
      assert.include(
        yield* read(path.join(folder, "switchyard.env")),
        "MANAGEMENT_NETWORKS=10.0.0.0/8, 2001:db8::/48\n"
      )
      for (const name of names) {
        const wanted = name === won[0]
        yield* until(Effect.map(tokenOf(name), ({ status }) => status === (wanted ? 200 : 401)))
      }
      assert.strictEqual((yield* answered(port, "GET")).status, 404)
      assert.strictEqual((yield* answered(port, "POST", FORM, pageAnswers(code, "late"))).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("keeps an existing permissions.yml, and refuses one without an administrator", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* fresh
      const file = path.join(folder, "permissions.yml")
      const words = ["setup", "--name", "maria", "--password-stdin"]
      yield* Effect.promise(() => fs.writeFile(file, "roles:\n  administrator:\n    extends: reader\n"))
      const refused = yield* command(env, words, PASSWORD)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "its role administrator does not allow everything")
      const own = "roles:\n  closet:\n    extends: port-editor\n"
      yield* Effect.promise(() => fs.writeFile(file, own))
      const done = yield* command(env, words, PASSWORD)
      assert.strictEqual(done.code, 0, done.text)
      assert.include(done.out, "No device is logged in to yet")
      assert.strictEqual(yield* read(file), own)
    }).pipe(Effect.scoped)
  )

  it.live("gives one of two setups at the same time", () =>
    Effect.gen(function* () {
      const { env } = yield* fresh
      const one = (name: string) =>
        Effect.flatMap(begin(env, ["setup", "--name", name, "--password-stdin"], PASSWORD), ({ ended }) => ended)
      const ends = yield* Effect.all([one("maria"), one("erik")], { concurrency: 2 })
      assert.sameMembers(
        ends.map(({ code }) => code),
        [0, 1],
        ends.map(({ text }) => text).join("\n")
      )
    }).pipe(Effect.scoped)
  )
})

describe("A server on a database from before the safe defaults", () => {
  it.live("continues unchanged, with a line at the start and a finding for each missing default", () =>
    Effect.gen(function* () {
      const url = yield* databaseUrl
      yield* Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient)`update secure_defaults set counts = false`
      }).pipe(Effect.provide(layerUrl(Redacted.make(url))))
      const issuer = makeIssuer("ES256")
      const port = yield* freePort
      const env = {
        DATA_DIR: yield* dataFolder,
        DATABASE_URL: url,
        PORT: String(port),
        JWT_CERT: yield* keyFile(issuer)
      }
      const server = yield* startNew(env)
      yield* server.url
      const headers = { authorization: `Bearer ${yield* sign(issuer, { sub: "otto" })}` }
      assert.strictEqual((yield* send(port, "GET", "/api/v1.0/devices", headers)).status, 200)
      const { text } = yield* send(port, "GET", "/api/v1.0/system/findings", headers)
      for (const about of ["permissions.yml", "MANAGEMENT_NETWORKS", "HOST_KEY_POLICY", "OUTBOUND_HOSTS"]) {
        assert.include(text, `"about":"${about}"`)
        assert.lengthOf(server.text().match(new RegExp(`SECURITY: [^\n]*\\(${about}\\)`, "g")) ?? [], 1, about)
      }
      assert.strictEqual((yield* send(port, "GET", "/setup")).status, 404)
      assert.notInclude(server.text(), "switchyard setup")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("A new server with a key for tokens and no roles", () => {
  it.live("refuses a valid token with a sentence that names the next step", () =>
    Effect.gen(function* () {
      const issuer = makeIssuer("ES256")
      const port = yield* freePort
      const env = { DATA_DIR: yield* dataFolder, PORT: String(port), JWT_CERT: yield* keyFile(issuer) }
      const server = yield* startNew(env)
      yield* server.url
      const exp = Math.floor(Date.now() / 1000) + 3600
      const headers = { authorization: `Bearer ${yield* sign(issuer, { sub: "otto", exp })}` }
      for (const [method, where] of [
        ["GET", "/devices"],
        ["POST", "/device"],
        ["GET", "/system/findings"],
        ["DELETE", "/joblocks"]
      ] as const) {
        const refused = yield* send(port, method, `/api/v1.0${where}`, headers)
        assert.strictEqual(refused.status, 403, `${method} ${where}`)
        assert.include(refused.message, "switchyard setup")
      }
      const endless = { authorization: `Bearer ${yield* sign(issuer, { sub: "otto" })}` }
      assert.strictEqual((yield* send(port, "GET", "/api/v1.0/devices", endless)).status, 401)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("The file that a setup writes", () => {
  it("names every ready role, and gives none to any user", () => {
    const rules = Result.getOrThrow(readPermissions(parse(permissionsText)))
    assert.deepEqual([...rules.roles.keys()], [...readyRoles.keys()])
    assert.deepEqual([rules.defaultRole, rules.mappings], [null, {}])
    assert.sameMembers(
      roleSentences.map(([role]) => role),
      [...readyRoles.keys()]
    )
  })

  it.each([
    ["A=1\n\n# remark\n  B = two words \n", { A: "1", B: "two words" }],
    ["A=x#main=1\n", { A: "x#main=1" }],
    ["A=1\nA=2\n", "line 2 sets A again"],
    ["a=1\n", "line 1 is not NAME=value"],
    ["nothing\n", "line 1 is not NAME=value"],
    ["DATA_DIR=/x\n", "line 1: DATA_DIR is set in the environment only"]
  ])("of settings is read line by line: %j", (text, wanted) => {
    const found = parseSettings(text)
    assert.deepEqual<unknown>(Result.isSuccess(found) ? Object.fromEntries(found.success) : found.failure, wanted)
  })
})

const read = (file: string) => Effect.promise(() => fs.readFile(file, "utf8"))
const modeOf = (file: string) => Effect.promise(async () => (await fs.stat(file)).mode & 0o777)
const exists = (file: string) =>
  Effect.promise(() =>
    fs.stat(file).then(
      () => true,
      () => false
    )
  )
