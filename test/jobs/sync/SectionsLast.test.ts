/** Candidates that end in a section which a switch takes when it is left: an access list, a route map, a class map. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Lab from "./SyncLab.ts"

const [HOST = ""] = Managed.accessNames(1)

const SECTIONS = [
  ["an access list", "ip access-list MGMT-IN\n   10 permit ip 10.0.0.0/24 any\n   20 deny ip any any log\n"],
  ["a route map", "route-map OUT permit 10\n   match tag 7\n"],
  ["a class map", "class-map type qos match-any VOICE\n   match ip access-group MGMT-IN\n"]
] as const

describe.each([
  ["as most", {}],
  ["with differences by sections", { diffs: "sections" }],
  ["without a statement by name", { withoutNamedConfig: true }]
] as const)("a switch %s", (_, quirks) => {
  it.live("takes a candidate that ends in a section which takes effect when it is left, and then one without it", () =>
    Lab.withLab(
      1,
      (lab) =>
        Effect.gen(function* () {
          const device = Lab.switchAt(lab, 0)
          const before = device.running()
          const apply = (config: string, dry_run = false) =>
            Lab.run("apply_config", { hostname: HOST, config, dry_run })
          for (const [name, section] of SECTIONS) {
            const config = before.replace(/^end\n$/m, section)
            const dry = yield* apply(config, true)
            assert.deepStrictEqual(Lab.outcomes(dry), { [HOST]: "ok" }, name)
            assert.strictEqual(device.running(), before)
            assert.deepStrictEqual(Lab.outcomes(yield* apply(config)), { [HOST]: "ok" }, name)
            assert.include(device.running(), section)
            // the section stays what it was when it is given again, and goes when it is not
            assert.deepStrictEqual(Lab.outcomes(yield* apply(config)), { [HOST]: "ok" }, name)
            assert.include(device.running(), section)
            assert.deepStrictEqual(Lab.outcomes(yield* apply(before)), { [HOST]: "ok" }, name)
            assert.strictEqual(device.running(), before)
          }
          yield* Lab.nothingLeft(lab)
        }),
      {},
      { quirks }
    )
  )
})
