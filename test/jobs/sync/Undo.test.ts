/** Putting an older or another configuration on devices, and finding what was changed by hand, end to end on the lab. */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ConfigStore } from "../../../src/store/ConfigStore.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Lab from "./SyncLab.ts"

const described = (lab: Lab.SyncLab) => lab.switches.map((device) => Lab.described(device).replace("wanted ", ""))
const mayDiffer = /^! (?:Command|device|Time|Startup-config).*$/gm
const plain = (text: string | undefined) => (text ?? "").replaceAll(mayDiffer, "")

it.live("undoes a whole job, except on devices that were changed since", () =>
  Lab.withLab(4, (lab) =>
    Effect.gen(function* () {
      const before = lab.switches.map((device) => plain(device.running()))
      yield* Lab.want(lab, "two")
      const changed = yield* Lab.sync()
      assert.deepStrictEqual(described(lab), ["two", "two", "two", "two"])
      lab.switches[1]?.configure("vlan 999\n   name BY-HAND\n")
      yield* Lab.want({ ...lab, devices: lab.devices.slice(2, 3) }, "three")
      const later = yield* Lab.sync()

      const shown = yield* Lab.run("revert_job", { job_id: changed.id, dry_run: true })
      assert.match(JSON.stringify(shown.result), /-   description wanted two\\n\+   description wanted one/)
      assert.deepStrictEqual(described(lab), ["two", "two", "three", "two"])

      const job = yield* Lab.run("revert_job", { job_id: changed.id, dry_run: false })
      assert.deepInclude(job, { status: "FINISHED", exception: null }, JSON.stringify(job))
      const texts = lab.names.map((name) => Lab.outcomes(job)[name] ?? "")
      assert.deepStrictEqual([texts[0], texts[3]], ["ok", "ok"])
      assert.match(texts[1] ?? "", new RegExp(`does not run any more what job ${changed.id} left on it`))
      assert.match(texts[2] ?? "", new RegExp(`Job ${later.id} has changed the device after job ${changed.id}`))
      assert.deepStrictEqual(described(lab), ["one", "two", "three", "one"])
      assert.strictEqual(plain(lab.switches[0]?.running()), before[0])
      assert.strictEqual(plain(lab.switches[0]?.startup()), before[0], "what was restored is saved")
      assert.deepStrictEqual(yield* Lab.causes(lab.names[0] ?? ""), ["revert_job"])
      yield* Lab.nothingLeft(lab)

      // the record knows what runs now: the next sync is not blocked, and an undoing can be undone
      yield* Lab.run("revert_job", { job_id: job.id, dry_run: false })
      assert.deepStrictEqual(described(lab), ["two", "two", "three", "two"])
      const again = yield* Lab.sync({ hostnames: [lab.names[0] ?? ""] })
      assert.strictEqual(Lab.outcomes(again)[lab.names[0] ?? ""], "ok")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("applies a given configuration, after which the device is UNMANAGED, but not when the device rejects it", () =>
  Lab.withLab(2, (lab) =>
    Effect.gen(function* () {
      const devices = yield* DeviceStore
      const { history } = yield* ConfigStore
      const [hostname = "", other = ""] = lab.names
      yield* Lab.want(lab, "two")
      yield* Lab.sync()
      const newest = Option.getOrThrow(yield* history.find(hostname, { _tag: "Previous", count: 0 }))
      const older = Option.getOrThrow(yield* history.find(hostname, { _tag: "Previous", count: 1 }))
      assert.match(newest.config ?? "", /wanted two/)
      assert.match(older.config ?? "", /wanted one/)
      assert.isAbove(newest.job_id, older.job_id)
      assert.isTrue(Option.isNone(yield* history.find(hostname, { _tag: "Before", time: "2001-01-01" })))
      const byId = yield* history.find(hostname, { _tag: "Job", id: older.job_id })
      assert.deepStrictEqual(Option.getOrThrow(byId), older)

      const config = older.config ?? ""
      const dry = yield* Lab.run("apply_config", { hostname, config, dry_run: true })
      assert.strictEqual(dry.function_name, "apply_config (dry_run)")
      assert.match(JSON.stringify(dry.result), /"task_name":"Push static config"/)
      assert.deepStrictEqual(described(lab), ["two", "two"])
      const live = yield* Lab.run("apply_config", { hostname, config, dry_run: false })
      assert.deepStrictEqual(Lab.outcomes(live), { [hostname]: "ok" })
      assert.deepStrictEqual(described(lab), ["one", "two"])
      const row = yield* devices.getByHostname(hostname)
      assert.deepInclude(row, { state: "UNMANAGED", synchronized: false })
      assert.include(yield* Lab.causes(hostname), "apply_config")
      const unmanaged = yield* Lab.run("apply_config", { hostname, config: newest.config, dry_run: false })
      assert.deepStrictEqual(Lab.outcomes(unmanaged), { [hostname]: "ok" })
      assert.deepStrictEqual(described(lab), ["two", "two"])

      lab.switches[1]?.setFault({ kind: "reject", pattern: "vlan 3016" })
      const rejected = yield* Lab.run("apply_config", { hostname: other, config, dry_run: false })
      assert.match(Lab.outcomes(rejected)[other] ?? "", /vlan 3016/)
      assert.strictEqual((yield* devices.getByHostname(other)).state, "MANAGED")
      const nobody = yield* Lab.run("apply_config", { hostname: "nobody", config, dry_run: false })
      assert.deepInclude(nobody.exception, { message: "Device nobody not found" })
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("checks for drift automatically at the configured interval", () =>
  Lab.withLab(
    1,
    (lab) =>
      Effect.gen(function* () {
        lab.switches[0]?.configure("vlan 999\n   name BY-HAND\n")
        yield* Lab.untilSome(
          Effect.map(Lab.causes(lab.names[0] ?? ""), (causes) => causes.find((cause) => cause === "drift"))
        )
        assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
      }),
    { DRIFT_INTERVAL: "1" }
  )
)

it.live("finds manual changes, stores the diff and pushes nothing", () =>
  Lab.withLab(3, (lab) =>
    Effect.gen(function* () {
      const clean = yield* Lab.run("device_drift", {})
      assert.strictEqual(clean.status, "FINISHED")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), lab.names)
      lab.switches[1]?.configure("vlan 999\n   name BY-HAND\n")
      lab.switches[2]?.setFault({ kind: "cut", step: "connect" })
      const job = yield* Lab.run("device_drift", {})
      const [same = "", drifted = "", silent = ""] = lab.names
      assert.match(JSON.stringify(job.result), /\+vlan 999/)
      assert.deepInclude(Lab.outcomes(job), { [same]: "ok", [drifted]: "ok" })
      assert.notStrictEqual(Lab.outcomes(job)[silent], "ok")
      assert.deepStrictEqual(yield* Lab.synchronized(lab), [same, silent])
      yield* Lab.run("device_drift", { hostnames: [drifted] })
      assert.deepStrictEqual(yield* Lab.causes(drifted), ["drift"], "one event for one drift")
      assert.match(lab.switches[1]?.running() ?? "", /BY-HAND/)

      // what a forced sync repairs is no drift any more
      yield* Lab.sync({ hostnames: [drifted], force: true })
      yield* Lab.run("device_drift", { hostnames: [drifted] })
      assert.include(yield* Lab.synchronized(lab), drifted)
      yield* Lab.nothingLeft(lab)
    })
  )
)
