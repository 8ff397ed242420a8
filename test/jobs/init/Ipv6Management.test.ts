/** Switches that are managed over IPv6, from their first lease to a change (docs/provisioning.md#management-over-ipv6). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { Lab, type LabShape } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, join } from "./Outcome.ts"

// a machine has hardly any IPv6 loopback addresses of its own, but all of 127/8 in this form
const NETWORKS = ["2001:db8:17::/112", "::ffff:127.96.0.0/112"] as const

const campus = Campus.layerWith({
  variables: {
    MGMTDOMAIN_PRIMARY_IP_VERSION: "6",
    SSH_ADDRESS_MAP: `10.0.0.0/8=127.0.0.0/8,${NETWORKS.join("=")}`
  },
  lab: { addressMap: [["10", "127"], NETWORKS] }
})

const liveSync = Effect.fnUntraced(function* (hostname: string) {
  const engine = yield* JobEngine
  const args = { hostnames: [hostname], dry_run: false, force: true }
  return yield* engine.ended(yield* engine.start(SyncDevices, args, { user: "tester" }))
})

layer(campus, { excludeTestServices: true })("a switch below a domain with IPv6 first", (it) => {
  it.effect("gets an IPv6 address, moves to it, is managed over it, and keeps the IPv4 one as its second", () =>
    Effect.gen(function* () {
      const lab: LabShape = yield* Lab
      const { device, id, jobs, running } = yield* join("dual", "lhv-acc8")
      assert.deepStrictEqual(
        jobs.map(({ status }) => status),
        ["FINISHED", "FINISHED"],
        JSON.stringify(jobs)
      )
      assert.deepInclude(device, {
        state: "MANAGED",
        management_ip: "2001:db8:17::6",
        secondary_management_ip: "10.196.17.6",
        dhcp_ip: null
      })
      assert.match(running, /ipv6 address 2001:db8:17::6\/64/)
      assert.match(running, /ip address 10\.196\.17\.6\/24/)
      assert.match(running, /ipv6 route ::\/0 2001:db8:17::1/)

      // the second address is only configured: every login goes to the first
      const managed = yield* lab.get("dual")
      const before = managed.logins().length
      yield* (yield* InterfaceStore).put(id, "Ethernet1", "ACCESS_AUTO", { description: "over IPv6" })
      const job = yield* liveSync("lhv-acc8")
      assert.deepStrictEqual(devicesOf(job)["lhv-acc8"]?.failed, false, JSON.stringify(job))
      assert.include(managed.running(), "over IPv6")
      const used = new Set(
        managed
          .logins()
          .slice(before)
          .map(({ address }) => address)
      )
      assert.deepStrictEqual([...used], ["::ffff:127.96.0.6"])
      assert.isTrue((yield* (yield* DeviceStore).get(id)).synchronized)
    })
  )
})
