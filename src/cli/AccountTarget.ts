/**
 * Where the commands about tokens and users work: at the server that SWITCHYARD_URL names, as all commands do (`client/Server.ts`); else
 * straight at the database, for whoever may read its settings.
 */
import { Console, Effect, Layer, References, Runtime, Schema } from "effect"
import { harmless } from "./client/Output.ts"

/** The database refused, or could not be asked. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {
  // the sentence stands on stderr already
  override readonly [Runtime.errorReported] = false
}

/** Says what went wrong as a sentence on stderr; the exit code is 1. */
export const told = ({ message }: { readonly message: string }) =>
  Effect.andThen(Console.error(harmless(message)), Effect.fail(new CommandRefused({ message })))

/** Whether a server is named; else the database is meant. */
export const isServerNamed = (): boolean => Boolean(process.env["SWITCHYARD_URL"])

/** The services that work at the database; loaded when they are asked for. */
export const atDatabase = Effect.gen(function* () {
  const [
    GuestDatabase,
    { ServerConfig },
    { ApiTokens },
    { LocalUsers },
    { Grants },
    { Permissions },
    { EventStore },
    { PersonStore }
  ] = yield* Effect.promise(() =>
    Promise.all([
      import("./GuestDatabase.ts"),
      import("../ServerConfig.ts"),
      import("../access/ApiTokens.ts"),
      import("../access/LocalUsers.ts"),
      import("../access/Grants.ts"),
      import("../access/Permissions.ts"),
      import("../store/EventStore.ts"),
      import("../store/PersonStore.ts")
    ])
  )
  return Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, PersonStore.layer).pipe(
    Layer.provideMerge(Grants.layer),
    Layer.provide(Permissions.layer),
    Layer.provide(EventStore.layer),
    Layer.provide(GuestDatabase.layer),
    // what is printed is JSON alone
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provide(ServerConfig.layer)
  )
})
