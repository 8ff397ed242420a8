/** The result of a job in its record and in the log, for every kind of failure except exceptions. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { StartArguments } from "../../../src/domain/Job.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"
import { UpdateFacts } from "../../../src/domain/jobs/UpkeepJobs.ts"
import { jobNamed } from "../../support/Jobs.ts"

const Counts = Schema.Struct({
  devices: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  changed: Schema.Int
})
/** The part that a client reads. */
const Record = Schema.Struct({
  id: Schema.Int,
  status: Schema.String,
  outcome: Schema.NullOr(Schema.String),
  failed_devices: Schema.NullOr(Schema.Array(Schema.String)),
  counts: Schema.NullOr(Counts)
})
const records = (body: { readonly data: unknown }) =>
  Schema.decodeUnknownSync(Schema.Struct({ jobs: Schema.Array(Record) }))(body.data).jobs

/** A server with two managed switches in a lab, and what its log says from level WARN on. */
const makeScene = Effect.gen(function* () {
  const names = Managed.accessNames(2)
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const switches = yield* Managed.switchesOf(lab, names)
  const { layer, lines } = keepLines("Warn")
  const env = { ...Campus.environment(lab, folders, folders.folder), COMMIT_CONFIRMED_WAIT: "0" }
  const { api, running } = yield* serve(env, layer)
  const devices = yield* Effect.provideContext(Managed.seedManaged(names), running)
  for (const name of ["templates", "settings"]) {
    while ((yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })).status !== 200) {
      yield* Effect.sleep("50 millis")
    }
  }
  const list = (query: string) => Effect.map(api.send("GET", `/jobs?${query}`), ({ body }) => records(body))
  const newest = Effect.map(list("sort=-id&per_page=1"), ([job]) => job ?? assert.fail("there is no job"))

  /** The record of the job when it has ended, with the warnings that name it. */
  const told = Effect.fnUntraced(function* (id: number) {
    yield* api.ended(id)
    const [job] = records((yield* api.send("GET", `/job/${id}`)).body)
    const warnings = lines.filter(({ level, text }) => level === "Warn" && text.startsWith(`job #${id}: `))
    return { job: job ?? assert.fail("there is no job"), warnings }
  })
  const run = Effect.fnUntraced(function* (name: string, args: StartArguments) {
    const started = Effect.flatMap(JobEngine, (engine) => engine.start(jobNamed(name), args, { user: "tester" }))
    return yield* told(yield* Effect.provideContext(started, running))
  })
  return { api, devices, folders, list, names, newest, run, running, switches, told }
})

it.live(
  "distinguishes jobs whose devices all, partly or never succeeded, in the record, by a filter and in the log",
  () =>
    Effect.gen(function* () {
      const { devices, list, names, run, running, switches } = yield* makeScene
      const [one, other] = [names[0] ?? "", names[1] ?? ""]
      const sync = () => run("sync_devices", { dry_run: false, force: true, hostnames: names, resync: true })

      const good = yield* sync()
      assert.deepInclude(good.job, {
        status: "FINISHED",
        outcome: "success",
        failed_devices: [],
        counts: { devices: 2, succeeded: 2, failed: 0, changed: 2 }
      })
      assert.deepStrictEqual(good.warnings, [])

      yield* Effect.provideContext(Managed.wantChange(devices, "another"), running)
      switches[1]?.setFault({ kind: "cut", step: "connect" })
      const partly = yield* sync()
      assert.deepInclude(partly.job, {
        status: "FINISHED",
        outcome: "partial",
        failed_devices: [other],
        counts: { devices: 2, succeeded: 1, failed: 1, changed: 1 }
      })
      const [device, whole, ...more] = partly.warnings
      assert.deepStrictEqual(more, [])
      assert.match(device?.text ?? "", new RegExp(`${other} failed at push_sync_device: ConnectionException: `))
      assert.deepInclude(device?.details, { job: partly.job.id, hostname: other, step: "push_sync_device" })
      assert.match(String(device?.details["reason"]), /^ConnectionException: /)
      assert.match(whole?.text ?? "", /sync_devices ended FINISHED, but only partly: 1 of 2 devices failed$/)
      assert.deepInclude(whole?.details, { job: partly.job.id, outcome: "partial", failed: 1 })

      switches[0]?.setFault({ kind: "cut", step: "connect" })
      const failed = yield* sync()
      assert.deepInclude(failed.job, {
        status: "FINISHED",
        outcome: "failed",
        failed_devices: [one, other],
        counts: { devices: 2, succeeded: 0, failed: 2, changed: 0 }
      })
      assert.lengthOf(failed.warnings, 3)
      assert.match(failed.warnings[2]?.text ?? "", /sync_devices ended FINISHED, but failed: 2 of 2 devices failed$/)

      const ids = (query: string) => Effect.map(list(query), (jobs) => jobs.map(({ id }) => id))
      assert.deepStrictEqual(yield* ids("filter[outcome]=partial"), [partly.job.id])
      assert.deepStrictEqual(yield* ids("filter[outcome]=FAILED&filter[function.name]=sync_devices"), [failed.job.id])
      assert.deepStrictEqual(yield* ids(`filter[failed_devices][contains]=${other}`), [partly.job.id, failed.job.id])
      assert.deepStrictEqual(yield* ids("filter[counts.failed]=1"), [partly.job.id])
    }).pipe(Effect.scoped)
)

it.live("calls no job a success that reached no device, got no file or brought nothing into force", () =>
  Effect.gen(function* () {
    const { api, folders, names, newest, run, running, switches, told } = yield* makeScene
    const lost = names[0] ?? ""
    const first = yield* run("sync_devices", { dry_run: false, force: true, hostnames: names, resync: true })
    assert.strictEqual(first.job.outcome, "success", JSON.stringify(first))

    switches[0]?.setFault({ kind: "cut", step: "connect" })
    const drift = yield* run("device_drift", { hostnames: [lost] })
    assert.deepInclude(drift.job, { status: "FINISHED", outcome: "failed", failed_devices: [lost] })
    assert.lengthOf(drift.warnings, 2)

    const facts = yield* run("update_facts", { hostname: lost })
    assert.deepInclude(facts.job, { status: "FINISHED", outcome: "failed", failed_devices: [lost] })

    const silent = { ztp_mac: "001C73AABBCC", dhcp_ip: "10.91.0.9" }
    const row = { ...silent, hostname: "mac-001C73AABBCC", platform: "eos", state: "DHCP_BOOT" } as const
    const insert = Effect.flatMap(DeviceStore, (store) => store.insert({ ...row, device_type: "UNKNOWN" }))
    yield* Effect.provideContext(insert, running)
    const discovery = yield* run("discover_device", { ...silent, iteration: 3 })
    assert.deepInclude(discovery.job, { status: "FINISHED", outcome: "failed", failed_devices: [row.hostname] })

    const order = { url: "http://127.0.0.1:1/EOS-4.32.2F.swi", sha1: "0".repeat(40), verify_tls: true }
    const files = [
      ["get_firmware", order],
      ["get_firmware_chksum", { filename: "none.swi" }],
      ["remove_file", { filename: "none.swi" }]
    ] as const
    for (const [name, args] of files) {
      const file = yield* run(name, args)
      assert.deepInclude(file.job, { status: "FINISHED", outcome: "failed", failed_devices: [] }, name)
      assert.lengthOf(file.warnings, 1, name)
      assert.match(
        file.warnings[0]?.text ?? "",
        new RegExp(`^job #${file.job.id}: ${name} ended FINISHED, but failed: .+`)
      )
    }

    yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: [\n" })
    assert.strictEqual((yield* api.send("PUT", "/repository/settings", { action: "REFRESH" })).status, 500)
    const refresh = yield* told((yield* newest).id)
    assert.deepInclude(refresh.job, { status: "EXCEPTION", outcome: "failed" })
    assert.lengthOf(refresh.warnings, 1)
    assert.match(refresh.warnings[0]?.text ?? "", /refresh_repo ended EXCEPTION: .*base_system\.yml/)
  }).pipe(Effect.scoped)
)

it.live("a waiting job has no outcome, and a stopped one is aborted", () =>
  Effect.gen(function* () {
    const { api, newest, running, told } = yield* makeScene
    const waiting = Effect.flatMap(JobEngine, (engine) =>
      engine.start(UpdateFacts, { hostname: "x" }, { user: "tester", delaySeconds: 3600 })
    )
    const id = yield* Effect.provideContext(waiting, running)
    assert.deepInclude(yield* newest, { id, status: "SCHEDULED", outcome: null, failed_devices: null, counts: null })
    yield* api.send("PUT", `/job/${id}`, { action: "ABORT" })
    const { job, warnings } = yield* told(id)
    assert.deepInclude(job, { status: "ABORTED", outcome: "aborted" })
    assert.match(warnings.map(({ text }) => text).join("\n"), /update_facts was aborted: Aborted via API call/)
  }).pipe(Effect.scoped)
)
