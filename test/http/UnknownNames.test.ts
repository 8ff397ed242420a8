/**
 * Names that an endpoint does not know, on every endpoint of the API: refused where something would change, named under `warnings` of the
 * answer everywhere else (docs/api.md#unknown-keys-and-parameters).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fingerprint, setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, type Answer, ApiServer, SiteServer } from "../support/ApiServer.ts"
import { type ApiEndpoint, endpoints, meaningfulBody, pathOf } from "../support/EndpointRequests.ts"
import { isEnvelope } from "../support/Refusals.ts"

/** Endpoints with a method other than GET that change no switch, job, device or access. */
const CHANGES_NOTHING = new Set([
  "POST /api/v1.0/device_initcheck/:id(^\\d+$)",
  "POST /api/v1.0/firmware/upgradecheck",
  "POST /api/v1.0/repository/:name/check",
  "POST /api/v1.0/device/:hostname/render",
  "PUT /api/v1.0/plugins",
  // the session of the caller alone
  "POST /api/v1.0/auth",
  "POST /api/v1.0/auth/refresh",
  "POST /api/v1.0/auth/logout",
  "POST /api/v1.0/auth/session",
  "DELETE /api/v1.0/auth/session",
  // their bodies are settings, whose keys the model judges
  "POST /api/v1.0/settings/model",
  "POST /api/v1.0/settings/model/:file"
])

const NAMES_THE_KEY = /"warnings":\["(\w+\.)*canari: there is no such field/

/** Endpoints whose bodies are settings. */
const TAKES_SETTINGS = /\/settings\/model/

const nameOf = ({ method, path }: ApiEndpoint) => `${method} ${path}`
/** A forge adds keys to its events as it likes, and the signature decides what is read. */
const WEBHOOK = "/forge/events"
const changing = endpoints.filter(
  (each) => each.method !== "GET" && !CHANGES_NOTHING.has(nameOf(each)) && !each.path.endsWith(WEBHOOK)
)
const others = endpoints.filter((each) => !changing.includes(each) && !each.path.endsWith("/events"))

const shown = (endpoint: ApiEndpoint, { status, text }: Answer) =>
  `${nameOf(endpoint)}: ${status} ${text.slice(0, 300)}`

/** Each object in a body with one more key; the keys below `interfaces` are names. */
const withAnUnknownKey = function* (value: unknown, at = ""): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries())
      for (const other of withAnUnknownKey(part)) yield value.with(index, other)
  } else if (typeof value === "object" && value !== null) {
    if (at !== "interfaces") yield { ...value, canari: 1 }
    for (const [key, part] of Object.entries(value)) {
      for (const other of withAnUnknownKey(part, key)) yield { ...value, [key]: other }
    }
  }
}

/** Bodies that are good but for one key, where the examples of the document are not, or hold no object. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /api/v1.0/new_devices": { devices: [{ hostname: "new-1", device_type: "ACCESS", serial: "SSJ1" }] },
  "PUT /api/v1.0/device/:hostname/stackmember": { stackmembers: [{ hardware_id: "A", member_no: 1 }] },
  "PUT /api/v1.0/device/:hostname/interfaces": { interfaces: { Ethernet1: { data: {} } } },
  // a preview lists what is wrong about a port in its answer
  "POST /api/v1.0/device/:hostname/interfaces/preview": { interfaces: {} },
  "PUT /api/v1.0/device/:id(^\\d+$)": { description: "room 5" },
  "PUT /api/v1.0/device/:hostname/host_key": { action: "FORGET" }
}

layer(ApiServer())((it) => {
  describe("An endpoint that changes something", () => {
    for (const endpoint of changing) {
      it.effect(`${nameOf(endpoint)} refuses unknown keys and parameters, names them and changes nothing`, () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          const before = yield* fingerprint
          const path = pathOf(endpoint).replace("/linknet/4", "/linknet/1")
          const body = endpoint.payload === undefined ? {} : (BODIES[nameOf(endpoint)] ?? meaningfulBody(endpoint))
          for (const json of withAnUnknownKey(body)) {
            const answer = yield* api.send(endpoint.method, path, { json })
            assert.strictEqual(answer.status, 400, `${JSON.stringify(json)} ${shown(endpoint, answer)}`)
            assert.isTrue(isEnvelope(answer.body), shown(endpoint, answer))
            assert.include(answer.text, "canari", shown(endpoint, answer))
          }
          const asked = yield* api.send(endpoint.method, `${path}?canari=1`, { json: body })
          assert.deepInclude(asked, { status: 400 }, shown(endpoint, asked))
          assert.include(asked.text, "canari: there is no such parameter", shown(endpoint, asked))
          assert.strictEqual(yield* fingerprint, before)
        })
      )
    }
  })

  describe("An endpoint that changes nothing", () => {
    for (const endpoint of others) {
      it.effect(`${nameOf(endpoint)} answers, and names unknown keys and parameters`, () =>
        Effect.gen(function* () {
          const api = yield* ApiClient
          yield* setScene()
          const path = pathOf(endpoint)
          const sending = endpoint.payload === undefined ? {} : { json: meaningfulBody(endpoint) }
          const plain = yield* api.send(endpoint.method, path, sending)
          const asked = yield* api.send(endpoint.method, `${path}?canari=1`, sending)
          assert.strictEqual(asked.status, plain.status, shown(endpoint, asked))
          const hasEnvelope =
            asked.status < 400 && typeof plain.body === "object" && plain.body !== null && "status" in plain.body
          if (hasEnvelope) {
            assert.deepNestedInclude(
              asked.body,
              { "warnings[0]": (/(canari: there is no such parameter[^"]*)/.exec(asked.text) ?? [])[1] },
              shown(endpoint, asked)
            )
          } else assert.notInclude(asked.text, "canari", shown(endpoint, asked))
          if (endpoint.payload === undefined || TAKES_SETTINGS.test(endpoint.path)) return
          for (const json of withAnUnknownKey(meaningfulBody(endpoint))) {
            const answer = yield* api.send(endpoint.method, path, { json })
            const named = `${JSON.stringify(json)} ${shown(endpoint, answer)}`
            assert.strictEqual(answer.status, plain.status, named)
            if (hasEnvelope) assert.match(answer.text, NAMES_THE_KEY, named)
          }
        })
      )
    }
  })

  const sentTo = Effect.fnUntraced(function* (method: string, path: string, json: unknown) {
    const api = yield* ApiClient
    yield* setScene()
    const { body, status } = yield* api.send(method, `/api/v1.0${path}`, { json })
    return { status, body }
  })

  describe("A misspelt option", () => {
    const misspelt: ReadonlyArray<readonly [method: string, path: string, json: unknown, message: unknown]> = [
      [
        "POST",
        "/device_syncto",
        { hostname: "east-a1", dry_run: false, canari: 1 },
        "canari: there is no such field, did you mean canary?"
      ],
      [
        "POST",
        "/device_syncto",
        { all: true, dry_run: false, max_failurs: 1 },
        "max_failurs: there is no such field, did you mean max_failures?"
      ],
      [
        "POST",
        "/device_syncto",
        { hostname: "east-a1", dryrun: true },
        "dryrun: there is no such field, did you mean dry_run?"
      ],
      [
        "POST",
        "/device_syncto?dry_run=true",
        { hostname: "east-a1", dry_run: false },
        "dry_run: there is no such parameter, it belongs into the body"
      ],
      [
        "DELETE",
        "/device/4",
        { factory_defaults: true },
        "factory_defaults: there is no such field, did you mean factory_default?"
      ],
      [
        "POST",
        "/device",
        { hostname: "new-1", state: "MANAGED", device_type: "DIST", managment_ip: "10.0.0.9" },
        ["Unknown attribute 'managment_ip' for device, did you mean management_ip?"]
      ],
      [
        "POST",
        "/mgmtdomains",
        { device_a: "dist1", device_b: "dist2", ipv4_gw: "10.0.7.1/24", vlan: 7, vlann: 6 },
        [
          "vlann: there is no such field, did you mean vlan?",
          "Not all required inputs were found: device_a, device_b, vlan, ipv4_gw OR device_a, device_b, vlan, ipv6_gw"
        ]
      ],
      [
        "POST",
        "/new_devices",
        { devices: [{ hostname: "new-1", device_type: "ACCESS", seriel: "SSJ1", mac: "0800275C091F" }] },
        ["line 1: seriel: there is no such field, did you mean serial?"]
      ],
      [
        "PUT",
        "/device/east-a1/stackmember",
        { stackmembers: [{ hardware_id: "A", member: 1 }] },
        ["member: there is no such field, did you mean member_no?"]
      ],
      [
        "PUT",
        "/device/east-a1/interfaces",
        { interfaces: { Ethernet1: { data: { untaged_vlan: "STUDENT" } } } },
        { errors: ["Interface Ethernet1: data.untaged_vlan: there is no such field, did you mean untagged_vlan?"] }
      ],
      ["POST", "/auth/tokens", { name: "ci", role: ["all"] }, "role: there is no such field, did you mean roles?"]
    ]
    for (const [method, path, json, message] of misspelt) {
      it.effect(`is refused by ${method} ${path} ${JSON.stringify(json)}`, () =>
        Effect.gen(function* () {
          const answer = yield* sentTo(method, path, json)
          assert.deepInclude(answer, { status: 400, body: { status: "error", message } })
        })
      )
    }
  })

  describe("A field that a list is not sorted by", () => {
    for (const [path, warning] of [
      ["/devices?sort=hostnme", "sort: there is no field hostnme, did you mean hostname?"],
      ["/devices?sort=-nosuch", "sort: there is no field nosuch"],
      ["/jobs?sort=-finish_tme", "sort: there is no field finish_tme, did you mean finish_time?"],
      ["/mgmtdomains?sort=vlann", "sort: there is no field vlann, did you mean vlan?"],
      ["/audit?sort=colour", "sort: there is no field colour"]
    ]) {
      it.effect(`is named under warnings by ${path}`, () =>
        Effect.gen(function* () {
          const answer = yield* sentTo("GET", path ?? "", undefined)
          assert.deepNestedInclude(answer, { status: 200, "body.warnings": [warning] })
        })
      )
    }

    it.effect("is not one in other letters, or descending", () =>
      Effect.gen(function* () {
        const { body } = yield* sentTo("GET", "/devices?sort=-HOSTNAME", undefined)
        assert.notProperty(body, "warnings")
      })
    )
  })

  describe("A key that existing clients send", () => {
    const effective: ReadonlyArray<readonly [method: string, path: string, json: unknown]> = [
      [
        "POST",
        "/device_syncto",
        {
          hostname: "east-a1",
          dry_run: true,
          force: false,
          resync: true,
          auto_push: true,
          comment: "interface update via WebUI",
          ticket_ref: "T-1",
          confirm_mode: 1
        }
      ],
      ["POST", "/device_syncto/hostname/east-a1", { hostname: "east-a1", dry_run: true, force: true }],
      ["POST", "/device_init/6", { id: "6", hostname: "new-1", device_type: "ACCESS" }],
      ["POST", "/device_initcheck/6", { hostname: "new-1", device_type: "ACCESS" }],
      ["PUT", "/device/4", { state: "UNMANAGED", synchronized: false }],
      ["PUT", "/device/4", { id: 4, hostname: "east-a1" }],
      ["DELETE", "/device/4", { factory_default: false }],
      ["DELETE", "/linknet/1", { id: "1" }],
      ["DELETE", "/mgmtdomain/1", {}],
      [
        "POST",
        "/mgmtdomains",
        { device_a: "dist1", device_b: "dist2", ipv4_gw: "10.0.7.1/24", ipv6_gw: "", vlan: "7" }
      ],
      ["POST", "/firmware/EOS64-4.31.5M.swi/set-default", {}],
      [
        "POST",
        "/firmware/upgrade",
        {
          hostname: "east-a1",
          url: "http://images.example.org",
          comment: "",
          ticket_ref: "",
          activate: true,
          download: true,
          filename: "EOS64-4.31.5M.swi",
          pre_flight: true
        }
      ],
      ["PUT", "/job/3", { action: "ABORT", abort_reason: "Aborted from WebUI" }],
      ["PUT", "/repository/settings", { action: "refresh" }],
      ["PUT", "/device/east-a1/interface_status", { bounce_interfaces: ["Ethernet1"] }],
      ["POST", "/device_discover", { ztp_mac: "0800275C091F", dhcp_ip: "10.0.0.20" }],
      [
        "POST",
        "/device",
        {
          ztp_mac: "0800275C0999",
          dhcp_ip: "10.0.0.21",
          hostname: "mac-0800275C0999",
          platform: "eos",
          state: "DHCP_BOOT",
          device_type: "UNKNOWN"
        }
      ],
      ["POST", "/device/east-a1/previous_config", { job_id: 1, dry_run: true }]
    ]
    for (const [method, path, json] of effective) {
      it.effect(`is known to ${method} ${path} ${JSON.stringify(json)}`, () =>
        Effect.gen(function* () {
          const { body } = yield* sentTo(method, path, json)
          assert.notMatch(JSON.stringify(body), /no such|Unknown attribute|warnings/)
        })
      )
    }

    const idle: ReadonlyArray<readonly [method: string, path: string, json: unknown, keys: ReadonlyArray<string>]> = [
      ["POST", "/device_syncto/hostname/east-a1", { hostname: "core1", all: true }, ["hostname", "all"]],
      ["PUT", "/mgmtdomain/1", { id: 1, device_a: "dist1", device_b: "dist2", vlan: 600 }, ["device_a", "device_b"]],
      [
        "POST",
        "/linknets",
        {
          device_a: "east-a1",
          device_b: "dist1",
          device_a_port: "Ethernet9",
          device_b_port: "Ethernet9",
          description: "x"
        },
        ["description"]
      ],
      ["PUT", "/linknet/1", { device_a_port: "Ethernet7", device_a_id: 1 }, ["device_a_id"]],
      [
        "PUT",
        "/device/4",
        { description: "x", last_seen: null, confhash: null, oob_ip: null },
        ["last_seen", "confhash", "oob_ip"]
      ],
      [
        "POST",
        "/firmware",
        {
          url: "https://images.example.org/EOS64-4.31.5M.swi",
          sha1: "e0537400b5f134aa960603c9b715a8ce30306071",
          verify_tls: true,
          filename: "x.swi"
        },
        ["filename"]
      ],
      ["POST", "/firmware/upgrade", { hostname: "east-a1", reboot: true, post_wattime: 30 }, ["post_wattime"]],
      [
        "POST",
        "/device_update_facts",
        { hostname: "east-a1", comment: "x", ticket_ref: "CHG-1" },
        ["comment", "ticket_ref"]
      ],
      ["POST", "/device_update_interfaces", { hostname: "east-a1", comment: "x" }, ["comment"]],
      ["POST", "/device_synchistory", { hostname: "east-a1", cause: "oob", by: "indy", time: 5 }, ["time"]]
    ]
    for (const [method, path, json, keys] of idle) {
      it.effect(`is accepted without effect by ${method} ${path} ${JSON.stringify(json)}, which says so`, () =>
        Effect.gen(function* () {
          const answer = yield* sentTo(method, path, json)
          assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
          assert.deepNestedInclude(answer.body, { warnings: keys.map((key) => `${key}: it has no effect here`) })
        })
      )
    }
  })
})

// where nothing is set up, the bodies above meet errors; these are answered with a success
layer(SiteServer(), { excludeTestServices: true })("An unknown key of a call that changes nothing", (it) => {
  for (const [method, path, json] of [
    ["POST", "/device_initcheck/6", { hostname: "new-1", device_type: "ACCESS" }],
    ["PUT", "/plugins", { action: "selftest" }],
    ["POST", "/firmware/upgradecheck", { group: "EAST_WING" }],
    ["POST", "/repository/settings/check", { branch: "main" }],
    ["POST", "/device/east-a1/render", { text: "hostname {{ hostname }}" }]
  ] as const) {
    it.effect(`is named by ${method} ${path}`, () =>
      Effect.gen(function* () {
        const api = yield* ApiClient
        yield* setScene()
        const plain = yield* api.send(method, `/api/v1.0${path}`, { json })
        const answer = yield* api.send(method, `/api/v1.0${path}`, { json: { ...json, canari: 1 } })
        assert.deepStrictEqual([plain.status, answer.status], [200, 200], answer.text)
        assert.notInclude(plain.text, "canari")
        assert.match(answer.text, NAMES_THE_KEY)
      })
    )
  }
})
