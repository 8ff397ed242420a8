/** One reader of a stream while a clock is set back: heartbeats continue. */
import { it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeReader, type ReaderParts } from "../../../src/http/events/EventReader.ts"
import type { EventAccess } from "../../../src/http/events/EventAccess.ts"
import { makeSharedTexts, makeStreamBody } from "../../../src/http/events/SseOutput.ts"

const HOUR = 3_600_000

const until = (holds: () => boolean) => Effect.repeat(Effect.sleep("10 millis"), { until: holds })

const parts: ReaderParts = {
  feed: { follow: () => Effect.succeed(7), flushed: Effect.void },
  pages: {
    bounds: Effect.succeed({ complete: 7, newest: 7, removed: 0 }),
    oldest: () => Effect.succeed(1),
    scanned: () => {
      throw new Error("nobody asks for a plan")
    },
    scan: () => Effect.succeed({ rows: [], looked: 0, last: null }),
    load: () => Effect.succeed([])
  },
  readPage: (_question, { through }) => Effect.succeed({ events: [], next: through }),
  seenJobs: () => Effect.succeed(new Set<number>()),
  texts: makeSharedTexts(),
  times: { heartbeat: 50, renewal: 100, stuck: HOUR }
}

it.live("A clock that is set back by an hour stops neither heartbeats nor checks of rights", () =>
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
      const access: EventAccess = { within: null, seesAudit: true, knowing: () => Effect.succeed(access) }
      const question = {
        filter: { kinds: null, devices: null, job: null },
        hostnames: null,
        live: new Set<never>(),
        access,
        followsDevices: false
      }
      const renewed = Effect.sync(() => {
        renewals += 1
        return question
      })
      const body = makeStreamBody()
      let heartbeats = 0
      body.readable.on("data", (text) => {
        if (String(text).startsWith(": nothing new")) heartbeats += 1
      })
      const order = {
        question,
        since: null,
        renewed,
        access: Effect.succeed(access),
        expiresAt: Number.POSITIVE_INFINITY
      }
      const reader = yield* makeReader(parts, order, body, yield* Effect.scope)
      yield* Effect.forkScoped(reader.run)
      yield* until(() => heartbeats > 0)
      ahead = -HOUR
      const before = { heartbeats, renewals }
      yield* until(() => heartbeats > before.heartbeats && renewals > before.renewals)
    }).pipe(Effect.provideService(Clock.Clock, moved))
  }).pipe(Effect.scoped)
)
