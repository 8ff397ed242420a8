/** Branches are checked before they are merged, and the forge is told: through the API, with real repositories and a forge over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import type { Forge } from "../../../src/domain/ForgeEvents.ts"
import type { Proposal, WholeProposal } from "../../../src/domain/Proposal.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { makeForgeServer, pullEvent, reviewEvent, sendEvent, TOKEN } from "../../support/ForgeServer.ts"
import { serve } from "../../support/ServedCampus.ts"

const run = promisify(execFile)

/** Three managed access switches below the two distribution switches; nothing answers at their addresses, because no check contacts a switch. */
const started = (extra: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
    const { api, running, url } = yield* serve({
      ...Campus.environment(lab, folders, folders.folder),
      PROPOSAL_POLL: "1",
      ...extra
    })
    yield* Effect.gen(function* () {
      yield* Campus.seedSite
      for (const number of [1, 2, 3]) {
        yield* (yield* DeviceStore).insert({
          hostname: `lhv-acc${number}`,
          state: "MANAGED",
          device_type: "ACCESS",
          platform: "eos",
          management_ip: `10.196.16.${10 + number}`,
          model: "CCS-720XP-24ZY4-F",
          synchronized: true
        })
      }
    }).pipe(Effect.provideContext(running))
    const refresh = (name = "settings") => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
    while ((yield* refresh("templates")).status !== 200) yield* Effect.sleep("50 millis")
    while ((yield* refresh()).status !== 200) yield* Effect.sleep("50 millis")

    const git = (...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const who = ["-c", "user.name=Sam Berg", "-c", "user.email=sam@example.org"]
        return (await run("git", ["-C", folders.settings.folder, ...who, ...args])).stdout.trim()
      })
    const ntp = path.join(folders.settings.folder, "global/base_system.yml")
    /** Commits another time server to a branch, which it makes; yields the commit. */
    const commitNtp = Effect.fnUntraced(function* (branch: string, address: string) {
      const branches = yield* git("branch", "--list", branch)
      yield* branches === "" ? git("checkout", "-q", "-b", branch) : git("checkout", "-q", branch)
      const text = yield* Effect.promise(() => fs.readFile(ntp, "utf8"))
      const changed = text.replace(/host: [\d.]+\n/, `host: ${address}\n`)
      assert.notStrictEqual(changed, text)
      yield* Effect.promise(() => fs.writeFile(ntp, changed))
      yield* git("commit", "-q", "-am", `Ask ${address} for the time`)
      const commit = yield* git("rev-parse", "HEAD")
      yield* git("checkout", "-q", "main")
      return commit
    })
    const read = (id: number) =>
      Effect.map(api.send("GET", `/proposals/${id}`), ({ body }) => body.data["proposal"] as WholeProposal)
    /** The proposal as soon as it is so. */
    const until = Effect.fnUntraced(function* (id: number, is: (proposal: WholeProposal) => boolean) {
      for (;;) {
        const proposal = yield* read(id)
        if (is(proposal)) return proposal
        yield* Effect.sleep("50 millis")
      }
    })
    const open = Effect.fnUntraced(function* (branch: string) {
      const { body, status } = yield* api.send("POST", "/proposals", { repository: "settings", branch })
      assert.strictEqual(status, 201, JSON.stringify(body))
      return body.data["proposal"] as Proposal
    })
    const list = (query = "") =>
      Effect.map(api.send("GET", `/proposals${query}`), ({ body }) => body.data["proposals"] as ReadonlyArray<Proposal>)
    return { api, commitNtp, folders, git, list, open, read, refresh, running, until, url }
  })

/** The difference calls for the first only, on access switches. */
const CHECKS = `checks:
  clock:
    for: { device_types: [ACCESS] }
    when_diff: ^ntp server
    reads: ntp
    must: { at_least: 1 }
  routing:
    for: all
    when_diff: ^router bgp
    reads: bgp
    must: no_lost
`

const isChecked = ({ check }: Proposal) => check === "accepted" || check === "refused" || check === "failed"

describe("a proposed branch", () => {
  it.live("is checked for every switch, again when it moves, and ends when it is in force", () =>
    Effect.gen(function* () {
      const { api, commitNtp, git, list, open, refresh, running, until } = yield* started()
      const first = yield* commitNtp("new-time", "10.20.0.201")
      const proposed = yield* open("new-time")
      assert.deepInclude(proposed, { branch: "new-time", state: "open", opened_by: "admin", forge: null })
      const checked = yield* until(proposed.id, isChecked)
      assert.deepInclude(checked, { check: "accepted", commit: first, committer: "Sam Berg", ways: 2 })
      assert.deepEqual(checked.devices, { concerned: 5, rendered: 5, changed: 5, failed: 0 })
      assert.isAbove(checked.risk?.devices ?? 0, 1)
      // the smallest group first: the two distribution switches
      const [, group] = checked.groups
      assert.deepInclude(group, { count: 3, hostnames: ["lhv-acc1", "lhv-acc2", "lhv-acc3"], viewed: false })
      assert.match(group?.diff ?? "", /^\+ntp server .*10\.20\.0\.201/m)
      assert.match(checked.sentences.join("\n"), /5 of 5 devices get another configuration/)

      const marked = yield* api.send("POST", `/proposals/${proposed.id}/viewed`, {
        groups: [group?.key],
        viewed: true
      })
      assert.deepEqual(marked.body.data["groups"], [group?.key])
      assert.isTrue((yield* until(proposed.id, isChecked)).groups[1]?.viewed)

      // the branch moves: the newest commit counts, with marks of its own
      const second = yield* commitNtp("new-time", "10.20.0.202")
      const moved = yield* until(proposed.id, ({ check, commit }) => check === "accepted" && commit === second)
      assert.deepEqual(
        moved.earlier.map(({ commit }) => commit),
        [first]
      )
      assert.isFalse(moved.groups[1]?.viewed)
      assert.match(moved.groups[1]?.diff ?? "", /10\.20\.0\.202/)
      assert.strictEqual((yield* open("new-time")).id, proposed.id, "a branch has one open proposal")

      yield* git("merge", "-q", "--no-ff", "-m", "Merge new-time", "new-time")
      yield* until(proposed.id, isChecked)
      assert.strictEqual((yield* list("?state=open")).length, 1, "it is merged in git, and not yet in force")
      assert.strictEqual((yield* refresh()).status, 200)
      const merged = yield* until(proposed.id, ({ state }) => state !== "open")
      assert.deepInclude(merged, { state: "merged", ended_by: "switchyard" })
      assert.deepEqual(yield* list("?state=open"), [])

      const events = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql<{ action: string }>`select action from event where kind = 'proposal' and is_audit order by id`
      }).pipe(Effect.provideContext(running))
      assert.deepEqual(
        events.map(({ action }) => action),
        ["opened", "merged"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("says which checks a rollout would make, on which switches", () =>
    Effect.gen(function* () {
      const { commitNtp, folders, open, refresh, until } = yield* started()
      yield* folders.templates.commit({ "checks.yml": CHECKS })
      assert.strictEqual((yield* refresh("templates")).status, 200)
      yield* commitNtp("new-time", "10.20.0.201")
      const { checks } = yield* until((yield* open("new-time")).id, isChecked)
      const sentence = "reads sources of time 10 s after the commit, and for 30 s more: there must be at least 1"
      assert.deepEqual(checks, [
        { name: "clock", sentence, devices: 3, hostnames: ["lhv-acc1", "lhv-acc2", "lhv-acc3"] }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("is refused with the line, compared with what comes into force, and closed when the branch goes", () =>
    Effect.gen(function* () {
      const { api, commitNtp, folders, git, open, read, refresh, until } = yield* started()
      yield* git("checkout", "-q", "-b", "broken")
      const file = path.join(folders.settings.folder, "global/base_system.yml")
      const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
      yield* Effect.promise(() => fs.writeFile(file, `${text}ntp_serverz: [\n`))
      yield* git("commit", "-q", "-am", "Break it")
      yield* git("checkout", "-q", "main")
      const refused = yield* until((yield* open("broken")).id, isChecked)
      assert.strictEqual(refused.check, "refused")
      assert.strictEqual(refused.problems[0]?.file, "global/base_system.yml")
      assert.isNumber(refused.problems[0]?.line)

      yield* commitNtp("other-time", "10.20.0.203")
      const { id } = yield* open("other-time")
      const before = yield* until(id, isChecked)
      // main gets a commit of its own, which the branch does not have
      yield* folders.settings.commit({
        "devices/lhv-acc1/base_system.yml": "---\ndns_servers: [{host: 10.20.0.9}]\n",
        "devices/lhv-acc1/interfaces.yml": "---\n{}\n",
        "devices/lhv-acc1/routing.yml": "---\n{}\n"
      })
      const refreshed = yield* refresh()
      assert.strictEqual(refreshed.status, 200, JSON.stringify(refreshed.body))
      const again = yield* until(id, (now) => now.check === "accepted" && now.in_force !== before.in_force)
      assert.isAbove(again.ways, before.ways, "the branch would take away what is in force now")

      yield* git("branch", "-q", "-D", "other-time")
      assert.deepInclude(yield* until(id, ({ state }) => state !== "open"), { state: "closed", ended_by: "switchyard" })
      const closed = yield* api.send("DELETE", `/proposals/${refused.id}`)
      assert.deepInclude(closed.body.data["proposal"], { state: "closed", ended_by: "admin" })
      assert.strictEqual((yield* api.send("GET", "/proposals/999")).status, 404)
      const unknown = yield* open("no-such-branch")
      assert.deepInclude(yield* until(unknown.id, ({ state }) => state !== "open"), {
        state: "closed",
        why: "the repository has no such branch"
      })
      assert.strictEqual((yield* read(id)).state, "closed")
    }).pipe(Effect.scoped)
  )
})

const at = (minute: number) => `2026-02-13T09:${String(minute).padStart(2, "0")}:00Z`

describe("a request at the forge", () => {
  for (const kind of ["github", "gitlab", "gitea"] as const satisfies ReadonlyArray<Forge>) {
    it.live(`${kind}: is proposed, told there once, and ends with it; a repeated event changes nothing`, () =>
      Effect.gen(function* () {
        const forge = yield* makeForgeServer(kind)
        const { commitNtp, list, until, url } = yield* started({
          ...forge.variables,
          FORGE_PEOPLE: "Maria-K=maria,sam-b=sam"
        })
        const send = (event: Parameters<typeof sendEvent>[2], secret?: string) => sendEvent(kind, url, event, secret)
        const commit = yield* commitNtp("new-time", "10.20.0.210")
        const pull = { number: 12, branch: "new-time", commit, at: at(10) }

        const forged = yield* send(pullEvent(kind, pull), "another secret of sixteen")
        assert.strictEqual(forged.status, 401)
        assert.deepEqual(yield* list(), [])
        const other = yield* send(pullEvent(kind, { ...pull, target: "elsewhere" }))
        assert.strictEqual(other.status, 200)
        const opened = yield* send(pullEvent(kind, pull))
        assert.deepInclude(opened.data, { taken: true })
        const id = opened.data?.proposal ?? 0
        const told = yield* until(id, ({ forge: there }) => /(?:success|failure): /.test(there?.told ?? ""))
        assert.deepInclude(told, { check: "accepted", opened_by: "sam-b", opened_there: true, title: "Request 12" })
        assert.deepInclude(told.forge, { number: 12, error: null, given_up: false })
        const last = forge.statuses.at(-1)
        assert.deepInclude(last, {
          commit,
          state: "success",
          context: "switchyard",
          target_url: `https://switchyard.example.org/ui/proposal/${id}`
        })
        assert.match(last?.description ?? "", /^5 switches would change in 2 ways, /)
        const comment = forge.comments.get(1)
        assert.match(comment?.body ?? "", /5 switches would change in 2 ways/)
        assert.include(comment?.body ?? "", `https://switchyard.example.org/ui/proposal/${id}`)

        const repeated = yield* send(pullEvent(kind, pull))
        assert.strictEqual(repeated.status, 200)
        // somebody who is known here, somebody who is not, and whoever proposed it
        for (const by of ["maria-k", "stranger", "sam-b"]) {
          assert.deepInclude((yield* send(reviewEvent(kind, { ...pull, by, at: at(11) }))).data, { taken: true })
        }
        const approved = yield* until(id, ({ approvals }) => approvals.length === 3)
        assert.deepEqual(
          approved.approvals.map(({ counts, login, person }) => [login, person, counts]),
          [
            ["maria-k", "maria", true],
            ["sam-b", "sam", false],
            ["stranger", null, false]
          ]
        )
        assert.strictEqual(approved.approved_by, 1)

        const second = yield* commitNtp("new-time", "10.20.0.211")
        yield* send(
          pullEvent(kind, { ...pull, commit: second, at: at(12), action: kind === "gitlab" ? "update" : "synchronize" })
        )
        const moved = yield* until(id, ({ forge: there }) => (there?.told ?? "").startsWith(`${second} success`))
        assert.strictEqual(moved.approved_by, 0, "an approval of an earlier commit does not count")
        assert.deepEqual([forge.comments.size, forge.comments.get(1)?.edits], [1, 1], "the one comment is edited")

        const closed = yield* send(pullEvent(kind, { ...pull, commit: second, at: at(13), state: "closed" }))
        assert.deepInclude(closed.data, { taken: true, proposal: id })
        const replayed = yield* send(pullEvent(kind, pull))
        assert.deepInclude(replayed.data, { taken: false, why: "something newer is known already" })
        assert.deepEqual(
          (yield* list()).map(({ state }) => state),
          ["closed"]
        )
        const unknown = yield* send([kind === "gitlab" ? "Note Hook" : "issue_comment", {}])
        assert.strictEqual(unknown.status, 200)
        assert.deepInclude(unknown.data, { taken: false, proposal: null })
        assert.match(unknown.data?.why ?? "", /are not used/)
        assert.isEmpty(forge.refused)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is tried again a few times when the forge fails, which is said and alters nothing, without the token", () =>
    Effect.gen(function* () {
      const forge = yield* makeForgeServer("gitea")
      const { api, commitNtp, until, url } = yield* started(forge.variables)
      forge.answerWith({ status: 403, body: `no rights for ${TOKEN}` })
      const commit = yield* commitNtp("new-time", "10.20.0.220")
      const opened = yield* sendEvent(
        "gitea",
        url,
        pullEvent("gitea", { number: 3, branch: "new-time", commit, at: at(1) })
      )
      const id = opened.data?.proposal ?? 0
      const failed = yield* until(id, (now) => isChecked(now) && now.forge?.error !== null && now.forge !== null)
      assert.deepInclude(failed, { check: "accepted", state: "open" })
      assert.include(failed.forge?.error ?? "", "gitea answered 403")
      assert.notInclude(JSON.stringify((yield* api.send("GET", "/proposals")).body), TOKEN)
      forge.answerWith(null)
      const told = yield* until(id, (now) => now.forge?.error === null && now.forge.told !== null)
      assert.include(told.forge?.told ?? "", "success")
      assert.isAbove(forge.refused.length, 0)
      assert.strictEqual((yield* sendEvent("gitea", url, ["push", "payload=%7B%7D"])).status, 400, "a form is no JSON")
    }).pipe(Effect.scoped)
  )
})
