/**
 * The process of one plugin (docs/plugins.md#what-a-plugin-cannot-harm): its plugin runs in a worker thread with a bounded heap, while this
 * thread stays free to pass lines on and to end at once when the server has ended, whatever the plugin does. A process of its own, because
 * V8 ends the whole process when one large allocation of a thread, such as that of a growing Map, does not fit its bound.
 */
import { createInterface } from "node:readline"
import { setPriority } from "node:os"
import { Worker } from "node:worker_threads"
import type { Answer, CallLine, CheckLine, SetupLine } from "./Lines.ts"
import { ownModule } from "../../runtime/OwnModule.ts"

/** The number of log lines of each call that are passed on, and their length. */
const LOG_LINES = 50
const LOG_LENGTH = 500

const say = (answer: Answer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

let logged = 0

const log = (chunk: unknown): void => {
  for (const text of String(chunk).split("\n")) {
    if (text.trim() === "" || logged > LOG_LINES) continue
    logged++
    say({ type: "log", text: logged > LOG_LINES ? "(it writes more than is shown)" : text.slice(0, LOG_LENGTH) })
  }
}

const why = (error: unknown): string => {
  if (!(error instanceof Error)) return `it threw ${typeof error === "string" ? error : typeof error}`
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it ran out of memory" : error.message
}

const open = ({ megabytes, ...workerData }: SetupLine): Worker => {
  const worker = new Worker(ownModule("./threadMain", import.meta.url), {
    name: workerData.name,
    workerData,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, stackSizeMb: 4 }
  })
  let reason: string | undefined
  worker.on("message", (line: unknown) => void process.stdout.write(`${String(line)}\n`))
  worker.on("error", (error) => (reason = why(error)))
  worker.on("exit", (code) => {
    say({ type: "ended", reason: reason ?? `it ended itself (exit code ${code})` })
    process.exitCode = 1
    process.stdin.destroy()
  })
  worker.stdout.on("data", log)
  worker.stderr.on("data", log)
  return worker
}

try {
  // lowers the priority: if processor time is short, the server goes first
  setPriority(0, 5)
} catch {
  // a sandbox may forbid it
}

let worker: Worker | undefined

const obey = (line: string): void => {
  const command: SetupLine | CallLine | CheckLine = JSON.parse(line)
  if (command.type === "setup") worker = open(command)
  else {
    logged = 0
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none
    worker?.postMessage(command)
  }
}

createInterface(process.stdin)
  .on("line", obey)
  // with all programs that the plugin has started; a thread that never returns would block `exit`
  .on("close", () => (process.exitCode === undefined ? process.kill(-process.pid, "SIGKILL") : undefined))
