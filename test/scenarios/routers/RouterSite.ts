/** How a server of this process reaches real routers: ports of this machine, repositories, and the environment that names both. */
import { Effect, Schema } from "effect"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import type { Fabric } from "../../../src/fabric/Fabric.ts"
import { LOGIN } from "../../../src/fabric/FabricPlan.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { fabricSettings } from "../../../src/demo/RealSite.ts"

/** The site of routers at these addresses of 10.99.0.0/16. */
export const makeRouterSite = Effect.fnUntraced(function* (fabric: Fabric, addresses: ReadonlyArray<string>) {
  const port = yield* freePort
  for (const address of addresses) {
    yield* fabric.reach(address, 22, { address: address.replace(/^10/, "127"), port })
  }
  const folders = yield* Campus.makeFolders
  const environment = {
    ...Campus.environment({ port }, folders, folders.folder),
    USERNAME_MANAGED: LOGIN.username,
    PASSWORD_MANAGED: LOGIN.password,
    SSH_ADDRESS_MAP: "10.99.0.0/16=127.99.0.0/16"
  }
  return { folders, environment }
})

/** A live sync of these routers to its end. */
export const syncRouters = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>, confirmMode: 0 | 1 | 2) {
  const engine = yield* JobEngine
  const args = { hostnames: [...hostnames], dry_run: false, confirm_mode_override: confirmMode }
  return yield* engine.ended(yield* engine.start(jobNamed("sync_devices"), args, { user: "tester" }))
})

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** The job's error for each failed router. */
export const failures = ({ result }: Job): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Schema.decodeUnknownSync(Result)(result).devices)
      .filter(([, { failed }]) => failed)
      .map(([hostname, { job_tasks }]) => [
        hostname,
        job_tasks.map(({ failed, result: said }) => (failed ? String(said) : "")).join("")
      ])
  )

// The settings of a site whose fabric is the usual one of `src/fabric`, for repositories that begin as the examples.

export { cores, dists, routers } from "../../../src/fabric/FabricPlan.ts"
export { routing } from "../../../src/demo/RealSite.ts"

/** Of switches that this site does not have. */
export const elsewhere = Object.fromEntries(
  ["lhv-dist1", "lhv-dist2"].flatMap((name) =>
    ["base_system", "interfaces", "routing"].map((file) => [`devices/${name}/${file}.yml`, null])
  )
)

/** Files of the settings repository. */
export const routerSettings: Readonly<Record<string, string | null>> = { ...elsewhere, ...fabricSettings }
