/**
 * Blank Junos switches from their first lease to MANAGED, as a site sees it: an access switch, a distribution switch, and one whose
 * template gives it another address than the server, which comes back by its timer.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JobReply } from "../../support/ApiClient.ts"
import { startSite, until, WRONG } from "./BlankSite.ts"

/** What went wrong in a job; the configurations are long. */
const faultsOf = ({ exception, result }: JobReply): string =>
  JSON.stringify([
    exception?.message,
    ...Object.values(result?.devices ?? {}).flatMap(({ job_tasks }) =>
      job_tasks.flatMap((task) => ("failed" in task && task.failed === true ? [task] : []))
    )
  ])

it.live(
  "takes blank Junos switches to MANAGED by their leases, and one with a wrong address comes back by itself",
  () =>
    Effect.gen(function* () {
      const site = yield* startSite
      const { api, folders, lab, url } = site
      const [good, wrong, dist] = [yield* lab.get("good"), yield* lab.get("wrong"), yield* lab.get("newdist")]
      for (const blank of [good, wrong, dist]) yield* blank.boot

      // what the DHCP server names is what they have fetched
      const served = yield* Effect.promise(async () => (await fetch(`${url}/templates/junos/dhcp-init.j2`)).text())
      assert.include(served, "root-authentication")

      const discovered = {
        good: yield* until(site, "good", "DISCOVERED"),
        wrong: yield* until(site, "wrong", "DISCOVERED"),
        dist: yield* until(site, "newdist", "DISCOVERED")
      }
      assert.deepInclude(discovered.good, {
        platform: "junos",
        vendor: "Juniper",
        model: "ex3400-48p",
        serial: good.hardware().serial
      })

      // an access switch: it answers on its management address, and is confirmed there
      const asAccess = { hostname: "lhv-acc5", device_type: "ACCESS" }
      const check = yield* api.send("POST", `/device_initcheck/${discovered.good["id"]}`, asAccess)
      assert.deepInclude(check.body.data, { compatible: true }, JSON.stringify(check.body))
      const step1 = yield* api.run(`/device_init/${discovered.good["id"]}`, asAccess)
      assert.deepInclude(step1, { status: "FINISHED", exception: null }, faultsOf(step1))
      assert.isNotNull(step1.next_job_id, faultsOf(step1))
      assert.deepInclude(yield* api.ended(step1.next_job_id ?? 0), { status: "FINISHED", exception: null })
      assert.deepInclude(yield* until(site, "good", "MANAGED"), {
        hostname: "lhv-acc5",
        device_type: "ACCESS",
        management_ip: "10.196.16.6",
        dhcp_ip: null
      })
      assert.deepStrictEqual(good.addresses(), ["127.196.16.6"])
      assert.isUndefined(good.timer(), "the move is confirmed")
      assert.deepStrictEqual(good.startup(), good.running(), "it would start with it")
      assert.deepStrictEqual(
        good
          .commits()
          .map(({ kind }) => kind)
          .slice(-2),
        ["commitTimer", "confirm"],
        "moved under its timer"
      )
      assert.match(yield* folders.pluginLog, /new_managed_device: hostname=lhv-acc5/)

      // a distribution switch
      const asDist = { hostname: "lhv-dist3", device_type: "DIST" }
      const fabric = yield* api.run(`/device_init/${discovered.dist["id"]}`, asDist)
      assert.deepInclude(fabric, { status: "FINISHED", exception: null }, faultsOf(fabric))
      assert.isNotNull(fabric.next_job_id, faultsOf(fabric))
      yield* api.ended(fabric.next_job_id ?? 0)
      const managed = yield* until(site, "newdist", "MANAGED")
      assert.deepInclude(managed, { hostname: "lhv-dist3", device_type: "DIST" })
      assert.include(dist.addresses(), String(managed["management_ip"]).replace(/^10\./, "127."))
      assert.isUndefined(dist.timer())

      // the wrong address: nobody finds it there, its timer takes the commit back, and it can be initialised again
      const before = wrong.running()
      const failed = yield* api.run(`/device_init/${discovered.wrong["id"]}`, {
        hostname: WRONG,
        device_type: "ACCESS"
      })
      assert.deepInclude(failed, { status: "FINISHED", exception: null, next_job_id: null })
      const text = JSON.stringify(failed.result)
      assert.include(text, "has gone back to its old configuration by its timer")
      assert.include(text, `InitError: Device ${WRONG} did not commit new base management config`)
      assert.strictEqual(wrong.running(), before)
      assert.isUndefined(wrong.timer())
      assert.deepStrictEqual(wrong.addresses(), [String(wrong.lease()).replace(/^10\./, "127.")])
      assert.deepInclude(yield* until(site, "wrong", "DISCOVERED"), {
        hostname: discovered.wrong["hostname"],
        device_type: "UNKNOWN",
        management_ip: null,
        dhcp_ip: wrong.lease()
      })
      const again = yield* api.run(`/device_init/${discovered.wrong["id"]}`, {
        hostname: "lhv-acc7",
        device_type: "ACCESS"
      })
      assert.isNotNull(again.next_job_id, faultsOf(again))
      yield* api.ended(again.next_job_id ?? 0)
      assert.deepInclude(yield* until(site, "wrong", "MANAGED"), { hostname: "lhv-acc7" })
    }).pipe(Effect.scoped)
)
