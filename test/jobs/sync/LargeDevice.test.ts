/** Devices with configurations of 50,000 lines: changed in every mode, and the server answers others meanwhile. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { seconds, timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const LINES = 50_000
const PER_LIST = 500

/** Access lists of so many lines, of which `rule` stands in the middle. */
const accessLists = (rule: string): string =>
  [
    `{% for list in range(1, ${LINES / PER_LIST + 1}) %}`,
    "ip access-list SITE-{{ list }}",
    `{% for line in range(1, ${PER_LIST}) %}`,
    "   {{ line * 10 }} permit tcp 10.{{ list }}.{{ line // 250 }}.{{ line % 250 }}/32 any eq 443",
    "{% endfor %}",
    `{% if list == ${LINES / PER_LIST / 2} %}   ${PER_LIST * 10} ${rule}\n{% endif %}`,
    "{% endfor %}"
  ].join("\n")

const putLists = Effect.fnUntraced(function* ({ repositories: { templates } }: Lab.SyncLab, rule: string) {
  const file = "eos/access.j2"
  const text = yield* Effect.promise(() => fs.readFile(path.join(templates.folder, file), "utf8"))
  const [before = ""] = text.split("{% for list in")
  yield* templates.commit({ [file]: before + accessLists(rule) })
  yield* refresh("templates", "tester")
})

const linesOf = (text: string) => text.split("\n").length

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
