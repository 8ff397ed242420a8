/** Access that explains itself: who may do something, what a person may do, and the line of permissions.yml that says so; and who may ask. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Schema } from "effect"
import { ApiClient, SiteServer } from "../../support/ApiServer.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")

/** The line of each is counted below. */
const FILE = `config:
  default_permissions: lookers
group_mappings:
  groups:
    closet-east: [east]
roles:
  lookers:
    permissions:
      - { methods: [GET], endpoints: ["/devices"], rights: [read] }
  east:
    extends: port-editor
    groups: [EAST]
`

const Site = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${folder}/permissions.yml`, FILE)
    const JWT_CERT = yield* keyFile(issuer)
    const own = { JWT_ENABLED: "true", LOCAL_USERS: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles" }
    return SiteServer({ ...own, DEVICE_SECRET_OLD: "kept out of sight" })
  })
).pipe(Layer.provide(NodeServices.layer))

const tokenOf = (sub: string, claims: Readonly<Record<string, unknown>>) =>
  sign(issuer, { sub, exp: Math.floor(Date.now() / 1000) + 600, ...claims })

const as = Effect.fnUntraced(function* (sub: string, claims: Readonly<Record<string, unknown>>, path: string) {
  const api = yield* ApiClient
  const headers = { authorization: `Bearer ${yield* tokenOf(sub, claims)}` }
  return yield* api.send("GET", `/api/v1.0${path}`, { headers })
})

const EAST = { groups: ["closet-east"] }
const AUDITOR = { roles: ["auditor"] }

const Held = Schema.Struct({ role: Schema.String, because: Schema.String, line: Schema.NullOr(Schema.Int) })
const Answer = Schema.Struct({
  allowed: Schema.Boolean,
  reason: Schema.String,
  in_words: Schema.String,
  role: Schema.NullOr(Schema.String),
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int),
  held: Schema.Array(Held)
})
const One = Schema.Struct({ data: Answer })
const Persons = Schema.Struct({
  data: Schema.Struct({ persons: Schema.Array(Schema.Struct({ name: Schema.String, ...Answer.fields })) })
})

const PORTS = "method=PUT&path=/device/x/interfaces"

layer(Site, { excludeTestServices: true })("access that explains itself", (it) => {
  it.effect("names the line of the permission, and the line that gives the role", () =>
    Effect.gen(function* () {
      const { body } = yield* as("eve", EAST, "/auth/explain?method=POST&path=/device_syncto")
      const { data } = Schema.decodeUnknownSync(One)(body)
      assert.deepInclude(data, { allowed: true, role: "east", file: "permissions.yml", line: 11 })
      assert.deepEqual(data.held, [
        { role: "lookers", because: "everybody has the role lookers", line: 2 },
        { role: "east", because: "groups closet-east has the role east", line: 5 }
      ])
    })
  )

  it.effect("answers an auditor what another person may do, and who may do something", () =>
    Effect.gen(function* () {
      yield* as("eve", EAST, "/auth/identity")
      yield* as("boss", { roles: ["administrator"] }, "/auth/identity")
      const person = encodeURIComponent("jwt: eve")
      const other = yield* as("ada", AUDITOR, `/auth/explain?${PORTS}&person=${person}`)
      assert.strictEqual(other.status, 200, other.text)
      assert.deepInclude(Schema.decodeUnknownSync(One)(other.body).data, { role: "east" })
      const who = yield* as("ada", AUDITOR, "/auth/who_may?method=DELETE&path=/firmware/x")
      const { persons } = Schema.decodeUnknownSync(Persons)(who.body).data
      assert.deepEqual(
        persons.filter(({ allowed }) => allowed).map(({ name, reason }) => [name, reason]),
        [["boss", "role administrator allows it"]]
      )
      assert.strictEqual(persons[0]?.name, "boss")
      assert.strictEqual((yield* as("ada", AUDITOR, "/auth/who_may?method=BREW&path=/devices")).status, 400)
      const unknown = "/auth/who_may?method=GET&path=/devices&device=nowhere"
      assert.strictEqual((yield* as("ada", AUDITOR, unknown)).status, 404)
      assert.strictEqual((yield* as("ada", AUDITOR, "/auth/explain?method=GET&path=/devices&person=x")).status, 404)
      assert.include(
        persons.map(({ name }) => name),
        "eve"
      )
    })
  )

  it.effect("shows the access of others to nobody without the right audit", () =>
    Effect.gen(function* () {
      for (const path of [
        "/auth/who_may?method=GET&path=/devices",
        `/auth/explain?method=GET&path=/devices&person=${encodeURIComponent("jwt: boss")}`,
        "/auth/persons",
        "/auth/users"
      ]) {
        const refused = yield* as("eve", EAST, path)
        assert.strictEqual(refused.status, 403, path)
        assert.strictEqual((yield* as("eve", { roles: ["reader"] }, path)).status, 403, path)
        yield* as("boss", { roles: ["administrator"] }, "/auth/identity")
        const shown = yield* as("ada", AUDITOR, path)
        assert.strictEqual(shown.status, 200, `${path} ${shown.text}`)
      }
    })
  )

  it.effect("lets an auditor change nothing: no user, no person", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const headers = { authorization: `Bearer ${yield* tokenOf("ada", AUDITOR)}` }
      const user = { name: "maria", roles: ["reader"], password: "seven green bicycles" }
      assert.strictEqual((yield* api.send("POST", "/api/v1.0/auth/users", { headers, json: user })).status, 403)
      const withdrawn = { headers, json: { person: "jwt: boss" } }
      assert.strictEqual((yield* api.send("POST", "/api/v1.0/auth/persons/withdraw", withdrawn)).status, 403)
    })
  )

  it.effect("lists secrets by name, says that one is used by nothing, and shows no value", () =>
    Effect.gen(function* () {
      const { body, text } = yield* as("ada", AUDITOR, "/secrets")
      const { data } = Schema.decodeUnknownSync(
        Schema.Struct({
          data: Schema.Struct({
            secrets: Schema.Array(
              Schema.Struct({ name: Schema.String, standing: Schema.String, source: Schema.NullOr(Schema.String) })
            )
          })
        })
      )(body)
      assert.deepInclude(data.secrets, { name: "DEVICE_SECRET_OLD", standing: "unused", source: "environment" })
      assert.notInclude(text, "kept out of sight")
      assert.strictEqual((yield* as("eve", EAST, "/secrets")).status, 403)
    })
  )
})
