/**
 * Whether a world has kept its promises: of each live sync its records against the running configurations, and at the end the remains in
 * the database and on the switches, and the answers to clients.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { stableText } from "../../../src/drivers/eos/RunningConfig.ts"
import { configHashOf } from "../../../src/drivers/DriverDefinition.ts"
import type { DeviceResult, Job } from "../../../src/domain/Job.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import { seconds } from "../../support/Patience.ts"
import { calmly, leftovers, recordProblems } from "./JobEndings.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { activityOf, jobOf, judge, type Mark, standingCommits, wantedBy } from "./SyncVerdict.ts"
import type { World } from "./World.ts"

/** Work that the server has not settled by then, when the timers of all switches have expired, is never settled. */
const patienceOf = ({ site }: World): number => seconds(20 + site.timerSeconds)

const jobsOf = (ids: ReadonlyArray<number>) =>
  calmly(Effect.flatMap(JobStore, (jobs) => Effect.forEach(ids, (id) => jobs.get(id))))

/** The records of one request about a device; it is done if one of them says so. */
const resultOf = (jobs: ReadonlyArray<Job>, hostname: string): DeviceResult | undefined => {
  const found = jobs.flatMap((job) => [ManagedCampus.devicesOf(job)[hostname] ?? []].flat())
  return found.find(({ failed }) => !failed) ?? found.at(-1)
}

/** A device that is said to be synchronized although the wish has failed on it. */
const rowProblems = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>, marks: ReadonlyArray<Mark>) {
  const rows = yield* calmly(
    Effect.flatMap(DeviceStore, (devices) => devices.byHostnames(marks.map(({ device }) => device.name)))
  )
  return rows.flatMap(({ hostname, synchronized }) =>
    synchronized && resultOf(jobs, hostname)?.failed !== false ? [`${hostname} is synchronized, but it failed`] : []
  )
})

/** Things that the server settles automatically soon after a job: unreadable devices, and remains on a switch. */
const isSettledLater = (text: string) => /the record says unclear|session job|timer of job/.test(text)

/** Results that stay unclear for a good reason: see `WorldSite.unrecognisable`. */
const isUnrecognised = ({ site }: World, hostname: string, text: string): boolean =>
  site.unrecognisable.has(hostname) && /^runs new but the record says unclear: .*could not be proved/.test(text)

const judged = Effect.fnUntraced(function* (
  world: World,
  marks: ReadonlyArray<Mark>,
  description: string,
  ids: ReadonlyArray<number>
) {
  const jobs = yield* jobsOf(ids)
  const ofSwitches = marks.flatMap((mark) => {
    const result = resultOf(jobs, mark.device.name)
    const told = () => JSON.stringify(result?.job_tasks.map((task) => [task.task_name, task.failed && task.result]))
    return judge(mark, wantedBy(mark, description), ids, result)
      .map((text) => `${text}: ${told().slice(0, 1_500)}`)
      .filter((text) => !isUnrecognised(world, mark.device.name, text))
      .map((text) => `${mark.device.name} ${text}`)
  })
  const violations = [...ofSwitches, ...(yield* rowProblems(jobs, marks))]
  const results = marks.map(({ device }) => resultOf(jobs, device.name))
  return {
    violations,
    jobs,
    changed: marks.filter((mark) => standingCommits(activityOf(mark), ids) > 0).length,
    failed: results.filter((result) => result?.failed === true).length
  }
})

/** The result of a live sync whose jobs have ended, once the server has settled its part. */
export const ofSync = Effect.fnUntraced(function* (
  world: World,
  marks: ReadonlyArray<Mark>,
  description: string,
  ids: ReadonlyArray<number>
) {
  const until = Date.now() + patienceOf(world)
  let verdict = yield* judged(world, marks, description, ids)
  while (verdict.violations.some(isSettledLater) && Date.now() < until) {
    yield* Effect.sleep("500 millis")
    verdict = yield* judged(world, marks, description, ids)
  }
  return verdict
})

/** The mistakes of syncs of which no device may fail. */
export const ofPlainSync = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  return (yield* jobsOf(ids)).flatMap((job) => [
    ...recordProblems(job),
    ...Object.entries(ManagedCampus.devicesOf(job)).flatMap(([hostname, { failed, job_tasks }]) =>
      failed ? [`${hostname} fails in job ${job.id}: ${JSON.stringify(job_tasks.filter((task) => task.failed))}`] : []
    )
  ])
})

/** The number of each. */
export const counted = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Jobs whose change stands more than once on a switch, over all that it has seen. */
const doubleCommits = (device: LabSwitch): ReadonlyArray<string> => {
  const commits = device.commits().map(({ kind, session }) => `${kind} ${session}`)
  const ids = new Set(device.commits().map(({ session }) => jobOf(session)))
  return [...ids]
    .filter((id) => id !== 0 && standingCommits({ commits }, [id]) > 1)
    .map((id) => `${device.name} double commit of job ${id}`)
}

/** How each job may end: what is asked of a switch while it restarts may fail. */
const endingProblems = (job: Job): ReadonlyArray<string> =>
  /^(init|discover)/.test(job.function_name) ? recordProblems(job, "EXCEPTION") : recordProblems(job)

const jobProblems = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* calmly(sql<{ id: number }>`select id from job order by id`)
  const jobs = yield* jobsOf(rows.map(({ id }) => id))
  const open = jobs.flatMap(({ finish_time, function_name, id, status }) =>
    finish_time === null ? [`lost job ${id} (${function_name}): ${status}`] : []
  )
  return { jobs, problems: [...open, ...jobs.flatMap(endingProblems)] }
})

/** The remains of ended work in the database, in words. */
const debrisInDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ text: string }>`
    select 'address ' || ip || ' is reserved' as text from reserved_ip
    union all select 'device ' || hostname || ' is left' from device where hostname like 'mac-%'
    union all select 'a transaction is open since ' || state_change from pg_stat_activity
      where application_name = 'switchyard' and state like 'idle in transaction%'
      and state_change < now() - interval '10 seconds'
    union all select 'change ' || id || ' of job ' || job_id || ' is unknown' from config_change c
      where phase = 'unknown' and not exists
        (select from config_change later where later.device_id = c.device_id and later.id > c.id)`
  return rows.map(({ text }) => text)
}).pipe(calmly)

/** Each replica knows all of them, and nothing is stuck. */
const complaints = Effect.fnUntraced(function* ({ replicas }: World) {
  const asked = yield* Effect.forEach(replicas, ({ url }) =>
    Effect.tryPromise(async () => {
      const health = await fetch(`${url}/api/health/replicas`)
      const found = await fetch(`${url}/api/v1.0/system/findings`)
      return { status: health.status, text: await health.text(), findings: await found.text() }
    }).pipe(Effect.orElseSucceed((): { status: number; text: string; findings: string } => UNANSWERED))
  )
  return asked.flatMap(({ findings, status, text }, index) => [
    ...(status === 200 && text.match(/"UP"/g)?.length === replicas.length + 1 ? [] : [`replica ${index}: ${text}`]),
    ...(findings.includes('"level":"bad"') ? [`replica ${index} finds: ${findings}`] : [])
  ])
})

const UNANSWERED = { status: 0, text: "no answer", findings: "" }

/** Everything that is wrong with a device whose last sync has gone well. */
const deviceProblems = Effect.fnUntraced(function* ({ site }: World) {
  const rows = yield* calmly(Effect.flatMap(DeviceStore, (devices) => devices.all))
  const named = [...site.switches.map((device) => ({ device, hostname: device.name })), ...site.newcomers]
  return named.flatMap(({ device, hostname }) => {
    const row = rows.find((one) => one.hostname === hostname)
    if (row?.state !== "MANAGED") return [`${hostname} is ${row?.state}`]
    const isHash = row.confhash === configHashOf(stableText)(device.running())
    const isSaved = ManagedCampus.stripped(device.startup()) === ManagedCampus.stripped(device.running())
    return [
      ...(row.synchronized ? [] : [`${hostname} is not synchronized`]),
      ...(isHash ? [] : [`${hostname} does not run what was proved`]),
      ...(isSaved ? [] : [`${hostname} runs what is not saved`])
    ]
  })
})

/** Our sessions, timers and connections on a switch. */
const debrisOn = (device: LabSwitch): ReadonlyArray<string> => [
  ...ManagedCampus.debrisOn(device).map((text) => `${device.name} ${text}`),
  ...(device.connections() === 0 ? [] : [`${device.name} has ${device.connections()} connections`])
]

/** Repeats a reading until it finds nothing, or the server has had its time. */
const onceClean = <E, R>(world: World, read: Effect.Effect<ReadonlyArray<string>, E, R>) =>
  Effect.gen(function* () {
    const until = Date.now() + patienceOf(world)
    let found = yield* read
    while (found.length > 0 && Date.now() < until) {
      yield* Effect.sleep("1 second")
      found = yield* read
    }
    return found
  })

/** The last reading, when no work continues any more and one more sync of all has ended. */
export const atTheEnd = Effect.fnUntraced(function* (world: World) {
  const { lab } = world.site
  const everyone = [...lab.switches.values()]
  const debris = Effect.sync(() => everyone.flatMap(debrisOn))
  const left = yield* onceClean(
    world,
    Effect.map(Effect.all([leftovers, debrisInDatabase, debris, deviceProblems(world), complaints(world)]), (found) =>
      found.flat()
    )
  )
  const { jobs, problems } = yield* jobProblems
  return { jobs, violations: [...problems, ...left, ...everyone.flatMap(doubleCommits)] }
})
