/** The effects of a bad or absent repository on a running server: the commits in force stay, and the answer gives the reason. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

const git = promisify(execFile)

const withGroup = (text: string, branch: string) =>
  `${text}  - group:\n      name: TRIAL\n      regex: 'lhv-acc1$'\n      group_priority: 90\n      templates_branch: ${branch}\n`

it.live("keeps the last good commit in force, whatever happens to the repository", () =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
    const { api } = yield* serve(Campus.environment(lab, folders, folders.folder))
    const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
    const state = Effect.map(
      Effect.all([api.send("GET", "/repository/settings"), api.send("GET", "/settings"), api.send("GET", "/groups")]),
      (replies) => replies.map(({ body, status }) => ({ status, body }))
    )
    while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
    // the server's own first reading is waited for
    assert.strictEqual((yield* refresh("settings")).status, 200)
    const good = yield* state

    const system = path.join(folders.settings.folder, "global/base_system.yml")
    const before = yield* Effect.promise(() => fs.readFile(system, "utf8"))
    const groups = yield* Effect.promise(() =>
      fs.readFile(path.join(folders.settings.folder, "global/groups.yml"), "utf8")
    )
    const unchangedAfter = Effect.fnUntraced(function* (
      files: Record<string, string | null>,
      status: number,
      says: RegExp
    ) {
      yield* folders.settings.commit(files)
      const reply = yield* refresh("settings")
      assert.strictEqual(reply.status, status, JSON.stringify(reply.body))
      assert.match(String(reply.body.message), says)
      assert.deepEqual(yield* state, good)
      const [job] = (yield* api.send("GET", "/jobs?sort=-id&per_page=1")).body.data["jobs"] as ReadonlyArray<{
        readonly status: string
        readonly function_name: string
      }>
      assert.deepInclude(job, { status: "EXCEPTION", function_name: "refresh_repo" })
    })
    yield* unchangedAfter(
      { "global/base_system.yml": before.replace("10.20.0.1\n", "10.20.0.500\n") },
      400,
      /^Syntax error in repository: Validation error for setting ntp_servers->0->host, bad value: 10\.20\.0\.500/
    )
    yield* unchangedAfter({ "global/base_system.yml": "ntp_servers: [\n" }, 500, /base_system\.yml/)
    yield* unchangedAfter(
      { "global/base_system.yml": before, "global/routing.yml": null },
      400,
      /^Repository structure is invalid \(VerifyPathException\): File .*global\/routing\.yml not found/
    )
    const routing = yield* Effect.promise(() =>
      git("git", ["-C", folders.settings.folder, "show", "HEAD~1:global/routing.yml"])
    )
    yield* unchangedAfter(
      { "global/routing.yml": routing.stdout, "global/groups.yml": withGroup(groups, "no-such-branch") },
      500,
      /invalid reference: no-such-branch/
    )

    // an existing branch comes into force with the group that uses it
    yield* Effect.promise(() => git("git", ["-C", folders.templates.folder, "branch", "trial"]))
    yield* refresh("templates")
    yield* folders.settings.commit({ "global/groups.yml": withGroup(groups, "trial") })
    const asked = yield* refresh("settings")
    assert.strictEqual(asked.status, 200, JSON.stringify(asked.body))
    const withTrial = yield* state
    assert.include(JSON.stringify(withTrial), "TRIAL")

    // a rewritten history is followed; a deleted repository changes nothing
    yield* Effect.promise(() => git("git", ["-C", folders.settings.folder, "reset", "-q", "--hard", "HEAD~5"]))
    const rewritten = yield* refresh("settings")
    assert.strictEqual(rewritten.status, 200, JSON.stringify(rewritten.body))
    assert.deepEqual(yield* state, good)
    yield* Effect.promise(() => fs.rename(folders.settings.folder, `${folders.settings.folder}-gone`))
    const gone = yield* refresh("settings")
    yield* Effect.promise(() => fs.rename(`${folders.settings.folder}-gone`, folders.settings.folder))
    assert.strictEqual(gone.status, 500)
    assert.match(String(gone.body.message), /^Error in repository: Error (fetching|cloning) remote repository/)
    assert.deepEqual(yield* state, good)

    // the remaining lock of a killed git blocks nothing
    const left = path.join(folders.folder, "repositories/settings/refs/switchyard/head.lock")
    yield* Effect.promise(() => fs.writeFile(left, ""))
    const unlocked = yield* refresh("settings")
    assert.strictEqual(unlocked.status, 200, JSON.stringify(unlocked.body))
  }).pipe(Effect.scoped)
)
