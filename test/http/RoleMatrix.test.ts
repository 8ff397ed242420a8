/** Every endpoint with every ready role, on own and foreign devices; the answers are docs/role-matrix.md. */
import { assert, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BASE } from "../../src/api/Api.ts"
import { beyondDevices, subjectOf, subjectsOf } from "../../src/api/Subjects.ts"
import { readyRoles } from "../../src/domain/access/ReadyRoles.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { type ApiEndpoint, endpoints } from "../support/EndpointRequests.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

const roles = [...readyRoles.keys()]

/** Each role as it is, and once more for the devices of one group. */
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

/** Nobody is reached, and each device has worked in a job of its own. */
const GIVEN = [
  "update device set management_ip = null, dhcp_ip = null, state = case when id in (4, 8) then 'MANAGED' else state end",
  `update job set finish_time = now(), start_arguments = null where id < 3`,
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (1, 'east-a1', false, '[]', true), (2, 'special-a8', false, '[]', true)`
]

/** Bodies that get as far as the question about the device. What is not here gets a body that is refused by itself. */
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
  "POST /job/:id/approve": () => ({ comment: "seen" }),
  "POST /job/:id/reject": () => ({ comment: "not today" }),
  "POST /job/:id/revert": () => ({}),
  "PUT /job/:id": () => ({ action: "NONE", abort_reason: "none" })
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

/** What is done before each call of an endpoint that takes away what it is about. */
const BEFORE: Readonly<Record<string, (place: Place) => ReadonlyArray<string>>> = {
  "POST /job/:id/approve": waits,
  "POST /job/:id/reject": waits
}

const behindBase = (path: string): string => (path.startsWith(BASE) ? path.slice(BASE.length) : path)

const nameOf = ({ method, path }: Pick<ApiEndpoint, "method" | "path">): string =>
  `${method} ${behindBase(path).replaceAll(/\([^)]*\)/g, "")}`

/** What is answered without a token. */
const OPEN =
  /^(?:POST \/auth|GET \/auth\/(?:login|auth)|POST \/auth\/(?:refresh|logout)|\w+ \/(?:settings\/model|system)\b.*)$/

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
  return (yield* send(endpoint.method, path, body === undefined ? {} : { json: body })).status
})

const cell = Effect.fnUntraced(function* (endpoint: ApiEndpoint, role: string) {
  const allowed = (name: string, place: Place) =>
    Effect.map(statusOf(endpoint, name, place), (status) => status !== 403)
  const whole = yield* allowed(role, own)
  const ofOwn = yield* allowed(`east-${role}`, own)
  const ofForeign = yield* allowed(`east-${role}`, foreign)
  assert.isTrue(whole || (!ofOwn && !ofForeign), `${nameOf(endpoint)}: ${role} allows less than a part of it`)
  assert.isTrue(ofOwn || !ofForeign, `${nameOf(endpoint)}: ${role} allows foreign devices and not own ones`)
  if (!whole) return "403"
  if (ofForeign) return ["devices", "jobs"].includes(subjectOf(endpoint.method, behind(endpoint)) ?? "") ? "own" : "yes"
  return ofOwn ? "own" : "whole"
})
const behind = ({ path }: ApiEndpoint): string => behindBase(path)

const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const HEAD = `# Who may call what

Generated by \`test/http/RoleMatrix.test.ts\` from the answers of the server (\`npx vitest run test/http/RoleMatrix.test.ts --update\`); do not edit.

Each ready role ([roles](roles.md#ready-roles)) calls each endpoint, as it is and narrowed to the devices of a group, on a device of this group and on another.
\`403\`: refused. \`own\`: allowed; narrowed, for own devices and 403 for others (lists: without the others). \`yes\`: allowed, narrowed or not. \`whole\`: allowed, and 403 when it is narrowed.
What is open without a token is not listed. Of tokens each caller sees and makes their own.
`

// metrics need a token here, too
layer(SiteWithRoles(FILE, { METRICS_NETWORKS: "," }), { excludeTestServices: true })(
  "Every endpoint with every ready role",
  (it) => {
    it.effect(
      "is answered as the manual says",
      () =>
        Effect.gen(function* () {
          const rows: Array<string> = []
          for (const endpoint of guarded) {
            yield* setScene(GIVEN)
            const cells = yield* Effect.forEach(roles, (role) => cell(endpoint, role))
            rows.push(line([`\`${nameOf(endpoint)}\``, ...cells]))
          }
          const table = [line(["Endpoint", ...roles]), line(["---", ...roles.map(() => "---")]), ...rows]
          const text = `${HEAD}\n${table.join("\n")}\n`
          yield* Effect.promise(() => expect(text).toMatchFileSnapshot("../../docs/role-matrix.md"))
        }),
      { timeout: 300_000 }
    )

    it.effect("is known to be about devices, or to be beyond them", () =>
      Effect.sync(() => {
        const names = withSubject.map(nameOf)
        const known = [...subjectsOf.keys(), ...beyondDevices]
        assert.deepEqual(names.toSorted(), known.toSorted())
        assert.strictEqual(new Set(known).size, known.length)
      })
    )
  }
)
