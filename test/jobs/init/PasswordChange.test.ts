/** A new switch while passwords are changed (docs/security.md#changing-passwords). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { Lab, type LabShape } from "../../../src/lab/Lab.ts"
import { HASH_LINE, NEXT_HASH, NEXT_PASSWORD } from "../../support/Campus.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, join } from "./Outcome.ts"

const campus = Campus.layerWith({
  variables: { PASSWORD_INIT_NEXT: NEXT_PASSWORD, PASSWORD_MANAGED_NEXT: NEXT_PASSWORD },
  templates: { "eos/users.j2": (text) => text.replace(HASH_LINE, `secret sha512 ${NEXT_HASH}`) }
})

layer(campus, { excludeTestServices: true })("a switch that joins while passwords are changed", (it) => {
  it.effect("has the new one from the start, and accepts logins with it", () =>
    Effect.gen(function* () {
      const lab: LabShape = yield* Lab
      const { device, jobs, running } = yield* join("redundant", "lhv-acc1")
      assert.deepInclude(device, { state: "MANAGED" }, JSON.stringify(jobs))
      assert.include(running, NEXT_HASH)
      const refused = (yield* lab.get("redundant")).logins().filter(({ accepted }) => !accepted)
      // nothing was known of it: the first look at the new address tried the current one
      assert.isAtMost(refused.length, 1)

      const engine = yield* JobEngine
      const args = { hostnames: ["lhv-acc1"], dry_run: false, force: true }
      const job = yield* engine.ended(yield* engine.start(SyncDevices, args, { user: "tester" }))
      assert.deepStrictEqual(devicesOf(job)["lhv-acc1"]?.failed, false, JSON.stringify(job))
      assert.deepStrictEqual(
        (yield* lab.get("redundant")).logins().filter(({ accepted }) => !accepted),
        refused
      )
    })
  )
})
