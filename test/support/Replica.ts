/** A replica in the process of the test, on a database that it shares with others. */
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../../src/Server.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as Database from "../../src/store/Database.ts"
import { makeClient } from "./ApiClient.ts"
import * as Campus from "./Campus.ts"
import { freePort } from "./FreePort.ts"
import { keepLines } from "./LogLines.ts"

/** The common parts of a test's replicas. */
export const SHARED_KEY = "a key that all replicas of this site share, long enough"

/** Starts one on the database of this URL; yields its API, its services, the address of its API and its port for other replicas. */
export const startReplica = Effect.fnUntraced(function* (
  database: string,
  env: Readonly<Record<string, string>> = { SECRET_KEY: SHARED_KEY }
) {
  const { folder } = yield* Campus.makeFolders
  const clusterPort = yield* freePort
  const { layer } = keepLines("Info")
  const config = ServerConfig.layerOf({
    DATA_DIR: folder,
    HOST: "127.0.0.1",
    PORT: "0",
    JWT_ENABLED: "false",
    DATABASE_URL: database,
    CLUSTER_HOST: "127.0.0.1",
    CLUSTER_PORT: String(clusterPort),
    ...env
  })
  const running = yield* Layer.build(
    Server.layerOnDatabase.pipe(
      Layer.provide(layer),
      Layer.provideMerge(config),
      Layer.provideMerge(Database.layerUrl(Redacted.make(database)))
    )
  )
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, running)
  const url = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  return { api: makeClient(url), running, url, clusterPort }
})
