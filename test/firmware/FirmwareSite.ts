/**
 * A site whose access switches are managed, with a server that keeps firmware images: for tests of upgrades end to end. The
 * switches fetch images from the server itself, and everything waits for seconds instead of minutes.
 */
import { Effect, Layer, Schema } from "effect"
import { HttpServer } from "effect/http"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DeviceResult, type Job } from "../../src/domain/Job.ts"
import { JobEngine } from "../../src/jobs/engine/JobEngine.ts"
import { type LabShape, makeLab } from "../../src/lab/Lab.ts"
import { internalVersion } from "../../src/lab/eos/commands/Show.ts"
import type { Node } from "../../src/lab/Topology.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as Server from "../../src/Server.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import * as Campus from "../support/Campus.ts"
import { DeviceUpgrade } from "../../src/domain/jobs/UpkeepJobs.ts"
import { timer } from "../support/Patience.ts"

export const NEW_VERSION = "4.32.2F"
export const IMAGE = `EOS-${NEW_VERSION}.swi`
const OLD_RELEASE = "4.31.4M"
/** The versions as switches report them, with their builds. */
export const OLD = internalVersion(OLD_RELEASE)
export const NEW = internalVersion(NEW_VERSION)
export const MODEL = "CCS-720XP-24ZY4-F"

/** Cables between switches, `name:port` to `name:port`. */
export type Cable = readonly [string, string]

export const addressOf = (index: number): string => `10.196.${20 + Math.floor(index / 200)}.${(index % 200) + 10}`

const configOf = (hostname: string, address: string): string => `hostname ${hostname}
username switchyard privilege 15 role network-admin secret sha512 ${Campus.HASH}
aaa authorization exec default local
lldp run
vlan 3016
interface Vlan3016
   ip address ${address}/16
`

/** The lab of these access switches, with two distribution switches when cables lead to them. */
export const makeSiteLab = (
  names: ReadonlyArray<string>,
  options: {
    readonly cables?: ReadonlyArray<Cable>
    readonly node?: Partial<Node>
    readonly nodes?: Record<string, Partial<Node>>
  } = {}
) => {
  const { cables = [], node = {}, nodes = {} } = options
  const dists = ["lhv-dist1", "lhv-dist2"].filter((dist) => cables.flat().some((end) => end.startsWith(`${dist}:`)))
  return makeLab({
    name: "site",
    topology: {
      defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD }, version: OLD_RELEASE },
      nodes: {
        ...Object.fromEntries(
          dists.map((dist) => [dist, { role: "dist" as const, gateway: true, model: "DCS-7050SX3-48YC8-F" }])
        ),
        ...Object.fromEntries(
          names.map((name, index) => [
            name,
            {
              role: "access" as const,
              model: MODEL,
              ports: 28,
              "startup-config": configOf(name, addressOf(index)),
              ...node,
              ...nodes[name]
            }
          ])
        )
      },
      links: cables.map((endpoints) => ({ endpoints }))
    }
  })
}

/** The environment of a server for it. */
export const environment = (
  lab: LabShape,
  folders: Parameters<typeof Campus.environment>[1] & { readonly folder: string },
  more: Readonly<Record<string, string>> = {}
): Record<string, string> => ({
  ...Campus.environment(lab, folders, folders.folder),
  FIRMWARE_ALLOW_LOCAL: "true",
  FIRMWARE_RETURN_TIMEOUT: timer(10),
  FIRMWARE_RETURN_INTERVAL: "1",
  ...more
})

/** The whole server with this environment on a free port; needs a database. */
export const serverWith = (env: Readonly<Record<string, string>>) => {
  const onAnyPort = Effect.map(ServerConfig, (config) => ServerConfig.of({ ...config, PORT: 0 }))
  const config = Layer.effect(ServerConfig, onAnyPort).pipe(Layer.provide(ServerConfig.layerOf(env)))
  return Server.layerOnDatabase.pipe(Layer.provideMerge(config))
}

/** Rows of managed access switches, in the order of their addresses. */
export const seedSwitches = (names: ReadonlyArray<string>) =>
  Effect.flatMap(DeviceStore, (devices) =>
    Effect.forEach(names, (hostname, index) =>
      devices.insert({
        hostname,
        state: "MANAGED",
        device_type: "ACCESS",
        platform: "eos",
        management_ip: addressOf(index),
        model: MODEL,
        os_version: OLD,
        confhash: "old",
        synchronized: true
      })
    )
  )

/** Puts an image into the store of a server with this data folder, as a finished download does. */
export const storeImage = (folder: string, name: string, content: Uint8Array) =>
  Effect.promise(async () => {
    await fs.mkdir(path.join(folder, "firmware"), { recursive: true })
    await fs.writeFile(path.join(folder, "firmware", name), content)
  })

/** Where this server serves its images. */
export const imageUrl = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => `http://127.0.0.1:${"port" in address ? address.port : 0}/firmware`
)

export const ALL_STEPS = { pre_flight: true, download: true, activate: true, reboot: true, post_flight: true }

/** Starts an upgrade and waits for its end. */
export const upgrade = Effect.fnUntraced(function* (args: Readonly<Record<string, unknown>>) {
  const engine = yield* JobEngine
  const url = yield* imageUrl
  const id = yield* engine.start(DeviceUpgrade, { url, ...args }, { user: "tester" })
  return yield* engine.ended(id)
})

const Stored = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

/** The task list of a device in a job, each entry as `name: last line of its result`, failed ones marked. */
export const tasksOf = (job: Job, hostname: string): ReadonlyArray<string> => {
  const { devices } = Schema.decodeUnknownSync(Stored)(job.result)
  return (devices[hostname]?.job_tasks ?? []).map(({ failed, result: text, task_name }) => {
    const last = typeof text === "string" ? (text.trimEnd().split("\n").at(-1) ?? "") : "-"
    return `${failed ? "FAILED " : ""}${task_name}: ${last}`
  })
}
