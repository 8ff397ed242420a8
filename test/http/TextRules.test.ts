import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fingerprint, setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, type Sending, SiteServer } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"
import { refuseChanges } from "../support/TestDatabase.ts"
import { endpoints, meaningfulBody, pathOf } from "../support/EndpointRequests.ts"
import { isDocumented500, isEnvelope } from "../support/Refusals.ts"

const API = "/api/v1.0"

/** Bodies with one text that may not travel, and what is said of it. */
const bodies: ReadonlyArray<readonly [method: string, path: string, body: unknown, message: string]> = [
  [
    "PUT",
    "/device/east-a1/interfaces",
    { interfaces: { Ethernet1: { data: { description: "room\u00075" } } } },
    "interfaces.Ethernet1.data.description: holds the control character U+0007"
  ],
  [
    "PUT",
    "/device/east-a1/interfaces",
    { interfaces: { Ethernet1: { data: { description: "a\n   no shutdown" } } } },
    "interfaces.Ethernet1.data.description: holds a line break (U+000A)"
  ],
  [
    "PUT",
    "/device/east-a1/interfaces",
    { interfaces: { Ethernet1: { data: { tags: ["one", "\u001b[2J"] } } } },
    "interfaces.Ethernet1.data.tags.1: holds the control character U+001B"
  ],
  [
    "PUT",
    "/device/east-a1/interfaces",
    { interfaces: { "Ether\u2028net1": { data: { description: "x" } } } },
    "interfaces.Ether\\u2028net1: its name holds the line separator U+2028"
  ],
  [
    "PUT",
    "/device/east-a1/interfaces",
    { interfaces: { Ethernet1: { data: { cli_append_str: "a\rreload" } } } },
    "interfaces.Ethernet1.data.cli_append_str: holds a line break (U+000D)"
  ],
  [
    "POST",
    "/device_syncto",
    { all: true, dry_run: true, comment: "a\u0000" },
    "comment: holds the control character U+0000"
  ],
  [
    "POST",
    "/device_syncto",
    { all: true, dry_run: true, ticket_ref: "\u202egnp" },
    "ticket_ref: holds the direction override U+202E"
  ],
  ["PUT", "/linknet/1", { description: "a\u0085b" }, "description: holds the line separator U+0085"],
  [
    "POST",
    "/device/east-a1/apply_config",
    { full_config: "hostname x\n\u0003\n", dry_run: true },
    "full_config: holds the control character U+0003"
  ],
  [
    "POST",
    "/auth/users",
    { name: "eve\u007f", roles: [], password: "seven green bicycles" },
    "name: holds the control character U+007F"
  ],
  [
    "POST",
    "/settings/model",
    { organization_name: "a\u0000b" },
    "organization_name: holds the control character U+0000"
  ]
]

/** Addresses that cannot be served, and what is said of them. */
const addresses: ReadonlyArray<readonly [path: string, message: string]> = [
  ["/devices?filter[hostname]=a%00", "The parameter filter[hostname] holds the control character U+0000"],
  ["/devices?filter%5Bho%07st%5D=a", "The parameter filter[ho\\u0007st] holds the control character U+0007"],
  ["/device/a%0Ab/interfaces", "The path holds a line break (U+000A)"],
  ["/device/%ED%A0%80/interfaces", "Bad Request"],
  ["/devices?filter[hostname]=%ED%A0%80", "Bad Request"],
  ["/devices?filter[hostname]=%", "Bad Request"],
  ["/find?q=%E2%80%A8%00", "The parameter q holds the line separator U+2028"]
]

const HUGE = ["99999999999999999999", "2147483648", "-2147483649", "1e400"]

/** Fields of lists, one of each kind. */
const FIELDS = [
  "id",
  "counts.failed",
  "vlan",
  "last_seen",
  "start_time",
  "created_at",
  "state",
  "hostname",
  "synchronized",
  "result"
]

/** Queries that a list, a page or a search may be asked with. */
const queriesOf = (parameters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isList = parameters.some((name) => name.startsWith("filter["))
  const names = isList ? [...FIELDS.map((field) => `filter[${field}]`), "page", "per_page"] : parameters
  const dates = ["0001-01-01T00:00:00", "294277-01-01T00:00:00", "2026-02-30T00:00:00", "-infinity"]
  return [
    ...names.flatMap((name) => HUGE.map((value) => `${name}=${value}`)),
    ...(isList ? ["last_seen", "start_time", "created_at"] : []).flatMap((field) =>
      dates.map((date) => `filter[${field}]=${date}`)
    )
  ]
}

layer(SiteServer(), { excludeTestServices: true })("A forbidden text", (it) => {
  describe("in a body", () => {
    for (const [method, path, body, message] of bodies) {
      it.effect(`of ${method} ${path} is refused with its place: ${message}`, () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          const before = yield* fingerprint
          const answer = yield* api.send(method, `${API}${path}`, { raw: JSON.stringify(body) })
          assert.deepEqual([answer.status, answer.body], [400, { status: "error", message }])
          assert.strictEqual(yield* fingerprint, before)
        })
      )
    }

    it.effect("keeps multi-line texts and passwords valid", () =>
      Effect.gen(function* () {
        const api = yield* ApiClient
        yield* setScene()
        const lines = { all: true, dry_run: true, comment: "first\n\tsecond\r\nthird" }
        assert.strictEqual(
          (yield* api.send("POST", `${API}/device_syncto`, { raw: JSON.stringify(lines) })).status,
          200
        )
        const user = { name: "maria", roles: [], password: "tab\tand \u202e and \u0007 bell" }
        const made = yield* api.send("POST", `${API}/auth/users`, { raw: JSON.stringify(user) })
        assert.notInclude(made.text, "holds")
      })
    )
  })

  describe("in an address", () => {
    for (const [path, message] of addresses) {
      it.effect(`${path} is refused`, () =>
        Effect.gen(function* () {
          const answer = yield* (yield* ApiClient).send("GET", `${API}${path}`)
          assert.deepEqual([answer.status, answer.body], [400, { status: "error", message }])
        })
      )
    }
  })

  const nasty: ReadonlyArray<unknown> = [
    "\u0000",
    "\ud800",
    "a\u0007",
    "a\nb",
    "\u2028",
    "\u202e",
    "x".repeat(300),
    "x".repeat(9000),
    "💡".repeat(300),
    1e300,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 53,
    1e20,
    0.1,
    -1,
    "99999999999999999999",
    "0001-01-01 00:00:00",
    "9999-12-31 23:59:59",
    "1e400"
  ]

  /** Values of JSON that are sent verbatim. */
  const rawValues = [
    "1e400",
    "-1e400",
    "1e-400",
    "-0",
    "9007199254740993",
    "1.5",
    "1E+308",
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{}}}',
    '"\\ud800"',
    '{"\\udfff":1}',
    '["\\ud83d\\ud83d\\ude00"]',
    `${"[".repeat(200)}${"]".repeat(200)}`,
    `${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
    `"${"x".repeat(100_000)}"`
  ]
  /** Bodies that are sent verbatim. */
  const rawBodies: ReadonlyArray<string | Uint8Array> = [
    "",
    "[",
    "nul",
    "null",
    "1e400",
    '"text"',
    "[".repeat(100_000),
    '{"a":'.repeat(50_000),
    '{"a":1}x',
    "\ufeff{}",
    '{"__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3}',
    '{"\\ud800":1}',
    '{"a\\u0000b":{"c":1}}',
    `{"${"k".repeat(20_000)}":1}`,
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    Buffer.from('{"comment":"a"}', "utf16le")
  ]
  const rawHeaders: ReadonlyArray<Readonly<Record<string, string>>> = [
    ...['""', "*", 'W/"x"', '"\u0080\u00ff"', "x".repeat(4_000), "1, 2, *"].flatMap((value) => [
      { "if-match": value },
      { "if-none-match": value }
    ]),
    ...["nobody", "1.2.3.4, ::ffff:999", ",".repeat(2_000), "fe80::1%eth0", "::", "\u00ff"].map((value) => ({
      "x-forwarded-for": value
    })),
    ...[
      "Bearer",
      "Bearer  ",
      `Bearer ${"x".repeat(8_000)}`,
      "Basic !!!",
      "Bearer a.b.c",
      "\u00ff",
      "Bearer eyJhbGciOiJub25lIn0.e30."
    ].map((value) => ({ authorization: value })),
    { cookie: "=;;;%;a=\u00ff" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "multipart/form-data" },
    { "content-type": "\u00ff" },
    { "content-encoding": "gzip" },
    { accept: "\u00ff", "accept-encoding": "\u00ff;q=9" },
    { range: "bytes=-1,0-,9-1" },
    { "if-modified-since": "never", "if-unmodified-since": "1e400" },
    { "last-event-id": "1e400" },
    { "x-request-id": "\u00ff".repeat(2_000), traceparent: "00-zz-zz-zz" },
    { origin: "null", referer: "\u00ff" }
  ]
  const rawParts = [
    "%ED%A0%80",
    "%ff",
    "%00",
    "%E2%80%A8",
    "%",
    "x".repeat(1_500),
    "..%2f..%2fetc",
    "__proto__",
    "constructor",
    ";a=b",
    "1e400",
    "-0",
    "1.5",
    "9007199254740993",
    encodeURIComponent("💡'\"\\<")
  ]
  for (const endpoint of endpoints) {
    const { method, path } = endpoint
    it.effect(
      `or another hostile value does not make ${method} ${path} fail`,
      () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          const at = pathOf(endpoint)
          const judge = (
            what: string,
            { body, status, text }: { readonly body: unknown; readonly status: number; readonly text: string }
          ) => {
            assert.isTrue(status < 500 || isDocumented500(body), `${what}\n${status} ${text.slice(0, 300)}`)
            if (status < 400) return
            assert.isTrue(isEnvelope(body), what)
            assert.notMatch(text, /SQLSTATE|\b22[0P]\d\d\b|invalid input syntax|out of range for type/, what)
          }
          if (method === "GET") {
            for (const query of queriesOf(endpoint.parameters)) judge(query, yield* api.send(method, `${at}?${query}`))
          }
          if (/:id/.test(path)) {
            for (const id of ["99999999999999999999", "2147483648", "0"]) {
              const sent = path.replace(/:id(\(.*?\))?/, id)
              judge(sent, yield* api.send(method, sent, method === "GET" ? {} : { raw: "{}" }))
            }
          }
          const asked = (sent: string, more: Sending = {}) =>
            api.send(method, sent, more).pipe(Effect.timeout("60 seconds"), Effect.orDie)
          const nothing = method === "GET" ? {} : { raw: "{}" }
          for (const part of path.includes(":") ? rawParts : []) {
            const sent = path.replace(/:\w+(\(.*?\))?/, part)
            judge(sent, yield* asked(sent, nothing))
          }
          for (const headers of rawHeaders) {
            judge(`${method} ${at} ${JSON.stringify(headers).slice(0, 200)}`, yield* asked(at, { ...nothing, headers }))
          }
          for (const raw of method === "GET" ? [] : rawBodies) {
            judge(`${method} ${at} ${String(raw).slice(0, 100)}`, yield* asked(at, { raw }))
          }
          if (endpoint.payload === undefined) return
          const whole = meaningfulBody(endpoint)
          for (const key of Object.keys(whole).slice(0, 6)) {
            for (const value of rawValues) {
              const raw = JSON.stringify({ ...whole, [key]: "@@" }).replace('"@@"', () => value)
              judge(`${method} ${at} ${raw.slice(0, 200)}`, yield* asked(at, { raw }))
            }
            const twice = `{${JSON.stringify(key)}:${JSON.stringify(whole[key])},${JSON.stringify(key)}:1.5}`
            judge(twice, yield* asked(at, { raw: twice }))
          }
          const good = meaningfulBody(endpoint)
          for (const key of Object.keys(good).slice(0, 12)) {
            for (const value of nasty) {
              const raw = JSON.stringify({ ...good, [key]: value })
              judge(`${key} ${raw.slice(0, 200)}`, yield* api.send(method, at, { raw }))
            }
          }
        }),
      { timeout: 300_000 }
    )
  }
})

const { layer: logging, lines } = keepLines("Warn")

layer(SiteServer().pipe(Layer.provideMerge(logging)), { excludeTestServices: true })(
  "A value that only the database refuses",
  (it) => {
    it.effect("is a 400 in plain words for the caller, and the log names the endpoint that accepted it", () =>
      Effect.gen(function* () {
        const api = yield* ApiClient
        yield* setScene()
        yield* refuseChanges("device", "new.description = 'too long'")
        const before = yield* fingerprint
        const raw = JSON.stringify({ description: "too long" })
        const answer = yield* api.send("PUT", `${API}/device/4`, { raw })
        assert.deepEqual(
          [answer.status, answer.body],
          [400, { status: "error", message: "The request cannot be stored: a text is too long" }]
        )
        assert.strictEqual(yield* fingerprint, before)
        const told = lines.filter(({ text }) => text.includes("that the database refuses"))
        assert.lengthOf(told, 1)
        assert.match(
          told[0]?.text ?? "",
          /^PUT \/api\/v1\.0\/device\/:id\S* let a value pass that the database refuses/
        )
      })
    )
  }
)
