/** Two replicas with a client each: both clients hear everything, wherever it happens. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Database from "../../../src/store/Database.ts"
import * as Server from "../../../src/Server.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { EVERYTHING, listen } from "../../support/LiveClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"

const startReplica = Effect.fnUntraced(function* (database: string) {
  const { folder } = yield* Campus.makeFolders
  const { layer } = keepLines("Info")
  const config = ServerConfig.layerOf({
    DATA_DIR: folder,
    HOST: "127.0.0.1",
    PORT: "0",
    JWT_ENABLED: "false",
    SECRET_KEY: "a key that all replicas of this site share, long enough",
    DATABASE_URL: database,
    CLUSTER_HOST: "127.0.0.1",
    CLUSTER_PORT: String(yield* freePort)
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
  return { api: makeClient(url), running, url }
})

it.live("tells clients of every replica of events, and of lines that another one writes", () =>
  Effect.gen(function* () {
    const database = yield* databaseUrl
    const [one, two] = [yield* startReplica(database), yield* startReplica(database)]
    const here = yield* listen(one.url, EVERYTHING, { transports: ["websocket"] })
    const there = yield* listen(two.url, EVERYTHING, { transports: ["websocket"] })

    const device = { hostname: "acc-new", state: "MANAGED", device_type: "ACCESS" } as const
    yield* Effect.provideContext(
      Effect.flatMap(DeviceStore, (devices) => devices.insert(device)),
      one.running
    )
    for (const client of [here, there]) {
      yield* client.until("The device", () => client.events.some(({ action }) => action === "CREATED"))
    }
    assert.deepStrictEqual(there.events, here.events)

    const isHeard = (lines: ReadonlyArray<string>) =>
      lines.some((line) => line.includes("filter[hostname]=of-the-first"))
    while (!isHeard(there.lines)) {
      yield* one.api.send("GET", "/devices?filter[hostname]=of-the-first")
      yield* Effect.sleep(50)
    }
    // and each line once
    const count = (lines: ReadonlyArray<string>) => lines.filter((line) => line.includes("of-the-first")).length
    yield* one.api.send("GET", "/devices?filter[hostname]=of-the-first&last=1")
    yield* there.until("The last line", () => there.lines.some((line) => line.includes("last=1")))
    assert.isAtMost(count(there.lines), count(here.lines))
  }).pipe(Effect.scoped)
)
