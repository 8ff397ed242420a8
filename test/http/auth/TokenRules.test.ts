/** The requirements for a JSON Web Token on a site with roles, and tokens in the log. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { maskUrl } from "../../../src/runtime/Logging.ts"
import { ApiClient, ApiServer } from "../../support/ApiServer.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")
const soon = () => Math.floor(Date.now() / 1000) + 600

const WithRoles = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, "config: { default_permissions: reader }\nroles: {}\n")
    return ApiServer({ JWT_ENABLED: "true", JWT_CERT: yield* keyFile(issuer), DATA_DIR })
  })
).pipe(Layer.provide(NodeServices.layer))

layer(WithRoles, { excludeTestServices: true })("With roles, a token", (it) => {
  it.effect("must have an end and a subject, and numeric times", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const answerTo = Effect.fnUntraced(function* (claims: Readonly<Record<string, unknown>>) {
        const authorization = `Bearer ${yield* sign(issuer, claims)}`
        const { status, text } = yield* api.send("GET", "/api/v1.0/joblocks", { headers: { authorization } })
        return `${status} ${text}`
      })
      assert.match(yield* answerTo({ sub: "indy", exp: soon() }), /^200/)
      assert.match(yield* answerTo({ sub: "indy" }), /^401.*Missing claim: exp/)
      assert.match(yield* answerTo({ sub: "", exp: soon() }), /^401.*Subject must not be empty/)
      assert.match(yield* answerTo({ sub: " ", exp: soon() }), /^401.*Subject must not be empty/)
      assert.match(yield* answerTo({ sub: "indy", exp: "never" }), /^401/)
      assert.match(yield* answerTo({ sub: "indy", exp: soon(), nbf: "x" }), /^401.*nbf/)
      assert.match(yield* answerTo({ sub: "indy", exp: soon(), nbf: soon() - 580 }), /^200/)
    })
  )

  it.effect("is not read from the address", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const token = yield* sign(issuer, { sub: "indy", exp: soon() })
      const answer = yield* api.send("GET", `/api/v1.0/joblocks?jwt=${token}`)
      assert.strictEqual(answer.status, 401)
      assert.include(answer.text, "takes no token in its address")
      const headers = { authorization: `Bearer ${token}` }
      assert.strictEqual((yield* api.send("GET", "/api/v1.0/joblocks?jwt=bad", { headers })).status, 200)
    })
  )
})

describe("The log", () => {
  it("masks tokens in addresses, in any spelling", () => {
    const spelt = [
      "?jwt=",
      "?%6Awt=",
      "?a=1;jwt=",
      "?JWT=",
      "?%256awt=",
      "?jwt[]=",
      "?jwt%5B%5D=",
      "?+jwt=",
      "?code=",
      "?%ZZ=",
      "?token="
    ]
    for (const start of spelt)
      assert.notInclude(maskUrl(`/api/v1.0/devices${start}eyJ.secret.x&page=1`), "secret", start)
    assert.strictEqual(
      maskUrl("/api/v1.0/devices?page=1&filter[state]=MANAGED"),
      "/api/v1.0/devices?page=1&filter[state]=MANAGED"
    )
  })
})
