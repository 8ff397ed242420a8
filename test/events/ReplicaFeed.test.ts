/** Lines and steps on their way to other replicas. */
import { assert, it } from "@effect/vitest"
import type { ActorStep, LogLine } from "../../src/runtime/LiveFeed.ts"
import { listensMessage, readMessage, toMessages } from "../../src/events/ReplicaFeed.ts"

const line = (text: string): LogLine => ({ kind: "log", at: 1, level: "INFO", module: "server", job: 3, text })
const step: ActorStep = {
  kind: "step",
  at: 2,
  hostname: "acc1",
  job: null,
  machine: "change",
  event: "PUSHED",
  state: "proving"
}

it("messages fit into PostgreSQL notifications, with any contents, and arrive in order", () => {
  const things = [
    ...Array.from({ length: 300 }, (_, number) => line(`line ${number} ${"å".repeat(number)}`)),
    step,
    line("€".repeat(20_000)),
    line('"\u0001\n'.repeat(5_000))
  ]
  const messages = toMessages("me", things)
  for (const message of messages) assert.isBelow(Buffer.byteLength(message), 8000)
  const read = messages.flatMap((message) => readMessage(message)?.things ?? [])
  assert.deepStrictEqual(read.slice(0, 301), things.slice(0, 301))
  assert.isBelow(messages.length, 40)
  const [long] = read.slice(301)
  assert.match(long?.kind === "log" ? long.text : "", /^€{1200} … \(longer in the log of its replica\)$/)
})

it("nothing is sent without lines, and foreign messages are ignored", () => {
  assert.deepStrictEqual(toMessages("me", []), [])
  assert.deepStrictEqual(readMessage(listensMessage("me")), { from: "me", listens: true })
  for (const text of ["", "null", "{}", '{"from":1}', '{"from":"x","things":[{"kind":"log"}]}']) {
    assert.isUndefined(readMessage(text), text)
  }
})
