/** The port between replicas: open to holders of their secret only. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { hkdfSync } from "node:crypto"
import * as net from "node:net"
import * as tls from "node:tls"
import { sealingKey } from "../../../src/runtime/SecretKey.ts"
import * as Campus from "../../support/Campus.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY, startReplica } from "../../support/Replica.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"

const NEW_KEY = "the key that replaces the one of before, long enough"

const keyOf = (secret: string) => Buffer.from(hkdfSync("sha256", secret, "", "between replicas", 32))

/** Everything that is answered to these bytes until the other side closes. */
const answerTo = (port: number, bytes: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        let answer = ""
        const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes))
        socket.on("data", (chunk) => (answer += chunk.toString("latin1")))
        socket.on("error", () => undefined)
        socket.once("close", () => resolve(answer))
      })
  )

/** Whether a client with this secret, under the name of another one if given, is admitted. */
const isLetIn = (port: number, secret: string, named = secret) =>
  Effect.promise(
    () =>
      new Promise<boolean>((resolve) => {
        const { id } = sealingKey(Redacted.make(keyOf(named)))
        const socket = tls.connect({
          port,
          host: "127.0.0.1",
          ciphers: "PSK",
          maxVersion: "TLSv1.2",
          checkServerIdentity: () => undefined,
          pskCallback: () => ({ identity: id, psk: keyOf(secret) })
        })
        socket.once("secureConnect", () => {
          resolve(true)
          socket.destroy()
        })
        socket.once("error", () => resolve(false))
      })
  )

it.live("admits holders of the secret, and answers nothing to others", () =>
  Effect.gen(function* () {
    const { clusterPort } = yield* startReplica(yield* databaseUrl)
    assert.isTrue(yield* isLetIn(clusterPort, SHARED_KEY))
    assert.isFalse(yield* isLetIn(clusterPort, "some other key that is long enough for it"))
    // the name of the key is public; it is not the key
    assert.isFalse(yield* isLetIn(clusterPort, "some other key that is long enough for it", SHARED_KEY))
    assert.notInclude(yield* answerTo(clusterPort, "GET / HTTP/1.1\r\n\r\n"), "HTTP")
    assert.isTrue(yield* isLetIn(clusterPort, SHARED_KEY))
  }).pipe(Effect.scoped)
)

it.live("accepts two keys while they are changed, and a separate secret instead", () =>
  Effect.gen(function* () {
    const database = yield* databaseUrl
    const both = yield* startReplica(database, { SECRET_KEY: NEW_KEY, SECRET_KEY_PREVIOUS: SHARED_KEY })
    assert.isTrue(yield* isLetIn(both.clusterPort, SHARED_KEY))
    assert.isTrue(yield* isLetIn(both.clusterPort, NEW_KEY))
    const secret = "what only the replicas know, and nobody else"
    const own = yield* startReplica(yield* databaseUrl, { SECRET_KEY: SHARED_KEY, CLUSTER_SECRET: secret })
    assert.isTrue(yield* isLetIn(own.clusterPort, secret))
    assert.isFalse(yield* isLetIn(own.clusterPort, SHARED_KEY))
  }).pipe(Effect.scoped)
)

it.live("does not start next to others without a secret, and names the required setting", () =>
  Effect.gen(function* () {
    const { folder } = yield* Campus.makeFolders
    const program = yield* Program.start({
      DATA_DIR: folder,
      DATABASE_URL: yield* databaseUrl,
      CLUSTER_HOST: "127.0.0.1"
    })
    assert.strictEqual(yield* program.ended, 1)
    assert.include(program.text(), "CLUSTER_HOST: replicas know each other by a secret. Set SECRET_KEY")
  }).pipe(Effect.scoped)
)
