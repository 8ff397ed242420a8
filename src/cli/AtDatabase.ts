/**
 * Where the commands about tokens and users work: at the server that SWITCHYARD_URL names, as all commands do (`client/Server.ts`); else
 * straight at the database, for whoever may read its settings.
 */
import { Effect, Layer, References } from "effect"
import type { ServerSettings } from "../ServerConfig.ts"

/** Whether a server is named; else the database is meant. */
export const isServerNamed = (): boolean => Boolean(process.env["SWITCHYARD_URL"])

/** The services that work at the database, on these settings after a change; loaded when they are asked for. */
export const atDatabaseWith = Effect.fnUntraced(function* (change: (settings: ServerSettings) => ServerSettings) {
  const [
    CommandDatabase,
    { ServerConfig },
    { ApiTokens },
    { LocalUsers },
    { Grants },
    { Permissions },
    { EventStore },
    { PersonStore }
  ] = yield* Effect.promise(() =>
    Promise.all([
      import("./CommandDatabase.ts"),
      import("../ServerConfig.ts"),
      import("../access/ApiTokens.ts"),
      import("../access/LocalUsers.ts"),
      import("../access/Permissions.ts"),
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
    Layer.provideMerge(Grants.layer),
    Layer.provide(Permissions.layer),
    Layer.provide(EventStore.layer),
    Layer.provideMerge(CommandDatabase.layer),
    // what is printed is for whoever runs the command
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provideMerge(config)
  )
})

/** The same on the settings as they are. */
export const atDatabase = atDatabaseWith((settings) => settings)
