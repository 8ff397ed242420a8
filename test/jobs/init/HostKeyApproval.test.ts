/** New switches at a site that lets strangers wait: what this server provisions itself is none, and stays in the management networks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { IdentityStore } from "../../../src/store/IdentityStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, join } from "./Outcome.ts"

// the leases of the lab are 10.91.0.0/24, the management domains 10.196.16.0/24 and 10.196.17.0/24
const variables = { HOST_KEY_POLICY: "approve", MANAGEMENT_NETWORKS: "10.199.0.0/16,10.196.16.0/24" }

layer(Campus.layerWith({ variables }), { excludeTestServices: true })("a new switch", (it) => {
  it.effect("is pinned to its key by its provisioning, without an approval", () =>
    Effect.gen(function* () {
      const { device, id, jobs } = yield* join("redundant", "lhv-acc1")
      assert.strictEqual(device.state, "MANAGED", JSON.stringify(jobs))
      const key = Option.getOrThrow(yield* (yield* IdentityStore).hostKeys.find(id))
      assert.match(key.fingerprint ?? "", /^SHA256:/)
      assert.isNull(key.refused_fingerprint)
      const [read] = yield* Campus.runChain("update_facts", { hostname: "lhv-acc1" })
      assert.strictEqual(read?.status, "FINISHED", JSON.stringify(read))
    })
  )

  it.effect("is not moved to an address where no login is permitted", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("dual")
      const before = yield* Campus.allRows
      const running = yield* Campus.runningOf("dual")
      const [step1] = yield* Campus.runChain("init_access_device_step1", { device_id: id, new_hostname: "lhv-acc8" })
      assert.isDefined(step1)
      const result = Object.values(devicesOf(step1))[0]
      assert.isTrue(result?.failed)
      assert.match(JSON.stringify(result), /AddressOutside: the address 10\.196\.17\.6 of lhv-acc8 is outside/)
      assert.deepStrictEqual(yield* Campus.allRows, before)
      assert.strictEqual(yield* Campus.runningOf("dual"), running)
      assert.strictEqual((yield* (yield* DeviceStore).get(id)).state, "DISCOVERED")
    })
  )
})
