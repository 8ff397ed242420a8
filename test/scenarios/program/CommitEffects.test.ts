/**
 * The removals of a commit are reported before it is in force, and too many need a confirmation: through the API, with real repositories.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import type { CommitEffects, WaitingCommit } from "../../../src/domain/CommitEffects.ts"
import type { Interface } from "../../../src/domain/Interface.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import type { Reply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

const git = promisify(execFile)
const program = path.resolve(import.meta.dirname, "../../../bin/switchyard")

const WINDOWS = `windows:
  night:
    groups: [ACCESS_ALL]
    timezone: Europe/Stockholm
    weekly:
      - {from: "22:00", to: "05:00"}
`
const ROLES = `roles:
  porter:
    permissions:
      - {methods: ["*"], endpoints: ["*"], groups: [ACCESS_ALL]}
`
const ALERTS = `receivers:
  ops: {type: webhook, url: "https://alerts.example.org/", secret: HOOK}
rules:
  access_failed: {kind: job, action: ended, to: ops, groups: [ACCESS_ALL]}
`

const PORTS: ReadonlyArray<readonly [string, Interface["configtype"], Interface["data"]]> = [
  ["Ethernet1", "ACCESS_UNTAGGED", { untagged_vlan: "STUDENT", description: "room 1" }],
  ["Ethernet2", "ACCESS_TAGGED", { tagged_vlan_list: ["STAFF", "STUDENT", 140] }],
  ["Ethernet3", "ACCESS_UNTAGGED", { untagged_vlan: "STAFF" }],
  ["Ethernet4", "ACCESS_UNTAGGED", { untagged_vlan: 120 }]
]

const MORE_LINES = Array.from({ length: 10 }, (_, line) => `! one more line ${line}\n`).join("")

/** Four managed access switches below two distribution switches, three of the first four ports in VLANs. */
const started = (extra: Readonly<Record<string, string>> = {}, files: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    for (const [name, text] of Object.entries(files)) {
      yield* Effect.promise(() => fs.writeFile(path.join(folders.folder, name), text))
    }
    const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
    const { api, running, url } = yield* serve({
      ...Campus.environment(lab, folders, folders.folder),
      ALERT_SECRET_HOOK: `whsec_${Buffer.alloc(32, 5).toString("base64")}`,
      ...extra
    })
    yield* Effect.gen(function* () {
      yield* Campus.seedSite
      for (const number of [1, 2, 3, 4]) {
        const device = yield* (yield* DeviceStore).insert({
          hostname: `lhv-acc${number}`,
          state: "MANAGED",
          device_type: "ACCESS",
          platform: "eos",
          management_ip: `10.196.16.${10 + number}`,
          model: "CCS-720XP-24ZY4-F",
          synchronized: true
        })
        for (const [name, configtype, data] of PORTS)
          yield* (yield* InterfaceStore).put(device.id, name, configtype, data)
      }
    }).pipe(Effect.provideContext(running))
    const put = (name: string, more: object = {}) =>
      api.send("PUT", `/repository/${name}`, { action: "REFRESH", ...more })
    const refresh = (name = "settings", more: object = {}) => put(name, more)
    while ((yield* refresh("templates")).status !== 200) yield* Effect.sleep("50 millis")
    while ((yield* refresh()).status !== 200) yield* Effect.sleep("50 millis")
    const read = (repository: "settings" | "templates", file: string) =>
      Effect.promise(() => fs.readFile(path.join(folders[repository].folder, file), "utf8"))
    /** Commits one file with a text replaced, which has to be there. */
    const edit = Effect.fnUntraced(function* (
      repository: "settings" | "templates",
      file: string,
      from: string | RegExp,
      to: string
    ) {
      const text = yield* read(repository, file)
      assert.match(text, typeof from === "string" ? new RegExp(RegExp.escape(from)) : from)
      yield* folders[repository].commit({ [file]: text.replace(from, () => to) })
    })
    const head = (repository: "settings" | "templates" = "settings") =>
      Effect.promise(async () =>
        (await git("git", ["-C", folders[repository].folder, "rev-parse", "HEAD"])).stdout.trim()
      )
    const waiting = (name = "settings") =>
      Effect.map(
        api.send("GET", `/repository/${name}`),
        ({ body }) => (body as unknown as { waiting: WaitingCommit | null }).waiting
      )
    const ports = (hostname: string) =>
      Effect.map(
        api.send("GET", `/device/${hostname}/interfaces`),
        ({ body }) =>
          new Map((body.data["interfaces"] as ReadonlyArray<Interface>).map(({ data, name }) => [name, data]))
      )
    const jobs = Effect.map(
      api.send("GET", "/jobs?per_page=1000"),
      ({ body }) =>
        new Set((body.data["jobs"] as ReadonlyArray<{ function_name: string }>).map((job) => job.function_name))
    )
    return { api, edit, folders, head, jobs, ports, read, refresh, url, waiting }
  })

const effectsOf = ({ body }: Reply) => (body as unknown as { effects: CommitEffects }).effects
const said = ({ body }: Reply) => String(body.message)

describe("a commit that removes something", () => {
  it.live("names each port whose VLAN is renamed, and gives it the new name in the same transaction on request", () =>
    Effect.gen(function* () {
      const { api, edit, jobs, ports, read, refresh } = yield* started()
      const before = yield* read("settings", "global/vxlans.yml")
      yield* edit("settings", "global/vxlans.yml", "vlan_name: STUDENT", "vlan_name: LEARNER")
      const checked = yield* api.send("POST", "/repository/settings/check", { branch: "main" })
      assert.deepEqual(
        effectsOf({ ...checked, body: checked.body.data } as never).vlans[0]?.ports,
        8,
        "before it is in force"
      )

      const reply = yield* refresh("settings", { rename_ports: true })
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      const [vlan] = effectsOf(reply).vlans
      assert.deepInclude(vlan, {
        change: "renamed",
        key: "student",
        vlan_name: "STUDENT",
        new_name: "LEARNER",
        ports: 8
      })
      assert.deepInclude([...(vlan?.port_list ?? [])], {
        hostname: "lhv-acc1",
        interface: "Ethernet1",
        as: "untagged"
      })
      assert.deepInclude([...(vlan?.port_list ?? [])], { hostname: "lhv-acc4", interface: "Ethernet2", as: "tagged" })
      const renamed = yield* ports("lhv-acc1")
      assert.deepEqual(renamed.get("Ethernet1"), { untagged_vlan: "LEARNER", description: "room 1" })
      assert.deepEqual(renamed.get("Ethernet2"), { tagged_vlan_list: ["STAFF", "LEARNER", 140] })
      assert.deepEqual(renamed.get("Ethernet4"), { untagged_vlan: 120 }, "a number names the id, which stays")
      const devices = yield* api.devices("filter[device_type]=ACCESS")
      assert.deepEqual(new Set(devices.map(({ synchronized }) => synchronized)), new Set([false]))
      const config = yield* api.send("GET", "/device/lhv-acc1/generate_config")
      assert.match(JSON.stringify(config.body), /interface Ethernet1\\n(?:(?!interface).)*switchport access vlan 120/)

      // without the option the ports stay unchanged, and the answer names their losses
      yield* edit("settings", "global/vxlans.yml", /^[^]*$/, before)
      const back = yield* refresh()
      assert.strictEqual(back.status, 200)
      assert.deepInclude(effectsOf(back).vlans[0], { change: "renamed", new_name: "STUDENT", ports: 8 })
      assert.deepEqual((yield* ports("lhv-acc1")).get("Ethernet1"), {
        untagged_vlan: "LEARNER",
        description: "room 1"
      })
      assert.deepEqual(yield* jobs, new Set(["refresh_repo"]))
    }).pipe(Effect.scoped)
  )

  it.live("lets ports name a VLAN by its key, which a rename does not change", () =>
    Effect.gen(function* () {
      const { api, edit, ports, refresh } = yield* started()
      const put = yield* api.send("PUT", "/device/lhv-acc1/interfaces", {
        interfaces: {
          Ethernet1: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "student" } },
          Ethernet2: { configtype: "ACCESS_TAGGED", data: { tagged_vlan_list: ["staff", "VOICE"] } },
          Ethernet3: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "no_such_key" } }
        }
      })
      assert.strictEqual(put.status, 400)
      assert.include(JSON.stringify(put.body), "no_such_key")
      assert.notInclude(JSON.stringify((put.body as { message: { errors: unknown } }).message.errors), "student")
      const configOf = Effect.map(api.send("GET", "/device/lhv-acc1/generate_config"), ({ body }) =>
        JSON.stringify(body)
      )
      assert.match(yield* configOf, /interface Ethernet1\\n(?:(?!interface).)*switchport access vlan 120/)
      yield* edit("settings", "global/vxlans.yml", "vlan_name: STUDENT", "vlan_name: LEARNER")
      const reply = yield* refresh()
      const named = effectsOf(reply).vlans[0]?.port_list ?? []
      assert.isEmpty(named.filter(({ hostname }) => hostname === "lhv-acc1"))
      assert.match(yield* configOf, /interface Ethernet1\\n(?:(?!interface).)*switchport access vlan 120/)
      assert.deepEqual((yield* ports("lhv-acc1")).get("Ethernet1")?.["untagged_vlan"], "student")
    }).pipe(Effect.scoped)
  )

  it.live("waits when it empties a group that windows, roles and alerts use, until that commit is confirmed", () =>
    Effect.gen(function* () {
      const { api, edit, folders, head, jobs, refresh, waiting } = yield* started(
        {},
        { "windows.yml": WINDOWS, "permissions.yml": ROLES }
      )
      yield* folders.settings.commit({ "alerts.yml": ALERTS })
      assert.strictEqual((yield* refresh()).status, 200)
      const good = yield* head()
      yield* edit("settings", "global/groups.yml", "regex: 'lhv-acc[0-9]+$'", "regex: 'lvh-acc[0-9]+$'")
      const bad = yield* head()
      const reply = yield* refresh()
      assert.strictEqual(reply.status, 409, JSON.stringify(reply.body))
      const effects = effectsOf(reply)
      const [group] = effects.groups
      assert.deepInclude(group, { name: "ACCESS_ALL", before: 4, after: 0, lost: 4 })
      assert.includeDeepMembers(
        [...(group?.used_by ?? [])],
        [
          { kind: "window", name: "night" },
          { kind: "role", name: "porter" },
          { kind: "alert rule", name: "access_failed" },
          { kind: "settings", name: "global/vxlans.yml" }
        ]
      )
      assert.sameDeepMembers(
        effects.rules.map(({ after, before, kind, name }) => ({ kind, name, before, after })),
        [
          { kind: "window", name: "night", before: 4, after: 0 },
          { kind: "role", name: "porter", before: 4, after: 0 },
          { kind: "alert rule", name: "access_failed", before: 4, after: 0 }
        ]
      )
      assert.include(said(reply), "Group ACCESS_ALL loses all of its 4 devices")
      assert.include(said(reply), `"confirm": "${bad}"`)
      // the old commit is in force, and everybody sees what waits
      assert.include(String((yield* api.send("GET", "/repository/settings")).body.data), good)
      assert.deepInclude(yield* waiting(), { commit: bad, effects })
      const commits = (yield* api.send("GET", "/repository/settings/commits")).body.data["commits"]
      assert.deepInclude((commits as ReadonlyArray<object>)[0], { commit: bad, state: "waiting" })
      const groups = (yield* api.send("GET", "/groups")).body.data["groups"] as Record<string, ReadonlyArray<string>>
      assert.lengthOf(groups["ACCESS_ALL"] ?? [], 4)

      const other = yield* refresh("settings", { confirm: good })
      assert.strictEqual(other.status, 409)
      assert.include(said(other), `the newest commit is ${bad}`)
      assert.deepInclude(yield* waiting(), { commit: bad })
      const confirmed = yield* refresh("settings", { confirm: bad })
      assert.strictEqual(confirmed.status, 200, JSON.stringify(confirmed.body))
      assert.isNotEmpty(effectsOf(confirmed).confirm)
      assert.isNull(yield* waiting())
      assert.include(String((yield* api.send("GET", "/repository/settings")).body.data), bad)
      assert.deepEqual(yield* jobs, new Set(["refresh_repo"]), "nothing is pushed by it")
    }).pipe(Effect.scoped)
  )

  it.live("waits when all VLANs are removed, and is superseded by the commit that restores them", () =>
    Effect.gen(function* () {
      const { api, edit, folders, read, refresh, waiting } = yield* started()
      const vxlans = yield* read("settings", "global/vxlans.yml")
      for (const text of ["vxlans: {}\n", "---\n"]) {
        yield* folders.settings.commit({ "global/vxlans.yml": text })
        const reply = yield* refresh()
        assert.strictEqual(reply.status, 409, JSON.stringify(reply.body))
        assert.include(said(reply), "7 of 7 VLANs are removed")
        const lost = effectsOf(reply).vlans.find(({ key }) => key === "student")
        assert.deepInclude(lost, { change: "vanished", ports: 12 })
        assert.isNotNull(yield* waiting())
        assert.include(JSON.stringify((yield* api.send("GET", "/settings?hostname=lhv-acc1")).body), "STUDENT")
      }
      // one VLAN less is nothing to ask about
      yield* folders.settings.commit({ "global/vxlans.yml": vxlans })
      assert.strictEqual((yield* refresh()).status, 200)
      assert.isNull(yield* waiting())
      yield* edit("settings", "global/vxlans.yml", /  quarantine:[^]*?(?=  physics)/, "")
      const one = yield* refresh()
      assert.strictEqual(one.status, 200, JSON.stringify(one.body))
      assert.deepInclude(effectsOf(one).removed[0], { kind: "VLANs", before: 7, removed: 1, names: ["quarantine"] })
    }).pipe(Effect.scoped)
  )

  it.live("names the removed keys at the top of a file and the removed directories of devices", () =>
    Effect.gen(function* () {
      const { edit, folders, refresh } = yield* started()
      yield* edit("settings", "global/base_system.yml", /^domain_name:.*\n/m, "")
      yield* folders.settings.commit({
        "devices/lhv-dist2/base_system.yml": null,
        "devices/lhv-dist2/interfaces.yml": null,
        "devices/lhv-dist2/routing.yml": null
      })
      const reply = yield* refresh()
      assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
      const { keys, removed } = effectsOf(reply)
      assert.deepInclude([...keys], { file: "global/base_system.yml", key: "domain_name" })
      assert.deepInclude([...removed], { kind: "directories of devices", before: 2, removed: 1, names: ["lhv-dist2"] })
    }).pipe(Effect.scoped)
  )

  it.live("counts the lines that devices lose, and waits when too many lose more than they get", () =>
    Effect.gen(function* () {
      const { edit, folders, head, read, refresh, waiting } = yield* started()
      const access = yield* read("templates", "eos/access.j2")
      yield* edit("templates", "eos/access.j2", /^/, MORE_LINES)
      assert.strictEqual((yield* refresh("templates")).status, 200)
      yield* folders.templates.commit({ "eos/access.j2": access })
      const reply = yield* refresh("templates")
      assert.strictEqual(reply.status, 200, "four devices are too few to be asked about")
      const { configurations } = effectsOf(reply)
      assert.deepInclude(configurations, {
        managed: 6,
        concerned: 4,
        rendered: 4,
        is_sample: false,
        changed: 4,
        losing: 4,
        removed: 40,
        added: 0
      })

      // every device of the site
      const files = ["eos/access.j2", "eos/dist.j2"]
      const texts = yield* Effect.forEach(files, (file) => read("templates", file))
      const all = Object.fromEntries(files.map((file, index) => [file, `${MORE_LINES}${texts[index]}`]))
      yield* folders.templates.commit(all)
      assert.strictEqual((yield* refresh("templates")).status, 200)
      yield* folders.templates.commit(Object.fromEntries(files.map((file, index) => [file, texts[index] ?? ""])))
      const asked = yield* refresh("templates")
      assert.strictEqual(asked.status, 409, JSON.stringify(asked.body))
      assert.include(said(asked), "6 of 6 managed devices lose many lines")
      assert.isNotNull(yield* waiting("templates"))
      const short = (yield* head("templates")).slice(0, 10)
      assert.strictEqual((yield* refresh("templates", { confirm: short })).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("names the variables that templates would print undefined, for a branch, a refresh and a working copy", () =>
    Effect.gen(function* () {
      const { api, edit, folders, refresh, url } = yield* started()
      yield* edit("templates", "eos/access.j2", /^/, "! {{ organisation_nam }}\n")
      const isNamed = (names: CommitEffects["undefined_names"]) =>
        assert.deepEqual(
          names.map(({ devices, file, line, message }) => ({ devices, file, line, message })),
          [{ devices: 4, file: "eos/access.j2", line: 1, message: "'organisation_nam' is undefined" }]
        )
      const checked = (yield* api.send("POST", "/repository/templates/check", { branch: "main" })).body.data
      isNamed((checked["effects"] as CommitEffects).undefined_names)
      assert.include(JSON.stringify(checked["warnings"]), "organisation_nam")
      const local = yield* Effect.promise(() =>
        git(program, ["check", "--templates", folders.templates.folder, "--against", url], {
          env: { ...process.env, SWITCHYARD_TOKEN: "any" }
        }).then(
          ({ stderr, stdout }) => ({ code: 0, stdout, stderr }),
          (error: { code: number; stdout: string; stderr: string }) => error
        )
      )
      assert.strictEqual(local.code, 2, local.stdout + local.stderr)
      assert.include(local.stdout, "eos/access.j2:1:")
      assert.include(local.stdout, "organisation_nam")
      assert.include(local.stdout, "4 devices get another configuration")
      const reply = yield* refresh("templates")
      assert.strictEqual(reply.status, 200)
      isNamed(effectsOf(reply).undefined_names)
    }).pipe(Effect.scoped)
  )

  it.live("asks nothing about the first commit, and refuses invalid options", () =>
    Effect.gen(function* () {
      const { refresh } = yield* started({ REFRESH_MAX_REMOVED: "0" })
      for (const more of [{ confirm: 5 }, { confirm: "main" }, { rename_ports: "yes" }]) {
        const reply = yield* refresh("settings", more)
        assert.strictEqual(reply.status, 400, JSON.stringify(more))
        assert.include(said(reply), Object.keys(more)[0] ?? "")
      }
    }).pipe(Effect.scoped)
  )
})
