/** One running PostgreSQL: it is found on the data folder or started there, observed, and stopped. */
import { Clock, Effect, Option, type Redacted, Schedule } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as net from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"
import { isOurs, isTaken, pidFileOf, provesItself, readPidFile } from "./Postmaster.ts"
import { attempt, EmbeddedPostgresError, startOptions } from "./PostgresPrograms.ts"

// Messages of PostgreSQL in our log. PostgreSQL writes to a file, so messages of a server whose parent was killed are not lost. The
// file is read as it grows, and kept short. Statements and details are omitted, because they could hold configurations or secrets.

/** Options with which PostgreSQL writes lines that `parseLine` understands. */
const LOG_FLAGS = [
  "log_line_prefix=%m [%p] %e ",
  "log_error_verbosity=terse",
  "log_min_error_statement=panic",
  "log_checkpoints=off"
].flatMap((setting) => ["-c", setting])

/** A file of this size is emptied after it was read. */
const MAX_BYTES = 8 * 1024 * 1024
const INTERVAL = "500 millis"

export type Level = "Error" | "Warn" | "Debug"

/** A message with its level in our log. */
interface Report {
  readonly level: Level
  readonly severity: string
  readonly sqlState: string
  readonly message: string
}

const LINE = /^\S+ \S+ \S+ \[\d+\] ([0-9A-Z]{5}) ([A-Z]+\d?):\s+(.*)$/

/** States that callers handle: wrong values, violated constraints, colliding transactions, cancelled statements. */
const HANDLED = /^(22|23|40|57014)/

/** Messages of level LOG that report a fault. */
const FAULTS = [
  /was terminated by signal/,
  /exited with exit code [1-9]/,
  /^all server processes terminated/,
  /^terminating any other active server processes/,
  /^database system was (not properly shut down|interrupted)/,
  /^could not /,
  /^out of memory/
]

const levelOf = (severity: string, sqlState: string, message: string): Level => {
  if (severity === "PANIC") return "Error"
  if (severity === "FATAL" || severity === "WARNING") return "Warn"
  if (severity === "ERROR") return HANDLED.test(sqlState) ? "Debug" : "Warn"
  return severity === "LOG" && FAULTS.some((pattern) => pattern.test(message)) ? "Warn" : "Debug"
}

/** A line of PostgreSQL's log; `None` if it continues the previous line. */
export const parseLine = (line: string): Option.Option<Report> => {
  const [, sqlState, severity, message] = LINE.exec(line) ?? []
  if (sqlState === undefined || severity === undefined || message === undefined) return Option.none()
  return Option.some({ level: levelOf(severity, sqlState, message), severity, sqlState, message })
}

/** The messages in the text with their numbers, in the order of their first occurrence. */
export const summarize = (text: string): ReadonlyArray<Report & { readonly times: number }> => {
  const counted = new Map<string, Report & { readonly times: number }>()
  for (const line of text.split("\n")) {
    const report = Option.getOrUndefined(parseLine(line))
    if (report === undefined) continue
    const key = `${report.severity} ${report.message}`
    counted.set(key, { ...report, times: (counted.get(key)?.times ?? 0) + 1 })
  }
  return [...counted.values()]
}

const LOGGERS = { Error: Effect.logError, Warn: Effect.logWarning, Debug: Effect.logDebug } as const

const tell = ({ level, message, severity, sqlState, times }: Report & { readonly times: number }) =>
  LOGGERS[level](`PostgreSQL: ${severity}: ${message}`, {
    ...(sqlState === "00000" ? {} : { sqlstate: sqlState }),
    ...(times > 1 ? { times } : {})
  })

/** The text after `from`, up to the end of its last line. */
const readSince = (file: string, from: number) =>
  attempt(`read ${file}`, async () => {
    const handle = await fs.open(file, "r")
    try {
      const { size } = await handle.stat()
      const start = size < from ? 0 : from
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size - start, MAX_BYTES)), {
        position: start
      })
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
      return { text: buffer.subarray(0, end).toString(), next: start + end }
    } finally {
      await handle.close()
    }
  })

/** The current size of the log, 0 if it does not exist. */
export const sizeOf = (file: string) =>
  Effect.orElseSucceed(
    attempt("stat", async () => (await fs.stat(file)).size),
    () => 0
  )

/** Logs messages that are added to the file after this place, until it is interrupted. */
export const follow = Effect.fnUntraced(function* (file: string, from: number) {
  let place = from
  const look = Effect.gen(function* () {
    const { next, text } = yield* readSince(file, place)
    place = next
    yield* Effect.forEach(summarize(text), tell, { discard: true })
    if (place < MAX_BYTES) return
    yield* attempt(`empty ${file}`, () => fs.truncate(file, 0))
    place = 0
  })
  yield* Effect.ignore(look, { log: "Debug" }).pipe(Effect.repeat(Schedule.spaced(INTERVAL)))
})

/** The last lines of the log since `from`, to explain why a server did not start. */
const lastWords = (file: string, from: number) =>
  Effect.match(readSince(file, from), { onSuccess: ({ text }) => text.slice(-800).trim(), onFailure: () => "" })

/** The folders of the database, and how it is started. */
export interface Place {
  readonly program: string
  readonly data: string
  readonly logFile: string
  readonly password: Redacted.Redacted
  readonly flags: ReadonlyArray<string>
}

/** A server on our data folder; `child` is null if an earlier process started it. */
export interface Server {
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess | null
}

/**
 * Allocates the memory that connections share at the start, in the process itself: memory that is allocated later is a file in /dev/shm,
 * which other programs may remove, and then every new connection fails. `mmap` would help too, but makes parallel queries slower.
 */
const OWN_MEMORY = ["-c", "min_dynamic_shared_memory=16MB"]

const POLL = "20 millis"
/** The number of looks between two log lines about a database that has not started yet: ten seconds. */
const LOOKS_PER_NOTICE = 500
/** The time for which a server that accepts connections may refuse ours before the start fails. */
const PATIENCE_MS = 60_000

/** Waits before the next look. */
const pause = (looks: number) =>
  Effect.andThen(
    looks % LOOKS_PER_NOTICE === 0 ? Effect.logInfo("The embedded database takes no connections yet") : Effect.void,
    Effect.sleep(POLL)
  )

const freePort = attempt(
  "find a free port",
  () =>
    new Promise<number>((resolve, reject) => {
      const server = net.createServer().once("error", reject)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()))
      })
    })
)

const describeExit = ({ exitCode, signalCode }: ChildProcess) =>
  signalCode === null ? `with code ${exitCode}` : `by ${signalCode}`

const childHasEnded = ({ exitCode, pid, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null

/** Starts the program and returns it at once, so it can be stopped; it may become ready much later. */
const launch = Effect.fnUntraced(function* (place: Place, port: number, started: (server: Server) => void) {
  const network = ["-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
  const log = yield* attempt(`open ${place.logFile}`, () => fs.open(place.logFile, "a", 0o600))
  // detached: Ctrl-C in a terminal must reach this process first, which still needs the database for a clean stop
  const child = yield* Effect.try({
    try: () =>
      spawn(place.program, ["-D", place.data, ...network, ...LOG_FLAGS, ...OWN_MEMORY, ...place.flags], {
        ...startOptions(place.data),
        cwd: place.data,
        stdio: ["ignore", log.fd, log.fd],
        detached: true
      }),
    catch: (cause) => new EmbeddedPostgresError({ message: "PostgreSQL cannot be started", cause })
  }).pipe(Effect.ensuring(Effect.promise(() => log.close())))
  // without a listener a failed start would end this process; the missing pid shows the failure
  child.on("error", () => undefined)
  if (child.pid !== undefined) started({ pid: child.pid, port, child })
  return child
})

/** Starts PostgreSQL on this port, or on any, and waits until it takes connections. */
export const start = Effect.fn("PostgresProcess.start")(function* (
  place: Place,
  wanted: number | null,
  started: (server: Server) => void
): Effect.fn.Return<Server, EmbeddedPostgresError> {
  const port = wanted ?? (yield* freePort)
  const from = yield* sizeOf(place.logFile)
  const child = yield* launch(place, port, started)
  // recovery after a crash has no time limit
  for (let looks = 1; !childHasEnded(child); looks++) {
    const file = yield* readPidFile(place.data)
    if (file !== null && file.pid === child.pid && file.isReady) return { pid: file.pid, port, child }
    yield* pause(looks)
  }
  const said = yield* lastWords(place.logFile, from)
  if (/incompatible with server/.test(said)) return yield* ofOtherVersion(place)
  return yield* new EmbeddedPostgresError({ message: `PostgreSQL ended ${describeExit(child)}: ${said}` })
})

const ofOtherVersion = Effect.fnUntraced(function* ({ data, program }: Place) {
  const { stdout } = yield* attempt("ask PostgreSQL for its version", () =>
    promisify(execFile)(program, ["--version"], startOptions(data))
  )
  const own = /(\d+)/.exec(stdout)?.[1] ?? "another one"
  const version = yield* attempt("read PG_VERSION", () => fs.readFile(path.join(data, "PG_VERSION"), "utf8"))
  return yield* new EmbeddedPostgresError({
    message: `${data} is of PostgreSQL ${version.trim()}, and this release brings ${own}: make a backup with the release that ran before, move ${path.dirname(data)} away, and restore the backup with this one. Nothing was changed`
  })
})

/**
 * The server that already runs on the data folder, once it accepts our login; null if none runs, or if one that refuses us was stopped. A
 * pid file that names another program is a leftover that would prevent the start of PostgreSQL, so it is removed.
 */
export const find = Effect.fn("PostgresProcess.find")(function* (
  place: Pick<Place, "data" | "password">,
  stopIfStuck: (server: Server, refusedForMs: number) => Effect.Effect<boolean>
): Effect.fn.Return<Server | null, EmbeddedPostgresError> {
  let refusedSince: number | null = null
  for (let looks = 1; ; looks++) {
    const file = yield* readPidFile(place.data)
    if (file === null) return null
    if (!(yield* isOurs(file.pid, place.data))) {
      yield* removeLeftover(place.data, file.pid)
      return null
    }
    if (file.isReady) {
      if (yield* provesItself(file.port, place.password, place.data)) return { ...file, child: null }
      const now = yield* Clock.currentTimeMillis
      refusedSince ??= now
      if (yield* stopIfStuck({ ...file, child: null }, now - refusedSince)) return null
      if (now - refusedSince > PATIENCE_MS) return yield* unproved(file.pid, place.data)
    }
    yield* pause(looks)
  }
})

const removeLeftover = Effect.fnUntraced(function* (data: string, pid: number) {
  // PostgreSQL itself removes the file of an ended process
  if (!isTaken(pid)) return
  yield* Effect.logWarning("postmaster.pid names a process that is not our database: the file is left over", { pid })
  yield* attempt(`remove ${pidFileOf(data)}`, () => fs.rm(pidFileOf(data), { force: true }))
})

const unproved = (pid: number, data: string) =>
  new EmbeddedPostgresError({
    message: `process ${pid} is a PostgreSQL on ${data} that refuses this server's login; it was not stopped: stop it, then start again`
  })

/** Whether the server has ended. */
export const hasEnded = ({ child, pid }: Server, data: string): Effect.Effect<boolean> =>
  child === null ? Effect.map(isOurs(pid, data), (ours) => !ours) : Effect.sync(() => childHasEnded(child))

/** The end of the server in words, as far as known. */
export const describeEnd = ({ child, pid }: Server): string =>
  child === null ? `process ${pid} is gone` : `process ${pid} ended ${describeExit(child)}`

/** Sends a signal, unless the server has just ended. */
const interrupt = ({ child, pid }: Server, signal: NodeJS.Signals = "SIGINT") =>
  Effect.ignore(
    Effect.try({
      try: () => (child === null ? process.kill(pid, signal) : child.kill(signal)),
      catch: (cause) => new EmbeddedPostgresError({ message: `stop process ${pid}`, cause })
    })
  )

/**
 * Speeds up a server that received SIGTERM: it waits for its clients, which are ours and stay connected,
 * and accepts no new clients in the meantime.
 */
export const hurry = Effect.fn("PostgresProcess.hurry")(function* (server: Server, data: string) {
  const file = yield* readPidFile(data)
  if (file?.pid !== server.pid || !file.isStopping || (yield* hasEnded(server, data))) return
  yield* interrupt(server)
})

/** The steps of a stop with their time limits: fast, then at once (the next start recovers), then by the kernel. */
const STOPS = [
  { signal: "SIGINT", patience: "3 seconds" },
  { signal: "SIGQUIT", patience: "1 second" },
  { signal: "SIGKILL", patience: "1 second" }
] as const

/** The same for a server that no longer works: a checkpoint would be useless. */
const ENDS = [
  { signal: "SIGQUIT", patience: "5 seconds" },
  { signal: "SIGKILL", patience: "5 seconds" }
] as const

const endBy = Effect.fnUntraced(function* (server: Server, data: string, steps: typeof STOPS | typeof ENDS) {
  const gone = Effect.repeat(Effect.delay(hasEnded(server, data), POLL), { until: (ended) => ended })
  for (const { patience, signal } of steps) {
    if (yield* hasEnded(server, data)) return
    if (signal !== "SIGINT")
      yield* Effect.logWarning(`The embedded database does not stop: ${signal}`, { pid: server.pid })
    yield* interrupt(server, signal)
    yield* Effect.timeoutOption(gone, patience)
  }
})

/** Stops the server, which takes the time of a checkpoint: open transactions are rolled back. */
export const stop = Effect.fn("PostgresProcess.stop")((server: Server, data: string) => endBy(server, data, STOPS))

/** Ends the server at once: it recovers at its next start. A server that does not react is killed. */
export const end = Effect.fn("PostgresProcess.end")((server: Server, data: string) => endBy(server, data, ENDS))
