/** Our sessions that remain on switches: found by a drift check, reported by the doctor, removed by a dry run. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { ended, jobIn } from "../../support/Jobs.ts"
import { until } from "../../support/Program.ts"

const NAMES = Managed.accessNames(4)
const [ONE = "", TWO = "", THREE = "", FOUR = ""] = NAMES

const Answer = Schema.fromJsonString(
  Schema.Struct({
    data: Schema.Struct({
      findings: Schema.Array(
        Schema.Struct({
          kind: Schema.String,
          level: Schema.String,
          about: Schema.String,
          since: Schema.NullOr(Schema.String),
          what: Schema.String,
          repair: Schema.NullOr(
            Schema.Struct({
              method: Schema.String,
              path: Schema.String,
              body: Schema.Record(Schema.String, Schema.Unknown)
            })
          )
        })
      )
    })
  })
)

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "roles: {}\n" })
  const { boss } = campus
  const run = Effect.fnUntraced(function* (method: string, path: string, body: unknown) {
    const id = jobIn(yield* boss(method, path, body))
    return { id, text: yield* ended(boss, id) }
  })
  const first = yield* run("POST", "/device_syncto", { all: true, dry_run: false, force: true, resync: true })
  const found = Effect.gen(function* () {
    const { text } = yield* boss("GET", "/system/findings")
    const { data } = yield* Schema.decodeUnknownEffect(Answer)(text)
    return data.findings.filter(({ kind }) => kind === "session")
  })
  return {
    ...campus,
    run,
    first: first.id,
    found,
    told: (hostname: string) =>
      Effect.map(found, (findings) => findings.flatMap(({ about, what }) => (about === hostname ? [what] : []))),
    look: (hostname: string) => run("POST", "/device_drift", { hostname }),
    switchOf: (name: string) => Effect.orDie(campus.lab.get(name))
  }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/jobs/RemainingSessions") {
  static readonly layer = Layer.effect(Site, make)
}

const open = (device: LabSwitch) => device.sessions().flatMap(({ name, state }) => (state === "pending" ? [name] : []))

layer(Site.layer, { excludeTestServices: true })("A session that remains on a switch", (it) => {
  it.effect("is found by a check for drift, and removed by the repair, after which nothing is found", () =>
    Effect.gen(function* () {
      const { first, found, look, run, switchOf, told } = yield* Site
      const device = yield* switchOf(ONE)
      for (const name of [`job${first}-check`, "job900001-2"]) device.foreignSession(name)
      assert.deepStrictEqual(yield* told(ONE), [], "nobody has looked")
      yield* look(ONE)
      const [finding, ...others] = yield* found
      assert.deepStrictEqual(others, [])
      assert.deepInclude(finding, {
        kind: "session",
        level: "warn",
        about: ONE,
        what: `2 of our sessions remain open on it: job${first}-check, job900001-2`,
        repair: { method: "POST", path: "/device_syncto", body: { hostname: ONE, dry_run: true } }
      })
      yield* look(ONE)
      assert.deepStrictEqual(
        yield* Effect.map(found, ([again]) => again?.since),
        finding?.since,
        "it was seen first then"
      )

      const runs = device.running()
      const { text } = yield* run("POST", "/device_syncto", finding?.repair?.body)
      assert.include(text, '"outcome":"success"')
      assert.deepStrictEqual(yield* told(ONE), [])
      assert.deepStrictEqual(open(device), [])
      assert.strictEqual(Managed.stripped(device.running()), Managed.stripped(runs))
    })
  )

  it.effect("is forgotten by the next check when another user has removed it", () =>
    Effect.gen(function* () {
      const { look, switchOf, told } = yield* Site
      const device = yield* switchOf(ONE)
      device.foreignSession("job900001")
      yield* look(ONE)
      assert.lengthOf(yield* told(ONE), 1)
      yield* device.reload
      yield* look(ONE)
      assert.deepStrictEqual(yield* told(ONE), [])
    })
  )

  it.effect("is none of another user's, and none of a running job", () =>
    Effect.gen(function* () {
      const { boss, look, switchOf, told } = yield* Site
      const device = yield* switchOf(TWO)
      const busy = yield* switchOf(THREE)
      device.foreignSession("maintenance")
      device.foreignSession("job99999999999")
      busy.setFault({ kind: "slow", step: "showRunning", milliseconds: 20_000, times: 1 })
      const id = jobIn(yield* boss("POST", "/device_syncto", { hostname: THREE, dry_run: true }))
      device.foreignSession(`job${id}`)
      const isRunning = Effect.map(boss("GET", `/job/${id}`), ({ text }) => text.includes('"status":"RUNNING"'))
      yield* until(isRunning)
      yield* look(TWO)
      assert.isTrue(yield* isRunning, "the look came too late")
      assert.deepStrictEqual(yield* told(TWO), [])
      yield* busy.dropConnections
      yield* ended(boss, id)
      assert.deepStrictEqual(yield* told(TWO), [], "what was seen while the job ran says nothing now")
      yield* look(TWO)
      assert.deepStrictEqual(yield* told(TWO), [`One of our sessions remains open on it: job${id}`])
    })
  )

  it.effect("stays known while a check does not get the list of sessions, which fails no check", () =>
    Effect.gen(function* () {
      const { look, switchOf, told } = yield* Site
      const device = yield* switchOf(THREE)
      device.foreignSession("job900001")
      yield* look(THREE)
      assert.lengthOf(yield* told(THREE), 1)
      device.setFault({ kind: "cut", step: "showSessions" })
      const { text } = yield* look(THREE)
      assert.include(text, '"outcome":"success"')
      device.clearFaults()
      device.setFault({ kind: "error", step: "showSessions", message: "% Authorization denied for command" })
      yield* look(THREE)
      device.clearFaults()
      assert.lengthOf(yield* told(THREE), 1)
    })
  )

  it.effect("is listed separately if it was committed and its timer runs, and is forgotten with its device", () =>
    Effect.gen(function* () {
      const { boss, look, running, switchOf, told } = yield* Site
      const device = yield* switchOf(FOUR)
      device.foreignSession("job900001", 300)
      yield* look(FOUR)
      const timer = "One of our commit timers ran on it although no job waits for it: job900001"
      assert.deepStrictEqual(yield* told(FOUR), [timer])
      const { id } = yield* Effect.provide(
        Effect.flatMap(DeviceStore, (store) => store.getByHostname(FOUR)),
        running
      )
      assert.strictEqual((yield* boss("DELETE", `/device/${id}`, { factory_default: false })).status, 200)
      assert.deepStrictEqual(yield* told(FOUR), [])
    })
  )
})
