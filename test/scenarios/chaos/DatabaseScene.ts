/**
 * A campus whose server is a process of its own on a PostgreSQL of its own. One round starts a live sync or a refresh together with other
 * jobs, strikes the database while they run, and continues to request jobs meanwhile. When the database returns, all accepted work must
 * come to a true end automatically: the server is never started again (promises 3 to 5 and 8).
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import { JobStore } from "../../../src/store/JobStore.ts"
import * as Campus from "../../support/Campus.ts"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import * as ServerProcess from "../../support/ServerProcess.ts"
import { clientBackends, type DatabaseFault, possible } from "./DatabaseFaults.ts"
import { calmly, leftovers, openJobs, recordProblems, untilAllEnded, untilNothingIsLeft } from "./JobEndings.ts"
import * as ManagedCampus from "./ManagedCampus.ts"
import { judge, type Mark, markOf, rowProblems, wantedBy } from "./SyncVerdict.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { storesOn } from "../../support/TestStores.ts"

/** Synchronized switches, and others for the additional jobs. */
const SYNCED = 6
const OTHERS = 3
const COMMIT_MS = 60
const HISTORY = 100_000
/** Work that has not ended so long after the return of the database is lost. */
const PATIENCE = seconds(150)
/** A request that is not answered after this time hangs. */
const ANSWER = seconds(100)
/** Pause between two requests of the client that starts jobs. */
const ASK_EVERY = "150 millis"
/** How long jobs are asked for after the database is back. */
const AFTERWARDS = "500 millis"

/** The work while the database is struck. The number is the confirm mode of a live sync. */
export type Work = 0 | 1 | 2 | "refresh"

export interface Round {
  readonly work: Work
  readonly fault: DatabaseFault
  /** Milliseconds from the start of the work to the fault. */
  readonly afterMs: number
  /** Milliseconds from the start of the work to the wish to abort it. */
  readonly abortMs?: number
}

export interface RoundOutcome {
  readonly name: string
  readonly violations: ReadonlyArray<string>
  /** Jobs that were accepted, and requests that were refused. */
  readonly accepted: number
  readonly refused: number
  /** Switches whose record says that they have not changed. */
  readonly failed: number
  /** From the end of the fault to the end of the last job. */
  readonly recoveryMs: number
}

/** The additional requests of a round. */
interface Asked {
  readonly accepted: Array<number>
  refused: number
  unanswered: number
  isOver: boolean
}

/** Devices of which the job has said the same thing twice. */
const repeated = Effect.fnUntraced(function* (jobId: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ hostname: string }>`select hostname from sync_event where job_id = ${jobId}
    group by hostname, cause having count(*) > 1`
  return rows.map(({ hostname }) => hostname)
}, calmly)

const ABORTED = "the job is ABORTED"

/** The campus with its server and its database, all switches synchronized. */
export const make = Effect.fnUntraced(function* (
  random: () => number,
  given?: PostgresProcess.PostgresProcess,
  size = SYNCED
) {
  const names = ManagedCampus.accessNames(size + OTHERS)
  const synced = names.slice(0, size)
  const others = names.slice(size)
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS, HISTORY)
  const switches = yield* ManagedCampus.switchesOf(lab, synced)
  const postgres = given ?? (yield* PostgresProcess.make)
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: timer(10),
    LOG_LEVEL: "Info",
    DATABASE_URL: postgres.silentUrl
  }
  const server = yield* ServerProcess.launch(env)
  const client = PgClient.layer({ url: Redacted.make(postgres.url), maxConnections: 4, applicationName: "tester" })
  const stores = yield* Layer.build(storesOn(client, env))
  yield* server.refresh("templates")
  yield* server.refresh("settings")
  const devices = yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
  const args = { hostnames: synced, dry_run: false }
  yield* Effect.provide(
    Effect.flatMap(server.start("sync_devices", { ...args, hostnames: names }), ServerProcess.untilEnded),
    stores
  )
  let count = 0

  const victim = { postgres, random, backends: Effect.provide(calmly(clientBackends), stores) }

  const refreshes = Effect.fnUntraced(function* (name: string) {
    const file = "global/vxlans.yml"
    yield* folders.settings.commit({ [`global/${name}.md`]: `${file} is as before\n` })
    return yield* server.tryStart("refresh_repo", null, { repository: "settings" })
  })

  /** Requests one job after the other until the round has ended. */
  const ask = Effect.fnUntraced(function* (round: Asked) {
    for (let turn = 0; !round.isOver; turn += 1) {
      const hostname = others[turn % others.length] ?? ""
      const order =
        turn % 2 === 0
          ? server.tryStart("update_facts", { hostname })
          : server.tryStart("sync_devices", { hostnames: [hostname], dry_run: true, resync: true })
      const answer = yield* Effect.result(Effect.timeout(order, ANSWER))
      if (Result.isSuccess(answer)) round.accepted.push(answer.success)
      else if (answer.failure._tag === "CommandRefused") round.refused += 1
      else round.unanswered += 1
      yield* Effect.sleep(ASK_EVERY)
    }
  })

  const begin = (work: Work, description: string) =>
    work === "refresh"
      ? refreshes(description.replace(" ", "-"))
      : server.tryStart("sync_devices", { ...args, confirm_mode_override: work })

  /** The records of what was accepted; a number without a row is a lost job. */
  const recordsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
    const jobs = yield* JobStore
    const find = (id: number) =>
      calmly(Effect.catchTag(Effect.asSome(jobs.get(id)), "JobNotFound", () => Effect.succeed(Option.none<Job>())))
    return yield* Effect.forEach(ids, (id) => Effect.map(find(id), (record) => [id, record] as const))
  })

  const judged = Effect.fnUntraced(function* (
    work: Work,
    id: number,
    marks: ReadonlyArray<Mark>,
    description: string,
    mayAbort: boolean
  ) {
    const job = yield* calmly(Effect.flatMap(Effect.service(JobStore), (jobs) => jobs.get(id)))
    const endingProblems = (one: Job) => (mayAbort ? recordProblems(one, "ABORTED") : recordProblems(one))
    if (work === "refresh") return { failed: 0, violations: endingProblems(job) }
    const results = ManagedCampus.devicesOf(job)
    const isUntouched = ({ device, running }: Mark) =>
      job.status === "ABORTED" && results[device.name] === undefined && device.running() === running
    const ofSwitches = marks.flatMap((mark) =>
      // a job that was aborted before it was due has no record of its devices
      isUntouched(mark)
        ? []
        : judge(mark, wantedBy(mark, description), [id], results[mark.device.name]).map(
            (text) =>
              `${mark.device.name} ${text}: ${JSON.stringify(results[mark.device.name]?.job_tasks.map(({ result, task_name }) => [task_name, task_name === "Generate device config" ? "" : result]))}`
          )
    )
    const failed = Object.values(results).filter((result) => result.failed).length
    const ofRows = (yield* calmly(rowProblems(job, marks))).filter((text) => !mayAbort || !text.startsWith(ABORTED))
    const twice = (yield* repeated(id)).map((hostname) => `${hostname}: its event was written twice`)
    return { failed, violations: [...ofSwitches, ...ofRows, ...twice, ...endingProblems(job)] }
  })

  const abort = (id: number, afterMs: number | undefined) =>
    afterMs === undefined
      ? Effect.void
      : Effect.delay(Effect.ignore(Effect.timeout(server.tryAbort(id), ANSWER)), afterMs)

  const run = Effect.fnUntraced(function* ({ abortMs, afterMs, fault, work }: Round) {
    count += 1
    const description = `round ${count}`
    const of = work === "refresh" ? "a refresh" : `a sync in mode ${work}`
    const told = abortMs === undefined ? "" : ` that is aborted after ${abortMs} ms`
    const name = `${description}, ${fault.name} ${afterMs} ms after the start of ${of}${told}`
    yield* calmly(ManagedCampus.wantChange(devices.slice(0, size), description))
    const marks = switches.map((device) => markOf(device))
    const asked: Asked = { accepted: [], refused: 0, unanswered: 0, isOver: false }
    const id = yield* Effect.orDie(begin(work, description))
    const asking = yield* Effect.forkChild(ask(asked))
    const aborting = yield* Effect.forkChild(abort(id, abortMs))
    yield* Effect.sleep(afterMs)
    yield* fault.strike(victim)
    const since = Date.now()
    yield* Effect.sleep(AFTERWARDS)
    asked.isOver = true
    yield* Fiber.join(asking)
    yield* Fiber.join(aborting)
    yield* Effect.timeoutOption(untilAllEnded, PATIENCE)
    const recoveryMs = Date.now() - since
    const lost = (yield* openJobs).map((job) => `lost job ${job.id} (${job.function_name}): ${job.status}`)
    if (lost.length === 0) yield* Effect.timeoutOption(untilNothingIsLeft, PATIENCE)
    const records = yield* recordsOf(asked.accepted)
    const { failed, violations } =
      lost.length > 0
        ? { failed: 0, violations: [] }
        : yield* judged(work, id, marks, description, abortMs !== undefined)
    const outcome: RoundOutcome = {
      name,
      violations: [
        ...lost,
        ...(asked.unanswered > 0 ? [`${asked.unanswered} requests were never answered`] : []),
        ...records.flatMap(([number, record]) =>
          Option.match(record, {
            onNone: () => [`lost job ${number}: it has no row`],
            onSome: (job) => recordProblems(job)
          })
        ),
        ...violations,
        ...(yield* leftovers)
      ],
      accepted: asked.accepted.length + 1,
      refused: asked.refused,
      failed,
      recoveryMs
    }
    return outcome
  })

  return {
    faults: possible(postgres),
    run: (round: Round) => Effect.provide(run(round), stores),
    log: server.log
  }
})
