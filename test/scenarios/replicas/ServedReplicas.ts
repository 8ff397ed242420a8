/**
 * A campus of managed switches that is served by several replicas, each a process of its own that is spoken to by its API. Each has its
 * own way to the common database, which can be lost.
 */
import { Effect, Layer, Redacted } from "effect"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { SqlClient } from "effect/sql"
import * as Database from "../../../src/store/Database.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { timer } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as Silence from "../../support/Silence.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { judge, type Mark, rowProblems, wantedBy } from "../chaos/SyncVerdict.ts"
import * as fs from "node:fs/promises"

// The lab switches to which a process is connected, according to Linux: a switch cannot distinguish several servers of one machine.

/** `0100007F:1F90`, bytes of the address in reverse. */
const parsed = (word: string) => {
  const [address = "", port = ""] = word.split(":")
  const bytes = address.match(/../g) ?? []
  return {
    address: bytes
      .map((byte) => Number.parseInt(byte, 16))
      .toReversed()
      .join("."),
    port: Number.parseInt(port, 16)
  }
}

/** The numbers of its sockets; none when it has ended. */
const socketsOf = async (pid: number): Promise<ReadonlySet<string>> => {
  const folder = `/proc/${pid}/fd`
  const names = await fs.readdir(folder).catch(() => [])
  const links = await Promise.all(names.map((name) => fs.readlink(`${folder}/${name}`).catch(() => "")))
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

const ESTABLISHED = "01"

/** The addresses that the process is connected to at this port. */
const sshAddresses = (pid: number, port: number): Effect.Effect<ReadonlySet<string>> =>
  Effect.promise(async () => {
    const own = await socketsOf(pid)
    const rows = (await fs.readFile("/proc/net/tcp", "utf8")).split("\n").slice(1)
    const far = rows.flatMap((row) => {
      const [, , remote = "", state, , , , , , inode = ""] = row.trim().split(/\s+/)
      return state === ESTABLISHED && own.has(inode) ? [parsed(remote)] : []
    })
    return new Set(far.filter((one) => one.port === port).map(({ address }) => address))
  })

const HISTORY = 100_000

interface ServedReplica {
  readonly program: Program.Program
  readonly api: ReturnType<typeof makeClient>
  readonly url: string
  /** Where others reach it. */
  readonly cluster: string
  readonly toDatabase: Silence.SilentProxy
}

interface Wanted {
  readonly replicas: number
  readonly switches: number
  readonly commitMs: number
  readonly env?: Readonly<Record<string, string>>
}

/** The same database by a port of this machine. */
const by = (url: string, port: number): string => {
  const moved = new URL(url)
  moved.port = String(port)
  return moved.href
}

/** Starts all of them; settings and templates are in force, and every switch is synchronized. */
export const make = Effect.fnUntraced(function* ({ commitMs, env, replicas: count, switches: many }: Wanted) {
  const names = ManagedCampus.accessNames(many)
  const repositories = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names, commitMs, HISTORY)
  const switches = yield* ManagedCampus.switchesOf(lab, names)
  const url = yield* databaseUrl
  const variables = { SECRET_KEY: SHARED_KEY }
  const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(url)), variables))

  /** One more. */
  const launch = Effect.gen(function* () {
    const { folder } = yield* Campus.makeFolders
    const toDatabase = yield* Silence.make(Number(new URL(url).port))
    const port = String(yield* freePort)
    const program = yield* Program.start({
      ...Campus.environment(lab, repositories, folder),
      ...variables,
      LOG_LEVEL: "Info",
      COMMIT_CONFIRMED_TIMEOUT: timer(60),
      COMMIT_CONFIRMED_WAIT: "0",
      DATABASE_URL: by(url, toDatabase.port),
      CLUSTER_HOST: "127.0.0.1",
      CLUSTER_PORT: port,
      ...env
    })
    const address = yield* program.url
    const replica: ServedReplica = {
      program,
      api: makeClient(address),
      url: address,
      cluster: `127.0.0.1:${port}`,
      toDatabase
    }
    return replica
  })

  const replicas = yield* Effect.all(
    Array.from({ length: count }, () => launch),
    { concurrency: "unbounded" }
  )
  const at = (index: number): ServedReplica => {
    const replica = replicas[index]
    if (replica === undefined) throw new Error(`There is no replica ${index}`)
    return replica
  }

  const refresh = (name: string) => at(0).api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
  yield* at(0).api.run("/device_syncto", { hostnames: names, dry_run: false })

  /** The switches to which this process has connections now. */
  const heldBy = (replica: ServedReplica) =>
    Effect.map(sshAddresses(replica.program.pid, lab.port), (addresses) =>
      switches.filter((device) => device.addresses().some((address) => addresses.has(address)))
    )

  return {
    names,
    switches,
    stores,
    /** Those of now, by number; one that was killed may be replaced by `launch`. */
    at,
    replicas,
    launch,
    /** Every switch is to get this description on its first port. */
    want: (description: string) => Effect.provide(ManagedCampus.wantChange(devices, description), stores),
    /** Starts a live sync of all switches there; yields the number of its job. */
    sync: Effect.fnUntraced(function* ({ api }: ServedReplica, mode: number) {
      const order = { hostnames: names, dry_run: false, confirm_mode: mode }
      const { body, status } = yield* api.send("POST", "/device_syncto", order)
      if (body.job_id === undefined) return yield* Effect.die(new Error(`${status} ${JSON.stringify(body)}`))
      return body.job_id
    }),
    sql: <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
      Effect.provide(Effect.flatMap(SqlClient.SqlClient, work), stores),
    logs: () => replicas.map(({ program }, index) => `replica ${index}:\n${program.text()}`).join("\n"),
    heldBy,
    /** Waits for a replica that has open sessions on switches: its number, and these. */
    working: Effect.gen(function* () {
      for (;;) {
        for (const [index, replica] of replicas.entries()) {
          const held: ReadonlyArray<LabSwitch> = yield* heldBy(replica)
          const open = held.filter((device) => device.sessions().some(({ state }) => state.startsWith("pending")))
          if (open.length > 0) return { index, replica, held: open }
        }
        yield* Effect.sleep("20 millis")
      }
    }),
    /** The mistakes in the result of a live sync that was to bring this description. */
    judged: Effect.fnUntraced(function* (id: number, marks: ReadonlyArray<Mark>, description: string) {
      const job = yield* (yield* JobStore).get(id)
      const results = ManagedCampus.devicesOf(job)
      const ofSwitches = marks.flatMap((mark) =>
        judge(mark, wantedBy(mark, description), [id], results[mark.device.name]).map(
          (text) => `${mark.device.name} ${text}`
        )
      )
      const failed = Object.values(results).filter((result) => result.failed).length
      return { failed, violations: [...ofSwitches, ...(yield* rowProblems(job, marks))] }
    }, Effect.provide(stores))
  }
})

export type ServedReplicas = Effect.Success<ReturnType<typeof make>>
