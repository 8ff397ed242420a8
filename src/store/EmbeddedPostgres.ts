/**
 * A real PostgreSQL that the server itself starts if DATABASE_URL is not set (docs/decisions/0020-the-embedded-database-is-judged-by.md). The
 * data folder holds the data, a generated password, a log and the lock of the server that keeps the database. PostgreSQL is started again
 * whenever it ends, for any reason. One that remains after a killed server is adopted once it has proved to be ours. A second server on the
 * folder refuses to start, unless both work together (CLUSTER_HOST): then it uses the database, and keeps it once the first server has
 * ended.
 */
import { PgConnection } from "@effect/sql-pg"
import { Cause, Effect, Fiber, Redacted, Schedule, type Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Postmaster from "./postgres/Postmaster.ts"
import { at, isOurs, provesItself, readPidFile } from "./postgres/Postmaster.ts"
import { reasonOf } from "../runtime/SystemErrors.ts"
import * as PostgresProcess from "./postgres/PostgresProcess.ts"
import { follow, sizeOf } from "./postgres/PostgresProcess.ts"
import * as PostgresWatch from "./postgres/PostgresWatch.ts"
import {
  createCluster,
  EmbeddedPostgresError,
  exists,
  homeFor,
  locateBinaries,
  ownedFolder
} from "./postgres/PostgresPrograms.ts"
import { atLast } from "../runtime/Shutdown.ts"
import { embeddedRestarts, embeddedUp } from "../runtime/metrics/Metrics.ts"

export { EmbeddedPostgresError } from "./postgres/PostgresPrograms.ts"

/** The address of the running server. `adopted` is true if an earlier process started it. */
export interface RunningPostgres {
  /** Its current port; a restart changes it if another process has taken the first port. */
  readonly port: () => number
  readonly password: Redacted.Redacted
  readonly adopted: boolean
}

interface EmbeddedPostgresOptions {
  readonly dataDir: string
  /** Further options of PostgreSQL. */
  readonly flags?: ReadonlyArray<string>
  /** Whether other servers on this machine may use the same folder. */
  readonly shared?: boolean
  /** Whether a database may be created if none exists. */
  readonly mayMake?: boolean
}

interface Folder {
  readonly home: string
  readonly data: string
  readonly passwordFile: string
  readonly logFile: string
}

/** The state of this process: the server that it uses, and the folder's lock while it keeps the database. */
interface State {
  server: PostgresProcess.Server | null
  lock: Postmaster.Lock | null
}

const readPassword = ({ passwordFile }: Folder) => {
  const refuse = (why: string, cause?: unknown) =>
    new EmbeddedPostgresError({
      message: `${passwordFile}, which holds the password of the embedded database, ${why}: put it back. The database was not changed`,
      cause
    })
  return Effect.tryPromise(() => fs.readFile(passwordFile, "utf8")).pipe(
    Effect.mapError(({ cause }) => refuse(`cannot be read (${reasonOf(cause)})`, cause)),
    Effect.flatMap((text) => (text.trim() === "" ? refuse("is empty") : Effect.succeed(Redacted.make(text.trim()))))
  )
}

const prepare = Effect.fnUntraced(function* (folder: Folder, flags: ReadonlyArray<string>, mayMake: boolean) {
  const programs = yield* locateBinaries(folder.home)
  if (!(yield* exists(path.join(folder.data, "PG_VERSION")))) {
    if (!mayMake) return yield* new EmbeddedPostgresError({ message: `There is no database in ${folder.home}` })
    yield* createCluster(programs.initdb, folder.data, folder.passwordFile)
  }
  return { ...folder, program: programs.postgres, password: yield* readPassword(folder), flags }
})

/** Passing errors: a killed server's children release its memory late, and another process may take a port between its choice and its use. */
const PASSES = /still in use|already in use|lock file/
const PORT_TAKEN = /could not bind|Address already in use/

/** Finds the server or starts it, on its previous port if that is free. */
const findOrStart = Effect.fnUntraced(function* (place: PostgresProcess.Place, state: State) {
  let wanted = state.server?.port ?? null
  const found = yield* PostgresProcess.find(place, (server, refusedForMs) =>
    PostgresWatch.stopIfStuck(server, place, refusedForMs)
  )
  if (found !== null) return (state.server = found)
  const started = (server: PostgresProcess.Server) => void (state.server = server)
  return yield* Effect.suspend(() => PostgresProcess.start(place, wanted, started)).pipe(
    Effect.tapError(({ message }) => Effect.sync(() => (PORT_TAKEN.test(message) ? (wanted = null) : wanted))),
    Effect.retry({ while: ({ message }) => PASSES.test(message), times: 120, schedule: Schedule.spaced("250 millis") })
  )
})

const untilItWorks = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("5 seconds")])

/** Starts the server again whenever it has ended. */
const keepRunning = Effect.fnUntraced(function* (place: PostgresProcess.Place, state: State) {
  for (;;) {
    const { server } = state
    if (server !== null && !(yield* PostgresProcess.hasEnded(server, place.data))) {
      yield* Effect.sleep("200 millis")
      yield* PostgresProcess.hurry(server, place.data)
      continue
    }
    embeddedUp.set(0)
    const end = server === null ? {} : { end: PostgresProcess.describeEnd(server) }
    yield* Effect.logError("The embedded database has ended: it is started again", end)
    const { port } = yield* findOrStart(place, state).pipe(
      Effect.tapError(({ message }) => Effect.logError(`The embedded database does not start: ${message}`)),
      Effect.retry(untilItWorks)
    )
    embeddedUp.set(1)
    embeddedRestarts.add(1)
    yield* Effect.logInfo("The embedded database runs again", { port })
  }
})

/** Repeats the work after every failure until this process ends. */
const forEver = <E>(work: Effect.Effect<void, E>): Effect.Effect<void> =>
  work.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.interrupt
        : Effect.logError("The embedded database is not looked after for a second", cause)
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.asVoid
  )

const supervise = (place: PostgresProcess.Place, state: State, logFrom: number) =>
  Effect.all(
    [
      forEver(keepRunning(place, state)),
      forEver(PostgresWatch.watch(place, () => state.server)),
      forEver(follow(place.logFile, logFrom))
    ],
    { concurrency: 3, discard: true }
  )

/** The server that another process keeps; null while it does not run or refuses our login. */
const kept = Effect.fnUntraced(function* (folder: Folder) {
  const file = yield* readPidFile(folder.data)
  if (file === null || !file.isReady || !(yield* isOurs(file.pid, folder.data))) return null
  const proved = yield* Effect.match(
    Effect.flatMap(readPassword(folder), (password) => provesItself(file.port, password, folder.data)),
    { onSuccess: (proved) => proved, onFailure: () => false }
  )
  return proved ? { ...file, child: null } : null
})

/** Uses the server that another process keeps, on any port, and keeps it once that process has ended. */
const useUntilFree = Effect.fnUntraced(function* (folder: Folder, state: State) {
  while (state.lock === null) {
    yield* Effect.sleep("1 second")
    state.lock = yield* Postmaster.take(folder.home)
    const file = yield* readPidFile(folder.data)
    if (state.lock === null && file !== null && file.pid !== state.server?.pid) {
      state.server = (yield* kept(folder)) ?? state.server
    }
  }
  yield* Effect.logInfo("This server keeps the embedded database from now on")
})

const useThenKeep = Effect.fnUntraced(function* (folder: Folder, state: State, flags: ReadonlyArray<string>) {
  yield* useUntilFree(folder, state)
  const logFrom = yield* sizeOf(folder.logFile)
  yield* supervise(yield* prepare(folder, flags, false), state, logFrom)
})

/** Whether other servers are connected. Our own closed connections take a moment to disappear. */
const othersUse = Effect.fnUntraced(
  function* (port: number, password: Redacted.Redacted) {
    const connection = yield* PgConnection.make(at(port, password))
    const clients = connection.query(
      "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
    )
    for (let look = 0; look < 10; look++) {
      if ((yield* clients).rows.length === 0) return false
      yield* Effect.sleep("100 millis")
    }
    return true
  },
  Effect.scoped,
  Effect.timeout("5 seconds"),
  Effect.orElseSucceed(() => false)
)

const GUEST_WAIT = { times: 300, schedule: Schedule.spaced("200 millis") }

/** Waits up to a minute for the server of the process that keeps the folder. */
const join = Effect.fnUntraced(function* (folder: Folder, asked: string) {
  const found = Effect.flatMap(kept(folder), (server) =>
    server === null ? Postmaster.refuse(folder.home, asked) : Effect.succeed(server)
  )
  return yield* Effect.retry(found, GUEST_WAIT)
})

/** Stops the server if this process keeps it, unless other servers use it and will keep it. */
const leave = Effect.fnUntraced(function* (folder: Folder, state: State, shared: boolean) {
  const { lock, server } = state
  if (lock === null) return
  if (server !== null) {
    const isUsed = shared && (yield* Effect.orElseSucceed(inUse(folder, server.port), () => false))
    if (!isUsed) yield* PostgresProcess.stop(server, folder.data)
  }
  lock.release()
})

const inUse = (folder: Folder, port: number) =>
  Effect.flatMap(readPassword(folder), (password) => othersUse(port, password))

/**
 * The PostgreSQL on `dataDir`: adopted or started, kept running, and stopped when the scope closes. This also holds for an adopted
 * one, because this process owns it now.
 */
export const make = Effect.fn("EmbeddedPostgres.make")(function* ({
  dataDir,
  flags = [],
  shared = false,
  mayMake = true
}: EmbeddedPostgresOptions): Effect.fn.Return<RunningPostgres, EmbeddedPostgresError, Scope.Scope> {
  const { holds, home } = yield* homeFor(dataDir)
  if (holds !== "database" && !mayMake)
    return yield* new EmbeddedPostgresError({ message: `There is no database in ${home}` })
  if (home !== path.resolve(dataDir))
    yield* Effect.logInfo(`The embedded database keeps its data in ${home}: PostgreSQL cannot reach ${dataDir}`)
  const folder = {
    home,
    data: path.join(home, "postgres"),
    passwordFile: path.join(home, "postgres-password"),
    logFile: path.join(home, "postgres.log")
  }
  yield* ownedFolder(home, folder.data)
  let held: State | null = null
  // a server that others use, or that this process does not keep, continues to run
  yield* atLast(() => {
    if (held !== null && held.lock !== null && held.server !== null && !shared) process.kill(held.server.pid, "SIGQUIT")
  })
  const state = yield* Effect.acquireRelease(
    Effect.map(Postmaster.take(home), (lock): State => (held = { server: null, lock })),
    (held) => leave(folder, held, shared)
  )
  if (state.lock === null && !shared) return yield* Postmaster.refuse(home, dataDir)
  const work =
    state.lock === null
      ? yield* beginAsGuest(folder, state, flags, dataDir)
      : yield* beginAsOwner(folder, state, flags, mayMake)
  embeddedUp.set(1)
  // interrupted before the server is stopped: the stop must not count as an unexpected end
  yield* Effect.acquireRelease(Effect.forkDetach(work), Fiber.interrupt)
  return {
    port: () => state.server?.port ?? 0,
    password: yield* readPassword(folder),
    adopted: state.server !== null && state.server.child === null
  }
})

const beginAsOwner = Effect.fnUntraced(function* (
  folder: Folder,
  state: State,
  flags: ReadonlyArray<string>,
  mayMake: boolean
) {
  const place = yield* prepare(folder, flags, mayMake)
  yield* findOrStart(place, state)
  // messages of its start are no faults
  return supervise(place, state, yield* sizeOf(folder.logFile))
})

const beginAsGuest = Effect.fnUntraced(function* (
  folder: Folder,
  state: State,
  flags: ReadonlyArray<string>,
  asked: string
) {
  state.server = yield* join(folder, asked)
  return forEver(useThenKeep(folder, state, flags))
})
