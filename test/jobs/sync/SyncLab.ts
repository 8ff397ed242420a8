/**
 * A server with managed access switches of the lab that all run what the settings say, for tests of jobs that change many
 * devices: every switch has had its first sync, so a new port description is the only thing that a test changes.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Option, References, Schema, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "../../../src/Engine.ts"
import type { Device } from "../../../src/domain/Device.ts"
import { DeviceResult, type Job, type StartArguments } from "../../../src/domain/Job.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore, SyncEventStore } from "../../../src/store/DeviceStore.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"
import { RepositoryStore } from "../../../src/store/RepositoryStore.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { jobNamed } from "../../support/Jobs.ts"

const user = "tester"

/** The lab and the devices that the server knows of it, in the same order. */
export interface SyncLab {
  readonly names: ReadonlyArray<string>
  readonly switches: ReadonlyArray<LabSwitch>
  readonly devices: ReadonlyArray<Device>
  /** The repositories that the server reads, to commit to. */
  readonly repositories: Repositories
}

type Repositories = Omit<Campus.Folders, "folder">

/** Additional configuration of the server. */
type Environment =
  | Readonly<Record<string, string>>
  | ((repositories: Repositories) => Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope>)

/** Starts a job and waits until it has ended. */
export const run = Effect.fnUntraced(function* (name: string, args: StartArguments) {
  const engine = yield* JobEngine
  return yield* engine.ended(yield* engine.start(jobNamed(name), args, { user }))
})

/** A live sync of all devices that are not synchronized. */
export const sync = (args: StartArguments = {}) => run("sync_devices", { dry_run: false, ...args })

/** Waits until the follow-up of a job has ended. */
export const followUp = (job: Job) =>
  Effect.flatMap(JobEngine, (engine) => {
    assert.isNotNull(job.next_job_id, JSON.stringify(job.result))
    return engine.ended(job.next_job_id ?? 0)
  })

const SyncResult = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })
const Names = Schema.Array(Schema.String)
const StoppedResult = Schema.Struct({ rollout: Schema.Struct({ reverted: Names, not_started: Names }) })

/** Results by hostname: the texts of failed tasks, or `ok`. */
export const outcomes = (job: Job): Readonly<Record<string, string>> => {
  const { devices } = Schema.decodeUnknownSync(SyncResult)(job.result)
  return Object.fromEntries(
    Object.entries(devices).map(([hostname, { failed, job_tasks }]) => [
      hostname,
      failed ? job_tasks.map(({ failed: bad, result }) => (bad ? String(result) : "")).join("") : "ok"
    ])
  )
}

/** The entry of the first device that says what its switch was given. */
export const syncTask = (job: Job) => {
  const [device] = Object.values(Schema.decodeUnknownSync(SyncResult)(job.result).devices)
  return device?.job_tasks.find(({ task_name }) => task_name === "Sync device config")
}

/** The devices that a stopped rollout took back or did not begin. */
export const stopped = (job: Job) => Schema.decodeUnknownSync(StoppedResult)(job.result).rollout

/** The switch with this number, from 0. */
export const switchAt = (lab: SyncLab, index: number): LabSwitch => {
  const device = lab.switches[index]
  assert.isDefined(device)
  return device
}

/** Devices as the database has them now. */
export const rows = Effect.flatMap(DeviceStore, (store) => store.all)

/** Names of devices that are synchronized. */
export const synchronized = (lab: SyncLab) =>
  Effect.map(rows, (all) =>
    all.filter((row) => row.synchronized && lab.names.includes(row.hostname)).map(({ hostname }) => hostname)
  )

/** Causes in the sync history of a device. */
export const causes = (hostname: string) =>
  Effect.map(
    Effect.flatMap(SyncEventStore, (store) => store.byHostname(hostname)),
    (events) => (events.get(hostname) ?? []).map(({ cause }) => cause)
  )

/** Asserts that no job holds a lock, no change is unfinished and no switch has a session or a timer of ours. */
export const nothingLeft = Effect.fnUntraced(function* (lab: SyncLab) {
  const sql = yield* SqlClient.SqlClient
  assert.deepStrictEqual(yield* (yield* JobScheduleStore).locks.all, [])
  const unfinished = yield* sql`select job_id, device_id, phase from config_change
    where phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
  assert.deepStrictEqual(unfinished, [])
  assert.deepStrictEqual(yield* sql`select job_id, hostname from job_device where waiting`, [])
  for (const device of lab.switches) assert.deepStrictEqual(Managed.debrisOn(device), [], device.name)
})

/** Waits until the condition holds. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(holds))))

/** Waits until the effect yields something. */
export const untilSome = <A, E, R>(look: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (found) =>
    found === undefined ? Effect.andThen(Effect.sleep("5 millis"), untilSome(look)) : Effect.succeed(found)
  )

/** The port description that a switch runs. */
export const described = (device: LabSwitch): string => /description (wanted \w+)/.exec(device.running())?.[1] ?? ""

/** Gives all devices a new wanted description: the next sync changes exactly that. */
export const want = (lab: SyncLab, text: string) => Managed.wantChange(lab.devices, `wanted ${text}`)

/** Gives all devices a new wanted description, and brings it to those that are not synchronized. */
export const syncWanted = (lab: SyncLab, text: string, args: StartArguments = {}) =>
  Effect.andThen(want(lab, text), sync(args))

/**
 * Does so in each of the modes 0, 1 and 2 with the description `wanted mode…`, and looks at the job; then all devices have to
 * be synchronized, and nothing may be left of it.
 */
export const inEachMode = <E, R>(lab: SyncLab, look: (job: Job, mode: number) => Effect.Effect<unknown, E, R>) =>
  Effect.forEach([0, 1, 2], (mode) =>
    Effect.gen(function* () {
      const job = yield* syncWanted(lab, `mode${mode}`, { confirm_mode_override: mode })
      yield* look(job, mode)
      if (mode === 2) yield* followUp(job)
      assert.deepStrictEqual(yield* synchronized(lab), lab.names)
      yield* nothingLeft(lab)
      return job
    })
  )

type Services = Layer.Success<typeof Engine.layer>

/** The effect inside the server. */
export type Serving<A, E> = Effect.Effect<A, E, Services | ServerConfig | SqlClient.SqlClient | Scope.Scope>

/** A cable between the same port of two switches. */
export interface Cable {
  readonly one: number
  readonly other: number
  readonly port: string
}

/**
 * Runs a test with `count` synchronized switches that run `wanted one`. `serve` runs an effect in a server of its own on the same database,
 * which is stopped when the effect ends; unfinished work remains. Its variables override those of all servers.
 */
export const withServers = <A, E>(
  count: number,
  body: (
    lab: SyncLab,
    serve: <B, F>(
      effect: Serving<B, F>,
      variables?: Readonly<Record<string, string>>
    ) => Effect.Effect<
      B,
      F | Layer.Error<typeof Engine.layer | ReturnType<typeof ServerConfig.layerOf>>,
      SqlClient.SqlClient
    >
  ) => Effect.Effect<A, E, SqlClient.SqlClient | Scope.Scope>,
  environment: Environment = {},
  peculiar: Managed.Peculiar = {},
  /** Cables between the switches, by their numbers from 0. */
  cables: ReadonlyArray<Cable> = []
) =>
  Effect.gen(function* () {
    const names = Managed.accessNames(count)
    const folders = yield* Campus.makeFolders
    const links = cables.map(({ one, other, port }) => ({
      endpoints: [`${names[one] ?? ""}:${port}`, `${names[other] ?? ""}:${port}`] as const
    }))
    const lab = yield* Managed.makeManagedLab(names, 0, 200, peculiar, links)
    const { settings, templates } = folders
    const repositories = { settings, templates }
    const extra = typeof environment === "function" ? yield* environment(repositories) : environment
    const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0", ...extra }
    const serve = <B, F>(effect: Serving<B, F>, variables: Readonly<Record<string, string>> = {}) => {
      const server = Engine.layer.pipe(Layer.provideMerge(ServerConfig.layerOf({ ...env, ...variables })))
      return Effect.scoped(effect).pipe(Effect.provide(Layer.fresh(server), { local: true }))
    }
    const first = Effect.gen(function* () {
      const devices = yield* Managed.seedManaged(names)
      const sql = yield* SqlClient.SqlClient
      // wide enough for hundreds of switches
      yield* sql`update mgmtdomain set ipv4_gw = '10.196.16.1/20'`
      yield* refresh("templates", user)
      yield* refresh("settings", user)
      const made: SyncLab = { names, switches: yield* Managed.switchesOf(lab, names), devices, repositories }
      yield* want(made, "one")
      // without timers, so that it does not last where they are not shown, and switches of every test can be proved in each way
      const mode = Object.keys(peculiar).length === 0 && !("CHANGE_PROOFS" in extra) ? 1 : 0
      const job = yield* sync({ hostnames: names, force: true, confirm_mode_override: mode })
      assert.deepStrictEqual(outcomes(job), Object.fromEntries(names.map((name) => [name, "ok"])))
      return made
    })
    return yield* body(yield* serve(first), serve)
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

/** The same with one server for the whole test. `peculiar` is what the switches do otherwise than most. */
export const withLab = <A, E>(
  count: number,
  body: (lab: SyncLab) => Serving<A, E>,
  environment: Environment = {},
  peculiar: Managed.Peculiar = {},
  cables: ReadonlyArray<Cable> = []
) => withServers(count, (lab, serve) => serve(body(lab)), environment, peculiar, cables)

/** The commits in force of the repositories' own refs. */
export const commitsInForce = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const settings = yield* repositories.commitOf("settings", "")
  const templates = yield* repositories.commitOf("templates", "")
  return { settings: Option.getOrThrow(settings), templates: Option.getOrThrow(templates) }
})
