/** A dry run with `auto_push`: what it pushes automatically and what it leaves to a person, through the API on the lab. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import type { JobReply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"

const Refused = Schema.Struct({
  auto_push: Schema.Struct({ refused: Schema.String, message: Schema.String, lines: Schema.Array(Schema.String) })
})
const refusal = ({ result }: JobReply) => Schema.decodeUnknownSync(Refused)(result).auto_push

const read = (file: string) => Effect.promise(() => fs.readFile(file, "utf8"))

/** The VLANs of the settings that a port of the switch uses, instead of all that the settings have for it. */
const USED_VLANS = `{% for vxlan in vxlans.values()|sort(attribute="vlan_id") %}
{% for intf in interfaces if intf.untagged_vlan == vxlan.vlan_id %}
{% if loop.first %}
vlan {{ vxlan.vlan_id }}
   name {{ vxlan.vlan_name }}
!
{% endif %}
{% endfor %}
{% endfor %}
`

/** A server with switches that all run what the settings say. */
const makeScene = Effect.fnUntraced(function* (count: number, templates: Readonly<Record<string, string>> = {}) {
  const names = Managed.accessNames(count)
  const folders = yield* Campus.makeFolders
  if (Object.keys(templates).length > 0) yield* folders.templates.commit(templates)
  const lab = yield* Managed.makeManagedLab(names)
  const switches = yield* Managed.switchesOf(lab, names)
  const { layer, lines } = keepLines("Warn")
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0" }
  const { api, running } = yield* serve(env, layer)
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  const edit = Effect.fnUntraced(function* (hostname: string, interfaces: Readonly<Record<string, unknown>>) {
    const reply = yield* api.send("PUT", `/device/${hostname}/interfaces`, { interfaces })
    assert.strictEqual(reply.status, 200, JSON.stringify(reply.body))
  })
  const push = (hostname: string) => api.run("/device_syncto", { hostname, dry_run: false, force: true, resync: true })
  const autoPush = (hostname: string) => api.run("/device_syncto", { hostname, dry_run: true, auto_push: true })
  const warnings = (id: number) =>
    lines.map(({ text }) => text).filter((text) => text.startsWith(`job #${id}: auto_push`))
  for (const name of names) yield* push(name)
  return { api, autoPush, edit, folders, names, push, refresh, switches, warnings }
})

it.live(
  "pushes a harmless edit of a port, and refuses to remove a VLAN from four switches because of a mistyped group",
  () =>
    Effect.gen(function* () {
      const { api, autoPush, edit, folders, names, refresh, switches, warnings } = yield* makeScene(4)
      const [one = ""] = names
      yield* edit(one, { Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "desk four" } } })
      const good = yield* autoPush(one)
      assert.isBelow(good.change_score ?? 100, 10)
      assert.isNotNull(good.next_job_id, JSON.stringify(good.result))
      const live = yield* api.ended(good.next_job_id ?? 0)
      assert.strictEqual(live.status, "FINISHED")
      assert.include(switches[0]?.running() ?? "", "desk four")
      assert.isUndefined(Reflect.get(good.result ?? {}, "auto_push"))

      const vxlans = path.join(folders.settings.folder, "global/vxlans.yml")
      const mistyped = (yield* read(vxlans)).replace(/(vlan_name: STUDENT[^]*?- )ACCESS_ALL\n/, "$1ACCES_ALL\n")
      yield* folders.settings.commit({ "global/vxlans.yml": mistyped })
      assert.strictEqual((yield* refresh("settings")).status, 200)
      for (const [index, name] of names.entries()) {
        yield* edit(name, { Ethernet3: { configtype: "ACCESS_AUTO", data: { description: "desk five" } } })
        const before = switches[index]?.running()
        const job = yield* autoPush(name)
        assert.isNull(job.next_job_id, `${name}: ${JSON.stringify(job.result)}`)
        const { lines, message, refused } = refusal(job)
        assert.strictEqual(refused, "removed_vlan")
        assert.strictEqual(message, "A VLAN is removed")
        assert.deepStrictEqual(lines, ["- vlan 120"])
        assert.isBelow(job.change_score ?? 100, 10)
        assert.lengthOf(warnings(job.id), 1)
        assert.match(
          warnings(job.id)[0] ?? "",
          new RegExp(`auto_push of ${name} refused by removed_vlan: A VLAN is removed`)
        )
        assert.strictEqual(switches[index]?.running(), before)
      }
    }).pipe(Effect.scoped)
)

it.live(
  "lets a port edit remove the VLAN that it has emptied, but not if something else has changed the device too",
  () =>
    Effect.gen(function* () {
      const access = yield* read(path.join(import.meta.dirname, "../../../examples/templates/eos/access-vlans.j2"))
      const [, management = ""] = access.split("{% endfor %}\n")
      const { api, autoPush, edit, folders, names, push, refresh, switches } = yield* makeScene(1, {
        "eos/access-vlans.j2": `${USED_VLANS}${management}`
      })
      const [one = ""] = names
      const port = (vlan: string) => ({ Ethernet2: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: vlan } } })
      yield* edit(one, port("STUDENT"))
      yield* push(one)
      assert.match(switches[0]?.running() ?? "", /^vlan 120$/m)

      yield* edit(one, port("PRINTER"))
      const moved = yield* autoPush(one)
      assert.isNotNull(moved.next_job_id, JSON.stringify(moved.result))
      yield* api.ended(moved.next_job_id ?? 0)
      assert.notMatch(switches[0]?.running() ?? "", /^vlan 120$/m)
      assert.match(switches[0]?.running() ?? "", /^vlan 130$/m)

      yield* edit(one, port("STAFF"))
      const system = path.join(folders.settings.folder, "access/base_system.yml")
      yield* folders.settings.commit({
        "access/base_system.yml": `${yield* read(system)}\norganization_name: Elsewhere\n`
      })
      assert.strictEqual((yield* refresh("settings")).status, 200)
      const mixed = yield* autoPush(one)
      assert.deepInclude(refusal(mixed), { refused: "removed_vlan", lines: ["- vlan 130"] })
    }).pipe(Effect.scoped)
)

it.live(
  "follows rules of the templates repository, whose mistakes are refused at the refresh, and gives the reason if it pushes nothing",
  () =>
    Effect.gen(function* () {
      const { api, autoPush, edit, folders, names, refresh, warnings } = yield* makeScene(2)
      const [one = ""] = names
      yield* folders.templates.commit({ "eos/auto_push.yml": "never:\n  - name: desks\n    lines: description\n" })
      const wrong = yield* refresh("templates")
      assert.strictEqual(wrong.status, 500)
      assert.match(
        String(wrong.body.message),
        /eos\/auto_push\.yml in template repo: rule 1 \(desks\): unknown key 'lines', known are/
      )
      assert.match(String(wrong.body.message), /rule 1 \(desks\): 'line' is missing/)

      yield* folders.templates.commit({
        "eos/auto_push.yml":
          "never:\n  - name: desks\n    message: A desk gets another name\n    change: added\n    section: interface Ethernet\n    line: description desk\n"
      })
      assert.strictEqual((yield* refresh("templates")).status, 200)
      yield* edit(one, { Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "desk four" } } })
      const desk = yield* autoPush(one)
      assert.deepStrictEqual(refusal(desk), {
        refused: "desks",
        message: "A desk gets another name",
        lines: ["+ interface Ethernet2 / description desk four"]
      })
      assert.lengthOf(warnings(desk.id), 1)
      yield* edit(one, { Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "window" } } })
      assert.isNotNull((yield* autoPush(one)).next_job_id)

      for (const name of names) {
        yield* edit(name, { Ethernet3: { configtype: "ACCESS_AUTO", data: { description: "both" } } })
      }
      const many = yield* api.run("/device_syncto", { group: "ACCESS_ALL", dry_run: true, auto_push: true })
      assert.strictEqual(refusal(many).refused, "not_one_device")
    }).pipe(Effect.scoped)
)

it.live("names a high score, a manual change that cannot be compared, and a failed dry run", () =>
  Effect.gen(function* () {
    const { api, autoPush, edit, names, push, switches, warnings } = yield* makeScene(1)
    const [one = ""] = names
    const lines = ["cost 5", "port-priority 16", "link-type point-to-point"].map((word) => `   spanning-tree ${word}`)
    yield* edit(one, { Ethernet2: { configtype: "ACCESS_AUTO", data: { cli_append_str: lines.join("\n") } } })
    const large = yield* autoPush(one)
    assert.isNull(large.next_job_id)
    assert.strictEqual(refusal(large).refused, "score")
    assert.match(refusal(large).message, /^The change score [\d.]+ is not below 10$/)
    yield* push(one)

    switches[0]?.configure("interface Ethernet4\n   description by hand\n")
    const byHand = yield* api.run("/device_syncto", { hostname: one, dry_run: true, auto_push: true, force: true })
    assert.strictEqual(refusal(byHand).refused, "not_comparable")
    assert.isBelow(byHand.change_score ?? 100, 10)
    assert.include(switches[0]?.running() ?? "", "by hand")

    const altered = yield* autoPush(one)
    assert.strictEqual(refusal(altered).refused, "dry_run_failed")
    assert.lengthOf(warnings(altered.id), 1)
  }).pipe(Effect.scoped)
)
