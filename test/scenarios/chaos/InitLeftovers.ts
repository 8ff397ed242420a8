/**
 * The remains of an initialisation in the database and on the switches, without names and addresses, so that a disturbed run can be
 * compared with an undisturbed one.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

/** A new switch of the run, as it was when it had been discovered. */
export interface Member {
  readonly device: LabSwitch
  readonly hostname: string
  readonly discoveredId: number
  readonly commitsBefore: number
}

/** One of the new switches. */
export interface MemberLeft {
  readonly state: string
  readonly type: string
  readonly renamed: boolean
  readonly addressed: boolean
  readonly links: number
  /** Ports by what they are for. */
  readonly ports: Readonly<Record<string, number>>
  /** The number of notifications to plugins. */
  readonly announced: number
  /** Commits on the switch since it was discovered. */
  readonly commits: number
  readonly debris: ReadonlyArray<string>
  readonly saved: boolean
}

export interface Leftovers {
  readonly members: ReadonlyArray<MemberLeft>
  /** Name, status and exception of the jobs, and whether a device failed. */
  readonly jobs: ReadonlyArray<string>
  readonly neighbours: ReadonlyArray<{ readonly synchronized: boolean; readonly debris: ReadonlyArray<string> }>
  readonly events: ReadonlyArray<string>
  /** Rows of all devices that must not outlast an initialisation. */
  readonly reservations: number
  readonly strays: number
  readonly locks: number
  readonly openChanges: number
}

const count = Effect.fnUntraced(function* (rows: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ n: number }>`select count(*)::int as n from ${sql.literal(rows)}`
  return found[0]?.n ?? 0
})

const memberLeft = Effect.fnUntraced(function* (
  { commitsBefore, device, discoveredId, hostname }: Member,
  pluginLog: string
) {
  const devices = yield* DeviceStore
  const [named] = yield* devices.byHostnames([hostname])
  const row = named ?? (yield* devices.get(discoveredId))
  const ports: Record<string, number> = {}
  for (const { configtype } of yield* (yield* InterfaceStore).ofDevice(row.id)) {
    ports[configtype] = (ports[configtype] ?? 0) + 1
  }
  const left: MemberLeft = {
    state: row.state,
    type: row.device_type,
    renamed: row.hostname === hostname,
    addressed: row.management_ip !== null && device.running().includes(`ip address ${row.management_ip}/`),
    links: yield* count(`linknet where device_a_id = ${row.id} or device_b_id = ${row.id}`),
    ports,
    announced: pluginLog.match(new RegExp(`new_managed_device: hostname=${hostname}\\b`, "g"))?.length ?? 0,
    commits: device
      .commits()
      .slice(commitsBefore)
      .filter(({ kind }) => kind === "commit").length,
    debris: ManagedCampus.debrisOn(device),
    saved: ManagedCampus.stripped(device.startup()) === ManagedCampus.stripped(device.running())
  }
  return left
})

const lineOf = ({ exception, function_name, result, status }: Job): string => {
  const failed = JSON.stringify(result).includes('"failed":true') ? "failed" : ""
  return `${function_name} ${status} ${failed} ${exception?.message ?? ""}`.trimEnd()
}

/** The remains of a run. `neighbours` are the switches above the new ones; their names are their hostnames. */
export const leftovers = Effect.fnUntraced(function* (
  members: ReadonlyArray<Member>,
  neighbours: ReadonlyArray<LabSwitch>,
  jobs: ReadonlyArray<Job>,
  pluginLog: string
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* (yield* DeviceStore).byHostnames(neighbours.map(({ name }) => name))
  const events = yield* sql<{ cause: string }>`select cause from sync_event order by cause`
  const left: Leftovers = {
    members: yield* Effect.forEach(members, (member) => memberLeft(member, pluginLog)),
    jobs: jobs.map(lineOf),
    neighbours: neighbours.map((device) => ({
      synchronized: rows.find(({ hostname }) => hostname === device.name)?.synchronized === true,
      debris: ManagedCampus.debrisOn(device)
    })),
    events: events.map(({ cause }) => cause),
    reservations: yield* count("reserved_ip"),
    strays: yield* count("device where hostname like 'mac-%'"),
    locks: yield* count("joblock"),
    openChanges: yield* count(
      "config_change where phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')"
    )
  }
  return left
})
