/**
 * The machine of the server lacks something while the server works on a campus: a program with its embedded database, on a small file
 * system of its own if this process may mount one. `faults` strike from outside; `play` checks that no switch is blamed, no database
 * created and no job lost, that health names the lack in a sentence, and that the server continues automatically.
 */
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Fiber, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { execFile, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import { createServer, type Server } from "node:http"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Campus from "../../support/Campus.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import * as Silence from "../../support/Silence.ts"
import { storesOn, TEST_KEY } from "../../support/TestStores.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const COMMIT_MS = 200
/** Room for the database and the copies of the repositories. */
const SIZE = "512m"
const INODES = "20000"
const PATIENCE = seconds(120)
const LOOK = "200 millis"

/** A data folder on a file system of its own; `isOwn` is false where this process may not mount one. */
const makeVolume = Effect.gen(function* () {
  const folder = yield* Program.dataFolder
  const isOwn = yield* Effect.promise(() =>
    isRoot
      ? run("mount", ["-t", "tmpfs", "-o", `size=${SIZE},nr_inodes=${INODES},mode=711`, "tmpfs", folder]).then(
          () => true,
          () => false
        )
      : Promise.resolve(false)
  )
  yield* Effect.addFinalizer(() => (isOwn ? Effect.promise(() => run("umount", ["-l", folder])) : Effect.void))
  return { folder, isOwn }
})

const IMAGE = "an image of a switch"
const SHA1 = createHash("sha1").update(IMAGE).digest("hex")
const IMAGE_HOST = "images.of.switches.example"

/** The port of a server of images. */
const makeImages = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer((_, response) => response.end(IMAGE))
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
).pipe(
  Effect.map((server) => {
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })
)

/** The data that clients of the embedded database need; after a restart it may have another port. */
const databaseOf = (folder: string) =>
  Effect.promise(async () => {
    const home = path.join(folder, "database")
    const [password, pid] = await Promise.all([
      fs.readFile(path.join(home, "postgres-password"), "utf8"),
      fs.readFile(path.join(home, "postgres/postmaster.pid"), "utf8")
    ])
    const [postmaster, , , port] = pid.split("\n")
    return {
      url: `postgres://postgres:${password.trim()}@127.0.0.1:${port?.trim()}/postgres`,
      postmaster: Number(postmaster)
    }
  })

/** Starts the campus and its server, which has brought all switches to what the settings say. */
export const make = Effect.fnUntraced(function* (devices: number) {
  const names = ManagedCampus.accessNames(devices)
  const folders = yield* Campus.makeFolders
  const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS, 100_000)
  const { folder, isOwn } = yield* makeVolume
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    ...TEST_KEY,
    DATA_DIR: folder,
    COMMIT_CONFIRMED_TIMEOUT: timer(300),
    FIRMWARE_ALLOW_LOCAL: "true",
    OUTBOUND_HOSTS: IMAGE_HOST,
    LOG_LEVEL: "Info"
  }
  // the name server that the program has is silent from the beginning; only names that need none are found
  const silent = Silence.canBeSilent ? yield* Silence.makeSilentNames({ seconds: 3, attempts: 1 }) : null
  const images = yield* makeImages
  const begin = Program.start(env, "serve", undefined, silent?.words ?? [])
  let program = yield* begin
  let url = yield* program.url

  /** Runs this with a connection of the tester's own. */
  const asTester = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.gen(function* () {
      const database = yield* databaseOf(folder)
      const client = PgClient.layer({ url: Redacted.make(database.url), maxConnections: 2, applicationName: "tester" })
      return yield* Effect.provide(work, client)
    }).pipe(Effect.scoped)
  const withStores = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { url } = yield* databaseOf(folder)
      const client = PgClient.layer({ url: Redacted.make(url), maxConnections: 2, applicationName: "tester" })
      return yield* Effect.provide(work, yield* Layer.build(storesOn(client, env)))
    }).pipe(Effect.scoped)

  const call = (method: string, route: string, body?: unknown) =>
    Effect.tryPromise(async (signal) => {
      const response = await fetch(`${url}/api${route}`, {
        method,
        signal: AbortSignal.any([signal, AbortSignal.timeout(seconds(20))]),
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "content-type": "application/json", connection: "close" } })
      })
      const text = await response.text()
      return { status: response.status, text }
    })
  /** Asked again until it is taken, as clients do that get no answer or 503. */
  const taken = (method: string, route: string, body: unknown) =>
    Effect.gen(function* () {
      for (;;) {
        const answer = yield* Effect.option(call(method, route, body))
        if (answer._tag === "Some" && answer.value.status < 500) return answer.value
        yield* Effect.sleep(LOOK)
      }
    })
  const start = (route: string, body: unknown) =>
    Effect.map(taken("POST", route, body), ({ text }) => Number(/"job_id":(\d+)/.exec(text)?.[1] ?? Number.NaN))

  const restart = Effect.gen(function* () {
    program = yield* begin
    url = yield* program.url
  })

  for (const name of ["templates", "settings"]) {
    yield* taken("PUT", `/v1.0/repository/${name}`, { action: "refresh" })
  }
  const rows = yield* withStores(ManagedCampus.seedManaged(names))
  return {
    folder,
    isOwn,
    knows: silent?.knows,
    images,
    folders,
    env,
    names,
    rows,
    switches: yield* ManagedCampus.switchesOf(lab, names),
    program: () => program,
    asTester,
    withStores,
    call,
    taken,
    start,
    restart,
    postmaster: Effect.map(databaseOf(folder), ({ postmaster }) => postmaster)
  }
})

export type Scene = Effect.Success<ReturnType<typeof make>>

/** A fault of the server's machine, from its strike to its mending. */
export interface OwnFault {
  readonly name: string
  /** The sentence of health; null if the work just continues. */
  readonly says: RegExp | null
  /** Only some work needs what is lacking, so the server stays ready. */
  readonly staysReady?: true
  /** Whether it can be made on this machine. */
  readonly isPossible: (scene: Scene) => boolean
  /** Yields how it is mended. */
  readonly strike: (scene: Scene) => Effect.Effect<Effect.Effect<void>, unknown, Scope.Scope>
}

const always = () => true
/** Whether limits of processes may be changed here. */
const mayLimit = () => {
  const own = ["--pid", String(process.pid)]
  const read = spawnSync("prlimit", [...own, "--nofile", "--output", "SOFT", "--noheadings", "--raw"])
  return read.status === 0 && spawnSync("prlimit", [...own, `--nofile=${String(read.stdout).trim()}:`]).status === 0
}
const onOwnVolume = ({ isOwn }: Scene) => isOwn
const sh = (command: string, ...words: ReadonlyArray<string>) => Effect.promise(() => run(command, [...words]))

const openFilesOf = (pid: number) => Effect.promise(async () => (await fs.readdir(`/proc/${pid}/fd`)).length)

/** The soft limit of a process; the hard one stays, so that it can be taken back. */
const limited = Effect.fnUntraced(function* (pid: number, name: string, most: number) {
  // as the user of the process: not every root may change the limits of others
  const owner = yield* Effect.promise(() => fs.stat(`/proc/${pid}`))
  const prlimit = (...words: ReadonlyArray<string>) =>
    run("prlimit", ["--pid", String(pid), ...words], isRoot ? { uid: owner.uid, gid: owner.gid } : {})
  const { stdout } = yield* Effect.promise(() => prlimit(`--${name}`, "--output", "SOFT", "--noheadings", "--raw"))
  const before = stdout.trim()
  yield* Effect.promise(() => prlimit(`--${name}=${most}:`))
  // one that has ended is seen by what it does not do any more
  return Effect.ignore(Effect.tryPromise(() => prlimit(`--${name}=${before}:`)))
})

/** Files that take all bytes, or all inodes. */
const filled = (folder: string, what: "bytes" | "inodes") =>
  Effect.promise(async () => {
    const full = path.join(folder, "full")
    await fs.mkdir(full)
    if (what === "bytes") {
      const file = await fs.open(path.join(full, "bytes"), "a")
      for (let size = 1 << 20; size >= 512;) {
        const { bytesWritten } = await file.write(Buffer.alloc(size)).catch(() => ({ bytesWritten: 0 }))
        if (bytesWritten < size) size >>= 1
      }
      await file.close()
    } else {
      for (let index = 0; ; index++) {
        const made = await fs.writeFile(path.join(full, String(index)), "").then(
          () => true,
          () => false
        )
        if (!made) break
      }
    }
    return Effect.promise(() => fs.rm(full, { recursive: true, force: true }))
  })

/** The folder is read-only for the program; root may write where rights forbid it, so for root it is its file system that is. */
const withoutWriting = (folder: string, pid: number) =>
  Effect.promise(async () => {
    const inside = (...words: ReadonlyArray<string>) => run("nsenter", ["--mount", `--target=${pid}`, ...words])
    const isMounted = isRoot && (await inside("mount", "--bind", folder, folder).then(always, () => false))
    if (isMounted) {
      await inside("mount", "-o", "remount,bind,ro", folder)
      return Effect.promise(() => inside("umount", "-l", folder))
    }
    const below = (await fs.readdir(folder)).map((name) => path.join(folder, name))
    const given = async (mode: number) => void (await Promise.all([folder, ...below].map((at) => fs.chmod(at, mode))))
    await given(0o500)
    return Effect.promise(() => given(0o700))
  })

const signalled = (pid: number, signal: NodeJS.Signals) => Effect.ignore(Effect.try(() => process.kill(pid, signal)))

/** Ends the connections of the server, so that it needs new ones. */
const cutConnections = ({ asTester }: Scene) =>
  Effect.ignore(
    asTester(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'switchyard%'`
      )
    )
  )

/** Health's words about an unusable database. */
const AWAY = /database does not answer|takes no new connection, or no write|no answer within/

export const faults: ReadonlyArray<OwnFault> = [
  {
    name: "no name server answers",
    says: /no name server answers \(EAI_AGAIN\)/,
    staysReady: true,
    isPossible: ({ knows }) => knows !== undefined,
    strike: ({ images, knows, start }) =>
      Effect.gen(function* () {
        const url = `http://${IMAGE_HOST}:${images}/EOS-${Date.now()}.swi`
        yield* start("/v1.0/firmware", { url, sha1: SHA1, verify_tls: false })
        return knows?.([IMAGE_HOST]) ?? Effect.void
      })
  },
  {
    name: "the server has no descriptors left",
    says: /as many files and connections open as it may \(EMFILE\)/,
    isPossible: mayLimit,
    strike: ({ program }) =>
      Effect.gen(function* () {
        const { pid } = program()
        return yield* limited(pid, "nofile", (yield* openFilesOf(pid)) - 4)
      })
  },
  {
    name: "the server may not write the copies of its repositories",
    says: /file system is read-only \(EROFS\)|may not \(EACCES\)/,
    isPossible: always,
    strike: ({ folder, program }) => withoutWriting(path.join(folder, "repositories"), program().pid)
  },
  {
    name: "the disk of the server is full",
    says: /disk is full|disk of the database is full|database does not answer|takes no new connection/,
    isPossible: onOwnVolume,
    strike: ({ folder }) => filled(folder, "bytes")
  },
  {
    name: "the disk of the server has no inodes left",
    says: /no inodes left|database does not answer|takes no new connection/,
    isPossible: onOwnVolume,
    strike: ({ folder }) => filled(folder, "inodes")
  },
  {
    name: "the database gets no memory for new connections",
    says: AWAY,
    isPossible: mayLimit,
    strike: (scene) =>
      Effect.gen(function* () {
        const mend = yield* limited(yield* scene.postmaster, "as", 1 << 20)
        yield* cutConnections(scene)
        return mend
      })
  },
  {
    name: "the database stands still",
    says: AWAY,
    isPossible: always,
    strike: ({ postmaster }) =>
      Effect.gen(function* () {
        const pid = yield* postmaster
        const { stdout } = yield* sh("ps", "--ppid", String(pid), "-o", "pid=")
        const all = [pid, ...stdout.trim().split(/\s+/).map(Number)]
        yield* Effect.forEach(all, (one) => signalled(one, "SIGSTOP"))
        return Effect.asVoid(Effect.forEach(all, (one) => signalled(one, "SIGCONT")))
      })
  },
  {
    name: "a forgotten session holds a lock on our tables",
    says: /lock|holds/i,
    isPossible: always,
    strike: ({ asTester }) =>
      Effect.gen(function* () {
        let isOver = false
        const held = yield* Deferred.make<void>()
        const hold = Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`lock table device, job in access exclusive mode`
              yield* Deferred.succeed(held, undefined)
              yield* Effect.repeat(Effect.sleep("100 millis"), { until: () => isOver })
            })
          )
        )
        // a transaction of the server may hold one of the tables and wait for the other: then one of both is ended
        yield* Effect.forkScoped(Effect.ignore(Effect.retry(asTester(hold), { while: () => !isOver })))
        yield* Deferred.await(held)
        return Effect.sync(() => void (isOver = true))
      })
  },
  {
    name: "the shared memory of the database is removed",
    says: null,
    isPossible: () => process.platform === "linux",
    strike: (scene) =>
      Effect.gen(function* () {
        const pid = yield* scene.postmaster
        const maps = yield* Effect.promise(() => fs.readFile(`/proc/${pid}/maps`, "utf8"))
        const segments = new Set(
          [...maps.matchAll(/ (\/dev\/shm\/PostgreSQL\.\d+|\S+pg_dynshmem\/\S+)/g)].map(([, at]) => at)
        )
        yield* Effect.forEach(segments, (file) => Effect.promise(() => fs.rm(file ?? "", { force: true })))
        yield* cutConnections(scene)
        return Effect.void
      })
  }
]

/** Two jobs, one that is under way when the fault begins and one that is asked for while it lasts. */
const work = ({ names, start }: Scene) => ({
  sync: start("/v1.0/device_syncto", { hostnames: names, dry_run: false, resync: true, confirm_mode: 1 }),
  look: start("/v1.0/device_drift", { hostnames: names })
})

const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

/** Until the condition holds; false when it does not in time. */
const inTime = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    while (!(yield* Effect.orElseSucceed(condition, () => false))) yield* Effect.sleep(LOOK)
    return true
  }).pipe(Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(false) }))

interface Row {
  readonly what: string
}

/** Forbidden results: blame of devices, failed jobs, and other databases. */
export const blame = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`
    select 'device ' || device_id || ' is noted as unreachable' as what from device_unreachable
    union all select 'event: ' || hostname || ' ' || action from event where kind = 'reachability'
    union all select 'cause: ' || hostname || ' ' || cause from sync_event
      where cause in ('drift', 'confighash', 'commit_confirm_failed', 'wrong_device')
    union all select 'job ' || id || ' ended ' || status || ': ' || coalesce(exception ->> 'message', '') from job
      where status in ('EXCEPTION', 'ABORTED')
    union all select 'job ' || job_id || ' failed on ' || hostname from job_device where failed`
  return rows.map(({ what }) => what)
})

const clusterId = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ id: string }>`select system_identifier::text as id from pg_control_system()`,
    ([row]) => row?.id ?? ""
  )
)

/** Folders with a cluster of PostgreSQL below the data folder. */
export const clusters = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const found = await fs.readdir(folder, { recursive: true }).catch(() => [])
    return found.filter((name) => path.basename(name) === "PG_VERSION" && !name.includes("/base/"))
  })

/** The result of one fault; `violations` are broken promises. */
export interface Outcome {
  readonly fault: string
  readonly violations: ReadonlyArray<string>
  readonly said: string
}

/** Strikes, lets the server work, mends and judges. */
export const play = Effect.fnUntraced(function* (scene: Scene, fault: OwnFault, lastsMs: number) {
  const { asTester, call, folder, folders, rows, withStores } = scene
  const description = `${fault.name} ${Date.now()}`.slice(0, 60)
  const violations: Array<string> = []
  const before = { id: yield* asTester(clusterId), clusters: yield* clusters(folder) }
  yield* withStores(ManagedCampus.wantChange(rows, description))
  yield* folders.settings.commit({ "notes.txt": description }, description)
  const jobs = work(scene)
  const first = yield* jobs.sync
  const mend = yield* fault.strike(scene)
  const later = yield* Effect.forkScoped(
    Effect.gen(function* () {
      const look = yield* jobs.look
      // each request is a job, so it is not sent again
      yield* Effect.ignore(call("PUT", "/v1.0/repository/settings", { action: "refresh" }))
      return look
    })
  )
  let said = ""
  const hears = Effect.map(call("GET", "/health/ready"), ({ status, text }) => {
    if (fault.says?.test(text) !== true) return false
    said = text
    if (fault.staysReady === true && status !== 200) violations.push(`the server is not ready: ${text}`)
    return true
  })
  if (fault.says !== null && !(yield* inTime(hears))) {
    const { text } = yield* Effect.orElseSucceed(call("GET", "/health/ready"), () => ({ text: "no answer" }))
    violations.push(`health never said ${fault.says}: ${text}`)
  }
  yield* Effect.sleep(lastsMs)
  yield* mend
  const isUp = Effect.map(call("GET", "/health/ready"), ({ status }) => status === 200)
  if (!(yield* inTime(isUp))) violations.push("the server did not go on by itself")
  const answered = yield* Effect.timeoutOption(Fiber.join(later), PATIENCE)
  if (answered._tag === "None") violations.push("requests that were asked again were never taken")
  const ended = asTester(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.map(
        sql<{
          open: number
        }>`select count(*)::integer as open from job where status not in ${sql.in(ENDED)} and start_time is not null`,
        ([row]) => row?.open === 0
      )
    )
  )
  if (!(yield* inTime(ended))) violations.push(`a job did not end: ${first}`)
  violations.push(...(yield* asTester(blame)))
  if ((yield* asTester(clusterId)) !== before.id) violations.push("it is another database")
  if ((yield* clusters(folder)).length !== before.clusters.length) violations.push("a database was made")
  return { fault: fault.name, violations, said } satisfies Outcome
})
