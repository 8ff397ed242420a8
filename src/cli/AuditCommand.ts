/** `switchyard audit`: looks through the chain of the audit, and writes the audit as JSON lines. */
import { Console, Effect, Layer, Option, Runtime, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"

/** A row does not fit the chain; what it is has been printed. Exit code 1. */
export class ChainBroken extends Schema.TaggedError<ChainBroken>()("ChainBroken", {}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = 1
}

/** The database and the key, as the server uses them. */
const services = Effect.gen(function* () {
  const [Database, Logging, { SecretKey }, { ServerConfig }] = yield* Effect.promise(() =>
    Promise.all([
      import("../store/Database.ts"),
      import("../runtime/Logging.ts"),
      import("../runtime/SecretKey.ts"),
      import("../ServerConfig.ts")
    ])
  )
  return Layer.mergeAll(Database.layerBeside, SecretKey.layer, Logging.layer).pipe(Layer.provide(ServerConfig.layer))
})

const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const { AuditChain } = yield* Effect.promise(() => import("../access/AuditChain.ts"))
    const { checked, problem } = yield* Effect.flatMap(Effect.service(AuditChain), (chain) => chain.verify).pipe(
      Effect.provide(AuditChain.layer.pipe(Layer.provide(yield* services)))
    )
    if (problem === null) return yield* Console.log(`The audit is whole: ${checked} events fit their seals.`)
    yield* Console.log(`The audit was tampered with: ${problem}; ${checked} events before it fit their seals.`)
    return yield* new ChainBroken({})
  })
).pipe(
  Command.withDescription(
    "Compare every event of the audit with its seal. Names the first that was changed, removed or inserted; exit code 1 then. Needs the server's own key (SECRET_KEY, or DATA_DIR)."
  )
)

const since = Flag.String("since").pipe(
  Flag.withDescription("Only events from this time on: 2026-03-02 or 2026-03-02T09:11:26, UTC"),
  Flag.optional
)

const exported = Command.make("export", { since }, ({ since }) =>
  Effect.gen(function* () {
    const { makeExport } = yield* Effect.promise(() => import("../access/AuditExport.ts"))
    const work = Effect.flatMap(makeExport, (read) =>
      Stream.runForEach(read(Option.getOrElse(since, () => "")), ({ event, hash, number }) =>
        Console.log(JSON.stringify({ ...event, number: Number(number), hash }))
      )
    )
    yield* Effect.provide(work, yield* services)
  })
).pipe(Command.withDescription("Print the sealed events of the audit as JSON, one a line, in the order of the chain."))

/** The command. */
export const audit = Command.make("audit").pipe(
  Command.withDescription("Check or export who did what."),
  Command.withSubcommands([verify, exported])
)
