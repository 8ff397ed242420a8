/** Prometheus, Alertmanager and their tools as a machine has them. Where they are missing, tests are skipped and say so in their title. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { ofThisProcess } from "./Program.ts"

const programs = ["prometheus", "promtool", "prometheus-alertmanager", "amtool"].map((name) => `/usr/bin/${name}`)
const isThere = programs.every((program) => existsSync(program))

/** The files that are shipped. */
export const shipped = (name: string): string => path.resolve(import.meta.dirname, "../../deploy/monitoring", name)

/** `describe` for tests that need a real Prometheus and Alertmanager. */
export const describeMonitoring = (title: string, tests: () => void): void => {
  if (isThere) describe(title, tests)
  else
    describe.skip(
      `${title} (skipped: Prometheus is not installed; on Debian: apt-get install prometheus prometheus-alertmanager)`,
      tests
    )
}

/** A folder that is removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-monitoring-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Runs one of the tools on an input; its exit code and what it has printed. */
export const tool = (name: "promtool" | "amtool", words: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync(`/usr/bin/${name}`, words, {
    env: ofThisProcess,
    encoding: "utf8",
    input
  })
  return { code: status, text: stdout + stderr }
}

/** Starts a daemon that ends with the scope. */
export const daemon = (name: "prometheus" | "prometheus-alertmanager", words: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(`/usr/bin/${name}`, words, { env: ofThisProcess, stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
