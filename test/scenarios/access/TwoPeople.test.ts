/** Four eyes: one asks for what a dry run has shown, another approves it, and a commit comes between the approval and the push. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { timer } from "../../support/Patience.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

const names = Managed.accessNames(3)
const [concerned = "", ...others] = names

const ROLES = `roles:
  junior: { extends: operator, approval: true }
`

/** So many seconds from now, as clients write it: there has to be time for an approval and a commit. */
const inSeconds = (count: number) => new Date(Date.now() + count * 1000).toISOString().slice(0, 19).replace("T", " ")

const audited = (ask: Ask, id: number) =>
  Effect.map(ask("GET", `/job/${id}/audit?per_page=100&sort=id`), ({ text }) =>
    [...text.matchAll(/"kind":"(approval|job)","action":"(\w+)".*?"actor":"(\w+)"/g)].map(([, kind, action, actor]) =>
      [kind, action, actor].join(" ")
    )
  )

it.live("stops exactly the device that a commit between approval and push concerns, and says so", () =>
  Effect.gen(function* () {
    const { as, boss, folders, lab } = yield* makeCampusWithRoles({ names, roles: ROLES })
    const [ann, bob] = [yield* as("junior", "ann"), yield* as("operator", "bob")]

    const shown = jobIn(yield* ann("POST", "/device_syncto", { hostnames: names, dry_run: true }))
    assert.include(yield* ended(ann, shown), '"status":"FINISHED"')
    const live = { hostnames: names, dry_run: false, dry_run_job: shown, start_at: inSeconds(Number(timer(20))) }
    const id = jobIn(yield* ann("POST", "/device_syncto", live))
    assert.match((yield* ann("GET", `/job/${id}`)).text, /"status":"SCHEDULED".*"reason":"approval"/)
    assert.strictEqual((yield* ann("POST", `/job/${id}/approve`, { comment: "mine" })).status, 403)
    assert.strictEqual((yield* bob("POST", `/job/${id}/approve`, { comment: "as shown" })).status, 200)

    const template = path.join(folders.templates.folder, "eos/access.j2")
    const text = yield* Effect.promise(() => fs.readFile(template, "utf8"))
    const banner = `{% if host == "${concerned}" %}\nbanner login\nnewer\nEOF\n{% endif %}\n`
    yield* folders.templates.commit({ "eos/access.j2": `${text}\n${banner}` })
    assert.strictEqual((yield* boss("PUT", "/repository/templates", { action: "refresh" })).status, 200)
    assert.include((yield* bob("GET", `/job/${id}`)).text, '"status":"SCHEDULED"')

    const record = yield* ended(bob, id)
    assert.include(record, `"failed_devices":["${concerned}"]`)
    assert.match(record, /Fenced: Another configuration is rendered than in dry run \d+: templates \w+ has become \w+/)
    const runs = yield* Effect.forEach(names, (name) => Effect.map(lab.get(name), (device) => device.running()))
    // what all of them run before is not what the templates want
    assert.deepStrictEqual(
      runs.map((running) => running.includes("OLD-MANAGEMENT")),
      names.map((name) => !others.includes(name))
    )
    assert.deepStrictEqual(yield* audited(boss, id), [
      "job started ann",
      "approval asked ann",
      "approval approved bob",
      "job ended ann"
    ])
  }).pipe(Effect.scoped)
)
