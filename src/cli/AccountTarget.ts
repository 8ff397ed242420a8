/**
 * Where the commands about tokens and users work: at the server that SWITCHYARD_URL names, with the token of SWITCHYARD_TOKEN (or of the file
 * SWITCHYARD_TOKEN_FILE); else straight at the database, for whoever may read its settings.
 */
import { Console, Effect, Layer, Option, Redacted, References, Runtime, Schema } from "effect"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { tokenFile } from "./client/Server.ts"

/** The server refused, or could not be asked. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {
  // the sentence stands on stderr already
  override readonly [Runtime.errorReported] = false
}

/** Says what went wrong as a sentence on stderr; the exit code is 1. */
export const told = ({ message }: { readonly message: string }) =>
  Effect.andThen(Console.error(message), Effect.fail(new CommandRefused({ message })))

const BASE = "/api/v1.0"

/** A server and the token for it. */
export interface Target {
  readonly url: string
  readonly token: Redacted.Redacted
}

/** None when the database is meant. Fails when there is no token for the server. */
export const target = Effect.gen(function* () {
  const { SWITCHYARD_TOKEN, SWITCHYARD_TOKEN_FILE, SWITCHYARD_URL } = process.env
  if (SWITCHYARD_URL === undefined || SWITCHYARD_URL === "") return Option.none<Target>()
  const url = SWITCHYARD_URL.replace(/\/+$/, "").replace(/\/api(?:\/v1\.0)?$/, "")
  if (SWITCHYARD_TOKEN !== undefined) return Option.some({ url, token: Redacted.make(SWITCHYARD_TOKEN) })
  const kept = tokenFile()
  if (SWITCHYARD_TOKEN_FILE === undefined && !existsSync(kept)) {
    return yield* new CommandRefused({
      message: "SWITCHYARD_URL is set: give a token in SWITCHYARD_TOKEN or SWITCHYARD_TOKEN_FILE, or switchyard login"
    })
  }
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(kept, "utf8"),
    catch: () => new CommandRefused({ message: `The file ${kept} cannot be read` })
  })
  return Option.some({ url, token: Redacted.make(text.trim()) })
})

const Answer = Schema.Struct({ data: Schema.optionalKey(Schema.Unknown), message: Schema.optionalKey(Schema.Unknown) })

/** Sends a request; yields `data` of the answer. */
export const ask = Effect.fnUntraced(function* ({ token, url }: Target, method: string, path: string, body?: unknown) {
  const refused = (message: string) => new CommandRefused({ message })
  const response = yield* Effect.tryPromise({
    try: () =>
      fetch(`${url}${BASE}${path}`, {
        method,
        redirect: "error",
        headers: { authorization: `Bearer ${Redacted.value(token)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }),
    catch: () => refused(`${url} does not answer`)
  })
  const json: unknown = yield* Effect.tryPromise({
    try: () => response.json(),
    catch: () => refused(`${url} answers ${response.status} without JSON`)
  })
  const answer = yield* Effect.mapError(Schema.decodeUnknownEffect(Answer)(json), () => refused("an unknown answer"))
  if (response.ok) return answer.data
  return yield* refused(`${response.status} ${typeof answer.message === "string" ? answer.message : ""}`)
})

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
