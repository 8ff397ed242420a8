/** The safe step never needs more rights than the unsafe one: whoever may do something may look at its effect first. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readyRoles } from "../../src/domain/access/PermissionFile.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { endpoints } from "../support/EndpointRequests.ts"
import { caller, SiteWithRoles } from "../support/RolesSite.ts"

interface Request {
  readonly method: string
  readonly path: string
  readonly json?: unknown
}

/** A call that changes something, and the call that shows its effect. */
interface Pair {
  readonly unsafe: Request
  readonly safe: Request
}

const ports = { interfaces: { Ethernet2: { data: { description: "desk" } } } }
const init = { hostname: "east-a9", device_type: "ACCESS" }
const upgrade = (body: object) => ({ group: "EAST_WING", ...body })
const post = (path: string, json: unknown): Request => ({ method: "POST", path, json })

const PAIRS: ReadonlyArray<Pair> = [
  {
    unsafe: { method: "PUT", path: "/device/east-a1/interfaces", json: ports },
    safe: post("/device/east-a1/interfaces/preview", ports)
  },
  {
    unsafe: { method: "PUT", path: "/device/east-a1/interfaces", json: ports },
    safe: post("/interfaces/bulk", { csv: "switch,port,description\neast-a1,Ethernet2,desk\n", dry_run: true })
  },
  { unsafe: post("/device_init/6", init), safe: post("/device_initcheck/6", init) },
  {
    unsafe: post("/firmware/upgrade", upgrade({ filename: "EOS.swi", download: true })),
    safe: post("/firmware/upgradecheck", upgrade({}))
  },
  {
    unsafe: { method: "PUT", path: "/repository/settings", json: { action: "REFRESH" } },
    safe: post("/repository/settings/check", {})
  },
  {
    unsafe: post("/device_syncto", { hostname: "east-a1", dry_run: false }),
    safe: post("/device_syncto", { hostname: "east-a1", dry_run: true })
  },
  {
    unsafe: post("/device_syncto", { hostname: "east-a1", dry_run: false }),
    safe: { method: "GET", path: "/job/1/diffs" }
  },
  {
    unsafe: post("/device/east-a1/apply_config", { full_config: "hostname east-a1", dry_run: false }),
    safe: post("/device/east-a1/apply_config", { full_config: "hostname east-a1", dry_run: true })
  },
  {
    unsafe: post("/job/1/revert", { dry_run: false }),
    safe: post("/job/1/revert", { dry_run: true })
  }
]

/** Roles of sites that name the unsafe call and forget the safe one. */
const FORGETFUL: Readonly<Record<string, string>> = {
  "only-ports": `[{ methods: [PUT], endpoints: ["/device/{hostname}/interfaces"] }]`,
  "only-init": `[{ methods: [POST], endpoints: ["/device_init/{id}"] }]`,
  "only-upgrade": `[{ methods: [POST], endpoints: ["/firmware/upgrade"] }]`,
  "only-refresh": `[{ methods: [PUT], endpoints: ["/repository/{name}"] }]`,
  "only-sync": `[{ methods: [POST], endpoints: ["/device_syncto"], jobs: [sync_devices], max_devices: 5 }]`
}

const whole = [...readyRoles.keys(), ...Object.keys(FORGETFUL)]
const FILE = `roles:
${Object.entries(FORGETFUL)
  .map(([name, permissions]) => `  ${name}: { permissions: ${permissions} }`)
  .join("\n")}
${Object.entries(FORGETFUL)
  .map(([name, permissions]) => `  east-${name}: { groups: [EAST_WING], permissions: ${permissions} }`)
  .join("\n")}
${[...readyRoles.keys()].map((role) => `  east-${role}: { extends: ${role}, groups: [EAST_WING] }`).join("\n")}
  two-ports: { extends: port-editor, interfaces: ["east-a1:Ethernet[12]"] }
`
const roles = [...whole, ...whole.map((role) => `east-${role}`), "two-ports"]

/** No device is reached; job 1 is about a device of the group. */
const GIVEN = [
  "update device set management_ip = null, dhcp_ip = null, state = case when id = 4 then 'MANAGED' else state end",
  "update job set finish_time = now(), start_arguments = null where id = 1",
  `insert into job_device (job_id, hostname, failed, job_tasks, reached_end) values (1, 'east-a1', false, '[]', true)`
]

const isAllowed = Effect.fnUntraced(function* (role: string, { json, method, path }: Request) {
  yield* setScene(GIVEN)
  const send = yield* caller({ sub: "matrix", roles: [role] })
  return (yield* send(method, path, json === undefined ? {} : { json })).status !== 403
})

/** Names by which an endpoint shows an effect. */
const SHOWS = /preview|check(?:$|\/)|diffs$|trial/

layer(SiteWithRoles(FILE), { excludeTestServices: true })("Whoever may make a change", (it) => {
  for (const { safe, unsafe } of PAIRS) {
    it.effect(
      `${unsafe.method} ${unsafe.path} may see its effect before: ${safe.method} ${safe.path}`,
      () =>
        Effect.gen(function* () {
          const allowed: Array<string> = []
          for (const role of roles) {
            if (!(yield* isAllowed(role, unsafe))) continue
            allowed.push(role)
            assert.isTrue(yield* isAllowed(role, safe), `${role} may do it and not look at it`)
          }
          assert.includeMembers(allowed, ["administrator"])
        }),
      { timeout: 120_000 }
    )
  }

  it.effect("finds the pair of every endpoint that shows an effect in this list", () =>
    Effect.sync(() => {
      const shown = endpoints
        .filter(({ path }) => SHOWS.test(path.replaceAll(/:(\w+)(?:\([^)]*\))?/g, "x")))
        .map(({ method, path }) => `${method} ${path}`)
      const patterns = PAIRS.map(
        ({ safe }) => `${safe.method} ${safe.path.replaceAll(/\/(?:east-a1|\d+|settings)(?=\/)/g, "/x")}`
      )
      const missing = shown.filter(
        (name) =>
          !patterns.includes(
            name
              .replace("/api/v1.0", "")
              .replaceAll(/:(\w+)(?:\([^)]*\))?/g, "x")
              .replace(/\/x$/, "/6")
          )
      )
      assert.deepEqual(missing, [])
    })
  )
})
