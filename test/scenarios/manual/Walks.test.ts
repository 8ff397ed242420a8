/** The walks of docs/walks.md are those of this code. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as path from "node:path"

const SCRIPT = path.resolve(import.meta.dirname, "../../../scripts/walks.ts")

/** Plays the walks; yields the exit code and what was printed. */
const check = Effect.promise(
  () =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve) =>
      execFile(process.execPath, [SCRIPT, "--check"], (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr })
      )
    )
)

it.live("names the files through which a hostname, a setting, a lease and a port are processed", () =>
  Effect.gen(function* () {
    const { code, text } = yield* check
    assert.strictEqual(code, 0, text)
  })
)
