/** Lines and steps on their way to other replicas: in messages that PostgreSQL takes (docs/events.md#several-replicas). */
import { Option, Schema } from "effect"
import { type LiveItem, liveLevels } from "../runtime/LiveFeed.ts"

/** A message of PostgreSQL has fewer than 8000 bytes. */
const MAX_BYTES = 7_900
/** Longest text of a line that goes to other replicas, in characters: three bytes each at most, and escapes. */
const MAX_TEXT = 1_200

const ToldLine = Schema.Struct({
  kind: Schema.Literal("log"),
  at: Schema.Finite,
  level: Schema.Literals(liveLevels),
  module: Schema.String,
  job: Schema.NullOr(Schema.Int),
  text: Schema.String
})

const ToldStep = Schema.Struct({
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
  things: Schema.optionalKey(Schema.Array(Schema.Union([ToldLine, ToldStep])))
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
