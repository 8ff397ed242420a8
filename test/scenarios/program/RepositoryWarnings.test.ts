/** Mistakes that do not stop a commit reach the person who made them: in the answer of the refresh, and afterwards by question. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

interface Remark {
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
  readonly path: string | null
  readonly message: string
}

const texts = (remarks: unknown): ReadonlyArray<string> =>
  (remarks as ReadonlyArray<Remark>).map(
    ({ column, file, line, message, path: at }) => `${file}:${line}:${column}: ${at}: ${message}`
  )

const started = (extra: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
    const { api, running } = yield* serve({ ...Campus.environment(lab, folders, folders.folder), ...extra })
    yield* Campus.seedSite.pipe(Effect.provideContext(running))
    const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
    // the server's own first reading may have come before the devices of the site, and been refused
    while ((yield* refresh("settings")).status !== 200) yield* Effect.sleep("50 millis")
    const read = (repository: { readonly folder: string }, file: string) =>
      Effect.promise(() => fs.readFile(path.join(repository.folder, file), "utf8"))
    return { api, folders, read, refresh }
  })

it.live(
  "names file, line and column of every mistake in the answer of a refresh, and for as long as it is in force",
  () =>
    Effect.gen(function* () {
      const { api, folders, read, refresh } = yield* started()
      const system = yield* read(folders.settings, "global/base_system.yml")
      const last = system.trimEnd().split("\n").length
      yield* folders.settings.commit({
        "global/base_system.yml": `${system.trimEnd()}\nntp_serverz: []\nsyslog_servers:\n- host: 10.20.0.9\n  prot: 514\n`,
        "groups/EAST/base_system.yml": ""
      })
      const reply = yield* refresh("settings")
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      assert.match(String(reply.body.data), /^Commit [0-9a-f]{40} /)
      const found = texts(reply.body["warnings"])
      const at = (line: number, column: number) => `global/base_system.yml:${last + line}:${column}: `
      assert.include(found, `${at(1, 1)}ntp_serverz: no setting has this name`)
      assert.isTrue(
        found.some((text) => text.startsWith(`${at(4, 3)}syslog_servers->0->prot: `)),
        found.join("\n")
      )
      assert.isTrue(
        found.some((text) => text.startsWith("groups/EAST/base_system.yml:") && text.includes("no group EAST")),
        found.join("\n")
      )
      const problems = yield* api.send("GET", "/repository/settings/problems")
      assert.strictEqual(problems.status, 200)
      assert.deepEqual(texts(problems.body.data["warnings"]), found)
      assert.deepEqual(problems.body.data["problems"], [])

      // a commit that is refused says where, and its problems stay to be read until a good one comes
      yield* folders.settings.commit({ "global/base_system.yml": `${system.trimEnd()}\ndot1x_fail_vlan: 5000\n` })
      const refused = yield* refresh("settings")
      assert.strictEqual(refused.status, 400)
      assert.include(String(refused.body.message), `global/base_system.yml, line ${last + 1}, column 18`)
      const wrong = texts(refused.body["problems"])
      assert.lengthOf(wrong, 1)
      assert.isTrue(wrong[0]?.startsWith(`${at(1, 18)}dot1x_fail_vlan: Input should be less than`), wrong[0])
      const after = yield* api.send("GET", "/repository/settings/problems")
      assert.deepEqual(texts(after.body.data["problems"]), wrong)
      assert.deepEqual(texts(after.body.data["warnings"]), found, "those of the commit in force")

      yield* folders.settings.commit({
        "global/base_system.yml": system,
        "groups/EAST/base_system.yml": null
      })
      assert.strictEqual((yield* refresh("settings")).status, 200)
      const good = yield* api.send("GET", "/repository/settings/problems")
      assert.deepEqual(good.body.data["problems"], [])
      assert.deepEqual(good.body.data["warnings"], [])
    }).pipe(Effect.scoped)
)

it.live(
  "reports the undefined variables that the last rendering printed, until the template or the rendering changes",
  () =>
    Effect.gen(function* () {
      const { api, folders, read, refresh } = yield* started()
      const dist = yield* read(folders.templates, "eos/dist.j2")
      yield* folders.templates.commit({
        "eos/dist.j2": `! {{ no_such_name }}\n${dist}`,
        "eos/mapping.yml": yield* mistyped(read, folders)
      })
      const reply = yield* refresh("templates")
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      assert.isTrue(texts(reply.body["warnings"]).some((text) => text.includes("entry_point")))
      assert.strictEqual((yield* api.send("GET", "/device/lhv-dist1/generate_config")).status, 200)
      const problems = yield* api.send("GET", "/repository/templates/problems")
      const said = texts(problems.body.data["warnings"]).filter((text) => text.includes("no_such_name"))
      assert.deepEqual(said, [
        "eos/dist.j2:1:3: null: 'no_such_name' is undefined: nothing was printed for it (lhv-dist1)"
      ])
      const settings = yield* api.send("GET", "/repository/settings/problems")
      assert.includeMembers([...texts(settings.body.data["warnings"])], [...said])

      yield* folders.templates.commit({ "eos/dist.j2": dist })
      const mended = yield* refresh("templates")
      assert.notInclude(JSON.stringify(mended.body), "no_such_name")
    }).pipe(Effect.scoped)
)

const mistyped = (
  read: (repository: { readonly folder: string }, file: string) => Effect.Effect<string>,
  { templates }: { readonly templates: { readonly folder: string } }
) =>
  Effect.map(read(templates, "eos/mapping.yml"), (text) => text.replace("ACCESS:\n", "ACCESS:\n  entry_point: a.j2\n"))

it.live(
  "refuses with STRICT_SETTINGS and STRICT_TEMPLATES what is otherwise a warning, undefined variables of any device included",
  () =>
    Effect.gen(function* () {
      const { api, folders, read, refresh } = yield* started({ STRICT_SETTINGS: "true", STRICT_TEMPLATES: "true" })
      const before = yield* api.send("GET", "/repository/templates")
      const dist = yield* read(folders.templates, "eos/dist.j2")
      yield* folders.templates.commit({ "eos/dist.j2": `! {{ no_such_name }}\n${dist}` })
      const reply = yield* refresh("templates")
      assert.strictEqual(reply.status, 400, JSON.stringify(reply.body))
      assert.include(String(reply.body.message), "STRICT_TEMPLATES")
      const wrong = texts(reply.body["problems"])
      assert.lengthOf(wrong, 1, "one mistake, however many devices")
      assert.include(wrong[0], "eos/dist.j2:1:3: null: 'no_such_name' is undefined")
      assert.deepEqual((yield* api.send("GET", "/repository/templates")).body, before.body)

      const system = yield* read(folders.settings, "global/base_system.yml")
      yield* folders.settings.commit({ "global/base_system.yml": `${system}\nntp_serverz: []\n` })
      const settings = yield* refresh("settings")
      assert.strictEqual(settings.status, 400, JSON.stringify(settings.body))
      assert.include(String(settings.body.message), "STRICT_SETTINGS")
      assert.isTrue(texts(settings.body["problems"]).some((text) => text.includes("ntp_serverz")))
    }).pipe(Effect.scoped)
)
