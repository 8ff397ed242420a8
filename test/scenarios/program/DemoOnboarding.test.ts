/** The example of docs/onboarding.md, word by word, while the demo runs. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { blocksIn } from "../../../scripts/manual/Blocks.ts"
import { serveDemo } from "../../support/DemoProgram.ts"
import { seconds } from "../../support/Patience.ts"
import { ofThisProcess } from "../../support/Program.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const document = "docs/onboarding.md"

/** Runs lines of shell in the folder of this release, as a reader does. */
const shell = (text: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<{ readonly failed: boolean; readonly said: string }>((resume) => {
    execFile("sh", ["-e", "-c", text], { cwd: root, env: { ...ofThisProcess, ...env } }, (error, out, err) =>
      resume(Effect.succeed({ failed: error !== null, said: `${out}${err}` }))
    )
  })

it.live(
  "brings the switches of the demo that run already: one is managed without a push, the other shows its line",
  () =>
    Effect.gen(function* () {
      const [example] = blocksIn(document, readFileSync(path.join(root, document), "utf8"))
      expect([example?.language, example?.notRun]).toEqual(["sh", null])
      const SWITCHYARD_URL = yield* serveDemo
      const { failed, said } = yield* shell(example?.text ?? "", { SWITCHYARD_URL })
      expect(failed, said).toBe(false)
      expect(said).toContain("2 devices would be added: lhv-acc5, lhv-acc6")
      expect(said).toContain("4 links stored, 4 ports became uplinks")
      const { said: list } = yield* shell("bin/switchyard onboard --csv", { SWITCHYARD_URL })
      expect(list).toMatch(/^lhv-acc5,managed/m)
      expect(list).not.toMatch(/^lhv-acc6,managed/m)
      const { said: device } = yield* shell("bin/switchyard devices --json", { SWITCHYARD_URL })
      expect(JSON.parse(device)).toContainEqual(
        expect.objectContaining({ hostname: "lhv-acc5", state: "MANAGED", synchronized: true })
      )
      // it is measured within seconds
      for (;;) {
        const { said: distance } = yield* shell("bin/switchyard onboard distance lhv-acc6", { SWITCHYARD_URL })
        if (!distance.includes("still measuring")) {
          expect(distance).toContain("-ntp server 10.20.0.9")
          break
        }
      }
    }).pipe(Effect.scoped),
  seconds(300)
)
