/** A device with a configuration of 50,000 lines, changed in every mode (docs/switch-dialogues.md#limits). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { accessLists, LINES, linesOf } from "../../support/Lindhaven.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const putLists = Effect.fnUntraced(function* ({ repositories: { templates } }: Lab.SyncLab, rule: string) {
  const file = "eos/access.j2"
  const text = yield* Effect.promise(() => fs.readFile(path.join(templates.folder, file), "utf8"))
  const [before = ""] = text.split("{% for list in")
  yield* templates.commit({ [file]: before + accessLists(rule) })
  yield* refresh("templates", "tester")
})

it.live(
  `changes a device of ${LINES} lines in a dry run and in each of the modes 0, 1 and 2`,
  () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          const device = Lab.switchAt(lab, 0)
          yield* putLists(lab, "permit ip host 10.9.9.9 any")
          for (const mode of [0, 1, 2]) {
            yield* putLists(lab, `permit ip host 10.0.0.${mode} any`)
            const dry = yield* Lab.sync({ dry_run: true, hostnames: lab.names, force: true })
            assert.deepStrictEqual(
              Lab.outcomes(dry),
              { [lab.names[0] ?? ""]: "ok" },
              JSON.stringify(dry).slice(0, 2000)
            )
            const job = yield* Lab.sync({ confirm_mode_override: mode, hostnames: lab.names, force: true })
            assert.deepStrictEqual(
              Lab.outcomes(job),
              { [lab.names[0] ?? ""]: "ok" },
              JSON.stringify(job).slice(0, 2000)
            )
            assert.isAbove(linesOf(device.running()), LINES)
            if (mode === 2) yield* Lab.followUp(job)
            assert.include(device.running(), `permit ip host 10.0.0.${mode} any`)
            assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
            yield* Lab.nothingLeft(lab)
          }
        }),
      { COMMIT_CONFIRMED_TIMEOUT: timer(600) }
    ),
  seconds(600)
)
