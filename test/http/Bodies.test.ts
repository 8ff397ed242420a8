import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fingerprint, setScene } from "../scenarios/conformance/Scene.ts"
import { MAX_BODY_BYTES } from "../../src/http/core/RequestBodies.ts"
import { ApiClient, ApiServer, type Sending } from "../support/ApiServer.ts"
import { endpoints, pathOf } from "../support/EndpointRequests.ts"

const json = { "content-type": "application/json" }
const nested = (depth: number) => `{"a":`.repeat(depth) + "1" + "}".repeat(depth)

/** An object of exactly this size. */
const filled = (bytes: number) => `{"unknown_key": "${"x".repeat(bytes - 19)}"}`

/** Bodies that no route accepts. */
const unreadable: ReadonlyArray<readonly [what: string, sending: Sending, status: number, message: string]> = [
  ["broken JSON", { raw: "{" }, 400, "Bad Request"],
  ["a list", { raw: "[]" }, 400, "Bad Request"],
  ["null", { raw: "null" }, 400, "Bad Request"],
  ["a text", { raw: '"x"' }, 400, "Bad Request"],
  ["a number", { raw: "5" }, 400, "Bad Request"],
  ["NaN", { raw: '{"a": NaN}' }, 400, "Bad Request"],
  ["a number beyond all numbers", { raw: '{"a": 1e999}' }, 400, "a: is a number beyond all numbers"],
  ["bytes that are no UTF-8", { raw: Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) }, 400, "Bad Request"],
  ["a NUL character", { raw: '{"hostname": "a\\u0000"}' }, 400, "hostname: holds the control character U+0000"],
  [
    "half a surrogate pair",
    { raw: '{"hostname": "\\ud800"}' },
    400,
    "hostname: holds half of a surrogate pair (U+D800)"
  ],
  [
    "a NUL character in a key",
    { raw: '{"a\\u0000": 1}' },
    400,
    "a\\u0000: its name holds the control character U+0000"
  ],
  ["nesting without end", { raw: nested(101) }, 400, "a: is nested deeper than 100 levels"],
  ["nesting far beyond that", { raw: "[".repeat(100_000) }, 400, "Bad Request"],
  [
    "a form",
    { raw: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
    415,
    "Unsupported Media Type"
  ],
  ["plain text", { raw: "{}", headers: { "content-type": "text/plain" } }, 415, "Unsupported Media Type"]
]

/** Its body is the forge's own, and is read as bytes because the signature is over them (Proposals.test.ts). */
const WEBHOOK = "/forge/events"

const withBody = endpoints
  .filter(({ path, payload }) => payload !== undefined && !path.endsWith(WEBHOOK))
  .map((endpoint) => ({ method: endpoint.method, path: pathOf(endpoint) }))

layer(ApiServer())((it) => {
  describe("Every route with a body", () => {
    for (const { method, path } of withBody) {
      it.effect(`${method} ${path} refuses an unreadable body and changes nothing`, () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          const before = yield* fingerprint
          for (const [what, sending, status, message] of unreadable) {
            const answer = yield* api.send(method, path, sending)
            assert.deepEqual([answer.status, answer.body], [status, { status: "error", message }], what)
          }
          assert.strictEqual(yield* fingerprint, before)
        })
      )
    }
  })

  describe("A body", () => {
    const send = Effect.fnUntraced(function* (sending: Sending) {
      return yield* (yield* ApiClient).send("POST", "/api/v1.0/settings/model", sending)
    })

    it.effect("may have a byte order mark, a charset, another JSON type, and duplicate keys", () =>
      Effect.gen(function* () {
        const marked = yield* send({ raw: `\ufeff{"domain_name": "a.org"}` })
        assert.strictEqual(marked.status, 200)
        const typed = yield* send({
          raw: "{}",
          headers: { "content-type": "application/merge-patch+json; charset=utf-8" }
        })
        assert.strictEqual(typed.status, 200)
        const twice = yield* send({ raw: `{"domain_name": "a.org", "domain_name": "b.org"}` })
        assert.include(twice.text, `"domain_name":"b.org"`)
      })
    )

    it.effect("is refused when compressed, and read when declared as identity", () =>
      Effect.gen(function* () {
        for (const coding of ["gzip", "br", "deflate", "gzip, gzip"]) {
          const { body, status } = yield* send({ raw: "{}", headers: { ...json, "content-encoding": coding } })
          const message = "Content-Encoding must be identity: send the body without compression"
          assert.deepEqual([status, body], [415, { status: "error", message }], coding)
        }
        const plain = yield* send({ raw: "{}", headers: { ...json, "content-encoding": "identity" } })
        assert.strictEqual(plain.status, 200)
      })
    )

    it.effect("that is empty is an empty object, whatever its type", () =>
      Effect.gen(function* () {
        for (const sending of [
          {},
          { raw: "" },
          { raw: "  " },
          { raw: "", headers: { "content-type": "text/plain" } }
        ]) {
          assert.strictEqual((yield* send(sending)).status, 200)
        }
      })
    )

    it.effect("may be nested a hundred deep", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send({ raw: nested(100) })).status, 200)
      })
    )

    it.effect("may have ten megabytes, and no byte more", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send({ raw: filled(MAX_BODY_BYTES) })).status, 200)
        const large = yield* send({ raw: filled(MAX_BODY_BYTES + 1), headers: { ...json, connection: "close" } })
        assert.deepEqual([large.status, large.body], [413, { status: "error", message: "Request Entity Too Large" }])
      })
    )
  })
})
