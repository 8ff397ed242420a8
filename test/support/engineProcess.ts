/**
 * The server's engine as a process of its own, for tests that kill it: it runs jobs on the database of DATABASE_URL, takes
 * commands as JSON lines on its standard input and answers each with a line that starts with `@` and has the number of the
 * command. It ends when its input does, so that no test leaves one behind.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { Sharding } from "effect/cluster"
import { flushCompileCache } from "node:module"
import { createInterface } from "node:readline"
import { Bounce, DeviceEntity } from "../../src/devices/DeviceCalls.ts"
import * as Engine from "../../src/Engine.ts"
import { JobEngine } from "../../src/jobs/engine/JobEngine.ts"
import { refresh } from "../../src/jobs/repositories/RefreshRepository.ts"
import * as Logging from "../../src/runtime/Logging.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as Database from "../../src/store/Database.ts"
import type { JobStore } from "../../src/store/JobStore.ts"
import { jobNamed } from "./Jobs.ts"

const Command = Schema.Union([
  Schema.Struct({ refresh: Schema.Literals(["settings", "templates"]) }),
  Schema.Struct({
    start: Schema.String,
    args: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
    memo: Schema.optionalKey(Schema.Unknown)
  }),
  Schema.Struct({ abort: Schema.Int }),
  Schema.Struct({ bounce: Schema.Int, ...Bounce.fields })
])
type Command = typeof Command.Type
const Numbered = Schema.fromJsonString(Schema.Struct({ number: Schema.Int, command: Command }))

const say = (answer: unknown) => Effect.sync(() => process.stdout.write(`@${JSON.stringify(answer)}\n`))

const obey = Effect.fnUntraced(function* (command: Command) {
  const engine = yield* JobEngine
  if ("refresh" in command) yield* refresh(command.refresh, "tester")
  else if ("start" in command) {
    const { args, memo, start } = command
    return yield* engine.start(jobNamed(start), args, { user: "tester", ...(memo === undefined ? {} : { memo }) })
  } else if ("bounce" in command) {
    const actorOf = yield* DeviceEntity.client
    yield* actorOf(String(command.bounce)).BouncePorts(command)
  } else yield* engine.abort(command.abort, "tester")
  return 0
})

const answer = (line: string) =>
  Effect.flatMap(Schema.decodeUnknownEffect(Numbered)(line), ({ command, number }) =>
    Effect.matchCauseEffect(obey(command), {
      onFailure: (cause) => say({ number, error: Cause.pretty(cause) }),
      onSuccess: (id) => say({ number, id })
    })
  )

const serve = Effect.gen(function* () {
  const lines = createInterface({ input: process.stdin })
  const run = Effect.runForkWith(yield* Effect.context<JobEngine | JobStore | Sharding.Sharding>())
  lines.on("line", (line) => void run(answer(line)))
  yield* say({ number: 0 })
  // a process that is killed could not write it later
  flushCompileCache()
  yield* Effect.callback<void>((resume) => void lines.on("close", () => resume(Effect.void)))
})

const server = Engine.layer.pipe(
  Layer.provideMerge(Database.layer),
  Layer.provideMerge(Logging.layer),
  Layer.provideMerge(ServerConfig.layer)
)

// a signal is how a server is stopped: it has failed only if closing its resources has
NodeRuntime.runMain(Effect.provide(serve, server), {
  teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
