/**
 * The campus of a site that is upgraded: two distribution switches, six managed access switches and one that joins. The lab
 * has the same switches when the fixture is made and when it is played.
 */
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Node } from "../../../src/lab/Topology.ts"
import type { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"

/** The managed access switches. */
export const NAMES = ManagedCampus.accessNames(6)

/** The switch that joins: its name in the lab and its hostname. */
export const JOINING = { node: "blank1", hostname: "lhv-acc1" } as const

/** All switches of the lab. */
export const ALL = [...NAMES, JOINING.node, "lhv-dist1", "lhv-dist2"]

/** The lab; `configured` says what switches start with otherwise than usual. */
export const makeLab = (
  configured: Readonly<Record<string, Partial<Node>>>,
  hook?: Parameters<typeof Campus.makeSite>[2]
) =>
  Campus.makeSite(
    Object.fromEntries(
      [
        ...NAMES.map((name, index) => [name, ManagedCampus.managedNode(name, index)] as const),
        [JOINING.node, Campus.blankAccess] as const
      ].map(([name, node]) => [name, { ...node, ...configured[name] }])
    ),
    Campus.uplinks(JOINING.node, 1),
    hook
  )

/** The state of one switch when the server of release 0.1.0 was killed. */
export const SwitchState = Schema.Struct({
  startup: Schema.String,
  running: Schema.String,
  /** Sessions that are open. */
  open: Schema.Array(Schema.String),
  /** The session whose commit timer runs. */
  timer: Schema.NullOr(Schema.String)
})
export type SwitchState = typeof SwitchState.Type

const run = promisify(execFile)

/** Runs git in a folder. */
export const git = (folder: string, ...words: ReadonlyArray<string>) =>
  run("git", ["-C", folder, "-c", "user.name=Jane Doe", "-c", "user.email=jane@example.org", ...words])

export type Api = ReturnType<typeof makeClient>

/** A request that has to succeed. */
export const send = (api: Api, method: string, where: string, body?: unknown) =>
  Effect.flatMap(api.send(method, where, body), (reply) =>
    reply.status === 200
      ? Effect.succeed(reply)
      : Effect.die(new Error(`${method} ${where}: ${reply.status} ${JSON.stringify(reply.body)}`))
  )

/** A new description on the first port of these switches. */
export const describe = (api: Api, names: ReadonlyArray<string>, text: string) =>
  Effect.forEach(names, (name) =>
    send(api, "PUT", `/device/${name}/interfaces`, { interfaces: { Ethernet1: { data: { description: text } } } })
  )

/** The devices of the site by the API, as every release has it: two distribution switches and these access switches. */
export const seed = Effect.fnUntraced(function* (api: Api, names: ReadonlyArray<string>) {
  for (const last of [1, 2]) {
    yield* send(api, "POST", "/device", {
      hostname: `lhv-dist${last}`,
      state: "MANAGED",
      device_type: "DIST",
      platform: "eos",
      management_ip: `10.199.3.1${last}`,
      infra_ip: `10.198.0.1${last}`,
      model: "DCS-7050SX3-48YC8-F"
    })
  }
  const domain = { device_a: "lhv-dist1", device_b: "lhv-dist2", vlan: 3016, ipv4_gw: "10.196.16.1/24" }
  yield* send(api, "POST", "/mgmtdomains", domain)
  for (const [index, hostname] of names.entries()) {
    yield* send(api, "POST", "/device", {
      hostname,
      state: "MANAGED",
      device_type: "ACCESS",
      platform: "eos",
      management_ip: ManagedCampus.addressOf(index),
      model: "CCS-720XP-24ZY4-F"
    })
    yield* api.run("/device_update_interfaces", { hostname })
  }
})
