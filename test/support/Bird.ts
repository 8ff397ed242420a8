/**
 * A real BIRD in a folder of its own, without any protocol that touches the machine's routes. Where none is installed, the tests
 * that need it are skipped, and say in their title why.
 */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const program = "/usr/sbin/bird"

/** `describe` for tests that need BIRD. */
export const describeBird = (title: string, tests: () => void): void => {
  if (existsSync(program)) describe(title, tests)
  else describe.skip(`${title} (skipped: BIRD is not installed; on Debian: apt-get install bird2)`, tests)
}

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(holds))))

/** A BIRD that has started in a folder with these files, of which it reads `bird.conf`; gone with the scope. */
export const make = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "bird-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const file = (name: string) => path.join(folder, name)
  let running: ChildProcess | undefined

  /** Starts it with what it has saved. */
  const start = Effect.gen(function* () {
    const process = spawn(program, ["-f", "-c", file("bird.conf"), "-s", file("control"), "-P", file("pid")], {
      stdio: "ignore"
    })
    running = process
    yield* until(() => existsSync(file("pid")) && existsSync(file("control")))
  })
  /** Ends it as a machine that loses power would. */
  const kill = Effect.suspend(() => {
    const process = running
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return Effect.void
    process.kill("SIGKILL")
    return until(() => process.signalCode !== null)
  }).pipe(
    Effect.andThen(
      Effect.sync(() => {
        for (const name of ["pid", "control", "control.away"]) rmSync(file(name), { force: true })
      })
    )
  )

  yield* Effect.sync(() => Object.entries(files).forEach(([name, text]) => writeFileSync(file(name), text)))
  yield* Effect.acquireRelease(start, () => kill)
  return {
    folder,
    start,
    kill,
    /** It becomes unreachable and continues to run. */
    cut: Effect.sync(() => renameSync(file("control"), file("control.away"))),
    mend: Effect.sync(() => renameSync(file("control.away"), file("control")))
  }
})

export type Bird = Effect.Success<ReturnType<typeof make>>
