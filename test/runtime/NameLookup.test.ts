/** Names while no name server answers, looked up by a program whose resolver asks a silent one. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Silence from "../support/Silence.ts"

const run = promisify(execFile)
const MODULE = path.resolve(import.meta.dirname, "../../src/runtime/NameLookup.ts")

/** Looks names up, the first while it is known, and prints what came of them. */
const PROGRAM = `
  import { writeFileSync } from "node:fs"
  const { askedFirst, lookupAll } = await import(${JSON.stringify(MODULE)})
  const look = (name) => new Promise((resolve) =>
    lookupAll(name, {}, ({ addresses, error }) => resolve(error?.code ?? addresses.map(({ address }) => address))))
  const before = await look("db.example")
  writeFileSync("/etc/hosts", "127.0.0.1 localhost\\n")
  const later = await Promise.all(["a.example", "b.example", "c.example", "db.example", "localhost"].map(look))
  const asked = await askedFirst("http://db.example/").then(() => null, ({ code }) => code)
  console.log(JSON.stringify({ before, later, asked }))
  process.kill(process.pid, "SIGKILL")
`

it.live.skipIf(!Silence.canBeSilent)(
  "lookups end in time while no name server answers, and keep their earlier addresses; localhost is answered locally",
  () =>
    Effect.gen(function* () {
      const { words } = yield* Silence.makeSilentNames({ seconds: 30, attempts: 5 }, ["db.example"])
      const [command, ...rest] = [...words, process.execPath, "--input-type=module", "-e", PROGRAM]
      // what waits for the silent one would hold up an ordinary end, so it ends by a signal
      const { stdout } = yield* Effect.promise(() =>
        run(command, rest).catch((error: { readonly stdout: string }) => error)
      )
      assert.deepStrictEqual(JSON.parse(stdout), {
        before: ["127.0.0.1"],
        later: ["EAI_AGAIN", "EAI_AGAIN", "EAI_AGAIN", ["127.0.0.1"], ["127.0.0.1", "::1"]],
        asked: "EAI_AGAIN"
      })
    }).pipe(Effect.scoped)
)
