/** A managed access switch with Junos: what an operator does with it over the API, and what runs on it then. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Campus from "../../support/Campus.ts"
import * as Site from "./JunosSite.ts"

const secrets = [Site.RADIUS_KEY, Site.ROOT_HASH, Campus.HASH, "$6$saltsalt$noc-example-hash", "lhv-read"]

const hasNoSecret = (text: string, where: string) => {
  for (const secret of secrets) assert.notInclude(text, secret, where)
  assert.notMatch(text, /\$9\$[\w./-]{4}/, where)
}

/** The first sync, after which the switch runs what the settings say. */
const managed = (served: Site.Served) =>
  Effect.tap(Site.sync(served, { force: true, confirm_mode: 0 }), (job) =>
    Effect.sync(() => assert.isFalse(Site.outcomeOf(job).failed, Site.outcomeOf(job).text))
  )

describe("a managed switch with Junos", () => {
  it.live("is shown what a sync would do, is synchronized in each mode, and has nothing to do then", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          const dry = yield* Site.sync(served, { dry_run: true })
          const shown = Site.outcomeOf(dry)
          assert.isFalse(shown.failed, shown.text)
          assert.match(shown.diff, /^\+ +authentication-profile-name CAMPUS-NAC;$/m)
          assert.match(shown.diff, /^- +OLD-MANAGEMENT \{$/m)
          assert.isAbove(dry.change_score ?? 0, 0)
          hasNoSecret(shown.text, "the dry run")
          assert.include(device.running(), "OLD-MANAGEMENT")
          assert.deepStrictEqual([device.commits(), device.sessions()], [[], []])

          const first = yield* Site.sync(served, { force: true, confirm_mode: 1 })
          assert.isFalse(Site.outcomeOf(first).failed, Site.outcomeOf(first).text)
          assert.include(device.running(), "authentication-profile-name CAMPUS-NAC;")
          assert.notInclude(device.running(), "OLD-MANAGEMENT")
          assert.deepStrictEqual(
            device.commits().map(({ kind }) => kind),
            ["commitTimer", "confirm"]
          )
          assert.deepInclude(yield* Site.rowOf(served), { synchronized: true, state: "MANAGED" })

          for (const mode of [0, 1, 2]) {
            yield* Site.want(served, `wanted mode ${mode}`)
            assert.deepInclude(yield* Site.rowOf(served), { synchronized: false })
            const before = device.commits().length
            const job = yield* Site.sync(served, { confirm_mode: mode })
            const { diff, failed, text } = Site.outcomeOf(job)
            assert.isFalse(failed, text)
            assert.match(diff, new RegExp(`^\\+ +description "wanted mode ${mode}";$`, "m"))
            if (mode === 2) yield* served.api.ended(job.next_job_id ?? 0)
            assert.strictEqual(Site.described(device), `wanted mode ${mode}`)
            assert.deepStrictEqual(
              device
                .commits()
                .slice(before)
                .map(({ kind }) => kind),
              mode === 0 ? ["commit"] : ["commitTimer", "confirm"]
            )
            assert.deepInclude(yield* Site.rowOf(served), { synchronized: true })
          }

          const before = device.commits().length
          const again = yield* Site.sync(served)
          assert.deepInclude(Site.outcomeOf(again), { failed: false, diff: "" })
          assert.strictEqual(again.change_score, 1)
          assert.deepStrictEqual([device.commits().length, device.timer(), device.sessions()], [before, undefined, []])
        })
      )
    )
  )

  it.live("is found to be changed by hand, is left alone then, and is overwritten when that is asked", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          yield* managed(served)
          device.configure("set vlans BY-HAND vlan-id 999")
          const drift = yield* served.api.run("/device_drift", { hostname: Site.HOSTNAME })
          assert.match(JSON.stringify(drift.result), /\+ +BY-HAND \{/)
          assert.deepInclude(yield* Site.rowOf(served), { synchronized: false })
          const refused = Site.outcomeOf(yield* Site.sync(served))
          assert.isTrue(refused.failed)
          assert.include(refused.text, "ConfigHashMismatch")
          assert.include(device.running(), "BY-HAND")
          const forced = Site.outcomeOf(yield* Site.sync(served, { force: true }))
          assert.isFalse(forced.failed, forced.text)
          assert.match(forced.diff, /^- +BY-HAND \{$/m)
          assert.notInclude(device.running(), "BY-HAND")
          assert.deepInclude(yield* Site.rowOf(served), { synchronized: true })
        })
      )
    )
  )

  it.live("gets an earlier configuration back, and one that an operator gives", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          const { api } = served
          yield* managed(served)
          const first = device.running()
          yield* Site.want(served, "wanted two")
          const second = yield* Site.sync(served)
          assert.strictEqual(Site.described(device), "wanted two")

          const undone = yield* api.run(`/job/${second.id}/revert`, { dry_run: false })
          assert.isFalse(Site.outcomeOf(undone).failed, Site.outcomeOf(undone).text)
          assert.strictEqual(device.running(), first)

          const redone = yield* api.run(`/device/${Site.HOSTNAME}/previous_config`, {
            job_id: second.id,
            dry_run: false
          })
          assert.isFalse(Site.outcomeOf(redone).failed, Site.outcomeOf(redone).text)
          assert.strictEqual(Site.described(device), "wanted two")
          assert.deepInclude(yield* Site.rowOf(served), { state: "UNMANAGED" })

          const full_config = Site.OLD_CONFIG.replace("OLD-MANAGEMENT", "BY-OPERATOR")
          const dry = yield* api.run(`/device/${Site.HOSTNAME}/apply_config`, { full_config, dry_run: true })
          assert.match(Site.outcomeOf(dry).diff, /^\+ +BY-OPERATOR \{$/m)
          hasNoSecret(Site.outcomeOf(dry).text, "apply_config")
          const applied = yield* api.run(`/device/${Site.HOSTNAME}/apply_config`, { full_config, dry_run: false })
          assert.isFalse(Site.outcomeOf(applied).failed, Site.outcomeOf(applied).text)
          assert.include(device.running(), "BY-OPERATOR")

          const cut = full_config.replace("        netconf {\n            ssh;\n        }\n", "")
          for (const dry_run of [true, false]) {
            const refused = yield* api.run(`/device/${Site.HOSTNAME}/apply_config`, { full_config: cut, dry_run })
            assert.isTrue(Site.outcomeOf(refused).failed)
            assert.include(Site.outcomeOf(refused).text, "system services netconf ssh")
          }
          const broken = yield* api.run(`/device/${Site.HOSTNAME}/apply_config`, {
            full_config: full_config.replace("vlan-id 3016;", "vlan-id 3016; frobnicate yes;"),
            dry_run: true
          })
          assert.include(Site.outcomeOf(broken).text, "frobnicate")
          assert.deepStrictEqual(device.sessions(), [])
        })
      )
    )
  )

  it.live("shows its configuration, ports and neighbours", () =>
    Site.withSite(({ device, serve }) =>
      serve((served) =>
        Effect.gen(function* () {
          const { api } = served
          yield* managed(served)
          device.setNeighbour("xe-0/2/0", { systemName: "lhv-dist1", neighbourPort: "Ethernet3" })
          const get = (path: string) =>
            Effect.map(api.send("GET", `/device/${Site.HOSTNAME}/${path}`), ({ body, status }) => {
              const text = JSON.stringify(body)
              assert.strictEqual(status, 200, `${path}: ${text}`)
              return text
            })
          const read = (path: string) => Effect.tap(get(path), (text) => Effect.sync(() => hasNoSecret(text, path)))
          // who may read a configuration reads all of it, without the device's own remarks
          for (const path of ["running_config", "generate_config", "previous_config"]) {
            const text = yield* get(path)
            assert.include(text, "authentication-profile-name CAMPUS-NAC;")
            assert.notMatch(text, /## (?:Last|SECRET)/)
          }
          assert.include(yield* get("running_config?interface=ge-0/0/1"), "storm-control EDGE;")
          assert.include(yield* read("interface_status"), '"ge-0/0/1"')
          assert.include(yield* read("lldp_neighbors"), "lhv-dist1")
          assert.include(yield* read("lldp_neighbors_detail"), "lhv-dist1")
          assert.include(yield* read("port_readings?max_age=0"), '"ge-0/0/1"')
          yield* read("optics")
          yield* get("config_blame")
          for (const kind of ["neighbours", "interfaces", "bgp", "routes", "port_channels", "errors", "environment"]) {
            assert.include(yield* read(`readings?reads=${kind}`), kind)
          }
          const facts = yield* api.run("/device_update_facts", { hostname: Site.HOSTNAME })
          assert.isNull(facts.exception, JSON.stringify(facts))
          assert.deepInclude(yield* Site.rowOf(served), { serial: device.hardware().serial, model: "ex3400-48p" })
        })
      )
    )
  )
})
