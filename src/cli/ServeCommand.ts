/** `switchyard serve` and `switchyard migrate`: the server, and its database alone. */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import type { hasSettingsFile } from "../runtime/SettingsFile.ts"

/** How often a server that has no settings file looks whether `switchyard setup` has written one. */
const LOOK = "1 second"

/** Ends when there is a settings file; never where there was one at the start: whoever edits it restarts the server. */
const settingsArrive = Effect.fnUntraced(function* (hasSettings: typeof hasSettingsFile) {
  if (yield* hasSettings(process.env)) return yield* Effect.never
  while (!(yield* hasSettings(process.env))) yield* Effect.sleep(LOOK)
  yield* Console.error("The settings of the first start have come: the server starts anew with them.")
})

/** The command. The server is loaded when it is asked for, so that the other commands start at once. */
export const serve = Command.make("serve", {}, () =>
  Effect.gen(function* () {
    const Ending = yield* Effect.promise(() => import("../runtime/Shutdown.ts"))
    yield* Ending.watchSignals
    const [Server, { hasSettingsFile, withSettingsFile }] = yield* Effect.promise(() =>
      Promise.all([import("../Server.ts"), import("../runtime/SettingsFile.ts")])
    )
    const once = Effect.gen(function* () {
      const arriving = settingsArrive(hasSettingsFile)
      return yield* Effect.raceFirst(Layer.launch(Server.layerOf(yield* withSettingsFile(process.env))), arriving)
    })
    return yield* Effect.forever(once)
  })
).pipe(
  Command.withDescription(
    "Run the server. Everything is set by environment variables and by switchyard.env in DATA_DIR; see docs/operations.md."
  )
)

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
