/** One reader of a stream beside a clock that is set back: it goes on to say that it is there. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeReader, type ReaderParts } from "../../../src/http/events/EventReader.ts"

const HOUR = 3_600_000

const parts: ReaderParts = {
  feed: { follow: () => Effect.succeed(7), flushed: Effect.void },
  pages: {
    bounds: Effect.succeed({ complete: 7, newest: 7, removed: 0 }),
    oldest: () => Effect.succeed(1),
    scanned: () => {
      throw new Error("nobody asks for a plan")
    },
    scan: () => Effect.succeed([]),
    load: () => Effect.succeed([])
  },
  readPage: (_question, { through }) => Effect.succeed({ events: [], next: through }),
  seenJobs: () => Effect.succeed(new Set<number>()),
  textOf: () => "",
  times: { heartbeat: 50, renewal: 100, stuck: HOUR }
}

it.live("A clock that is set back by an hour keeps no reader from heartbeats, and rights are asked for again", () =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    let ahead = 0
    const moved: Clock.Clock = {
      ...clock,
      sleep: (duration) => clock.sleep(duration),
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead,
      currentTimeMillis: Effect.sync(() => clock.currentTimeMillisUnsafe() + ahead)
    }
    yield* Effect.gen(function* () {
      let renewals = 0
      const question = {
        filter: { kinds: null, devices: null, job: null },
        hostnames: null,
        told: new Set<never>(),
        sight: { within: null, seesAudit: true }
      }
      const renewed = Effect.sync(() => {
        renewals += 1
        return question
      })
      const order = { question, since: null, renewed, expiresAt: Number.POSITIVE_INFINITY }
      const reader = yield* makeReader(parts, order, yield* Effect.scope)
      const heartbeat = Effect.repeat(reader.next, { until: ({ text }) => text.startsWith(": nothing new") })
      yield* heartbeat
      ahead = -HOUR
      const before = renewals
      yield* Effect.repeat(heartbeat, { until: () => renewals > before })
      assert.isAbove(renewals, before)
    }).pipe(Effect.provideService(Clock.Clock, moved))
  }).pipe(Effect.scoped)
)
