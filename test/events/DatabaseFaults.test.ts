/** A database that is stopped, killed, read-only or full: followers of the log continue afterwards, with each event once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventFeed } from "../../src/events/EventFeed.ts"
import { makeEventRetention } from "../../src/store/EventStore.ts"
import { listen } from "../support/AlertReceiver.ts"
import { serveAlerts, until, verified } from "../support/AlertSite.ts"
import { Server, StruckDatabase } from "../support/StruckDatabase.ts"
import { storesOn } from "../support/TestStores.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const database = Layer.mergeAll(EventFeed.layer).pipe(
  Layer.provideMerge(storesOn(StruckDatabase)),
  Layer.provide(NodeServices.layer)
)

const rules = (url: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
  job_not_success: noc
`

/** Ends a job from outside, as soon as that can be written. */
const jobEnds = Effect.fnUntraced(function* (id: number) {
  const { aside } = yield* Server
  const data = JSON.stringify({ outcome: "failed", function: "sync_devices" })
  const write = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into event (kind, action, job_id, is_audit, data) values ('job', 'ended', ${id}, false, ${data}::jsonb)`
  )
  yield* until(
    Effect.match(Effect.provide(write, aside), {
      onFailure: () => false,
      onSuccess: () => true
    })
  )
})

it.live("Followers, alerts and retention continue without a loss or a repeat", () =>
  Effect.gen(function* () {
    const { postgres } = yield* Server
    const feed = yield* EventFeed
    const heard: Array<number> = []
    yield* feed.follow((events) => void heard.push(...events.map(({ job_id }) => job_id ?? 0)))
    const { received, url } = yield* listen()
    yield* serveAlerts(rules(url))
    const stopAnd = (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") =>
      Effect.andThen(postgres.stop(signal), Effect.andThen(Effect.sleep("300 millis"), postgres.start))
    const faults: ReadonlyArray<Effect.Effect<void>> = [
      stopAnd("SIGINT"),
      stopAnd("SIGQUIT"),
      stopAnd("SIGKILL"),
      Effect.andThen(
        postgres.configure("default_transaction_read_only = on"),
        Effect.andThen(Effect.sleep("1500 millis"), postgres.configure(""))
      ),
      // where it has a small one of its own
      ...(postgres.isSmall
        ? [Effect.andThen(postgres.fill, Effect.andThen(Effect.sleep("1500 millis"), postgres.empty))]
        : [])
    ]
    const expected: Array<number> = []
    for (const [index, fault] of faults.entries()) {
      const [before, after] = [10 * index + 1, 10 * index + 2]
      yield* jobEnds(before)
      yield* fault
      yield* postgres.start
      yield* jobEnds(after)
      expected.push(before, after)
      yield* until(Effect.sync(() => heard.length >= expected.length))
      assert.deepStrictEqual(heard, expected, `fault ${index}`)
      yield* until(Effect.sync(() => verified(received).length >= expected.length))
      assert.strictEqual(verified(received).length, expected.length, `fault ${index}`)
    }
    const retention = yield* makeEventRetention
    assert.strictEqual(yield* retention.remove(-1), expected.length)
  }).pipe(Effect.scoped, Effect.provide(database))
)
