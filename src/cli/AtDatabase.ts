/**
 * Chooses where the commands for tokens and users work: at the server that SWITCHYARD_URL names, as all commands do (`client/Server.ts`);
 * without it directly on the database, for users who can read its settings.
 */
import { Effect, Layer, Option, References } from "effect"
import type { ServerSettings } from "../ServerConfig.ts"

/** Whether SWITCHYARD_URL names a server; if not, the command works at the database. */
export const isServerNamed = (): boolean => Boolean(process.env["SWITCHYARD_URL"])

/**
 * The database of the settings for a command, also while a server of this machine keeps the embedded one. Like a replica the command joins
 * the embedded database of a running server, or starts it if none runs. It makes no new one. Loaded when it is called.
 */
export const loadDatabase = async () => {
  const [{ ServerConfig }, Database] = await Promise.all([import("../ServerConfig.ts"), import("../store/Database.ts")])
  const guest = Layer.effect(
    ServerConfig,
    Effect.map(ServerConfig, (config) =>
      Option.isSome(config.DATABASE_URL)
        ? config
        : ServerConfig.of({ ...config, CLUSTER_HOST: Option.some("127.0.0.1") })
    )
  )
  return {
    layer: Database.layerOfCommand.pipe(Layer.provide(guest)),
    /** The same without an upgrade of its schema; a restore may begin without any. */
    layerAsItIs: (applicationName: string, purpose: "command" | "restore") =>
      Database.layerAsItIs(applicationName, purpose).pipe(Layer.provide(guest))
  }
}

/** The services for work at the database, on these settings after a change; loaded on demand. */
export const atDatabaseWith = Effect.fnUntraced(function* (change: (settings: ServerSettings) => ServerSettings) {
  const [database, { ServerConfig }, { ApiTokens }, { LocalUsers }, { Permissions }, { EventStore }, { PersonStore }] =
    yield* Effect.promise(() =>
      Promise.all([
        loadDatabase(),
        import("../ServerConfig.ts"),
        import("../access/ApiTokens.ts"),
        import("../access/LocalUsers.ts"),
        import("../access/Permissions.ts"),
        import("../store/EventStore.ts"),
        import("../store/AccountStore.ts")
      ])
    )
  const config = Layer.effect(
    ServerConfig,
    Effect.map(ServerConfig, (settings) => ServerConfig.of(change(settings)))
  ).pipe(Layer.provide(ServerConfig.layer))
  return Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, PersonStore.layer).pipe(
    Layer.provideMerge(Permissions.layer),
    Layer.provide(EventStore.layer),
    Layer.provideMerge(database.layer),
    // the output is for the user who runs the command
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provideMerge(config)
  )
})

/** The same on unchanged settings. */
export const atDatabase = atDatabaseWith((settings) => settings)
