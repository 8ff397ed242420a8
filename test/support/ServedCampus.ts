/** The whole server on a free port, or that of its settings, for a lab and its repositories, with a database of its own and a client. */
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Logging from "../../src/runtime/Logging.ts"
import * as Server from "../../src/Server.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { makeClient } from "./ApiClient.ts"
import { TestDatabase } from "./TestDatabase.ts"

/** Starts it with these settings; it stops with the scope. `running` holds its services; `logging` is where its lines go. */
export const serve = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  logging: Layer.Layer<never, never, ServerConfig> = Logging.layer
) {
  const server = Server.layerOnDatabase.pipe(
    Layer.provide(logging),
    Layer.provideMerge(ServerConfig.layerOf({ PORT: "0", ...env })),
    Layer.provideMerge(TestDatabase)
  )
  const running = yield* Layer.build(server)
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, running)
  const url = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  return { running, url, api: makeClient(url) }
})
