/** A campus with one managed access switch of Junos that runs an old configuration, its repositories, and servers on one database. */
import { assert } from "@effect/vitest"
import { Effect, Layer, References, type Scope } from "effect"
import { HttpServer } from "effect/http"
import type { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import * as Logging from "../../../src/runtime/Logging.ts"
import * as Server from "../../../src/Server.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { type JobReply, makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

export const HOSTNAME = "lhv-acc5"
export const ADDRESS = "10.196.16.5"
export const RADIUS_KEY = "Zq7x-radius-M4rk"
export const ROOT_HASH = "$6$saltsalt$Zq7x-root-M4rk"

const mixed = path.resolve(import.meta.dirname, "../../../examples/mixed/settings")

/** The settings of `examples/mixed`, by their paths in a repository. */
const mixedSettings = Object.fromEntries(
  readdirSync(mixed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(mixed, file), readFileSync(file, "utf8")])
)

/** What the switch runs before its first sync: enough to be reachable, and nothing else of the templates. */
export const OLD_CONFIG = `system {
    host-name ${HOSTNAME};
    root-authentication {
        encrypted-password "${ROOT_HASH}";
    }
    login {
        user switchyard {
            class super-user;
            authentication {
                encrypted-password "${Campus.HASH}";
            }
        }
    }
    services {
        ssh;
        netconf {
            ssh;
        }
    }
}
interfaces {
    irb {
        unit 3016 {
            family inet {
                address ${ADDRESS}/24;
            }
        }
    }
}
protocols {
    lldp {
        interface all;
    }
}
vlans {
    OLD-MANAGEMENT {
        vlan-id 3016;
        l3-interface irb.3016;
    }
}
`

/** Milliseconds of a minute of a timer that does not end while a test does its work. */
export const LONG_MINUTE = 600_000

type Services = Layer.Success<typeof Server.layerOnDatabase>
type Needs = Services | ServerConfig | SqlClient.SqlClient | Scope.Scope

/** A running server, as its users see it. */
export interface Served {
  readonly api: ReturnType<typeof makeClient>
  /** On which the switch listens. */
  readonly port: number
}

/** Runs an effect with a server of its own, which stops when the effect ends; unfinished work remains. */
type Serve = <A, E>(
  body: (served: Served) => Effect.Effect<A, E, Needs>,
  variables?: Readonly<Record<string, string>>
) => Effect.Effect<A, E, SqlClient.SqlClient>

export interface JunosSite {
  readonly device: LabSwitch
  readonly settings: Campus.TestRepository
  readonly serve: Serve
}

const seed = Effect.gen(function* () {
  yield* Campus.seedSite
  const device = yield* (yield* DeviceStore).insert({
    hostname: HOSTNAME,
    state: "MANAGED",
    device_type: "ACCESS",
    platform: "junos",
    vendor: "Juniper",
    model: "EX3400-48P",
    os_version: "21.4R3-S5.4",
    management_ip: ADDRESS,
    synchronized: false
  })
  const interfaces = yield* InterfaceStore
  for (const port of [0, 1, 2, 3]) yield* interfaces.put(device.id, `ge-0/0/${port}`, "ACCESS_AUTO", null)
  for (const port of [0, 1]) yield* interfaces.put(device.id, `xe-0/2/${port}`, "ACCESS_UPLINK", null)
  yield* refresh("templates", "tester")
  yield* refresh("settings", "tester")
})

/** The campus, before its first sync. */
export const withSite = <A, E>(
  body: (site: JunosSite) => Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>,
  { node = {}, variables = {} }: { readonly node?: Partial<Node>; readonly variables?: Record<string, string> } = {}
) =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    yield* folders.settings.commit(mixedSettings)
    const lab = yield* makeLab({
      name: "junos",
      topology: {
        nodes: {
          [HOSTNAME]: {
            kind: "juniper_vjunosswitch",
            role: "access",
            gateway: true,
            model: "EX3400-48P",
            version: "21.4R3-S5.4",
            passwords: { switchyard: Campus.PASSWORD, [Campus.NEXT_HASH]: Campus.NEXT_PASSWORD },
            // another person, whose login is in no configuration
            users: { admin: "admin" },
            minuteMs: LONG_MINUTE,
            "startup-config": OLD_CONFIG,
            ...node
          }
        }
      }
    })
    const env = {
      PORT: "0",
      ...Campus.environment(lab, folders, folders.folder),
      COMMIT_CONFIRMED_TIMEOUT: "120",
      COMMIT_CONFIRMED_WAIT: "0",
      ALLOW_APPLY_CONFIG_LIVERUN: "true",
      TEMPLATE_SECRET_JUNOS_RADIUS: RADIUS_KEY,
      TEMPLATE_SECRET_JUNOS_ROOT_HASH: ROOT_HASH,
      ...variables
    }
    const serve: Serve = (use, more = {}) =>
      Effect.gen(function* () {
        const server = Server.layerOnDatabase.pipe(
          Layer.provide(Logging.layer),
          Layer.provideMerge(ServerConfig.layerOf({ ...env, ...more }))
        )
        const running = yield* Effect.orDie(Layer.build(Layer.fresh(server)))
        const { address } = yield* Effect.provideContext(HttpServer.HttpServer, running)
        const api = makeClient(`http://127.0.0.1:${"port" in address ? address.port : 0}`)
        return yield* Effect.provideContext(use({ api, port: lab.port }), running)
      }).pipe(Effect.scoped)
    yield* serve(() => seed)
    return yield* body({ device: yield* lab.get(HOSTNAME), settings: folders.settings, serve })
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

/** What the API says of the switch. */
export const rowOf = ({ api }: Pick<Served, "api">) =>
  Effect.map(api.devices(`filter[hostname]=${HOSTNAME}`), ([row]) => {
    assert.isDefined(row)
    return row
  })

/** Starts a job over the API and waits for it. */
export const sync = ({ api }: Served, more: Readonly<Record<string, unknown>> = {}) =>
  api.run("/device_syncto", { hostname: HOSTNAME, dry_run: false, ...more })

/** Its result, its difference, and the text of what has failed on the switch. */
export const outcomeOf = (job: JobReply) => {
  const found = job.result?.devices?.[HOSTNAME]
  const tasks = found?.job_tasks ?? []
  return {
    failed: found?.failed ?? true,
    diff: tasks.map(({ diff }) => diff).join(""),
    text: JSON.stringify(job.result)
  }
}

/** Waits until the condition holds; a test that never gets there fails by its own time limit. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), until(holds))))

/** Gives the first port another description: the next sync changes exactly that. */
export const want = ({ api }: Served, description: string) =>
  Effect.tap(
    api.send("PUT", `/device/${HOSTNAME}/interfaces`, { interfaces: { "ge-0/0/1": { data: { description } } } }),
    ({ body, status }) => Effect.sync(() => assert.strictEqual(status, 200, JSON.stringify(body)))
  )

/** The description that the first port runs. */
export const described = (device: LabSwitch): string | undefined =>
  /ge-0\/0\/1 \{\n\s+description "?(wanted [^";]*)"?;/.exec(device.running())?.[1]
