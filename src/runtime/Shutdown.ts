/**
 * Ends the program within ten seconds, whatever hangs (docs/operations.md#stopping-and-killing). A signal closes everything in order; the
 * last line of the log names what was not closed in time. A second signal ends the program at once. Accepted work is in the database, and
 * the next start continues it.
 */
import { Effect, Layer } from "effect"
import { readFileSync, writeSync } from "node:fs"

/** Milliseconds after a signal in which everything can close on its own. */
const PATIENCE = 8_500
/** Milliseconds that threads have to end their work. */
const HELD_MILLIS = 300

/** The exit code for a stop that did not wait for everything (docs/command-line.md#exit-codes). */
const LEFT_SOMETHING = 5
const BY_SIGNAL: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 }

const SIGNALS = ["SIGINT", "SIGTERM"] as const

const open = new Set<string>()
const lastSteps = new Set<() => void>()

/** Names the open parts of a layer while it closes. */
export const named = <A, E, R>(name: string, layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.unwrap(
    Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => void open.add(name)),
        () => Effect.sync(() => void open.delete(name))
      ),
      layer
    )
  )

/** A last action if the program ends without having closed everything; it takes no time. */
export const atLast = (step: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => void lastSteps.add(step)),
    () => Effect.sync(() => void lastSteps.delete(step))
  )

/** Our child processes by name; none if the system does not list them. */
const children = (): ReadonlyArray<{ readonly pid: number; readonly name: string }> => {
  try {
    const pids = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ").filter(Boolean)
    return pids.map((pid) => ({ pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, "utf8").trim() }))
  } catch {
    return []
  }
}

const attempt = (step: () => void): void => {
  try {
    step()
  } catch {
    // it has ended meanwhile
  }
}

/** One line in the form of the log, without the logger, which may be the part that hangs. */
const say = (message: string): void => {
  const timestamp = new Date().toISOString()
  const line =
    process.env["LOG_FORMAT"] === "json"
      ? JSON.stringify({ message, logLevel: "ERROR", timestamp, annotations: {}, spans: {} })
      : `timestamp=${timestamp} level=ERROR message=${JSON.stringify(message)}`
  attempt(() => void writeSync(2, `${line}\n`))
}

/**
 * Ends this process now. At its end Node waits for threads of its pool, which may wait for a name server; therefore another program
 * replaces this one, which has no such threads.
 */
const endNow = (code: number): never => {
  attempt(() => process.execve?.("/bin/sh", ["sh", "-c", `exit ${code}`], {}))
  attempt(() => process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {}))
  return process.exit(code)
}

/** Abandons open parts, but ends the child processes, which would otherwise continue without a parent. */
const leave = (code: number, why: string): never => {
  const left = children()
  for (const step of lastSteps) attempt(step)
  for (const { name, pid } of left) {
    if (name === "postgres") continue
    // git and the processes that it has started have a group of their own
    attempt(() => process.kill(-pid, "SIGKILL"))
    attempt(() => process.kill(pid, "SIGKILL"))
  }
  const names = [...open, ...left.map(({ name, pid }) => `process ${pid} (${name})`)]
  say(
    `${why}. Left: ${names.length === 0 ? "nothing that has a name" : names.join(", ")}. Accepted work is kept, and continues at the next start`
  )
  return endNow(code)
}

let signalled: NodeJS.Signals | null = null

const onSignal = (signal: NodeJS.Signals): void => {
  if (signalled !== null) leave(BY_SIGNAL[signal] ?? LEFT_SOMETHING, `Ended at once by a second ${signal}`)
  signalled = signal
  setTimeout(
    () => leave(LEFT_SOMETHING, `Stopped by ${signal}, and not everything was closed after ${PATIENCE / 1000} s`),
    PATIENCE
  ).unref()
}

/** Supervises the end of a server from here on. */
export const watchSignals = Effect.sync(() => {
  // before the listener that closes everything, which may have finished when it returns
  for (const signal of SIGNALS) process.prependListener(signal, onSignal)
})

/** Work of Node's thread pool in progress. */
const heldThreads = (): ReadonlyArray<string> =>
  process.getActiveResourcesInfo().filter((name) => /^(?:GetAddrInfo|GetNameInfo|FSReq)/.test(name))

/** Ends the program when all is closed. Node would wait for each of its threads, one of which may wait for a name server; this does not. */
export const end = (code: number, done: (code: number) => void): void => {
  if (signalled === null) return done(code)
  const until = performance.now() + HELD_MILLIS
  const look = () => {
    const held = heldThreads()
    if (held.length === 0) return done(code)
    if (performance.now() < until) return void setTimeout(look, 20)
    const isName = held.some((name) => name.startsWith("Get"))
    say(`Stopped. Left: a thread that waits for a ${isName ? "name server" : "file"}`)
    endNow(code)
  }
  look()
}
