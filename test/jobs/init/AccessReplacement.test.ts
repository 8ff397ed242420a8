/** Putting a new switch in the place of a broken one, and how that fails without a trace, on the lab. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CertificateStore } from "../../../src/store/CertificateStore.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import * as Campus from "../../support/ProvisioningLab.ts"
import { driftOf, endOf, init, rolesOf, uplink, withFault, withoutFaults } from "./Outcome.ts"

/** A switch that broke, as its rows say: two uplinks, a configured port, and one that the new model has not. */
const broken = Effect.fnUntraced(function* (
  hostname: string,
  last: number,
  ports: readonly [string, string],
  far: string
) {
  const rows = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links } = yield* NetworkStore
  const [one, other] = [yield* rows.getByHostname("lhv-dist1"), yield* rows.getByHostname("lhv-dist2")]
  const old = yield* rows.insert({
    hostname,
    state: "UNMANAGED",
    device_type: "ACCESS",
    platform: "eos",
    ztp_mac: `AABBCCDDEE${last}`,
    serial: `OLD${last}`,
    model: "CCS-720XP-48Y6-F",
    management_ip: `10.196.16.${last}`,
    confhash: "of its last configuration"
  })
  yield* interfaces.put(old.id, "Ethernet1", "ACCESS_UNTAGGED", { vxlan: "student1", description: "Printer" })
  yield* interfaces.put(old.id, "Ethernet40", "ACCESS_UNTAGGED", { vxlan: "student1" })
  const link = (port: string, id: number, farPort: string) =>
    links.insert({
      device_a_id: old.id,
      device_a_port: port,
      device_a_ip: null,
      device_b_id: id,
      device_b_port: farPort,
      device_b_ip: null,
      ipv4_network: null,
      site_id: null,
      description: null
    })
  yield* interfaces.put(old.id, ports[0], "ACCESS_UPLINK", { neighbor: "lhv-dist1" })
  yield* interfaces.put(old.id, "Ethernet48", "ACCESS_UPLINK", { neighbor: "lhv-dist2" })
  return { old, kept: yield* link(ports[0], one.id, far), gone: yield* link("Ethernet48", other.id, "Ethernet13") }
})

/** One that the broken switch still has, of a job long ago. */
const certificateOf = (deviceId: number, hostname: string) => ({
  serial: `00${deviceId}`,
  jobId: 0,
  deviceId,
  hostname,
  address: "10.196.16.9",
  issuedAt: "2026-01-01T00:00:00Z",
  notAfter: "2999-01-01T00:00:00Z"
})

layer(Campus.layer, { excludeTestServices: true })("a broken access switch", (it) => {
  it.effect("is replaced: its id, address, ports and links stay if the new unit has them, the rest is reported", () =>
    Effect.gen(function* () {
      const rows = yield* DeviceStore
      const { gone, kept, old } = yield* broken("lhv-acc40", 40, ["Ethernet11", "Ethernet12"], "Ethernet11")
      const certificates = yield* CertificateStore
      yield* certificates.record(certificateOf(old.id, "lhv-acc40"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into proved_config (device_id, hash, config) values (${old.id}, 'of the broken switch', 'hostname lhv-acc40')`
      const unit = yield* Campus.discover("spare")
      const [step1, step2] = yield* init(unit.id, "lhv-acc40", { replace_hostname: true })
      assert.deepInclude(step2, { status: "FINISHED" }, JSON.stringify([step1, step2]))
      const now = yield* rows.get(old.id)
      const [{ reason } = { reason: null }] = yield* certificates.list("lhv-acc40")
      assert.strictEqual(reason, "superseded")
      assert.deepInclude(now, {
        state: "MANAGED",
        hostname: "lhv-acc40",
        management_ip: "10.196.16.40",
        ztp_mac: unit.ztp_mac,
        serial: unit.serial,
        model: unit.model
      })
      assert.strictEqual((yield* rows.all).filter(({ id }) => id === unit.id).length, 0)
      const roles = yield* rolesOf(old.id)
      assert.deepStrictEqual(roles["Ethernet11"], uplink("lhv-dist1"))
      assert.deepStrictEqual(roles["Ethernet12"], uplink("lhv-dist2"))
      assert.deepStrictEqual(roles["Ethernet1"], {
        configtype: "ACCESS_UNTAGGED",
        data: { vxlan: "student1", description: "Printer" }
      })
      const links = yield* (yield* NetworkStore).links.ofDevice(old.id)
      assert.deepInclude(links, kept)
      assert.notDeepInclude(links, gone)
      assert.strictEqual(links.length, 2)
      assert.deepInclude(step1?.result, {
        replacement: {
          lost: { interfaces: ["Ethernet40", "Ethernet48"], links: [`lhv-acc40:Ethernet48 - lhv-dist2:Ethernet13`] }
        }
      })
      assert.deepStrictEqual(yield* driftOf(["lhv-acc40"]), { "lhv-acc40": "" })
    })
  )

  it.effect("stays unchanged when its replacement fails, and is replaced at the second try", () =>
    Effect.gen(function* () {
      const rows = yield* DeviceStore
      const { old } = yield* broken("lhv-acc41", 41, ["Ethernet27", "Ethernet28"], "Ethernet12")
      const certificates = yield* CertificateStore
      yield* certificates.record(certificateOf(old.id, "lhv-acc41"))
      const unit = yield* Campus.discover("badspare")
      yield* withFault("badspare", { kind: "reject", pattern: "^hostname lhv-acc41" })
      const before = yield* Campus.allRows
      const [failed] = yield* init(unit.id, "lhv-acc41", { replace_hostname: true })
      assert.deepInclude(failed, { status: "FINISHED", next_job_id: null }, JSON.stringify(failed))
      assert.deepStrictEqual(yield* Campus.allRows, before)
      const [{ revoked_at } = { revoked_at: "?" }] = yield* certificates.list("lhv-acc41")
      assert.isNull(revoked_at)
      yield* withoutFaults("badspare")
      const [, step2] = yield* init(unit.id, "lhv-acc41", { replace_hostname: true })
      assert.deepInclude(step2, { status: "FINISHED" })
      assert.deepInclude(yield* rows.get(old.id), { state: "MANAGED", management_ip: "10.196.16.41" })
    })
  )

  it.effect("must exist and be unmanaged to be replaced", () =>
    Effect.gen(function* () {
      const { id } = yield* Campus.discover("late")
      const before = yield* Campus.allRows
      const ends = Effect.fnUntraced(function* (hostname: string) {
        const [job] = yield* init(id, hostname, { replace_hostname: true })
        return job === undefined ? [] : endOf(job).slice(1)
      })
      assert.deepStrictEqual(yield* ends("lhv-acc99"), ["DeviceStateError", "Device lhv-acc99 not found"])
      assert.deepStrictEqual(yield* ends("lhv-dist1"), ["DeviceStateError", "Device lhv-dist1 not in UNMANAGED state"])
      assert.deepStrictEqual(yield* Campus.allRows, before)
    })
  )
})
