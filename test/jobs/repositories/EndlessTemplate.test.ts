/** A committed template that does not end: what a sync, a preview and everybody else get. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { DeviceResult } from "../../../src/domain/Job.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

const ENDLESS = "hostname x\n{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}\n"

const names = Managed.accessNames(60)

const EndedJob = Schema.Struct({
  status: Schema.Literals(["FINISHED", "EXCEPTION"]),
  result: Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })
})

const started = Schema.decodeUnknownSync(Schema.Struct({ job_id: Schema.Int }))

it.live(
  "fails all devices of a sync after the time of one, names the limit, and other requests are answered meanwhile",
  () =>
    Effect.gen(function* () {
      const folders = yield* Campus.makeFolders
      const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
      yield* folders.templates.commit({ "eos/access.j2": ENDLESS })
      const environment = { ...Campus.environment(lab, folders, folders.folder), RENDER_DEVICE_SECONDS: "2" }
      const { api, running } = yield* serve(environment)
      while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
      while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status === 503) {
        yield* Effect.sleep("50 millis")
      }
      yield* Effect.provideContext(Managed.seedManaged(names), running)

      const { body } = yield* api.send("POST", "/device_syncto", { dry_run: true, all: true })
      const { job_id } = started(body)
      const job = Effect.map(api.send("GET", `/job/${job_id}`), (reply) => {
        const [found] = reply.body.data["jobs"] as ReadonlyArray<unknown>
        return found
      })
      // each answer of the API while the job runs shows that nothing holds its thread
      let answered = 0
      while (!Schema.is(EndedJob)(yield* job)) answered++
      assert.isAbove(answered, 10)

      const { result } = Schema.decodeUnknownSync(EndedJob)(yield* job)
      const texts = Object.values(result.devices).map(({ job_tasks }) =>
        job_tasks.map(({ result: text }) => String(text)).join("")
      )
      assert.strictEqual(texts.length, names.length)
      for (const text of texts) {
        assert.include(text, "rendering needs more than its 2 seconds of processor time (RENDER_DEVICE_SECONDS)")
        assert.include(text, "in eos/access.j2, line 2")
      }
      const afterwards = texts.filter((text) => text.includes("not rendered again, because just before"))
      assert.strictEqual(afterwards.length, names.length - 1)

      const preview = yield* api.send("GET", `/device/${names[0]}/generate_config`)
      assert.isAtLeast(preview.status, 400)
      assert.include(JSON.stringify(preview.body), "RENDER_DEVICE_SECONDS")
    }).pipe(Effect.scoped)
)
