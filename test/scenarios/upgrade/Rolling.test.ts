/**
 * Two replicas of the previous release are exchanged one after the other for today's, while live syncs continue: for a while both releases
 * work on one database, with the newer schema.
 */
import { assert, describe as group, it } from "@effect/vitest"
import { Effect, Fiber, Ref, Semaphore } from "effect"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import { emptyDatabaseUrl } from "../../support/TestDatabase.ts"
import * as ManagedCampus from "../chaos/ManagedCampus.ts"
import { activityOf, markOf, standingCommits } from "../chaos/SyncVerdict.ts"
import * as PreviousRelease from "./PreviousRelease.ts"
import { describe, seed, send } from "./UpgradeSite.ts"

const NAMES = ManagedCampus.accessNames(8)
const COMMIT_MS = seconds(0.5)

interface Replica {
  readonly program: Program.Program
  readonly api: ReturnType<typeof makeClient>
  readonly url: string
  readonly env: Readonly<Record<string, string>>
}

const launch = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, release?: string) {
  const program = yield* Program.start(env, "serve", release)
  const url = yield* program.url
  return { program, url, env, api: makeClient(url) } satisfies Replica
})

const statusOf = (url: string) =>
  Effect.promise(() => fetch(url).then(async (response) => ({ status: response.status, text: await response.text() })))

/** As docs/upgrading.md says: ready, and all replicas are visible. */
const inService = ({ url }: Replica) =>
  Program.until(
    Effect.map(
      Effect.all([statusOf(`${url}/api/health/ready`), statusOf(`${url}/api/health/replicas`)]),
      ([ready, replicas]) => ready.status === 200 && replicas.status === 200
    )
  )

/** The site with two replicas of the release before; the lab has a switch for each name. */
const makeSite = Effect.fnUntraced(function* (release: string) {
  const lab = yield* ManagedCampus.makeManagedLab(NAMES, COMMIT_MS, 100_000)
  const first = yield* Campus.makeFolders
  const folders = [first.folder, (yield* Campus.makeFolders).folder]
  const url = yield* emptyDatabaseUrl
  const replicas = yield* Effect.forEach(folders, (folder) =>
    Effect.gen(function* () {
      const env = {
        ...Campus.environment(lab, first, folder),
        DATABASE_URL: url,
        SECRET_KEY: SHARED_KEY,
        CLUSTER_HOST: "127.0.0.1",
        CLUSTER_PORT: String(yield* freePort),
        COMMIT_CONFIRMED_TIMEOUT: timer(120),
        SYNC_CONCURRENCY: "2",
        LOG_LEVEL: "Info"
      }
      return yield* launch(env, release)
    })
  )
  const switches = yield* ManagedCampus.switchesOf(lab, NAMES)
  return {
    replicas: yield* Ref.make<ReadonlyArray<Replica>>(replicas),
    inFlight: yield* Semaphore.make(CLIENTS),
    switches
  }
})

/** Requests that may be under way at once. */
const CLIENTS = 10

type Site = Effect.Success<ReturnType<typeof makeSite>>

/** One of the replicas that are in service, another one each time. */
const oneOf = ({ replicas }: Site, turn: number) =>
  Effect.map(Ref.get(replicas), (serving) => {
    const replica = serving[turn % serving.length]
    if (replica === undefined) throw new Error("No replica is in service")
    return replica.api
  })

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

/** A live sync of a new description, asked after at every replica that is in service; every switch has to take it, once. */
const syncOnce = Effect.fnUntraced(function* (site: Site, turn: number) {
  const text = `change ${turn}`
  const marks = site.switches.map((device) => markOf(device))
  const { body } = yield* Effect.flatMap(oneOf(site, turn), (api) =>
    Effect.andThen(
      describe(api, NAMES, text),
      send(api, "POST", "/device_syncto", { device_type: "ACCESS", dry_run: false })
    )
  ).pipe(site.inFlight.withPermits(1))
  const id = body.job_id ?? 0
  for (let asked = 0; ; asked++) {
    const job = yield* Effect.flatMap(oneOf(site, asked), (other) => other.job(id)).pipe(site.inFlight.withPermits(1))
    if (job === undefined || !ENDED.includes(job.status)) {
      yield* Effect.sleep("50 millis")
      continue
    }
    assert.strictEqual(job.status, "FINISHED", JSON.stringify(job.exception))
    for (const mark of marks) {
      const { device } = mark
      const result = job.result?.devices?.[device.name]
      const activity = activityOf(mark)
      const what = `job ${id} on ${device.name}: ${activity.commits.join(", ")}, ${JSON.stringify(result)}`
      assert.strictEqual(result?.failed, false, what)
      assert.strictEqual(standingCommits(activity, [id]), 1, what)
      assert.include(device.running(), `description ${text}`, what)
      assert.strictEqual(ManagedCampus.stripped(device.startup()), ManagedCampus.stripped(device.running()), what)
      assert.deepStrictEqual(ManagedCampus.debrisOn(device), [], what)
    }
    return id
  }
})

/** The answers of every replica in service; those of one moment must agree about ended work. */
const agree = Effect.fnUntraced(function* (site: Site) {
  const answersOf = ({ api }: Replica) =>
    Effect.gen(function* () {
      const { body, status } = yield* api.send("GET", "/jobs?sort=id&per_page=500&filter_jobresult=config")
      assert.strictEqual(status, 200)
      const devices = yield* api.devices("sort=hostname&per_page=50")
      const jobs = body.data["jobs"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      return {
        names: devices.map(({ hostname }) => hostname),
        jobs: new Map(jobs.filter(({ status }) => ENDED.includes(String(status))).map((job) => [job["id"], job]))
      }
    })
  const answers = yield* Effect.flatMap(Ref.get(site.replicas), Effect.forEach(answersOf)).pipe(
    site.inFlight.withPermits(1)
  )
  const [one, other] = answers
  if (one === undefined || other === undefined) return 0
  assert.deepStrictEqual(one.names, other.names)
  for (const [id, job] of one.jobs) {
    const same = other.jobs.get(id)
    if (same === undefined) continue
    // a newer release may return more
    const fields = Object.keys(job).filter((name) => name in same)
    assert.deepStrictEqual(
      fields.map((name) => [name, same[name]]),
      fields.map((name) => [name, job[name]])
    )
  }
  return one.jobs.size
})

const always = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forever(Effect.andThen(effect, Effect.sleep("100 millis")), { disableYield: true })

/** Stops a replica and starts today's in its place, with its settings. */
const exchange = Effect.fnUntraced(function* (site: Site, replica: Replica) {
  // when all that was asked is answered, as a load balancer does
  yield* site.inFlight.withPermits(CLIENTS)(
    Ref.update(site.replicas, (serving) => serving.filter((one) => one !== replica))
  )
  replica.program.kill("SIGTERM")
  // 5: its work is left to the next start, which has to find it
  assert.include([0, 5], yield* replica.program.ended, replica.program.text())
  const next = yield* launch(replica.env)
  yield* inService(next)
  yield* Ref.update(site.replicas, (serving) => [...serving, next])
})

const { commit } = PreviousRelease

group.skipIf(commit === undefined)(
  `A rolling upgrade${commit === undefined ? ` (${PreviousRelease.WITHOUT})` : ""}`,
  () => {
    it.live("exchanges one replica after the other under live syncs: no job is lost, and no answer is wrong", () =>
      Effect.gen(function* () {
        const site = yield* makeSite(yield* PreviousRelease.unpack(commit ?? ""))
        const old = yield* Ref.get(site.replicas)
        yield* Effect.forEach(old, inService)
        const api = yield* oneOf(site, 0)
        yield* seed(api, NAMES)
        const ids: Array<number> = [yield* syncOnce(site, 0)]
        const reading = yield* Effect.forkChild(always(agree(site)))
        const syncing = yield* Effect.forkChild(
          always(Effect.suspend(() => Effect.map(syncOnce(site, ids.length), (id) => ids.push(id))))
        )
        const upgrading = Effect.gen(function* () {
          for (const replica of old) {
            const done = ids.length
            yield* exchange(site, replica)
            // one more that began with both
            yield* Program.until(Effect.sync(() => ids.length > done + 1))
          }
        })
        yield* Effect.raceFirst(upgrading, Effect.raceFirst(Fiber.join(reading), Fiber.join(syncing)))
        yield* Fiber.interrupt(syncing)
        yield* Fiber.interrupt(reading)
        const serving = yield* Ref.get(site.replicas)
        assert.strictEqual(serving.length, old.length)
        for (const { api } of serving) {
          for (const id of ids) assert.strictEqual((yield* api.job(id))?.status, "FINISHED")
        }
      }).pipe(Effect.scoped)
    )
  }
)
