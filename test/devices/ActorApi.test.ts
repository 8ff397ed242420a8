/** `GET /device/{hostname}/actor` of a whole server: while its device is changed, at the same time, and when it is idle. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { ActorView } from "../../src/domain/DeviceActivity.ts"
import { makeOperationsLab, NAMES } from "../jobs/upkeep/OperationsLab.ts"
import { untilSome } from "../jobs/sync/SyncLab.ts"

const [HOST, PEER] = NAMES

it.live("shows the step of a change and the waiting calls, without waiting for them", () =>
  Effect.gen(function* () {
    const { api, first } = yield* makeOperationsLab
    const actor = (hostname: string) =>
      Effect.flatMap(api.send("GET", `/device/${hostname}/actor`), ({ body }) =>
        Schema.decodeUnknownEffect(ActorView)(body.data)
      )
    const seen = (holds: (view: ActorView) => boolean) =>
      untilSome(Effect.map(actor(HOST), (view) => (holds(view) ? view : undefined)))

    const idle = yield* actor(HOST)
    assert.deepInclude(idle, { hostname: HOST, state: "MANAGED", activity: "idle", call: null, since: null })
    assert.deepInclude(idle, { change: null, waiting: [] })
    assert.deepStrictEqual(idle.next, ["OPERATOR_SET", "RESTORED_OLD_CONFIG", "LIVE_APPLY_CONFIG"])
    assert.strictEqual((yield* api.send("GET", "/device/nobody/actor")).status, 404)

    first.setFault({ kind: "slow", step: "openSession", milliseconds: 8_000, times: 1 })
    const started = yield* api.send("POST", `/device/${HOST}/apply_config`, {
      full_config: `${first.running().replace(/^end$/m, "")}\ninterface Ethernet5\n   description new\n`
    })
    const job = started.body.job_id ?? assert.fail(JSON.stringify(started.body))
    const loading = yield* seen(({ change }) => change?.phase === "loading")
    assert.deepInclude(loading, { activity: "changing", call: "RunChange", job_id: job })
    assert.deepInclude(loading.change, { job_id: job, step: "loading.sending" })
    assert.includeMembers([...(loading.change?.next ?? [])], ["LOADED", "REJECTED", "LOCKED", "LOST"])

    const reading = yield* Effect.forkChild(api.send("GET", `/device/${HOST}/running_config`))
    const crowded = yield* seen(({ waiting }) => waiting.length > 0)
    assert.deepInclude(crowded, { activity: "changing" })
    assert.deepStrictEqual(
      crowded.waiting.map(({ call, job_id }) => [call, job_id]),
      [["ReadRunningConfig", null]]
    )
    assert.deepInclude(yield* actor(PEER), { hostname: PEER, activity: "idle", waiting: [] })

    assert.strictEqual((yield* api.ended(job)).status, "FINISHED")
    assert.strictEqual((yield* Fiber.join(reading)).status, 200)
    assert.deepInclude(yield* actor(HOST), { activity: "idle", change: null, waiting: [] })
  }).pipe(Effect.scoped)
)
