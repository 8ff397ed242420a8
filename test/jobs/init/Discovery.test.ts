/** Discovery of a switch that booted, and every way in which it fails (docs/provisioning.md#discovery), on the lab. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Lab } from "../../../src/lab/Lab.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { devicesOf, endOf, withFault, withoutFaults } from "./Outcome.ts"

const discover = (args: Readonly<Record<string, unknown>>) => Campus.runChain("discover_device", args)

layer(Campus.layer, { excludeTestServices: true })("the discovery of a switch", (it) => {
  it.effect("needs a device of that MAC in state DHCP_BOOT", () =>
    Effect.gen(function* () {
      const known = yield* Campus.discover("single")
      const before = yield* Campus.allRows
      const ends = Effect.fnUntraced(function* (ztp_mac: string | null) {
        const [job] = yield* discover({ ztp_mac, dhcp_ip: known.dhcp_ip, iteration: 1 })
        return job === undefined ? [] : endOf(job)
      })
      assert.deepStrictEqual(yield* ends("001C73000000"), [
        "EXCEPTION",
        "ValueError",
        "Device with ztp_mac 001C73000000 not found"
      ])
      assert.deepStrictEqual(yield* ends(known.ztp_mac), [
        "EXCEPTION",
        "ValueError",
        `Device with ztp_mac ${known.ztp_mac} is in incorrect state: DISCOVERED`
      ])
      assert.deepStrictEqual(yield* Campus.allRows, before)
    })
  )

  it.effect(
    "of a silent one is retried once for each delay, keeps the newest address, and starts over with the next lease",
    () =>
      Effect.gen(function* () {
        const lab = yield* Lab
        const devices = yield* DeviceStore
        const blank = yield* lab.get("redundant")
        const { discovery, row } = yield* booted(blank)
        yield* devices.update(row.id, { dhcp_ip: "10.91.0.9" })
        yield* blank.powerOff
        const jobs = yield* discover(discovery)
        assert.deepStrictEqual(
          jobs.map(({ next_job_id, start_arguments, status }) => [
            status,
            start_arguments?.["iteration"],
            next_job_id !== null
          ]),
          [
            ["FINISHED", 1, true],
            ["FINISHED", 2, false]
          ],
          JSON.stringify(jobs)
        )
        for (const job of jobs) assert.isTrue(devicesOf(job)[row.hostname]?.failed)
        assert.deepInclude(yield* devices.get(row.id), {
          state: "DHCP_BOOT",
          dhcp_ip: discovery.dhcp_ip,
          serial: null,
          model: null
        })
        yield* blank.boot
        const dhcp_ip = blank.lease() ?? ""
        const again = yield* discover({ ...discovery, dhcp_ip })
        assert.deepStrictEqual(
          again.map(({ status }) => status),
          ["FINISHED"]
        )
        assert.deepInclude(yield* devices.get(row.id), {
          state: "DISCOVERED",
          dhcp_ip,
          serial: blank.hardware().serial,
          vendor: "Arista",
          model: blank.hardware().model
        })
        assert.match(blank.running(), new RegExp(`^hostname ${row.hostname}$`, "m"))
      })
  )

  it.effect("succeeds although the switch refuses its name, and leaves no session open on it", () =>
    Effect.gen(function* () {
      const lab = yield* Lab
      const devices = yield* DeviceStore
      const blank = yield* lab.get("dual")
      yield* withFault("dual", { kind: "reject", pattern: "^hostname mac-" })
      const { discovery, row } = yield* booted(blank)
      const [job] = yield* discover(discovery)
      assert.deepInclude(job, { status: "FINISHED", next_job_id: null })
      assert.isFalse(job !== undefined && devicesOf(job)[row.hostname]?.failed, JSON.stringify(job))
      assert.strictEqual((yield* devices.get(row.id)).state, "DISCOVERED")
      assert.notInclude(blank.running(), "hostname mac-")
      assert.deepStrictEqual(yield* Campus.sessionsOf("dual"), [])
      yield* withoutFaults("dual")
    })
  )
})
