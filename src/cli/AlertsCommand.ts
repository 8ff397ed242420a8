/**
 * `switchyard alerts`: shows alerts, tests receivers, and mutes alerts that are being worked on (docs/alerts.md#command-line); at the
 * server of SWITCHYARD_URL.
 */
import { alertWords, deliveryActionWords } from "../domain/words/ServerWords.ts"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { format, harmless, jsonAlways, printJson, printListed, reported } from "./client/Terminal.ts"
import { ask, askNamed, Refused, ServerAway } from "./client/Server.ts"
import { requireAgreement, typedFor, yes } from "./client/Questions.ts"

const request = (method: string, path: string, body?: unknown) => askNamed(method, path, body)

const printed = (method: string, path: string, body?: unknown) =>
  reported(Effect.flatMap(request(method, path, body), (data) => printJson(data)))

const ALERTS = {
  name: "alerts",
  fields: ["id", "rule", "level", "title", "count", "opened_at", "sent_at", "resolved_at", "acknowledged_by"],
  nothing: "No alerts.",
  words: { level: alertWords }
}

const Standing = Schema.Struct({
  problem: Schema.NullOr(Schema.String),
  receivers: Schema.Array(Schema.Struct({ name: Schema.String, problem: Schema.NullOr(Schema.String) })),
  deliveries: Schema.Struct({ waiting: Schema.Int, dead: Schema.Int })
})

/** Reasons why alerts do not arrive that no row of the table shows. */
const troubles = (answer: unknown): ReadonlyArray<string> => {
  const found = Option.getOrUndefined(Schema.decodeUnknownOption(Standing)(answer))
  if (found === undefined) return []
  const { deliveries, problem, receivers } = found
  return [
    ...(problem === null ? [] : [problem]),
    ...receivers.flatMap((one) => (one.problem === null ? [] : [`receiver ${one.name}: ${one.problem}`])),
    ...(deliveries.dead === 0 ? [] : [`${deliveries.dead} messages were not delivered: switchyard alerts dead`])
  ]
}

const list = Command.make(
  "list",
  format,
  Effect.fnUntraced(function* (wanted) {
    const answer = yield* request("GET", "/alerts")
    if (wanted.json) return yield* printJson(answer)
    yield* printListed(wanted, answer, ALERTS)
    for (const trouble of troubles(answer)) yield* Console.error(harmless(trouble))
  }, reported)
).pipe(Command.withDescription("Show the newest alerts, and what keeps them from arriving; all with --json."))

const acknowledge = Command.make(
  "acknowledge",
  {
    id: Argument.Int("id"),
    comment: Flag.String("comment").pipe(Flag.withDescription("What is being done about it"), Flag.optional),
    json: jsonAlways
  },
  ({ comment, id }) =>
    printed(
      "POST",
      `/alerts/${id}/acknowledge`,
      Option.match(comment, { onNone: () => ({}), onSome: (text) => ({ comment: text }) })
    )
).pipe(Command.withDescription("Take an alert on: says that you look after it. An alert without an end closes."))

const receiver = Flag.String("receiver").pipe(Flag.withDescription("Only those to this receiver"), Flag.optional)

const page = Flag.Int("page").pipe(Flag.withDescription("Which 1000 of them, from 1"), Flag.withDefault(1))

const DEAD = {
  name: "deliveries",
  fields: ["id", "rule", "receiver", "action", "attempts", "created_at", "ended_at", "answer"],
  nothing: "No message was given up.",
  words: { action: deliveryActionWords }
}

const dead = Command.make("dead", { page, receiver, ...format }, ({ page, receiver, ...wanted }) =>
  reported(
    Effect.flatMap(
      request(
        "GET",
        `/alerts/deliveries?state=dead&per_page=1000&page=${page}${Option.match(receiver, { onNone: () => "", onSome: (name) => `&receiver=${encodeURIComponent(name)}` })}`
      ),
      (answer) => printListed(wanted, answer, DEAD)
    )
  )
).pipe(Command.withDescription("List messages that were given up."))

/** Tries all messages again that were given up: their receivers get them at once. */
const replayAll = Effect.fnUntraced(function* (receiver: string | undefined, yes: boolean) {
  const { matching } = yield* ask("GET /alerts/deliveries", { query: { state: "dead", receiver, per_page: 1 } })
  yield* requireAgreement({
    question: `Try ${matching === 1 ? "1 message" : `${matching} messages`} again?`,
    typed: typedFor(matching),
    undone: "Nothing was sent",
    // nothing is sent to nobody
    yes: yes || matching === 0
  })
  yield* printJson(yield* request("POST", "/alerts/replay", receiver === undefined ? {} : { receiver }))
})

const replay = Command.make(
  "replay",
  { id: Argument.String("id").pipe(Argument.optional), receiver, yes, json: jsonAlways },
  ({ id, receiver, yes }) =>
    Option.match(id, {
      onSome: (one) => printed("POST", `/alerts/deliveries/${encodeURIComponent(one)}/replay`),
      onNone: () => reported(replayAll(Option.getOrUndefined(receiver), yes))
    })
).pipe(Command.withDescription("Try a message that was given up again; all of them without an id, after a question."))

const Tested = Schema.Struct({ is_taken: Schema.Boolean, answer: Schema.String })

const test = Command.make(
  "test",
  { name: Argument.String("receiver"), json: format.json },
  Effect.fnUntraced(function* ({ json, name }) {
    const answer = yield* request("POST", `/alerts/receivers/${encodeURIComponent(name)}/test`)
    const tested = Option.getOrUndefined(Schema.decodeUnknownOption(Tested)(answer))
    if (tested === undefined) return yield* new ServerAway({ message: "The server answers something unknown" })
    if (!tested.is_taken)
      return yield* new Refused({ message: `${name} has not taken the test message: ${tested.answer}` })
    if (json) return yield* printJson({ receiver: name, ...tested })
    yield* Console.log(harmless(`${name} has taken the test message: ${tested.answer}`))
  }, reported)
).pipe(
  Command.withDescription(
    "Send a test message to a receiver, and say what came back; exit code 1 when it is not taken."
  )
)

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const mute = Command.make(
  "mute",
  {
    device: text("device", "Hostname, or a glob such as lhv-*"),
    group: text("group", "Group of the settings"),
    rule: text("rule", "Rule of alerts.yml"),
    from: text("from", "When it begins, UTC, such as 2026-12-24T18:00; now without it"),
    minutes: Flag.Int("minutes").pipe(Flag.withDescription("How long"), Flag.withDefault(60)),
    reason: Flag.String("reason"),
    json: jsonAlways
  },
  ({ device, from, group, minutes, reason, rule }) => {
    const some = Object.entries({ device, from, group, rule }).flatMap(([name, value]) =>
      Option.match(value, { onNone: () => [], onSome: (found) => [[name, found] as const] })
    )
    return printed("POST", "/alerts/mutes", { ...Object.fromEntries(some), minutes, reason })
  }
).pipe(Command.withDescription("Make no alerts for devices, a group or a rule for some time."))

const MUTES = {
  name: "mutes",
  fields: ["id", "hostname", "group", "rule", "begins_at", "ends_at", "is_in_force", "created_by", "reason"],
  nothing: "Nothing is muted."
}

const mutes = Command.make("mutes", format, (wanted) =>
  reported(Effect.flatMap(request("GET", "/alerts/mutes"), (answer) => printListed(wanted, answer, MUTES)))
).pipe(Command.withDescription("List mutes."))

const unmute = Command.make("unmute", { id: Argument.Int("id"), json: jsonAlways }, ({ id }) =>
  printed("DELETE", `/alerts/mutes/${id}`)
).pipe(Command.withDescription("Remove a mute."))

/** The command. */
export const alerts = Command.make("alerts").pipe(
  Command.withDescription("Alerts at the server of SWITCHYARD_URL, with SWITCHYARD_TOKEN."),
  Command.withSubcommands([list, acknowledge, test, dead, replay, mutes, mute, unmute])
)
