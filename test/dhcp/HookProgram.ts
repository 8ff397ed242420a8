/** Runs the DHCP hook as a DHCP server does, with an environment of its own, in the shells that such machines have. */
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
const program = path.join(root, "bin/switchyard")

/** The file that DHCP servers call. */
export const leaseProgram = path.join(root, "deploy/dhcp/switchyard-lease")

const has = (words: ReadonlyArray<string>): boolean => {
  const [shell = "", ...args] = words
  try {
    execFileSync(shell, [...args, "-c", "exit 0"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** The shells of this machine that a hook may be run by. */
export const shells = [["dash"], ["busybox", "sh"]].filter(has)

/** Why tests in these shells are skipped, for their names. */
export const WITHOUT_SHELLS = shells.length === 0 ? " (skipped: this machine has neither dash nor busybox)" : ""

export interface HookEnd {
  readonly code: number | null
  readonly output: string
}

type Variables = Readonly<Record<string, string>>

/** A program until its end, with these variables only. */
export const runProgram = (words: ReadonlyArray<string>, environment: Variables) =>
  Effect.callback<HookEnd>((resume) => {
    const [file = "", ...args] = words
    const child = spawn(file, args, {
      env: { PATH: process.env["PATH"], SWITCHYARD_ENV_FILE: "", ...environment },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let output = ""
    child.stderr.on("data", (text) => (output += String(text)))
    child.on("error", (error) => resume(Effect.die(error)))
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** `switchyard dhcp-hook` with these words. */
export const runHook = (args: ReadonlyArray<string>, environment: Variables) =>
  runProgram([program, "dhcp-hook", ...args], environment)

/** A folder that is removed when the scope ends. */
export const makeFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-dhcp-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

const named = async (folder: string): Promise<ReadonlyArray<string>> => {
  const names = await fs.readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith(".json"))
}

/** Names of the leases that wait in the data directory: those to be reported, and those that the server had no room for. */
export const waiting = (folder: string) =>
  Effect.promise(async () => {
    const queue = path.join(folder, "dhcp-queue")
    const found = await Promise.all(["", "sending", "waiting"].map((part) => named(path.join(queue, part))))
    return found.flat().toSorted()
  })
