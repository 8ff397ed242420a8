/**
 * Carries log lines and progress of one replica to callers that are connected to another one (docs/events.md#several-replicas): by NOTIFY, in
 * batches, and only if a replica announced within the last half minute that a caller listens there. A single server sends nothing.
 * Stored events are not carried, because every replica reads the log.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Latch, Layer, Option, Queue, Schedule, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { ServerConfig } from "../ServerConfig.ts"
import { failingWithoutDatabase } from "../store/DatabaseClient.ts"
import { LiveFeed, type LiveItem, liveLevels } from "../runtime/LiveFeed.ts"

// Messages with log lines and progress, cut to the size that PostgreSQL allows (docs/events.md#several-replicas).

/** A message of PostgreSQL has fewer than 8000 bytes. */
const MAX_BYTES = 7_900
/** The longest text of a line for other replicas, in characters of at most three bytes, plus escapes. */
const MAX_TEXT = 1_200

const LogLine = Schema.Struct({
  kind: Schema.Literal("log"),
  at: Schema.Finite,
  level: Schema.Literals(liveLevels),
  module: Schema.String,
  job: Schema.NullOr(Schema.Int),
  text: Schema.String
})

const ActorStep = Schema.Struct({
  kind: Schema.Literal("step"),
  at: Schema.Finite,
  hostname: Schema.String,
  job: Schema.NullOr(Schema.Int),
  machine: Schema.String,
  event: Schema.String,
  state: Schema.String
})

/** A message between replicas: the sender listens, or it sends lines and progress. */
const ReplicaMessage = Schema.Struct({
  from: Schema.String,
  listens: Schema.optionalKey(Schema.Literal(true)),
  things: Schema.optionalKey(Schema.Array(Schema.Union([LogLine, ActorStep])))
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ReplicaMessage))

/** Decodes a received message; undefined for a message of another program. */
export const readMessage = (payload: string) => Option.getOrUndefined(decode(payload))

/** Announces that a replica listens. */
export const listensMessage = (from: string): string => JSON.stringify({ from, listens: true })

const short = (item: LiveItem): LiveItem =>
  item.kind === "log" && item.text.length > MAX_TEXT
    ? { ...item, text: `${item.text.slice(0, MAX_TEXT)} … (longer in the log of its replica)` }
    : item

/** Packs items into as few messages as possible, in order. */
export const toMessages = (from: string, items: ReadonlyArray<LiveItem>): ReadonlyArray<string> => {
  const frame = Buffer.byteLength(JSON.stringify({ from, things: [] }))
  const messages: Array<Array<string>> = []
  let bytes = MAX_BYTES
  for (const item of items) {
    const text = JSON.stringify(short(item))
    const size = Buffer.byteLength(text) + 1
    if (frame + size > MAX_BYTES) continue
    if (bytes + size > MAX_BYTES) {
      messages.push([])
      bytes = frame
    }
    messages.at(-1)?.push(text)
    bytes += size
  }
  return messages.map((texts) => `{"from":${JSON.stringify(from)},"things":[${texts.join(",")}]}`)
}

const CHANNEL = "switchyard_told"
const BETWEEN_BATCHES = "100 millis"
const BETWEEN_ANNOUNCEMENTS = "10 seconds"
/** The time for which an announcement counts. */
const LISTENS = Duration.seconds(30)
/** The largest number of items in a batch; further ones are dropped, because the log of their replica has them. */
const MAX_BATCH = 1000

/** Reconnects after the connection was lost. */
const AGAIN = Schedule.spaced("2 seconds")

const make = Effect.gen(function* () {
  const liveFeed = yield* LiveFeed
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
    for (const item of message.things ?? []) liveFeed.publishReceived(item)
  }

  const receiving = Effect.gen(function* () {
    const queue = yield* sql.listen(CHANNEL)
    while (true) {
      const { payload } = yield* Queue.take(queue)
      receive(payload, yield* Clock.currentTimeMillis)
    }
  }).pipe(Effect.scoped)

  const announcing = liveFeed.untilListened.pipe(
    Effect.andThen(notify([listensMessage(self)])),
    Effect.repeat(Schedule.spaced(BETWEEN_ANNOUNCEMENTS))
  )

  const send = Effect.suspend(() => {
    const items = batch
    batch = []
    return notify(toMessages(self, items))
  })

  /** Sends the lines and progress of this replica while another replica listens. */
  const sending = Effect.gen(function* () {
    yield* isWanted.await
    yield* liveFeed.listenToOwn((item) => {
      if (batch.length < MAX_BATCH) batch.push(item)
    })
    while ((yield* Clock.currentTimeMillis) < wantedUntil) {
      yield* Effect.sleep(BETWEEN_BATCHES)
      yield* send
    }
    yield* isWanted.close
  }).pipe(Effect.scoped, Effect.forever)

  const keepRunning = <A, E>(work: Effect.Effect<A, E>) =>
    failingWithoutDatabase(work).pipe(
      Effect.catchCause((cause) => Effect.logDebug("Replicas could not tell each other of lines", cause)),
      Effect.repeat(AGAIN),
      Effect.forkScoped
    )
  yield* keepRunning(receiving)
  yield* keepRunning(announcing)
  yield* keepRunning(sending)
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(ServerConfig, ({ CLUSTER_HOST }) => (Option.isSome(CLUSTER_HOST) ? make : Effect.void))
)
