/** Every endpoint with every ready role, on own and foreign devices; the answers are docs/role-matrix.md. */
import { assert, expect, layer } from "@effect/vitest"
import { Effect, type Schema, SchemaAST } from "effect"
import { SqlClient } from "effect/sql"
import { BASE } from "../../src/api/Api.ts"
import { readyRoles } from "../../src/domain/access/PermissionFile.ts"
import { deviceStates, deviceTypes } from "../../src/domain/Device.ts"
import { PortData } from "../../src/domain/Interface.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type ApiEndpoint, endpoints, meaningfulBody, pathOf } from "../support/EndpointRequests.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"
import { beyondDevices, subjectOf, subjectsOf } from "../../src/domain/access/CallSubjects.ts"

const roles = [...readyRoles.keys()]

/** Each role unchanged, and once more for the devices of one group. */
const FILE = `roles:
${roles.map((role) => `  east-${role}: { extends: ${role}, groups: [EAST_WING] }`).join("\n")}
`

interface Place {
  readonly hostname: string
  readonly id: string
  readonly job: string
}
const own: Place = { hostname: "east-a1", id: "4", job: "1" }
const foreign: Place = { hostname: "special-a8", id: "8", job: "2" }

/** No device is reached, and each has worked in a job of its own. */
const GIVEN = [
  "update device set management_ip = null, dhcp_ip = null, state = case when id in (4, 8) then 'MANAGED' else state end",
  `update job set finish_time = now(), start_arguments = null where id < 3`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (1, 'east-a1', false, '[]', true), (2, 'special-a8', false, '[]', true)`
]

/** Bodies that reach the question about the device. Other endpoints get a body that is refused in itself. */
const BODIES: Readonly<Record<string, (hostname: string) => unknown>> = {
  "POST /auth/users": () => ({ name: "kim", password: "long enough for a password", roles: ["reader"] }),
  "PUT /auth/users/:name": () => ({ roles: ["reader"] }),
  "POST /auth/persons/withdraw": () => ({ person: "jwt: nobody" }),
  "POST /auth/persons/admit": () => ({ person: "jwt: nobody" }),
  "POST /approvals/:id/approve": () => ({ comment: "seen" }),
  "POST /approvals/:id/reject": () => ({ comment: "not today" }),
  "POST /device_cert": (hostname) => ({ hostname, action: "RENEW" }),
  "POST /device_drift": (hostname) => ({ hostname }),
  "POST /device_read_tables": (hostname) => ({ hostname }),
  "POST /device_syncto": (hostname) => ({ hostname }),
  "POST /device_update_facts": (hostname) => ({ hostname }),
  "POST /device_update_interfaces": (hostname) => ({ hostname }),
  "POST /firmware/upgrade": (hostname) => ({ hostname, filename: "EOS.swi", download: true }),
  "POST /firmware/upgradecheck": (hostname) => ({ group: hostname === own.hostname ? "EAST_WING" : "DEFAULT" }),
  "POST /interfaces/bulk": (hostname) => ({
    csv: `switch,port,description\n${hostname},Ethernet2,desk\n`,
    dry_run: true
  }),
  "POST /job/:id/approve": () => ({ comment: "seen" }),
  "POST /job/:id/reject": () => ({ comment: "not today" }),
  "POST /job/:id/revert": () => ({}),
  "POST /job/:id/viewed": () => ({ groups: [] }),
  "PUT /job/:id": () => ({ action: "NONE", abort_reason: "none" })
}

/** The devices that a query names. */
const QUERIES: Readonly<Record<string, (hostname: string) => string>> = {
  "GET /interfaces.csv": (hostname) => `?hostnames=${hostname}`
}

/** A synchronization of this device that waits for an approval as this job. */
const waits = ({ hostname, job }: Place): ReadonlyArray<string> => {
  const devices = [{ hostname, deviceType: "ACCESS", groups: hostname === own.hostname ? ["EAST_WING"] : [] }]
  const asked = { method: "POST", path: "/device_syncto", devices, job: { name: "sync_devices", live: true } }
  return [
    `update job set status = 'SCHEDULED', finish_time = null where id = ${job}`,
    "delete from job_approval",
    `insert into job_approval (job_id, reason, asked, asked_by, expires_at)
      values (${job}, 'a rule', '${JSON.stringify(asked)}', 'somebody', now() + interval '1 hour')`
  ]
}

/** Preparations before each call of an endpoint that removes its object. */
const BEFORE: Readonly<Record<string, (place: Place) => ReadonlyArray<string>>> = {
  "POST /job/:id/approve": waits,
  "POST /job/:id/reject": waits
}

const behindBase = (path: string): string => (path.startsWith(BASE) ? path.slice(BASE.length) : path)

const nameOf = ({ method, path }: Pick<ApiEndpoint, "method" | "path">): string =>
  `${method} ${behindBase(path).replaceAll(/\([^)]*\)/g, "")}`

/** Endpoints that are answered without a token. */
const OPEN =
  /^(?:POST \/auth|GET \/auth\/(?:login|auth)|POST \/auth\/(?:refresh|logout)|POST \/forge\/events|\w+ \/(?:settings\/model|system\/version)\b.*)$/

/** All but the probes. */
const withSubject = endpoints.filter(({ path }) => !path.startsWith("/api/health"))
const guarded = withSubject.filter((endpoint) => !OPEN.test(nameOf(endpoint)))

const statusOf = Effect.fnUntraced(function* (endpoint: ApiEndpoint, role: string, place: Place) {
  const { hostname, id, job } = place
  const name = nameOf(endpoint)
  const sql = yield* SqlClient.SqlClient
  for (const statement of BEFORE[name]?.(place) ?? []) yield* sql.unsafe(statement)
  const send = yield* caller({ sub: "matrix", roles: [role] })
  const path = name
    .slice(name.indexOf(" ") + 1)
    .replace(/:(\w+)/, (_, key: string) => (key === "hostname" ? hostname : name.includes("/job/") ? job : id))
  const body = BODIES[name]?.(hostname) ?? (endpoint.payload === undefined ? undefined : "no body")
  const query = QUERIES[name]?.(hostname) ?? ""
  return (yield* send(endpoint.method, path + query, body === undefined ? {} : { json: body })).status
})

const cell = Effect.fnUntraced(function* (endpoint: ApiEndpoint, role: string) {
  const allowed = (name: string, place: Place) =>
    Effect.map(statusOf(endpoint, name, place), (status) => status !== 403)
  const whole = yield* allowed(role, own)
  const ofOwn = yield* allowed(`east-${role}`, own)
  const ofForeign = yield* allowed(`east-${role}`, foreign)
  assert.isTrue(whole || (!ofOwn && !ofForeign), `${nameOf(endpoint)}: ${role} allows less than a part of it`)
  assert.isTrue(ofOwn || !ofForeign, `${nameOf(endpoint)}: ${role} allows foreign devices and not own ones`)
  if (!whole) return "–"
  if (ofForeign) return ["devices", "jobs"].includes(subjectOf(endpoint.method, behind(endpoint)) ?? "") ? "own" : "yes"
  return ofOwn ? "own" : "whole"
})
const behind = ({ path }: ApiEndpoint): string => behindBase(path)

/** The object of a call: a device of the scene, in this state. */
interface Target {
  readonly call: string
  /** Said of the target in the table; empty where there is none. */
  readonly on: string
  readonly path: string
  readonly fields: ReadonlyArray<readonly [name: string, value: unknown]>
  /** The body with this field, or a part of it. */
  readonly body: (name: string, value: unknown) => unknown
}

const VALUES: Readonly<Record<string, ReadonlyArray<unknown>>> = { state: deviceStates, device_type: deviceTypes }

/** Each field of a body, with each of its values where there are a few, else with one. */
const fieldsOf = (call: string): Target["fields"] => {
  const endpoint = guarded.find((one) => nameOf(one) === call)
  if (endpoint?.payload === undefined) return []
  const samples = meaningfulBody(endpoint)
  return Object.keys(samplesFor(endpoint.payload)).flatMap((name) =>
    (VALUES[name] ?? [samples[name] ?? "a"]).map((value) => [name, value] as const)
  )
}
const samplesFor = (payload: Schema.Top): object => {
  const ast = SchemaAST.toEncoded(payload.ast)
  return SchemaAST.isObjects(ast)
    ? Object.fromEntries(ast.propertySignatures.map(({ name }) => [String(name), true]))
    : {}
}

const alone = (name: string, value: unknown) => ({ [name]: value })
const device = (call: string, on: string, id: string): Target => ({
  call,
  on,
  path: `/device/${id}`,
  fields: fieldsOf(call),
  body: alone
})
const discovery = (on: string, ztp_mac: string): Target => ({
  call: "POST /device_discover",
  on,
  path: "/device_discover",
  fields: [["dhcp_ip", "10.0.0.30"]],
  body: (name, value) => ({ ztp_mac, [name]: value })
})
const given = (on: string, dry_run: boolean): Target => ({
  call: "POST /device/:hostname/apply_config",
  on,
  path: "/device/east-a1/apply_config",
  fields: [["full_config", "hostname east-a1"]],
  body: (name, value) => ({ [name]: value, dry_run })
})
const port = (on: string, name: string): Target => ({
  call: "PUT /device/:hostname/interfaces",
  on,
  path: "/device/east-a1/interfaces",
  fields: [
    ["configtype", "ACCESS_AUTO"],
    ...Object.keys(PortData.wire.fields).map(
      (key) => [`data.${key}`, key === "cli_append_str" ? "mtu 9000" : "a"] as const
    )
  ],
  body: (field, value) => {
    const [, key] = field.split(".")
    return { interfaces: { [name]: key === undefined ? alone(field, value) : { data: { [key]: value } } } }
  }
})

/** Calls whose answer depends on fields and their values. All others are asked whether theirs does not. */
const targets: ReadonlyArray<Target> = [
  { call: "POST /device", on: "", path: "/device", fields: fieldsOf("POST /device"), body: alone },
  device("PUT /device/:id", "DISCOVERED", "6"),
  device("PUT /device/:id", "MANAGED", "4"),
  discovery("DISCOVERED", "080027000006"),
  discovery("MANAGED", "08002708A8BE"),
  given("a dry run", true),
  given("a live run", false),
  port("a port with free lines", "Ethernet2"),
  port("another port", "Ethernet1")
]
const FREE_LINES = `update interface set data = '{"cli_append_str": "storm-control broadcast level 1"}' where device_id = 4 and name = 'Ethernet2'`

const send = Effect.fnUntraced(function* (role: string, method: string, path: string, json: unknown) {
  const call = yield* caller({ sub: "matrix", roles: [role] })
  return (yield* call(method, path, { json })).status
})
const isAllowed = (role: string, method: string, path: string, json: unknown) =>
  Effect.map(send(role, method, path, json), (status) => status !== 403)

/** The possible values of one field, and the roles that may write it. */
interface FieldRow {
  readonly call: string
  readonly on: string
  readonly field: string
  readonly allowed: string
}

const fieldRows = Effect.fnUntraced(function* ({ body, call, fields, on, path }: Target) {
  const [method = ""] = call.split(" ")
  yield* setScene([FREE_LINES])
  return yield* Effect.forEach(fields, ([name, value]) =>
    Effect.gen(function* () {
      const allowed: Array<string> = []
      for (const role of roles) {
        const status = yield* send(role, method, path, body(name, value))
        if (status !== 403) allowed.push(role)
        // it may have changed what the next one is asked about
        if (status < 400) yield* setScene([FREE_LINES])
      }
      const shown = VALUES[name] === undefined ? name : `${name}=${String(value)}`
      const row: FieldRow = { call, on, field: `\`${shown}\``, allowed: allowed.join(", ") }
      return row
    })
  )
})

/** The items with the same key, group by group, in the order in which the groups begin. */
const grouped = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyArray<readonly [A, ...ReadonlyArray<A>]> =>
  [...Map.groupBy(all, key).values()].flatMap(([first, ...rest]) => (first === undefined ? [] : [[first, ...rest]]))

/** Fields with the same answer share a row, and so do targets of a call with the same fields in it. */
const fieldTable = (rows: ReadonlyArray<FieldRow>): ReadonlyArray<string> => {
  const byAnswer = grouped(rows, ({ allowed, call, on }) => JSON.stringify([call, on, allowed])).map((same) => ({
    ...same[0],
    field: same.map(({ field }) => field).join(", ")
  }))
  return grouped(byAnswer, ({ allowed, call, field }) => JSON.stringify([call, field, allowed])).map((same) =>
    line([`\`${same[0].call}\``, same.map(({ on }) => on).join(", "), same[0].field, same[0].allowed])
  )
}

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const HEAD = `# Who may call what

Generated by \`test/http/RoleMatrix.test.ts\` from answers of the server (\`npx vitest run test/http/RoleMatrix.test.ts --update\`); do not edit.

The answer for each [ready role](roles.md#ready-roles), also if it is narrowed to the devices of a group:

- \`–\`: 403
- \`yes\`: allowed, narrowed or not
- \`own\`: allowed; narrowed, for own devices and 403 for others (lists: without the others)
- \`whole\`: allowed; narrowed, 403

Calls without a token are not listed. Of tokens each caller sees and makes their own.
`

const FIELDS = `
## Fields and values

Roles that may write a field or a value; others get 403. In all other calls the answer depends on no field.
`

// metrics need a token here, too
layer(SiteWithRoles(FILE, { METRICS_NETWORKS: "," }), { excludeTestServices: true })(
  "Every endpoint with every ready role",
  (it) => {
    it.effect(
      "is answered as the manual says",
      () =>
        Effect.gen(function* () {
          const rows: Array<{ readonly name: string; readonly cells: ReadonlyArray<string> }> = []
          for (const endpoint of guarded) {
            yield* setScene(GIVEN)
            rows.push({
              name: `\`${nameOf(endpoint)}\``,
              cells: yield* Effect.forEach(roles, (role) => cell(endpoint, role))
            })
          }
          const table = [
            line([...roles, "Calls"]),
            line([...roles.map(() => "---"), "---"]),
            ...grouped(rows, ({ cells }) => cells.join(" ")).map((same) =>
              line([...same[0].cells, same.map(({ name }) => name).join(", ")])
            )
          ]
          const fields = yield* Effect.forEach(targets, fieldRows)
          const second = [
            line(["Call", "On", "Fields", "Roles"]),
            "| --- | --- | --- | --- |",
            ...fieldTable(fields.flat())
          ]
          const text = `${HEAD}\n${table.join("\n")}\n${FIELDS}\n${second.join("\n")}\n`
          yield* Effect.promise(() => expect(text).toMatchFileSnapshot("../../docs/role-matrix.md"))
        }),
      { timeout: 300_000 }
    )

    it.effect(
      "depends on fields and values in no other call",
      () =>
        Effect.gen(function* () {
          yield* setScene(GIVEN)
          const others = guarded.filter(
            (endpoint) => endpoint.payload !== undefined && !targets.some(({ call }) => call === nameOf(endpoint))
          )
          for (const endpoint of others) {
            const name = nameOf(endpoint)
            // its alias, and what needs a job that waits for an answer
            if (name === "POST /discover_device" || BEFORE[name] !== undefined) continue
            const path = behindBase(pathOf(endpoint))
            for (const role of roles) {
              const whole = yield* isAllowed(role, endpoint.method, path, {})
              for (const [field, value] of fieldsOf(name)) {
                const json = { [field]: value }
                assert.strictEqual(
                  yield* isAllowed(role, endpoint.method, path, json),
                  whole,
                  `${role} ${name} ${JSON.stringify(json)}`
                )
              }
            }
          }
        }),
      { timeout: 300_000 }
    )

    it.effect("is classified as concerning devices or not", () =>
      Effect.sync(() => {
        const names = withSubject.map(nameOf)
        const known = [...subjectsOf.keys(), ...beyondDevices]
        assert.deepEqual(names.toSorted(), known.toSorted())
        assert.strictEqual(new Set(known).size, known.length)
      })
    )
  }
)
