/**
 * Carries log lines and progress of one replica to callers that are connected to another one (docs/events.md#several-replicas): by NOTIFY, in
 * batches, and only if some replica has said within the last half minute that a caller listens there. A single server sends nothing.
 * Stored events need no such way, because every replica reads the log.
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
/** Longest text of a line that goes to other replicas, in characters: three bytes each at most, and escapes. */
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

/** A message between replicas: that its sender listens, or what it tells. */
const ToldMessage = Schema.Struct({
  from: Schema.String,
  listens: Schema.optionalKey(Schema.Literal(true)),
  things: Schema.optionalKey(Schema.Array(Schema.Union([LogLine, ActorStep])))
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ToldMessage))

/** A message that was received; none for what is no message of ours. */
export const readMessage = (payload: string) => Option.getOrUndefined(decode(payload))

/** Says that a replica listens. */
export const listensMessage = (from: string): string => JSON.stringify({ from, listens: true })

const short = (thing: LiveItem): LiveItem =>
  thing.kind === "log" && thing.text.length > MAX_TEXT
    ? { ...thing, text: `${thing.text.slice(0, MAX_TEXT)} … (longer in the log of its replica)` }
    : thing

/** Things as messages, in their order and as few as can be. */
export const toMessages = (from: string, things: ReadonlyArray<LiveItem>): ReadonlyArray<string> => {
  const frame = Buffer.byteLength(JSON.stringify({ from, things: [] }))
  const messages: Array<Array<string>> = []
  let bytes = MAX_BYTES
  for (const thing of things) {
    const text = JSON.stringify(short(thing))
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
    for (const thing of message.things ?? []) told.publishReceived(thing)
  }

  const receiving = Effect.gen(function* () {
    const queue = yield* sql.listen(CHANNEL)
    while (true) {
      const { payload } = yield* Queue.take(queue)
      receive(payload, yield* Clock.currentTimeMillis)
    }
  }).pipe(Effect.scoped)

  const saying = told.untilListened.pipe(
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
