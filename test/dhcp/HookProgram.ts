/** Runs the DHCP hook as the program that a DHCP server starts, with an environment of its own. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

const program = path.resolve(import.meta.dirname, "../../bin/switchyard")

export interface HookEnd {
  readonly code: number | null
  readonly output: string
}

/** The hook with these words after `dhcp-hook`. */
export const runHook = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.callback<HookEnd>((resume) => {
    const child = spawn(program, ["dhcp-hook", ...args], {
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let output = ""
    child.stderr.on("data", (text) => (output += String(text)))
    child.on("error", (error) => resume(Effect.die(error)))
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** A folder that is removed when the scope ends. */
export const makeFolder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-dhcp-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

/** Names of the leases that wait. */
export const waiting = (folder: string) =>
  Effect.promise(() => fs.readdir(path.join(folder, "dhcp-queue")).catch(() => []))
