/**
 * The whole program at work with a mark in each of its secrets: afterwards none of them stands in clear, turned, or encoded in its
 * log, its answers, its audit, its database, its folder, or in what can be seen of the programs that it starts, but where
 * docs/security.md#secrets lists it. `LISTED` is that list.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, readdirSync } from "node:fs"
import * as path from "node:path"
import { createPrivateKey } from "node:crypto"
import { seconds } from "../../support/Patience.ts"
import { command } from "../../support/Program.ts"
import { excerpt, finder, type Mark } from "./Marks.ts"
import { type Child, databaseOf, dump, entriesIn, type Found } from "./Places.ts"
import { makeSite, MARKS, SECRETS, type Site } from "./SecretSite.ts"
import { life } from "./SecretLife.ts"

/** Where a mark may be, and why; all by docs/security.md#secrets. */
const LISTED: ReadonlyArray<readonly [place: RegExp, marks: RegExp, why: string]> = [
  [/^answer POST \/auth(\/tokens)?$/, /^(access|api) token$/, "shown once, to whoever asked for it"],
  [/^answer GET .*(running_config|previous_config|show_secrets=true).* as boss$/, /./, "asked for by who may see them"],
  [/^file repositories\/templates\/|^repository\./, /^inTemplate$/, "written in a repository by its site"],
  [/^file plugins\.yml$/, /^inPluginFile$/, "written in the site's own file"],
  [/^file devicecerts\/.+\.key$/, /^key of a device$/, "keys of devices"],
  [/^file database\/postgres-password$/, /^password of the database$/, "the database's own"],
  [/^environment of git/, /^git$/, "git is given the password of its repository"]
]

/** What git makes by itself when a web server hands out single files, in a folder that nobody else may pass. */
const OPEN = /^repositories\/settings\/objects\/[0-9a-f]{2}$/

const isListed = (place: string, mark: string) =>
  LISTED.some(([places, marks]) => places.test(place) && marks.test(mark))

/** Marks that came to be while the server worked. */
const laterMarks = ({ dataDir }: Site): ReadonlyArray<Mark> => {
  const read = (file: string) => readFileSync(path.join(dataDir, file), "utf8")
  const folder = "devicecerts"
  const keys = readdirSync(path.join(dataDir, folder)).filter((name) => name.endsWith(".key"))
  assert.isNotEmpty(keys)
  const authority = createPrivateKey({ key: read("ca/rootCA.key"), passphrase: SECRETS.CAKEY_PASSPHRASE })
  return [
    ...keys.map((name) => ({ name: "key of a device", value: read(path.join(folder, name)) })),
    { name: "key of the authority", value: authority.export({ type: "pkcs1", format: "pem" }).toString() },
    { name: "key of the authority", value: authority.export({ type: "pkcs8", format: "pem" }).toString() },
    { name: "password of the database", value: read("database/postgres-password").trim() }
  ]
}

const ofChildren = (children: ReadonlyArray<Child>): ReadonlyArray<Found> =>
  children.flatMap(({ environment, words }) => {
    const program = path.basename(words.split(" ")[0] ?? "").replace(/^git-.*/, "git")
    return [
      [`command line of ${program}`, words],
      [`environment of ${program}`, environment]
    ]
  })

it.live(
  "leaves no secret where it is not listed, whatever the program does",
  () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      const { answers, children, made } = yield* life(site)
      const { dataDir, env, program, receiver } = site
      const exported = yield* command(env, ["audit", "export"])
      assert.strictEqual(exported.code, 0, exported.text)
      const stored = yield* Effect.provide(dump, databaseOf(dataDir))
      const entries = yield* entriesIn(dataDir)
      const own = {
        words: readFileSync(`/proc/${program.pid}/cmdline`, "utf8"),
        environment: readFileSync(`/proc/${program.pid}/environ`, "utf8")
      }

      const marks = [...MARKS, ...made, ...laterMarks(site)]
      const found = finder(marks)
      const texts: ReadonlyArray<Found> = [
        ...answers.map(([place, text]) => [`answer ${place}`, text] as const),
        ...stored,
        ...entries.map(({ place, text }) => [`file ${place}`, text] as const),
        ...program
          .text()
          .split("\n")
          .map((line) => ["log", line] as const),
        ["audit export", exported.text],
        ["syslog", receiver.text()],
        ...site.traces.texts.map((text) => ["traces", text] as const),
        ...ofChildren([{ ...own, pid: program.pid, uid: 0 }, ...children])
      ]
      const leaks = texts.flatMap(([place, text]) =>
        found(text)
          .filter((name) => !isListed(place, name))
          .map((name) => {
            const mark = marks.find((one) => one.name === name)
            return `${place}: ${name}: ${mark === undefined ? "" : excerpt(text, mark)}`
          })
      )
      assert.deepStrictEqual([...new Set(leaks)], [])

      // and there was something to be found: each listed place has its mark, and what was looked through is all there
      for (const [place, mark, why] of LISTED) {
        const isSeen = texts.some(([one, text]) => place.test(one) && found(text).some((name) => mark.test(name)))
        assert.isTrue(isSeen, why)
      }
      assert.isNotEmpty(receiver.text())
      assert.isNotEmpty(site.traces.spans.filter(({ name }) => name.startsWith("ssh ")))
      assert.include(program.text(), "level=DEBUG")
      const postgres = children.filter(({ words }) => words.includes("postgres"))
      assert.isNotEmpty(postgres)
      if (process.getuid?.() === 0) for (const { uid } of postgres) assert.notStrictEqual(uid, 0)
      const open = entries.filter(({ mode, place }) => (mode & 0o077) !== 0 && !OPEN.test(place))
      assert.deepStrictEqual(
        open.map(({ mode, place }) => `${mode.toString(8)} ${place}`),
        []
      )
    }).pipe(Effect.scoped),
  seconds(300)
)
