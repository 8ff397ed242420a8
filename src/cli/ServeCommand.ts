/** `switchyard serve` and `switchyard migrate`: the server, and its database alone. */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"

/** The command. The server is loaded when it is asked for, so that the other commands start at once. */
export const serve = Command.make("serve", {}, () =>
  Effect.gen(function* () {
    const Ending = yield* Effect.promise(() => import("../runtime/Ending.ts"))
    yield* Ending.watchSignals
    const Server = yield* Effect.promise(() => import("../Server.ts"))
    return yield* Layer.launch(Server.layerOf(process.env))
  })
).pipe(Command.withDescription("Run the server. Everything is set by environment variables; see docs/operations.md."))

/** The command. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const [Database, Logging, { ServerConfig }] = yield* Effect.promise(() =>
      Promise.all([import("../store/Database.ts"), import("../runtime/Logging.ts"), import("../ServerConfig.ts")])
    )
    const services = Layer.provide(Logging.layer, ServerConfig.layer)
    yield* Layer.build(Database.layerOfCommand).pipe(
      Effect.scoped,
      Effect.provide(services),
      Effect.provide(ServerConfig.layer)
    )
    yield* Console.log("The database is up to date.")
  })
).pipe(Command.withDescription("Bring the schema of the database up to date and end. It makes no database."))
