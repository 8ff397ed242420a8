/**
 * Devices of a platform without a driver, through the API of a whole server: they are kept and said to be unmanageable at once,
 * and whatever would have to log in to them is refused at its start, with device and platform named.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { UnmanageableDevice } from "../../src/domain/platforms/Platforms.ts"
import { makeOperationsLab, NAMES } from "../jobs/upkeep/OperationsLab.ts"

const [, PEER] = NAMES
const IOS = "lhv-ios1"
const SENTENCE = new UnmanageableDevice({ hostname: IOS, platform: "ios" }).message

const inventory = {
  hostname: IOS,
  platform: "ios",
  state: "MANAGED",
  device_type: "ACCESS",
  management_ip: "10.196.16.99"
}

interface Ended {
  readonly status: string
  readonly exception?: unknown
  readonly result?: unknown
}

const textOf = (job: Ended): string => JSON.stringify([job.exception, job.result])

it.live("devices without a driver are stored as inventory, and every job about them is refused by name", () =>
  Effect.gen(function* () {
    const { api } = yield* makeOperationsLab
    const created = yield* api.send("POST", "/device", inventory)
    assert.deepInclude(created.body.data["added_device"], { hostname: IOS, manageable: false })
    const { id } = created.body.data["added_device"] as { readonly id: number }
    const shown = yield* api.devices("sort=hostname&per_page=50")
    assert.deepEqual(
      shown.filter(({ hostname }) => [IOS, PEER].includes(String(hostname))).map(({ manageable }) => manageable),
      [true, false]
    )
    const changed = yield* api.send("PUT", `/device/${id}`, { description: "to be replaced" })
    assert.deepInclude(changed.body.data["updated_device"], { description: "to be replaced", manageable: false })

    const inventoryOnly = yield* api.devices("filter[manageable]=false")
    assert.deepEqual(
      inventoryOnly.map(({ hostname }) => hostname),
      [IOS]
    )

    // a sync of a kind of devices leaves it out, says so, and does not fail
    const sync = yield* api.run("/device_syncto", { device_type: "ACCESS", dry_run: true, resync: true })
    assert.strictEqual(sync.status, "FINISHED", JSON.stringify(sync))
    assert.notProperty(sync.result?.devices, IOS)
    const other = sync.result?.devices?.[PEER]
    assert.isFalse(other?.failed, JSON.stringify(other))
    const skipped = { devices: sync.result?.devices, skipped_devices: { [IOS]: SENTENCE } }
    assert.deepEqual<unknown>(sync.result, skipped)
    for (const path of ["/device_drift", "/device_read_tables"]) {
      const { result } = yield* api.run(path, { all: true })
      assert.deepEqual<unknown>(result, { devices: result?.devices, skipped_devices: { [IOS]: SENTENCE } }, path)
      assert.notProperty(result?.devices, IOS, path)
    }

    // a device that is named has to answer
    const named = yield* api.run("/device_syncto", { hostname: IOS, dry_run: true, resync: true })
    const refused = named.result?.devices?.[IOS]
    const task = {
      task_name: "push_sync_device",
      result: `UnmanageableDevice: ${SENTENCE}\n`,
      diff: "",
      failed: true
    }
    assert.deepEqual<unknown>(refused, { failed: true, job_tasks: [task] })

    const drift = yield* api.run("/device_drift", { hostname: IOS })
    assert.include(textOf(drift), SENTENCE)

    for (const path of ["/device_update_facts", "/device_update_interfaces"]) {
      const job = yield* api.run(path, { hostname: IOS })
      assert.strictEqual(job.status, "EXCEPTION", `${path}: ${JSON.stringify(job)}`)
      assert.include(textOf(job), SENTENCE, path)
    }
    for (const [path, body, sentence] of [
      ["/firmware/upgrade", { hostname: IOS, filename: "EOS.swi", pre_flight: true }, "Invalid device platform"],
      ["/device_cert", { hostname: IOS, action: "RENEW" }, "Unsupported device platform"]
    ] as const) {
      const job = yield* api.run(path, body)
      assert.strictEqual(job.status, "EXCEPTION", `${path}: ${JSON.stringify(job)}`)
      assert.include(textOf(job), `${sentence} \\"ios\\" for device: ${IOS}`, path)
    }

    for (const path of ["running_config", "lldp_neighbors", "lldp_neighbors_detail", "optics", "interface_status"]) {
      const reply = yield* api.send("GET", `/device/${IOS}/${path}`)
      assert.deepEqual([reply.status, reply.body.message], [409, SENTENCE], path)
    }
    const bounced = yield* api.send("PUT", `/device/${IOS}/interface_status`, { bounce_interfaces: ["ge-0/0/1"] })
    assert.deepEqual([bounced.status, bounced.body.message], [409, SENTENCE])

    const erased = yield* api.send("DELETE", `/device/${id}`, { factory_default: true })
    const erasing = yield* api.ended(erased.body.job_id ?? 0)
    assert.strictEqual(erasing.status, "EXCEPTION")
    assert.include(textOf(erasing), SENTENCE)
    assert.strictEqual((yield* api.send("GET", `/device/${IOS}`)).status, 200)

    // before it has its place
    for (const state of ["DISCOVERED", "DHCP_BOOT"]) {
      yield* api.send("PUT", `/device/${id}`, { state })
      const path = state === "DISCOVERED" ? `/device_init/${id}` : "/device_discover"
      const body =
        state === "DISCOVERED"
          ? { hostname: "lhv-new1", device_type: "ACCESS" }
          : { ztp_mac: "08002708A8BE", dhcp_ip: "10.196.16.99" }
      if (state === "DISCOVERED") {
        const check = yield* api.send("POST", `/device_initcheck/${id}`, body)
        assert.deepEqual(
          [check.status, check.body.message],
          [400, `UnmanageableDevice in pre_init_checks: ${SENTENCE}`]
        )
      }
      if (state === "DHCP_BOOT") yield* api.send("PUT", `/device/${id}`, { ztp_mac: "08002708A8BE" })
      const job = yield* api.run(path, body)
      assert.strictEqual(job.status, "EXCEPTION", `${path}: ${JSON.stringify(job)}`)
      assert.include(textOf(job), SENTENCE, path)
    }
  }).pipe(Effect.scoped)
)
