/** `switchyard setup`: what a new installation needs before its first start. */
import { Console, Effect, Layer, References } from "effect"
import { Command, Flag } from "effect/cli"
import { told } from "./AccountTarget.ts"

/**
 * Makes the database that the settings name, where there is none, although something tells that there was one. Fails with
 * DatabaseUnavailable.
 */
const makeDatabase = Effect.gen(function* () {
  const [Database, Installation, { ServerConfig }] = yield* Effect.promise(() =>
    Promise.all([import("../store/Database.ts"), import("../store/Installation.ts"), import("../ServerConfig.ts")])
  )
  const found = yield* Installation.inDatabase().pipe(
    Effect.provide(
      Database.layerAnew.pipe(
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
        Layer.provide(ServerConfig.layer)
      )
    )
  )
  if (found.kind === "named") yield* Console.log(`A new database was made, for installation ${found.id}.`)
})

/** The command. */
export const setup = Command.make(
  "setup",
  {
    newDatabase: Flag.Boolean("new-database").pipe(
      Flag.withDescription(
        "Make a new and empty database although DATA_DIR tells that there was one; a database that is there stays"
      ),
      Flag.withDefault(false)
    )
  },
  ({ newDatabase }) =>
    newDatabase
      ? Effect.catch(makeDatabase, (error) => told(error))
      : told({ message: "Say what is to be set up: --new-database" })
).pipe(
  Command.withDescription(
    "Set up a new installation. A server makes its database by itself at its first start; --new-database is for who has lost one and means to begin anew. See docs/operations.md#identity."
  )
)
