/** The stores of a server on a database, with the settings of that server: what it has sealed is opened by the same key. */
import { Layer } from "effect"
import * as Engine from "../../src/Engine.ts"
import { SecretKey } from "../../src/runtime/SecretKey.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { SecretTexts } from "../../src/store/SecretStore.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

/** For servers that have no folder. */
export const TEST_KEY = { SECRET_KEY: "the key of tests, which is long enough" }

/** The requirements of stores in addition to their database. */
export const TestSecrets = SecretTexts.layer.pipe(
  Layer.provideMerge(SecretKey.layer),
  Layer.provideMerge(ServerConfig.layerOf(TEST_KEY)),
  Layer.provideMerge(NodeServices.layer)
)

/** All stores on this database, as the server with these variables has them. */
export const storesOn = <A, E, R>(database: Layer.Layer<A, E, R>, env: Readonly<Record<string, string>> = TEST_KEY) =>
  Engine.stores.pipe(
    Layer.provideMerge(database),
    Layer.provide(ServerConfig.layerOf(env)),
    Layer.provide(NodeServices.layer)
  )
