/**
 * Lines and steps of one replica for those who listen at another one (docs/events.md#several-replicas): by NOTIFY, in batches, and only while
 * some replica has said within the last half minute that somebody listens there. A server alone does none of it. Stored events need no such
 * way, because every replica reads the log.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Latch, Layer, Option, Queue, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { LiveFeed, type LiveItem } from "../runtime/LiveFeed.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { listensMessage, readMessage, toMessages } from "./ToldBatches.ts"

const CHANNEL = "switchyard_told"
const BETWEEN_BATCHES = "100 millis"
const BETWEEN_SAYINGS = "10 seconds"
/** How long a replica counts as one that listens after it has said so. */
const LISTENS = Duration.seconds(30)
/** Things of one batch; more are left out, since they are in the log of their replica. */
const MAX_BATCH = 1000

/** After the connection was lost. */
const AGAIN = Schedule.spaced("2 seconds")

const make = Effect.gen(function* () {
  const told = yield* LiveFeed
  const sql = yield* PgClient.PgClient
  const self = randomUUID()
  const isWanted = yield* Latch.make()
  let wantedUntil = 0
  let batch: Array<LiveItem> = []

  const notify = (messages: ReadonlyArray<string>) =>
    messages.length === 0
      ? Effect.void
      : Effect.asVoid(sql`select pg_notify(${CHANNEL}, message) from unnest(${messages}::text[]) message`)

  const receive = (payload: string, now: number) => {
    const message = readMessage(payload)
    if (message === undefined || message.from === self) return
    if (message.listens === true) {
      wantedUntil = now + Duration.toMillis(LISTENS)
      isWanted.openUnsafe()
    }
    for (const thing of message.things ?? []) told.passOn(thing)
  }

  const receiving = Effect.gen(function* () {
    const queue = yield* sql.listen(CHANNEL)
    while (true) {
      const { payload } = yield* Queue.take(queue)
      receive(payload, yield* Clock.currentTimeMillis)
    }
  }).pipe(Effect.scoped)

  const saying = told.heardHere.pipe(
    Effect.andThen(notify([listensMessage(self)])),
    Effect.repeat(Schedule.spaced(BETWEEN_SAYINGS))
  )

  const send = Effect.suspend(() => {
    const things = batch
    batch = []
    return notify(toMessages(self, things))
  })

  /** Sends what is told here until nobody wants it any more. */
  const sending = Effect.gen(function* () {
    yield* isWanted.await
    yield* told.listenToOwn((thing) => {
      if (batch.length < MAX_BATCH) batch.push(thing)
    })
    while ((yield* Clock.currentTimeMillis) < wantedUntil) {
      yield* Effect.sleep(BETWEEN_BATCHES)
      yield* send
    }
    yield* isWanted.close
  }).pipe(Effect.scoped, Effect.forever)

  const forGood = <A, E>(work: Effect.Effect<A, E>) =>
    failingWithoutDatabase(work).pipe(
      Effect.catchCause((cause) => Effect.logDebug("Replicas could not tell each other of lines", cause)),
      Effect.repeat(AGAIN),
      Effect.forkScoped
    )
  yield* forGood(receiving)
  yield* forGood(saying)
  yield* forGood(sending)
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(ServerConfig, ({ CLUSTER_HOST }) => (Option.isSome(CLUSTER_HOST) ? make : Effect.void))
)
