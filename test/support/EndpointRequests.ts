/** Requests to an endpoint made from its own definition: good ones, ones with a single wrong value, and plain nonsense. */
import { Arbitrary, Context, Effect, Option, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { wireOf } from "../../src/domain/fields/Body.ts"
import { Document } from "../../src/api/Documented.ts"

/** All endpoints of the API with their payload schema. */
export interface ApiEndpoint {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly payload: Schema.Top | undefined
  readonly parameters: ReadonlyArray<string>
  /** The body that the document shows. */
  readonly example: unknown
}

const payloadOf = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined => {
  for (const { schemas } of endpoint.payload.values()) {
    const [first] = schemas
    if (Schema.isSchema(first)) return wireOf(first)
  }
  return undefined
}

const keysOf = (payload: Schema.Top): ReadonlyArray<string> => {
  const ast = SchemaAST.toEncoded(payload.ast)
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** Every endpoint, in the order of the API. */
export const endpoints: ReadonlyArray<ApiEndpoint> = (() => {
  const found: Array<ApiEndpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const document = Context.getOption(endpoint.annotations, Document)
      const query = Option.match(document, { onNone: () => ({}), onSome: ({ query }) => query ?? {} })
      found.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path,
        payload: payloadOf(endpoint),
        parameters: [...Object.keys(query), ...(endpoint.query === undefined ? [] : keysOf(endpoint.query))],
        example: Option.match(document, { onNone: () => undefined, onSome: ({ example }) => example.request })
      })
    }
  })
  return found
})()

/** Values that a caller may send anywhere; some mean something in the scene of the conformance tests. */
const Interesting = Schema.Literals([
  "core1",
  "dist1",
  "dist2",
  "east-a1",
  "mac-080027000006",
  "EAST_WING",
  "settings",
  "STUDENT",
  "Ethernet1",
  "10.0.0.1",
  "10.9.9.0/31",
  "10.0.9.1/24",
  "2001:db8::1",
  "MANAGED",
  "access",
  "",
  " ",
  "-1",
  "0",
  "1",
  "4",
  "99999999999",
  "1e400",
  "null",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "ß".repeat(40),
  "💡".repeat(130),
  "x".repeat(300),
  "%",
  "'; drop table device; --",
  "\\",
  "REFRESH",
  "ABORT",
  "selftest"
])
const Scalar = Schema.Union([
  Interesting,
  Schema.String,
  Schema.Int,
  Schema.Finite,
  Schema.Boolean,
  Schema.Null,
  Schema.Literals([0, 1, 4, -1, 2 ** 31, -(2 ** 31), 2 ** 53, 1.5, 1e300])
])
const Nested = Schema.Union([Scalar, Schema.Array(Scalar), Schema.Record(Schema.String, Scalar)])
const Nonsense = Schema.Union([Nested, Schema.Record(Schema.String, Nested), Schema.Array(Nested)])

/** Values that mean something for a key, in the scene of the conformance tests. */
const hostnames = ["core1", "dist1", "dist2", "east-a1", "special-a8", "new-1", "new-2"]
const ports = ["Ethernet1", "Ethernet2", "Ethernet49", "e-1", "e-2", "e-3"]
const addresses = ["10.198.0.0", "10.198.0.1", "10.198.0.2", "10.9.9.1", "2001:db8::1", null]
const FITTING: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  hostname: hostnames,
  device_a: hostnames,
  device_b: hostnames,
  device_a_port: ports,
  device_b_port: ports,
  device_a_ip: addresses,
  device_b_ip: addresses,
  management_ip: addresses,
  infra_ip: addresses,
  dhcp_ip: ["10.0.0.20", "10.0.0.21"],
  ipv4_network: ["10.198.0.0/31", "10.198.0.0/30", "10.9.9.0/31", null],
  ipv4_gw: ["10.0.6.1/24", "10.0.7.1/24", null],
  ipv6_gw: ["2001:db8::1/64", null],
  vlan: [1, 600, 4095, null],
  ztp_mac: ["0800275C091F", "08:00:27:00:00:06"],
  serial: ["abc", null],
  site_id: [1, null, 99],
  state: ["MANAGED", "unmanaged", "DHCP_BOOT"],
  device_type: ["ACCESS", "dist", "CORE"],
  platform: ["eos", "junos"],
  synchronized: [true, false],
  port: [22, null],
  factory_default: [true, false],
  action: ["REFRESH", "ABORT", "selftest"],
  abort_reason: ["wrong"],
  name: ["devices", "other"],
  id: [1, 2, 3],
  device_a_id: [1, 2, 3],
  device_b_id: [2, 3],
  cause: ["oob"],
  by: ["indy"],
  timestamp: [1688458956.68, "5", null],
  group: ["EAST_WING", "WEST"],
  all: [true],
  dry_run: [true, false],
  confirm_mode: [0, 1, 2],
  neighbors: [[], ["core1"], null],
  replace_hostname: [true, null],
  description: ["room 5", null],
  stackmembers: [
    [],
    [{ hardware_id: "A" }],
    [
      { hardware_id: "A", member_no: 1 },
      { hardware_id: "B", member_no: 2 }
    ]
  ],
  interfaces: [
    { Ethernet1: { configtype: "access_tagged", data: { tagged_vlan_list: ["STUDENT"] } } },
    { Ethernet2: { data: { untagged_vlan: "NOBODY", enabled: true } }, Ethernet9: {} },
    { Ethernet2: { data: null } }
  ]
}

const literals = (values: ReadonlyArray<string>) => Schema.Literals(values.length === 0 ? ["none"] : values)

/** Chooses a value of a list; a set of numbers, because it is drawn from evenly. */
const Pick = Schema.Literals(Array.from({ length: 60 }, (_, index) => index))

/** A request before it is written down: texts for the parts of its path and query, and a body. */
const requestSchema = ({ parameters, payload }: ApiEndpoint) =>
  Schema.Struct({
    part: Schema.Union([Schema.Literals(["1", "2", "3", "4", "6", "7"]), Interesting, Schema.String]),
    query: Schema.Array(
      Schema.Struct({
        name: Schema.Union([
          literals(parameters),
          Schema.Literals([
            "page",
            "per_page",
            "sort",
            "limit",
            "jwt",
            "filter[id]",
            "filter[hostname][contains]",
            "filter["
          ]),
          Schema.String
        ]),
        value: Schema.Union([Interesting, Schema.String])
      })
    ),
    body:
      payload === undefined
        ? Schema.Struct({ kind: Schema.Literal("none") })
        : Schema.Union([
            Schema.Struct({ kind: Schema.Literal("good"), value: payload }),
            ...Array.from({ length: 4 }, () =>
              Schema.Struct({
                kind: Schema.Literal("fitting"),
                picks: Schema.Array(Pick).check(Schema.isMinLength(25)),
                drop: Schema.Array(literals(keysOf(payload)))
              })
            ),
            Schema.Struct({
              kind: Schema.Literal("wrong"),
              value: payload,
              key: literals(keysOf(payload)),
              instead: Nested
            }),
            Schema.Struct({ kind: Schema.Literal("nonsense"), value: Nonsense }),
            Schema.Struct({ kind: Schema.Literal("raw"), value: Schema.Union([Interesting, Schema.String]) })
          ])
  })

/** The body of the document with values in it that mean something in the scene of the conformance tests. */
export const meaningfulBody = ({ example, payload }: ApiEndpoint): Readonly<Record<string, unknown>> => {
  const keys = payload === undefined ? [] : keysOf(payload)
  const known = keys.flatMap((key) => (FITTING[key] === undefined ? [] : [[key, FITTING[key][0]]]))
  return { ...(isObject(example) ? example : {}), ...Object.fromEntries(known) }
}

/** The path of an endpoint with a device of the scene in it, or a repository. */
export const pathOf = ({ path }: ApiEndpoint): string =>
  path
    .replace("/repository/:name", "/repository/settings")
    .replace(/:\w+(\(.*\))?/, (_, pattern) => (pattern === undefined ? "east-a1" : "4"))

/** A request as it goes out. */
export interface WrittenRequest {
  readonly method: string
  readonly path: string
  readonly raw: string | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fitting = (keys: ReadonlyArray<string>, picks: ReadonlyArray<number>, drop: ReadonlyArray<string>) =>
  Object.fromEntries(
    keys.flatMap((key, index) => {
      const values = FITTING[key] ?? []
      if (values.length === 0 || drop.includes(key)) return []
      return [[key, values[Math.abs((picks[index % picks.length] ?? 0) + index) % values.length]]]
    })
  )

const isNumbers = (value: unknown): value is ReadonlyArray<number> => Array.isArray(value)
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value)

const bodyText = (payload: Schema.Top | undefined, body: unknown): string | undefined => {
  if (!isObject(body) || payload === undefined) return undefined
  if (isNumbers(body["picks"]) && isTexts(body["drop"])) {
    // dropping is rare among many keys: most bodies are whole
    return JSON.stringify(fitting(keysOf(payload), body["picks"], body["drop"].slice(0, 2)))
  }
  const { instead, key, kind, value } = body
  if (kind === "none") return undefined
  if (kind === "raw") return String(value)
  if (kind === "wrong" && isObject(value) && typeof key === "string")
    return JSON.stringify({ ...value, [key]: instead })
  return JSON.stringify(value)
}

/** The characters that a URL accepts; halves of surrogate pairs cannot be written at all. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** `count` requests to an endpoint, the same for the same seed. */
export const sampleRequests = Effect.fnUntraced(function* (endpoint: ApiEndpoint, count: number, seed: string) {
  const samples = yield* Arbitrary.sampleEffect(Arbitrary.schema(requestSchema(endpoint)), { count, seed })
  return samples.map(({ body, part, query }): WrittenRequest => {
    const path = endpoint.path.replace(/:\w+(\(.*\))?/, (_, pattern) =>
      pattern === undefined ? encode(part) : /^\d+$/.test(part) ? part : "4"
    )
    const asked = query.slice(0, 4).map(({ name, value }) => `${encode(name)}=${encode(value)}`)
    return {
      method: endpoint.method,
      path: asked.length === 0 ? path : `${path}?${asked.join("&")}`,
      raw: bodyText(endpoint.payload, body)
    }
  })
})
