/** The demo on the simulated campus, as a user starts it: each step fails it when it does not hold. */
import { execFile } from "node:child_process"
import * as path from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../../support/FreePort.ts"
import { seconds } from "../../support/Patience.ts"
import { ofThisProcess } from "../../support/Program.ts"

const main = path.resolve(import.meta.dirname, "../../../src/main.ts")

const demo = (port: number) =>
  Effect.callback<{ readonly code: number | string; readonly said: string }>((resume) => {
    const words = [main, "demo", "--exit", "--port", String(port)]
    const child = execFile(process.execPath, words, { env: ofThisProcess }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error?.code ?? 0, said: stdout + stderr }))
    )
    return Effect.sync(() => child.kill())
  })

it.live(
  "shows two blank switches become MANAGED and a commit become a proved change",
  () =>
    Effect.gen(function* () {
      const { code, said } = yield* demo(yield* freePort)
      expect(code, said).toBe(0)
      for (const name of ["lhv-acc1", "lhv-acc2"]) {
        expect(said).toContain(`${name}: committed with a timer, proved over a new connection, confirmed`)
      }
      expect(said.trimEnd().endsWith("== Everything held"), said).toBe(true)
    }),
  seconds(300)
)
